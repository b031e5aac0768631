// IPv4 receive (RFC 791, RFC 1122 3.2.1): checks the header, strips it with its
// options, sorts by protocol.
//
// Dropped and counted: packets cut short, other versions, bad lengths and
// header checksums, fragments, sources that no packet can come from, packets
// for others (broadcast and multicast among them), protocols nobody here
// speaks. Options are skipped. A good header sums to nothing, so meta.csum
// needs no correction and holds the sum of the payload from here on.
//
// Latency: 3 cycles (at 256 bits and more). Throughput: one beat per cycle; a
// packet with options one 32-bit word per cycle.
module ipv4_rx
  import bombus_pkg::*;
#(
    parameter type beat_t = logic
) (
    input logic  clk_i,
    input logic  rst_i,
    input host_t host_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output next_e       out_next_o,
    output logic  [7:0] drop_o,
    output logic  [0:0] event_o,
    output logic        busy_o
);

  localparam next_e Entry = NextIpv4Rx;
  localparam logic [31:0] NextHops = 32'(1) << NextIcmp | 32'(1) << NextUdpRx | 32'(1) << NextTcpRx;
  localparam logic [31:0] RareHops = 32'(1) << NextIcmp;
  typedef enum int unsigned {
    DropTruncated,
    DropBadVersion,
    DropBadLength,
    DropBadChecksum,
    DropFragment,
    DropBadSource,
    DropNotForUs,
    DropUnknownProtocol,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventOptions,
    NumEvents
  } event_e;

  typedef struct packed {
    logic [31:0] dst;
    logic [31:0] src;
    logic [15:0] csum;
    logic [7:0]  protocol;
    logic [7:0]  ttl;
    logic [15:0] fragment;  // flags and offset
    logic [15:0] id;
    logic [15:0] length;
    logic [7:0]  tos;
    logic [3:0]  version;
    logic [3:0]  ihl;
  } header_t;  // wire bytes, first byte lowest
  localparam int unsigned HeaderBytes = $bits(header_t) / 8;
  localparam logic [3:0] HeaderWords = 4'd5;

  // ---- Fixed header ----

  beat_t body;
  logic body_valid, body_ready, body_first;
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
      .out_o(body),
      .out_valid_o(body_valid),
      .out_ready_i(body_ready),
      .out_first_o(body_first),
      .header_o(header)
  );

  // ---- Options: a side path; messages keep their order ----

  beat_t bare;
  logic bare_valid, bare_ready, bare_first;
  logic [20:0] options_sum;
  logic slow_q;  // the message that enters the side path has passed its first beat
  logic options_ready, options_busy;
  logic stage_ready;

  logic stage_valid, fast_valid;
  wire empty = ~stage_valid & ~fast_valid;
  wire slow = body_first ? (header.ihl > HeaderWords) : slow_q;

  ipv4_options #(
      .beat_t(beat_t)
  ) u_options (
      .clk_i,
      .rst_i,
      .in_i(body),
      .in_valid_i(body_valid & slow & (options_busy | empty)),
      .in_ready_o(options_ready),
      .words_i(header.ihl - HeaderWords),
      .out_o(bare),
      .out_valid_o(bare_valid),
      .out_ready_i(bare_ready),
      .out_first_o(bare_first),
      .sum_o(options_sum),
      .busy_o(options_busy)
  );

  // A message without options waits until the side path is empty. One with
  // options enters it when all before it has gone out.
  assign body_ready = slow ? (options_ready & (options_busy | empty)) :
      (stage_ready & ~options_busy);
  always_ff @(posedge clk_i) begin
    if (body_valid & body_ready & body_first) slow_q <= slow;
  end

  // ---- Stage in the middle: sums half done ----

  typedef struct packed {
    meta_t meta;
    header_t header;
    logic [17:0] sum_a;
    logic [17:0] sum_b;
    logic [17:0] sum_c;
  } parsed_t;
  typedef struct packed {
    logic  first;
    beat_t beat;
  } stage_t;

  parsed_t parsed_q;
  stage_t stage;
  logic sent_ready;

  // The header is read while the first beat is here, and kept until the next
  // message's first beat enters the stage or the side path.
  wire parse = body_valid & body_first & stage_ready & ~options_busy;
  logic [9:0][15:0] words;
  always_comb begin
    for (int unsigned w = 0; w < 10; w++) words[w] = swap16(header[w*16+:16]);
  end
  always_ff @(posedge clk_i) begin
    if (parse) begin
      parsed_q.meta   <= body.meta;
      parsed_q.header <= header;
      parsed_q.sum_a  <= 18'(words[0]) + 18'(words[1]) + (18'(words[2]) + 18'(words[3]));
      parsed_q.sum_b  <= 18'(words[4]) + 18'(words[5]) + (18'(words[6]) + 18'(words[7]));
      parsed_q.sum_c  <= 18'(words[8]) + 18'(words[9]);
    end
  end

  stream_register #(
      .data_t(stage_t)
  ) u_stage (
      .clk_i,
      .rst_i,
      .in_i('{first: body_first, beat: body}),
      .in_valid_i(body_valid & ~slow & ~options_busy),
      .in_ready_o(stage_ready),
      .out_o(stage),
      .out_valid_o(stage_valid),
      .out_ready_i(sent_ready)
  );

  // ---- Verdict ----

  header_t read;
  assign read = parsed_q.header;
  wire [31:0] src = swap32(read.src);
  wire [31:0] dst = swap32(read.dst);
  wire [15:0] total_length = swap16(read.length);
  wire [15:0] fragment = swap16(read.fragment);
  wire [5:0] header_bytes = {read.ihl, 2'b00};

  wire [21:0] sum = 22'(parsed_q.sum_a) + 22'(parsed_q.sum_b) +
      (22'(parsed_q.sum_c) + (options_busy ? 22'(options_sum) : '0));
  wire sum_good = sum[15:0] == ~{10'b0, sum[21:16]};  // all ones, were the carries added

  // Multicast, reserved, limited broadcast, loopback, this network, ourselves,
  // broadcast of our subnet (which a point-to-point link of two has not: RFC 3021).
  wire has_broadcast = ~&host_i.netmask[31:1];
  wire bad_source = (src[31:29] == 3'b111) | (src[31:24] == 8'd127) | (src[31:24] == 8'd0) |
      (src == host_i.ip) | (has_broadcast & (src == (host_i.ip | ~host_i.netmask)));

  logic [NumDrops-1:0] reasons;
  next_e next;
  always_comb begin
    next = NextNone;
    case (read.protocol)
      ProtocolIcmp: next = NextIcmp;
      ProtocolUdp: next = NextUdpRx;
      ProtocolTcp: next = NextTcpRx;
      default: next = NextNone;
    endcase
    reasons = '0;
    if (parsed_q.meta.length < 14'(HeaderBytes)) reasons[DropTruncated] = 1'b1;
    else if (read.version != 4'd4) reasons[DropBadVersion] = 1'b1;
    else if ((read.ihl < HeaderWords) | (total_length < {10'b0, header_bytes}) |
             (total_length != {2'b0, parsed_q.meta.length}))
      reasons[DropBadLength] = 1'b1;
    else if (~sum_good) reasons[DropBadChecksum] = 1'b1;
    else if (dst != host_i.ip) reasons[DropNotForUs] = 1'b1;
    else if (bad_source) reasons[DropBadSource] = 1'b1;
    else if (fragment[13:0] != '0) reasons[DropFragment] = 1'b1;
    else if (next == NextNone) reasons[DropUnknownProtocol] = 1'b1;
  end

  beat_t sent;
  always_comb begin
    sent = stage.beat;
    sent.meta = parsed_q.meta;
    sent.meta.length = parsed_q.meta.length - {8'b0, header_bytes};
    sent.meta.tos = read.tos;
    sent.meta.dont_fragment = fragment[14];
    sent.meta.ip = src;
    sent.meta.l4.ip_rx = '{protocol: read.protocol, id: swap16(read.id), ttl: read.ttl};
  end

  // ---- Out: the side path has a register of its own, behind which they join ----

  beat_t fast;
  next_e fast_next;
  logic [NumDrops-1:0] fast_drop;
  drop_register #(
      .beat_t  (beat_t),
      .NumDrops(NumDrops)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(sent),
      .in_valid_i(stage_valid),
      .in_ready_o(sent_ready),
      .in_first_i(stage.first),
      .in_next_i(next),
      .in_drop_i(reasons),
      .out_o(fast),
      .out_valid_o(fast_valid),
      .out_ready_i,
      .out_next_o(fast_next),
      .drop_o(fast_drop)
  );

  // The verdict on a message with options is taken when its first beat waits.
  meta_t slow_meta_q;
  next_e slow_next_q;
  logic [NumDrops-1:0] slow_reasons_q, slow_drop_q;
  logic judged_q, swallow_q;
  wire judged = bare_valid & (~bare_first | judged_q) & ~fast_valid;
  wire swallow = bare_first ? |slow_reasons_q : swallow_q;
  assign bare_ready = judged & (swallow | out_ready_i);

  always_ff @(posedge clk_i) begin
    slow_meta_q <= options_busy ? sent.meta : '0;
    slow_next_q <= next;
    slow_reasons_q <= reasons;
    if (bare_valid & bare_ready) swallow_q <= swallow;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      judged_q <= 1'b0;
      slow_drop_q <= '0;
      event_o <= '0;
    end else begin
      judged_q <= bare_valid & bare_first & ~bare_ready;
      slow_drop_q <= (bare_ready & bare_first) ? slow_reasons_q : '0;
      event_o[EventOptions] <= bare_ready & bare_first & ~swallow;
    end
  end

  // Either is zero while the other one is at work: an OR of registers, which
  // finds room in the LUTs of whatever multiplexer comes behind.
  always_comb begin
    out_o.data  = fast.data | bare.data;
    out_o.meta  = fast.meta | slow_meta_q;
    out_o.last  = fast_valid ? fast.last : bare.last;
    out_o.bytes = fast_valid ? fast.bytes : bare.bytes;
  end
  assign out_valid_o = fast_valid | (judged & ~swallow);
  assign out_next_o = fast_valid ? fast_next : slow_next_q;
  assign drop_o = fast_drop | slow_drop_q;

  assign busy_o = body_valid | options_busy | stage_valid | fast_valid;

endmodule
