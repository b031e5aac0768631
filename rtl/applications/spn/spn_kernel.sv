// SPDX-License-Identifier: Apache-2.0
// Everything of a kernel for sum-product networks but its pipelines and its transport: samples of
// requests to Copies pipelines, results to replies, in order. The layer that the compiler writes
// instantiates it, by spn_udp, spn_tcp or spn_ethernet, with the pipelines
// (docs/applications/spn/kernel.md).
//
// A request is a header and samples, each value in ceil(ValueBits / 8) bytes, the lowest first. The
// reply has the same header and a result of 4 bytes for each sample. A request with a wrong header,
// a wrong length or too many samples is counted, and its reply is a header that gives the reason.
// Messages that are replies themselves are dropped: two kernels cannot answer each other.
//
// The metadata of a reply is that of its request. It is a struct with the fields `no_reply`: the
// message is dropped, since its reply could not be sent, and `notice`: its reply is an empty
// message, in order with the others. With Padded, requests of up to PaddedBytes may be longer than
// their header says.
//
// Samples enter the pipelines only if there is space for their results, so the pipelines never
// stall.
//
// Latency: 6 cycles, the pipeline's, and those of the samples. Throughput: one beat, or Copies
// samples, per cycle, whichever takes longer; a group of samples with fewer than Copies at the end
// of a request takes a cycle.
`include "bombus_assert.svh"

module spn_kernel
  import bombus_pkg::*;
  import spn_kernel_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned NumVariables = 1,
    parameter int unsigned ValueBits = 8,
    parameter int unsigned Copies = 1,
    parameter int unsigned PipelineCycles = 1,  // from a sample to its result
    parameter logic [7:0] Fraction = '0,  // in the header of results
    parameter int unsigned MaxReplyBytes = 1472,
    parameter bit Padded = 1'b0
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic            [1:0] drop_o,
    output message_number_t [1:0] drop_message_o,
    output logic            [3:0] event_o,
    output logic                  busy_o,

    output logic [Copies-1:0][ NumVariables-1:0][ValueBits-1:0] samples_o,
    input  logic [Copies-1:0][8*ResultBytes-1:0]                results_i
);

  typedef enum int unsigned {
    DropNoReply,
    DropReply,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventBatch,
    EventBadHeader,
    EventBadLength,
    EventTooMany,
    NumEvents
  } event_e;

  localparam int unsigned DataBytes = $bits(in_i.data) / 8;
  localparam int unsigned CountWidth = $bits(in_i.bytes);
  localparam int unsigned ValueBytes = (ValueBits + 7) / 8;
  localparam int unsigned SampleBytes = NumVariables * ValueBytes;
  localparam int unsigned GroupBytes = Copies * SampleBytes;
  localparam int unsigned MaxResults = (MaxReplyBytes - HeaderBytes) / ResultBytes;
  localparam int unsigned MaxMessages = 16;  // inside
  localparam int unsigned PaddedBytes = 46;  // IEEE 802.3, 3.2.8

  if (NumVariables < 1 || ValueBits < 1 || ValueBits > 16 || Copies < 1) begin : gen_bad_shape
    $error("spn_kernel: NumVariables and Copies must be at least 1, ValueBits 1 to 16");
  end
  if (MaxReplyBytes < HeaderBytes + ResultBytes || MaxReplyBytes > 8972) begin : gen_bad_reply
    $error("spn_kernel: MaxReplyBytes must be 14 to 8972");
  end
  if (SampleBytes + HeaderBytes > 8972) begin : gen_bad_sample
    $error("spn_kernel: a sample must fit into a message of 8972 bytes");
  end

  // ---- The header ----

  beat_t payload;
  logic payload_valid, payload_ready, payload_first;
  header_t header;
  strip #(
      .beat_t(beat_t),
      .HeaderBytes(HeaderBytes)
  ) u_strip (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .keep_i(1'b0),
      .out_o(payload),
      .out_valid_o(payload_valid),
      .out_ready_i(payload_ready),
      .out_first_o(payload_first),
      .header_o(header)
  );

  typedef struct packed {
    beat_t beat;
    logic first;
    header_t header;
    logic [31:0] length;  // that the header's count asks for
  } part_t;
  part_t in_part, part;
  logic part_valid, part_ready;
  always_comb begin
    in_part.beat   = payload;
    in_part.first  = payload_first;
    in_part.header = header;
    in_part.length = 32'(header.count) * SampleBytes + HeaderBytes;
  end
  stream_register #(
      .data_t(part_t)
  ) u_part (
      .clk_i,
      .rst_i,
      .in_i(in_part),
      .in_valid_i(payload_valid),
      .in_ready_o(payload_ready),
      .out_o(part),
      .out_valid_o(part_valid),
      .out_ready_i(part_ready)
  );

  // ---- What becomes of a message ----

  wire has_header = part.beat.length >= length_t'(HeaderBytes) && part.header.magic == Magic;
  wire is_request = has_header && part.header.form == FormRequest && part.header.fraction == '0;
  wire fits = part.length == 32'(part.beat.length) ||
      (Padded && part.length < 32'(part.beat.length) && 32'(part.beat.length) <= PaddedBytes);
  wire agrees = 32'(part.header.length) + HeaderBytes == part.length;
  logic [NumDrops-1:0] drops;
  form_e form;
  always_comb begin
    drops = '0;
    if (part.beat.meta.no_reply) drops[DropNoReply] = 1'b1;
    else if (has_header && part.header.form != FormRequest) drops[DropReply] = 1'b1;
    if (!is_request) form = FormBadHeader;
    else if (!fits || !agrees) form = FormBadLength;
    else if (32'(part.header.count) > MaxResults) form = FormTooMany;
    else form = FormResults;
  end
  wire has_samples = drops == '0 && !part.beat.meta.notice && form == FormResults &&
      part.header.count != '0;

  typedef struct packed {
    logic [$bits(in_i.meta)-1:0] meta;
    logic notice;
    header_t header;
  } reply_t;
  reply_t new_reply, reply;
  logic reply_push, reply_room, reply_valid, reply_pop, unused_reply_holds;
  always_comb begin
    new_reply.meta = part.beat.meta;
    new_reply.notice = part.beat.meta.notice;
    new_reply.header = '{
        batch: part.header.batch,
        count: has_samples ? part.header.count : '0,
        length: has_samples ? part.header.count * 16'(ResultBytes) : '0,
        fraction: form == FormResults ? Fraction : '0,
        form: form,
        magic: Magic
    };
  end
  stream_queue #(
      .data_t(reply_t),
      .Depth (MaxMessages)
  ) u_replies (
      .clk_i,
      .rst_i,
      .in_i(new_reply),
      .in_valid_i(reply_push),
      .in_ready_o(reply_room),
      .out_o(reply),
      .out_valid_o(reply_valid),
      .out_ready_i(reply_pop),
      .holds_o(unused_reply_holds)
  );

  logic keeps_q;  // beats of the current message have samples
  wire  keeps = part.first ? has_samples : keeps_q;
  logic words_ready, samples_last;
  wire replies = part.first & drops == '0;
  assign part_ready = (~replies | reply_room) & (~keeps | words_ready);
  wire part_taken = part_valid & part_ready;
  assign reply_push = part_valid & replies & (~keeps | words_ready);
  always_ff @(posedge clk_i) if (part_taken) keeps_q <= keeps & ~samples_last;

  message_number_t message, unused_begun;
  logic unused_first;
  message_number u_message (
      .clk_i,
      .rst_i,
      .taken_i(part_taken),
      .last_i (part.beat.last),
      .first_o(unused_first),
      .here_o (message),
      .begun_o(unused_begun)
  );
  wire judged = part_taken & part.first;
  always_ff @(posedge clk_i) begin
    drop_message_o <= {NumDrops{message}};
    drop_o <= judged & ~rst_i ? drops : '0;
    event_o <= '0;
    if (judged & drops == '0 & ~part.beat.meta.notice & ~rst_i) begin
      event_o[EventBatch] <= form == FormResults;
      event_o[EventBadHeader] <= form == FormBadHeader;
      event_o[EventBadLength] <= form == FormBadLength;
      event_o[EventTooMany] <= form == FormTooMany;
    end
  end

  // ---- Groups of samples ----

  // Without the padding, if there may be some
  logic [8*DataBytes-1:0] samples_data;
  logic [ CountWidth-1:0] samples_bytes;
  if (Padded) begin : gen_padded
    logic [15:0] left_q;  // bytes of samples in beats to come
    wire  [15:0] left = part.first ? part.header.length : left_q;
    always_ff @(posedge clk_i) if (part_taken) left_q <= left - 16'(DataBytes);
    assign samples_last  = 32'(left) <= DataBytes;
    assign samples_bytes = samples_last ? CountWidth'(left) : CountWidth'(DataBytes);
    always_comb begin
      samples_data = part.beat.data;
      for (int unsigned n = 0; n < DataBytes; n++) begin
        if (n >= 32'(left)) samples_data[8*n+:8] = '0;
      end
    end
  end else begin : gen_exact
    assign samples_last  = part.beat.last;
    assign samples_bytes = part.beat.bytes;
    assign samples_data  = part.beat.data;
  end

  logic [8*GroupBytes-1:0] group;
  logic [$clog2(GroupBytes+1)-1:0] group_bytes;
  logic group_last, group_valid, group_ready;
  width_converter #(
      .InBytes (DataBytes),
      .OutBytes(GroupBytes)
  ) u_samples (
      .clk_i,
      .rst_i,
      .in_data_i  (samples_data),
      .in_bytes_i (samples_bytes),
      .in_last_i  (samples_last),
      .in_valid_i (part_valid & keeps & (~replies | reply_room)),
      .in_ready_o (words_ready),
      .out_data_o (group),
      .out_bytes_o(group_bytes),
      .out_last_o (group_last),
      .out_valid_o(group_valid),
      .out_ready_i(group_ready)
  );
  for (genvar c = 0; c < Copies; c++) begin : gen_copy
    for (genvar v = 0; v < NumVariables; v++) begin : gen_variable
      localparam int unsigned First = 8 * (c * SampleBytes + v * ValueBytes);
      assign samples_o[c][v] = group[First+:ValueBits];
      if (ValueBits < 8 * ValueBytes) begin : gen_unused
        wire unused = ^group[First+ValueBits+:8*ValueBytes-ValueBits];
      end
    end
  end

  // ---- Beside the pipelines: which results are valid ----

  localparam int unsigned ResultsWidth = $clog2(Copies + 1);
  typedef logic [ResultsWidth-1:0] num_results_t;
  typedef struct packed {
    logic last;
    num_results_t count;
  } tag_t;
  tag_t tag;
  always_comb begin
    tag.last  = group_last;
    tag.count = '0;
    for (int unsigned c = 0; c < Copies; c++) begin
      if (32'(group_bytes) > c * SampleBytes) tag.count = num_results_t'(c + 1);
    end
  end
  logic [PipelineCycles:0][$bits(tag_t)-1:0] tags;
  logic [PipelineCycles-1:0] inside_q;
  spn_delay #(
      .Width ($bits(tag_t)),
      .Cycles(PipelineCycles)
  ) u_tags (
      .clk_i,
      .value_i(tag),
      .taps_o (tags)
  );
  wire unused_tags = ^tags;
  wire group_taken = group_valid & group_ready;
  always_ff @(posedge clk_i) begin
    if (rst_i) inside_q <= '0;
    else inside_q <= PipelineCycles'({inside_q, group_taken});
  end

  // ---- Results, as many as there is space for ----

  localparam int unsigned Depth = PipelineCycles + 8 > 16 ? 2 ** $clog2(PipelineCycles + 8) : 16;
  typedef struct packed {
    tag_t tag;
    logic [Copies-1:0][8*ResultBytes-1:0] results;
  } group_t;
  group_t finished, stored;
  logic stored_valid, stored_ready, finished_room, unused_holds;
  logic [$clog2(Depth+1)-1:0] space_q;  // free places, less those for samples in the pipelines
  always_comb begin
    finished.tag = tag_t'(tags[PipelineCycles]);
    finished.results = results_i;
    for (int unsigned c = 0; c < Copies; c++) begin
      if (32'(finished.tag.count) <= c) finished.results[c] = '0;
    end
  end
  stream_queue #(
      .data_t(group_t),
      .Depth (Depth)
  ) u_results (
      .clk_i,
      .rst_i,
      .in_i(finished),
      .in_valid_i(inside_q[PipelineCycles-1]),
      .in_ready_o(finished_room),
      .out_o(stored),
      .out_valid_o(stored_valid),
      .out_ready_i(stored_ready),
      .holds_o(unused_holds)
  );
  wire freed = stored_valid & stored_ready;
  assign group_ready = space_q != '0;
  always_ff @(posedge clk_i) begin
    if (rst_i) space_q <= $bits(space_q)'(Depth);
    else space_q <= space_q + $bits(space_q)'(freed) - $bits(space_q)'(group_taken);
  end

  logic [8*DataBytes-1:0] word;
  logic [$clog2(DataBytes+1)-1:0] word_bytes;
  logic word_last, word_valid, word_ready;
  width_converter #(
      .InBytes (Copies * ResultBytes),
      .OutBytes(DataBytes)
  ) u_words (
      .clk_i,
      .rst_i,
      .in_data_i  (stored.results),
      .in_bytes_i ($clog2(Copies * ResultBytes + 1)'(32'(stored.tag.count) * ResultBytes)),
      .in_last_i  (stored.tag.last),
      .in_valid_i (stored_valid),
      .in_ready_o (stored_ready),
      .out_data_o (word),
      .out_bytes_o(word_bytes),
      .out_last_o (word_last),
      .out_valid_o(word_valid),
      .out_ready_i(word_ready)
  );

  // ---- Replies ----

  wire has_results = reply.header.count != '0;
  beat_t body, whole;
  logic body_ready, whole_valid, whole_ready, unused_whole_first;
  always_comb begin
    body.meta   = $bits(body.meta)'(reply.meta);
    body.kind   = $bits(body.kind)'(KindPacket);
    body.length = reply.notice ? '0 : length_t'(reply.header.length) + length_t'(HeaderBytes);
    body.data   = has_results ? word : '0;
    body.bytes  = has_results ? CountWidth'(word_bytes) : '0;
    body.last   = ~has_results | word_last;
  end
  wire body_valid = reply_valid & (~has_results | word_valid);
  assign word_ready = body_ready & reply_valid & has_results;
  assign reply_pop  = body_ready & body_valid & body.last;
  prepend #(
      .beat_t(beat_t),
      .HeaderBytes(HeaderBytes)
  ) u_prepend (
      .clk_i,
      .rst_i,
      .in_i(body),
      .in_valid_i(body_valid),
      .in_ready_o(body_ready),
      .header_i(reply.header),
      .skip_i(reply.notice),
      .out_o(whole),
      .out_valid_o(whole_valid),
      .out_ready_i(whole_ready),
      .out_first_o(unused_whole_first)
  );
  stream_register #(
      .data_t(beat_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(whole),
      .in_valid_i(whole_valid),
      .in_ready_o(whole_ready),
      .out_o,
      .out_valid_o,
      .out_ready_i
  );

  // A message is inside from its first beat until its reply has left.
  logic in_middle_q;  // of a message at the input
  always_ff @(posedge clk_i) begin
    if (rst_i) in_middle_q <= 1'b0;
    else if (in_valid_i & in_ready_o) in_middle_q <= ~in_i.last;
  end
  assign busy_o = in_middle_q | payload_valid | part_valid | reply_valid | whole_valid |
      out_valid_o;

  `BOMBUS_ASSERT(ResultsHaveSpace, !inside_q[PipelineCycles-1] || finished_room)
  `BOMBUS_ASSERT(SpaceExists, 32'(space_q) <= Depth)

endmodule
