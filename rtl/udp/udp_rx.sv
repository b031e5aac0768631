// UDP receive (RFC 768): checks length and checksum, strips the header, sends
// the datagram to the application bound to its port.
//
// The checksum is verified without seeing the payload: meta.csum holds the sum
// of the whole datagram; the pseudo-header is added to it. Zero means that the
// sender made none. A port that no application has: the UDP header goes to
// icmp as KindUnreachable, its payload is dropped (RFC 1122, 4.1.3.1).
//
// Latency: 3 cycles (at 128 bits and more). Throughput: one beat per cycle.
module udp_rx
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned NumApps = 1,  // up to 16
    parameter logic [NumApps-1:0][15:0] AppPorts = '0
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
    output logic  [3:0] drop_o,
    output logic  [0:0] event_o,
    output logic        busy_o
);

  localparam next_e Entry = NextUdpRx;
  localparam logic [31:0] NextHops = 32'(1) << NextIcmp | ((32'(1) << NumApps) - 1) << NextApp0;
  typedef enum int unsigned {
    DropTruncated,
    DropBadLength,
    DropBadChecksum,
    DropBadPort,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventClosedPort,
    NumEvents
  } event_e;

  typedef struct packed {
    logic [15:0] csum;
    logic [15:0] length;
    logic [15:0] dst_port;
    logic [15:0] src_port;
  } header_t;  // wire bytes, first byte lowest
  localparam int unsigned HeaderBytes = $bits(header_t) / 8;

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

  // Stage in the middle: the pseudo-header's sum is half done, the port found.
  typedef struct packed {
    beat_t beat;
    logic first;
    header_t header;
    logic open;
    next_e next;
    logic [16:0] sum_ip;
    logic [17:0] sum_rest;
  } stage_t;

  stage_t stage_d, stage;
  logic stage_valid, stage_ready;

  logic [17:0] sum_host_q;  // what is constant of the pseudo-header
  always_ff @(posedge clk_i) begin
    sum_host_q <= 18'(host_i.ip[31:16]) + 18'(host_i.ip[15:0]) + 18'(ProtocolUdp);
  end

  always_comb begin
    stage_d.beat = body;
    stage_d.first = body_first;
    stage_d.header = header;
    stage_d.open = 1'b0;
    stage_d.next = NextIcmp;
    for (int unsigned a = 0; a < NumApps; a++) begin
      if (swap16(header.dst_port) == AppPorts[a]) begin
        stage_d.open = 1'b1;
        stage_d.next = next_e'(5'(NextApp0) + 5'(a));
      end
    end
    stage_d.sum_ip   = {1'b0, body.meta.ip[31:16]} + {1'b0, body.meta.ip[15:0]};
    stage_d.sum_rest = {2'b0, body.meta.csum} + 18'(body.meta.length);
  end

  stream_register #(
      .data_t(stage_t)
  ) u_stage (
      .clk_i,
      .rst_i,
      .in_i(stage_d),
      .in_valid_i(body_valid),
      .in_ready_o(body_ready),
      .out_o(stage),
      .out_valid_o(stage_valid),
      .out_ready_i(stage_ready)
  );

  wire [19:0] sum = 20'(stage.sum_ip) + 20'(stage.sum_rest) + 20'(sum_host_q);
  wire sum_good = sum[15:0] == ~{12'b0, sum[19:16]};  // all ones, were the carries added
  logic [NumDrops-1:0] reasons;
  always_comb begin
    reasons = '0;
    if (stage.beat.meta.length < 14'(HeaderBytes)) reasons[DropTruncated] = 1'b1;
    else if (swap16(stage.header.length) != {2'b0, stage.beat.meta.length}) begin
      reasons[DropBadLength] = 1'b1;
    end else if ((stage.header.csum != '0) & ~sum_good) begin
      reasons[DropBadChecksum] = 1'b1;
    end else if (stage.header.dst_port == '0) reasons[DropBadPort] = 1'b1;
  end

  // A closed port: what goes on is the UDP header alone, in as many beats as it
  // takes; the rest of the message is swallowed.
  beat_t sent;
  logic sent_valid, sent_ready, sent_first;
  logic refused_q;
  wire refused = stage.first ? ~stage.open : refused_q;
  wire taken = stage_valid & stage_ready;

  always_comb begin
    sent = stage.beat;
    sent.meta.length = stage.beat.meta.length - 14'(HeaderBytes);
    sent.meta.l4.ports.src_port = swap16(stage.header.src_port);
    sent.meta.l4.ports.dst_port = swap16(stage.header.dst_port);
    if (refused) begin
      sent.meta.kind = KindUnreachable;
      sent.meta.length = 14'(HeaderBytes);
      sent.meta.l4 = stage.beat.meta.l4;
      sent.data = $bits(sent.data)'(stage.header);
      sent.bytes = $bits(sent.bytes)'(HeaderBytes);
      sent.last = 1'b1;
    end
  end

  // The payload of a refused datagram is neither sent nor counted again.
  assign sent_valid = stage_valid & ~(refused & ~stage.first);
  assign stage_ready = sent_ready | (refused & ~stage.first);
  assign sent_first = stage.first;

  always_ff @(posedge clk_i) begin
    if (taken & stage.first) refused_q <= ~stage.open;
  end

  drop_register #(
      .beat_t  (beat_t),
      .NumDrops(NumDrops)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(sent),
      .in_valid_i(sent_valid),
      .in_ready_o(sent_ready),
      .in_first_i(sent_first),
      .in_next_i(stage.next),
      .in_drop_i(reasons),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) event_o <= '0;
    else event_o[EventClosedPort] <= taken & stage.first & ~stage.open & ~|reasons;
  end

  assign busy_o = body_valid | stage_valid | out_valid_o;

endmodule
