// UDP receive (RFC 768): checks length and checksum, strips the header, sends
// the datagram to the application bound to its port.
//
// The checksum is verified without seeing the payload: meta.csum holds the sum
// of the whole datagram; the pseudo-header is added to it. Zero means that the
// sender made none. A port that no application has: the UDP header goes to
// icmp as KindUnreachable, its payload is dropped (RFC 1122, 4.1.3.1).
//
// Latency: 2 cycles (at 128 bits and more). Throughput: one beat per cycle.
module udp_rx
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    // Open ports, and the application that has each
    parameter int unsigned NumAppPorts = 1,
    parameter logic [NumAppPorts-1:0][15:0] AppPorts = '0,
    parameter logic [NumAppPorts-1:0][3:0] AppOfPort = '0
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
  localparam logic [31:0] NextHops = 32'(1) << NextIcmp | 32'hFFFF << NextApp0;
  localparam logic [31:0] RareHops = 32'(1) << NextIcmp;
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

  logic  open;
  next_e next;
  always_comb begin
    open = 1'b0;
    next = NextIcmp;
    for (int unsigned a = 0; a < NumAppPorts; a++) begin
      if (swap16(header.dst_port) == AppPorts[a]) begin
        open = 1'b1;
        next = next_e'(5'(NextApp0) + 5'(AppOfPort[a]));
      end
    end
  end

  logic [17:0] sum_host_q;  // what is constant of the pseudo-header
  always_ff @(posedge clk_i) begin
    sum_host_q <= 18'(host_i.ip[31:16]) + 18'(host_i.ip[15:0]) + 18'(ProtocolUdp);
  end
  wire [19:0] sum = 20'(body.meta.ip[31:16]) + 20'(body.meta.ip[15:0]) +
      (20'(body.meta.csum) + 20'(body.meta.length)) + 20'(sum_host_q);
  wire sum_good = sum[15:0] == ~{12'b0, sum[19:16]};  // all ones, were the carries added
  logic [NumDrops-1:0] reasons;
  always_comb begin
    reasons = '0;
    if (body.meta.length < 14'(HeaderBytes)) reasons[DropTruncated] = 1'b1;
    else if (swap16(header.length) != {2'b0, body.meta.length}) begin
      reasons[DropBadLength] = 1'b1;
    end else if ((header.csum != '0) & ~sum_good) begin
      reasons[DropBadChecksum] = 1'b1;
    end else if (header.dst_port == '0) reasons[DropBadPort] = 1'b1;
  end

  // A closed port: what goes on is the UDP header alone, in as many beats as it
  // takes; the rest of the message is swallowed.
  beat_t sent;
  logic sent_valid, sent_ready, sent_first;
  logic refused_q;
  wire  refused = body_first ? ~open : refused_q;
  wire  taken = body_valid & body_ready;

  always_comb begin
    sent = body;
    sent.meta.length = body.meta.length - 14'(HeaderBytes);
    sent.meta.l4.ports.src_port = swap16(header.src_port);
    sent.meta.l4.ports.dst_port = swap16(header.dst_port);
    if (refused) begin
      sent.meta.kind = KindUnreachable;
      sent.meta.length = 14'(HeaderBytes);
      sent.meta.l4 = body.meta.l4;
      sent.data = $bits(sent.data)'(header);
      sent.bytes = $bits(sent.bytes)'(HeaderBytes);
      sent.last = 1'b1;
    end
  end

  // The payload of a refused datagram is neither sent nor counted again.
  assign sent_valid = body_valid & ~(refused & ~body_first);
  assign body_ready = sent_ready | (refused & ~body_first);
  assign sent_first = body_first;

  always_ff @(posedge clk_i) begin
    if (taken & body_first) refused_q <= ~open;
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
      .in_next_i(next),
      .in_drop_i(reasons),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) event_o <= '0;
    else event_o[EventClosedPort] <= taken & body_first & ~open & ~|reasons;
  end

  assign busy_o = body_valid | out_valid_o;

endmodule
