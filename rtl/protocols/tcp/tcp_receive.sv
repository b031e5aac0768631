// SPDX-License-Identifier: Apache-2.0
// TCP receive (RFC 9293, 3.1): checks segments, decodes their headers and options, and strips the
// header off the payload. With StripHeaders 0 the header stays, and out_header_o gives its length;
// at less than 512 bits headers are always stripped, which is cheap there.
//
// Each accepted segment is output twice, each time with its own handshake: its decoded header on
// `segment`, its payload on `out`, as one beat with 0 bytes if it is empty. Both are in the same
// order, except that SACK blocks alone (`sack_only`) have no payload. Of a payload's metadata only
// length and kind are valid. Dropped and counted: segments shorter than their header, data offsets
// less than 5, bad checksums, ports 0.
//
// Options in one of the layouts that systems use are read at once (tcp_layout). Those of one other
// segment at a time are read byte by byte (tcp_options), while later segments overtake it; a second
// one that arrives meanwhile is dropped and counted. An invalid option length is counted; the
// options before it are used. With AnyLayout 0, options in other layouts are ignored, except an MSS
// in first position.
//
// With MoreSacks, the further SACK blocks of an acknowledgement, in any layout, follow it, each as
// a segment with `sack_only`, 10 cycles later and then every 8 cycles. They are read by
// tcp_options, and skipped while it is busy: a peer repeats each block in at least three segments
// (RFC 2018, 4).
//
// The checksum is verified without access to the payload, as in udp_rx.
//
// Latency, at 512 bits: 3 cycles to `segment`, 5 to `out`; narrower: as many from the last beat of
// the header; other layouts: up to 48 more. Throughput: one beat per cycle, no gap between
// messages, except one cycle for a segment in another layout or a further SACK block. in_ready_o is
// a register.
`include "bombus_assert.svh"

module tcp_receive
  import bombus_pkg::*;
  import tcp_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned NumMacPorts = 1,
    parameter bit StripHeaders = 1,
    parameter bit AnyLayout = 1,
    parameter bit MoreSacks = 1,  // with AnyLayout
    parameter int unsigned KindTcpImport = KindNone,
    parameter bit IsObserved = 0  // numbers segments
) (
    input logic clk_i,
    input logic rst_i,
    input host_t [NumMacPorts-1:0] host_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output segment_t segment_o,
    output logic     segment_valid_o,
    input  logic     segment_ready_i,

    output beat_t out_o,
    output logic [5:0] out_header_o,  // header bytes before the payload
    output logic out_valid_o,
    input logic out_ready_i,

    output logic            [4:0] drop_o,
    output message_number_t [4:0] drop_message_o,
    output logic            [1:0] event_o,
    output logic                  busy_o
);

  typedef enum int unsigned {
    DropTruncated,
    DropBadOffset,
    DropBadChecksum,
    DropBadPort,
    DropOptionsBusy,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventOddOptions,  // read byte by byte
    EventBadOption,
    NumEvents
  } event_e;

  localparam int unsigned DataBytes = $bits(in_i.data) / 8;
  localparam int unsigned Words = DataBytes / 4;
  localparam int unsigned ShiftWidth = $clog2(Words);
  localparam int unsigned Rows = DataBytes < 32 ? 16384 / DataBytes : 512;  // of the payload
  localparam int unsigned RowWidth = $clog2(Rows);
  localparam int unsigned HeaderWords = MaxHeaderBytes / 4;
  localparam int unsigned OffsetWord = 3;
  localparam int unsigned OffsetBeat = OffsetWord / Words;
  // the last of them may contain payload
  localparam int unsigned HeaderBeats = HeaderWords / Words + 1;
  localparam bit Strips = StripHeaders || DataBytes < MaxHeaderBytes;
  typedef logic [$clog2(HeaderBeats+1)-1:0] beat_count_t;

  // ---- Position of a beat within its segment ----

  beat_count_t beat_q;  // beats of the segment received, up to HeaderBeats
  logic [3:0] offset_q;
  logic payload_q, judged_q;
  wire taken = in_valid_i & in_ready_o;
  wire [3:0] offset_here = in_i.data[OffsetWord%Words*32+4+:4];
  wire [3:0] offset = beat_q == beat_count_t'(OffsetBeat) ? offset_here : offset_q;
  wire [3:0] last_word = offset - 4'd1;
  wire has_offset = OffsetBeat == 0 || beat_q != '0;
  wire leads = has_offset & (32'(beat_q) == 32'(offset >> ShiftWidth)) & ~payload_q;
  wire header_ends = has_offset & (32'(beat_q) == 32'(last_word >> ShiftWidth));
  wire judge = (header_ends | in_i.last) & ~judged_q;

  always_ff @(posedge clk_i) begin
    if (taken) offset_q <= offset;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      beat_q <= '0;
      payload_q <= 1'b0;
      judged_q <= 1'b0;
    end else if (taken) begin
      if (in_i.last) begin
        beat_q <= '0;
        payload_q <= 1'b0;
        judged_q <= 1'b0;
      end else begin
        if (beat_q != beat_count_t'(HeaderBeats)) beat_q <= beat_q + 1'b1;
        payload_q <= payload_q | leads;
        judged_q  <= judged_q | judge;
      end
    end
  end

  // ---- The header, and the metadata of the first beat ----

  logic [HeaderWords-1:0][31:0] words_d, words_q;
  logic [HeaderWords-1:0] load;
  always_comb begin
    for (int unsigned w = 0; w < HeaderWords; w++) begin
      words_d[w] = in_i.data[w%Words*32+:32];
      load[w] = taken & (beat_q == beat_count_t'(w / Words));
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned w = 0; w < HeaderWords; w++) begin
      if (load[w]) words_q[w] <= words_d[w];
    end
  end
  header_t header;
  assign header = words_q[HeaderBytes/4-1:0];

  // Constant part of the pseudo-header
  ones_pkg::word_t sum_host;
  host_sum #(
      .NumMacPorts(NumMacPorts),
      .Constant(16'(ProtocolTcp))
  ) u_sum_host (
      .clk_i,
      .host_i,
      .port_i(in_i.meta.mac_port),
      .sum_o (sum_host)
  );

  typedef struct packed {
    mac_port_t mac_port;
    vlan_t vlan;
    logic [7:0] tos;
    logic [31:0] ip;
    length_t length;
    logic headless;  // shorter than the fixed part of a header
    ones_pkg::saved_t sum;  // of the segment and its pseudo-header
    logic imports;
    message_number_t message;
  } found_t;
  found_t found_q;
  message_number_t message, unused_begun;
  logic unused_first;
  message_number #(
      .Enabled(IsObserved)
  ) u_message (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (in_i.last),
      .first_o(unused_first),
      .here_o (message),
      .begun_o(unused_begun)
  );
  always_ff @(posedge clk_i) begin
    if (taken & (beat_q == '0)) begin
      found_q <= '{
          mac_port: in_i.meta.mac_port,
          vlan: in_i.meta.vlan,
          tos: in_i.meta.tos,
          ip: in_i.meta.ip,
          length: in_i.length,
          headless: in_i.length < 14'(HeaderBytes),
          sum:
          ones_pkg::save
          (
              {sum_host, in_i.meta.csum, in_i.meta.ip, {2'b0, in_i.length}, 16'b0}
          ),
          imports: 32'(in_i.kind) == KindTcpImport,
          message: message
      };
    end
  end

  // ---- Verdict, after the header ----

  logic valid_q, judge_q, last_q, accepted_q;
  logic layout_known, options_busy, late_full;
  logic late_ends, late_valid, late_bad;  // options have been read byte by byte
  logic more_ends, more_valid, reads_more;  // a further SACK block has been read
  options_t layout_options;
  logic [NumDrops-1:0] reasons;
  wire [3:0] words_in_header = header.offset[7:4];
  wire [14:0] length = {1'b0, found_q.length} - {9'b0, words_in_header, 2'b0};  // of the payload
  wire verdict = valid_q & judge_q;
  wire late_leaves = late_valid & ~verdict;
  // Equals |reasons, without the priority of its bits.
  wire refused = found_q.headless | length[14] | (words_in_header < 4'd5) | ~ones_pkg::is_ones(
      found_q.sum
  ) | (header.src_port == '0) | (header.dst_port == '0) |
      (AnyLayout & ~layout_known & (options_busy | late_full));
  wire accepted = verdict & ~refused;
  wire accept = judge_q ? ~refused : accepted_q;
  wire odd = accepted & ~layout_known;
  wire late = AnyLayout & odd;
  wire prompt = accepted & ~late;

  always_comb begin
    reasons = '0;
    if (found_q.headless | length[14]) reasons[DropTruncated] = 1'b1;
    else if (words_in_header < 4'd5) reasons[DropBadOffset] = 1'b1;
    else if (~ones_pkg::is_ones(found_q.sum)) reasons[DropBadChecksum] = 1'b1;
    else if ((header.src_port == '0) | (header.dst_port == '0)) reasons[DropBadPort] = 1'b1;
    else if (AnyLayout & ~layout_known & (options_busy | late_full)) begin
      reasons[DropOptionsBusy] = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    last_q <= in_i.last;
    judge_q <= judge;
    drop_message_o <= {NumDrops{found_q.message}};
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= 1'b0;
      accepted_q <= 1'b0;
      drop_o <= '0;
      event_o <= '0;
    end else begin
      valid_q <= taken;
      if (valid_q) accepted_q <= accept & ~last_q;
      drop_o <= verdict ? reasons : '0;
      event_o[EventOddOptions] <= odd;
      event_o[EventBadOption] <= late_leaves & late_bad;
    end
  end

  // ---- Accepted segments: sent at once, or after their options have been read ----

  typedef struct packed {
    logic [RowWidth-1:0] row;  // first row of the payload
    length_t length;  // bytes in these rows
    logic [3:0] header;  // header words among them
    segment_t segment;
  } message_t;
  // URG marks a SYN that imports a connection; no other SYN has it.
  localparam bit Imports = KindTcpImport != bombus_pkg::KindNone;
  function automatic flags_t flags_of(flags_t carried);
    flags_of = carried;
    if (Imports & carried.syn) flags_of.urg = found_q.imports;
  endfunction
  message_t read, late_read, late_q, sent_q;
  options_t late_options;
  sack_block_t more_block;
  logic has_more, has_late_more, late_more_q;
  logic [1:0] num_more;
  logic [5:0] more_at;
  logic sent_valid_q, sent_late_q;
  logic [RowWidth-1:0] row;

  always_comb begin
    read.row = row;
    read.length = Strips ? length[13:0] : found_q.length;
    read.header = Strips ? '0 : words_in_header;
    read.segment = '{
        mac_port: found_q.mac_port,
        vlan: found_q.vlan,
        tos: found_q.tos,
        ip: found_q.ip,
        src_port: swap16(header.src_port),
        dst_port: swap16(header.dst_port),
        seq: swap32(header.seq),
        ack: swap32(header.ack),
        flags: flags_of(header.flags),
        window: swap16(header.window),
        length: length[13:0],
        sack_only: 1'b0,
        options: layout_options,
        message: found_q.message
    };
    late_read = late_q;
    if (late_leaves | late_more_q) late_read.segment.options = late_options;
    if (~late_leaves) begin
      late_read.segment.seq = late_q.segment.seq + 32'(late_q.segment.length);
      late_read.segment.length = '0;
      late_read.segment.flags = '{ack: 1'b1, default: 1'b0};
      late_read.segment.sack_only = 1'b1;
      late_read.segment.options.sack = more_block;
    end
  end

  tcp_layout u_layout (
      .clk_i,
      .load_i(load[HeaderWords-1:HeaderBytes/4]),
      .words_i(words_d[HeaderWords-1:HeaderBytes/4]),
      .words_q_i(words_q[HeaderWords-1:HeaderBytes/4]),
      .offset_i(words_in_header),
      .known_o(layout_known),
      .options_o(layout_options),
      .has_more_o(has_more),
      .num_more_o(num_more),
      .more_at_o(more_at)
  );
  // Blocks of a segment that opens, ends or resets the connection are ignored.
  function automatic logic may_sack(flags_t carried);
    return carried.ack & ~(carried.syn | carried.fin | carried.rst);
  endfunction
  wire starts_more = MoreSacks & AnyLayout & prompt & has_more & ~options_busy & ~reads_more &
      may_sack(
      read.segment.flags
  );
  wire starts_late_more = MoreSacks & AnyLayout & late_leaves & has_late_more & may_sack(
      late_q.segment.flags
  );

  if (AnyLayout) begin : gen_options
    tcp_options u_options (
        .clk_i,
        .rst_i,
        .start_i(late),
        .words_i(words_q[HeaderWords-1:HeaderBytes/4]),
        .num_words_i(words_in_header - 4'(HeaderBytes / 4)),
        .options_o(late_options),
        .has_more_o(has_late_more),
        .bad_o(late_bad),
        .ends_o(late_ends),
        .valid_o(late_valid),
        .take_i(late_leaves),
        .busy_o(options_busy),
        .start_more_i(starts_more | starts_late_more),
        .again_i(starts_late_more),
        .more_at_i(more_at),
        .num_more_i(num_more),
        .more_o(more_block),
        .more_valid_o(more_valid),
        .more_ends_o(more_ends),
        .reads_more_o(reads_more)
    );
  end else begin : gen_no_options
    wire unused_full = late_full;
    assign late_options = '0;
    assign {late_bad, late_ends, late_valid, options_busy} = '0;
    assign {more_block, more_valid, more_ends, reads_more} = '0;
    wire unused_more = &{num_more, more_at};
    assign has_late_more = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (late | starts_more) late_q <= read;
    if (late | starts_more) late_more_q <= 1'b0;
    else if (starts_late_more) late_more_q <= 1'b1;
    sent_q <= late_leaves | more_valid ? late_read : read;
    sent_late_q <= late_leaves;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) sent_valid_q <= 1'b0;
    else sent_valid_q <= prompt | late_leaves | more_valid;
  end
  wire sent_message = sent_valid_q & ~sent_q.segment.sack_only;  // with a payload

  // ---- Output ----

  segment_t body;
  flags_t flags;
  logic unused_ready;
  head_fifo #(
      .head_t(flags_t),
      .body_t(segment_t),
      .Depth (32)
  ) u_segments (
      .clk_i,
      .rst_i,
      .in_head_i  (sent_q.segment.flags),
      .in_body_i  (sent_q.segment),
      .in_valid_i (sent_valid_q),
      .in_ready_o (unused_ready),
      .out_head_o (flags),
      .out_body_o (body),
      .out_valid_o(segment_valid_o),
      .out_ready_i(segment_ready_i)
  );
  always_comb begin
    segment_o = body;
    segment_o.flags = flags;
  end

  logic rows_short, payload_leaves;
  tcp_payload #(
      .beat_t(beat_t),
      .DataBytes(DataBytes),
      .Rows(Rows)
  ) u_payload (
      .in_valid_i(taken),
      .in_shift_i(Strips ? offset[ShiftWidth-1:0] : '0),
      .in_leads_i(leads),
      .in_follows_i(payload_q),
      .accept_i(accept),
      .late_i(late),
      .row_o(row),
      .late_full_o(late_full),
      .nearly_full_o(rows_short),
      .push_i(sent_message),
      .push_row_i(sent_q.row),
      .push_length_i(sent_q.length),
      .push_header_i(sent_q.header),
      .push_late_i(sent_late_q),
      .sent_o(payload_leaves),
      .*
  );

  // The pipeline has no backpressure: the input stalls while there is still room for the beats in
  // flight.
  logic [1:0][5:0] inside_q;  // segments inside, by output stream
  logic [1:0] leaves_q;
  wire [1:0] enters = {sent_message, sent_valid_q};
  logic ready_q;
  always_ff @(posedge clk_i) begin
    leaves_q <= rst_i ? '0 : {payload_leaves, segment_valid_o & segment_ready_i};
    if (rst_i) begin
      inside_q <= '0;
      ready_q  <= 1'b0;
    end else begin
      for (int unsigned s = 0; s < 2; s++) begin
        if (enters[s] & ~leaves_q[s]) inside_q[s] <= inside_q[s] + 1'b1;
        else if (leaves_q[s] & ~enters[s]) inside_q[s] <= inside_q[s] - 1'b1;
      end
      // A segment whose options have been read, or a SACK block, needs a cycle without another
      // segment.
      ready_q <= (inside_q[0] < 6'd24) & (inside_q[1] < 6'd24) & ~rows_short & ~late_ends &
          ~more_ends;
    end
  end
  assign in_ready_o = ready_q;

  wire options_read = options_busy | reads_more | more_valid;
  assign busy_o = valid_q | sent_valid_q | options_read | (inside_q != '0) | out_valid_o |
      (beat_q != '0);

  `BOMBUS_ASSERT(SegmentsHaveRoom, !sent_valid_q || unused_ready)

endmodule
