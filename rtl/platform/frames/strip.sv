// SPDX-License-Identifier: Apache-2.0
// Removes a header of HeaderBytes from the front of every message and outputs it with the first
// remaining beat.
//
// The shift is wiring only. A message without bytes after the header leaves as one beat with 0
// bytes. So does one that is shorter than the header, which its length shows. Metadata is
// unchanged. With keep_i, sampled with a message's first beat, the message is forwarded unstripped.
//
// Latency: 1 cycle and the beats of the header. Outputs are one gate after flip-flops, except the
// low bytes of a beat before the last, which are those of the next input beat. Throughput: one beat
// per cycle; the input never waits for a flush, so there is no gap between messages.
`include "bombus_assert.svh"

module strip #(
    parameter type beat_t = logic,
    parameter int unsigned HeaderBytes = 14
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  logic  keep_i,

    output beat_t                     out_o,
    output logic                      out_valid_o,
    input  logic                      out_ready_i,
    output logic                      out_first_o,
    output logic  [HeaderBytes*8-1:0] header_o      // valid with out_first_o
);

  if (HeaderBytes < 1) begin : gen_bad_header
    $error("strip: HeaderBytes must be at least 1");
  end

  localparam int unsigned DataBytes = $bits(in_i.data) / 8;
  localparam int unsigned CountWidth = $bits(in_i.bytes);
  localparam int unsigned SkipBeats = HeaderBytes / DataBytes;  // beats with only header bytes
  localparam int unsigned Shift = HeaderBytes % DataBytes;
  typedef logic [CountWidth-1:0] count_t;

  // The held beat: its upper bytes wait for the lower bytes of the next one.
  logic [DataBytes*8-1:0] hold_data_q;
  count_t hold_bytes_q;
  logic hold_last_q, hold_valid_q, hold_first_q, hold_keep_q;
  logic [$bits(in_i.meta)-1:0] hold_meta_q;
  logic [$bits(in_i.length)-1:0] hold_length_q;
  logic [$bits(in_i.kind)-1:0] hold_kind_q;

  logic first;  // the input beat starts a message
  logic in_header;  // the input beat has only header bytes
  logic skipped;  // dropped: in the header and not the message's last
  logic leading;  // the first input beat that is not skipped
  count_t in_bytes;  // valid bytes of the input beat, header included

  wire taken = in_valid_i & in_ready_o;
  assign in_ready_o = ~hold_valid_q | out_ready_i;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (in_i.last),
      .first_o(first)
  );

  if (SkipBeats == 0) begin : gen_no_skip
    assign in_header = 1'b0;
    assign skipped   = 1'b0;
    assign leading   = first;
    assign in_bytes  = in_i.bytes;
    assign header_o  = hold_data_q[HeaderBytes*8-1:0];
  end else begin : gen_skip
    typedef logic [$clog2(SkipBeats+1)-1:0] index_t;
    index_t index_q;  // header beats skipped
    logic [SkipBeats-1:0][DataBytes*8-1:0] header_q;
    logic keep_q;
    logic passed_q;  // the first beat after the header has passed
    wire keep = first ? keep_i : keep_q;
    assign in_header = (index_q < index_t'(SkipBeats)) & ~keep;
    // A message that ends inside the header leaves one beat without bytes.
    assign skipped   = in_header & ~in_i.last;
    assign leading   = keep ? first : in_header ? in_i.last : (~passed_q);
    assign in_bytes  = in_header ? count_t'(Shift) : in_i.bytes;
    if (Shift == 0) begin : gen_whole
      assign header_o = header_q;
    end else begin : gen_rest
      assign header_o = {hold_data_q[Shift*8-1:0], header_q};
    end
    always_ff @(posedge clk_i) begin
      if (taken) begin
        if (first) keep_q <= keep_i;
        for (int unsigned b = 0; b < SkipBeats; b++) begin
          if (index_q == index_t'(b)) header_q[b] <= in_i.data;
        end
      end
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        index_q  <= '0;
        passed_q <= 1'b0;
      end else if (taken) begin
        if (in_i.last) begin
          index_q  <= '0;
          passed_q <= 1'b0;
        end else if (in_header) begin
          index_q <= index_q + 1'b1;
        end else begin
          passed_q <= 1'b1;
        end
      end
    end
  end

  wire count_t shift = hold_keep_q ? '0 : count_t'(Shift);
  // The end of the message fits into the output beat, so no bytes remain to be held.
  wire fits = in_i.last & (in_bytes <= shift);
  wire joins = hold_valid_q & ~hold_last_q;

  assign out_valid_o = hold_valid_q & (hold_last_q | in_valid_i);
  assign out_first_o = hold_first_q;

  logic [DataBytes*8-1:0] shifted;
  if (Shift == 0) begin : gen_no_shift
    assign shifted = hold_data_q;
  end else begin : gen_shift
    // After the last beat, the input already shows the next message.
    wire [Shift*8-1:0] following = hold_last_q ? '0 : in_i.data[Shift*8-1:0];
    assign shifted = {following, hold_data_q[DataBytes*8-1:Shift*8]};
  end

  always_comb begin
    out_o.meta   = hold_meta_q;
    out_o.length = hold_length_q;
    out_o.kind   = hold_kind_q;
    out_o.data   = hold_keep_q ? hold_data_q : shifted;
    if (hold_last_q) begin
      out_o.last  = 1'b1;
      out_o.bytes = hold_bytes_q <= shift ? '0 : hold_bytes_q - shift;
    end else begin
      out_o.last  = fits;
      out_o.bytes = fits ? count_t'(DataBytes) - shift + in_bytes : count_t'(DataBytes);
    end
  end

  always_ff @(posedge clk_i) begin
    if (taken) begin
      hold_data_q  <= in_header ? '0 : in_i.data;  // bytes beyond the end must be zero
      hold_bytes_q <= in_bytes;
      if (first) begin
        hold_meta_q   <= in_i.meta;
        hold_length_q <= in_i.length;
        hold_kind_q   <= in_i.kind;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      hold_valid_q <= 1'b0;
      hold_last_q  <= 1'b0;
      hold_first_q <= 1'b0;
      hold_keep_q  <= 1'b0;
    end else begin
      if (taken) begin
        hold_valid_q <= ~skipped & ~(joins & fits);
        hold_last_q  <= in_i.last;
        hold_first_q <= leading;
        if (first) hold_keep_q <= keep_i;
      end else if (out_valid_o & out_ready_i) begin
        hold_valid_q <= 1'b0;
      end
    end
  end

  `BOMBUS_ASSERT(BytesInBounds, !out_valid_o || 32'(out_o.bytes) <= DataBytes)

endmodule
