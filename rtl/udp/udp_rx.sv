// SPDX-License-Identifier: Apache-2.0
// UDP receive (RFC 768): checks length and checksum, strips the header, sends
// the datagram to the application bound to its port.
//
// The checksum is verified without seeing the payload: meta.csum holds the sum
// of the whole datagram; the pseudo-header is added to it. Zero means that the
// sender made none. A port that no application has: the UDP header goes to
// icmp as kind unreachable; its payload is dropped (RFC 1122, 4.1.3.1).
//
// Latency: 2 cycles (at 128 bits and more). Throughput: one beat per cycle.
module udp_rx
  import bombus_pkg::*;
  import udp_pkg::*;
#(
    parameter type beat_t = logic,
    parameter bit CutsReady = 0,  // of its output_stage
    parameter int unsigned NumMacPorts = 1,
    // Open UDP ports, filled in by Bombus, and the bound next hop that each leads to
    parameter int unsigned NumBound = 1,
    parameter int unsigned NumBoundHops = 1,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0,
    parameter int unsigned KindUnreachable = 4,  // filled in by Bombus
    localparam int unsigned NextWidth = $clog2(NumBoundHops + 1)
) (
    input logic clk_i,
    input logic rst_i,
    input host_t [NumMacPorts-1:0] host_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic  [NextWidth-1:0] out_next_o,
    output logic  [          3:0] drop_o,
    output logic  [          0:0] event_o,
    output logic                  busy_o
);

  localparam string Entry = "udp_rx";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowPayload;
  localparam logic [7:0] IpProtocol = ProtocolUdp;  // by which ipv4_rx finds it
  localparam string Binds = "udp_port";
  localparam string NextIcmpSends = "unreachable";
  typedef enum int unsigned {
    NextIcmp,
    NextBound  // the first application
  } next_e;
  localparam logic [1:0] RareHops = 2'(1) << NextIcmp;
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

  logic open;
  logic [NextWidth-1:0] app;
  bound_hop #(
      .NumBound (NumBound),
      .HopWidth (NextWidth),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_bound (
      .key_i  (swap16(header.dst_port)),
      .found_o(open),
      .hop_o  (app)
  );
  wire [NextWidth-1:0] next = open ? app + NextWidth'(NextBound) : NextWidth'(NextIcmp);

  // What is constant of the pseudo-header.
  typedef logic [17:0] part_t;
  part_t [NumMacPorts-1:0] sum_host_q;
  part_t sum_host;
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumMacPorts; p++) begin
      sum_host_q[p] <= part_t'(host_i[p].ip[31:16]) + part_t'(host_i[p].ip[15:0]) +
          part_t'(ProtocolUdp);
    end
  end
  by_mac_port #(
      .data_t(part_t),
      .NumMacPorts(NumMacPorts)
  ) u_sum (
      .all_i (sum_host_q),
      .port_i(body.meta.mac_port),
      .one_o (sum_host)
  );
  wire [19:0] sum = 20'(body.meta.ip[31:16]) + 20'(body.meta.ip[15:0]) +
      (20'(body.meta.csum) + 20'(body.length)) + 20'(sum_host);
  wire sum_good = sum[15:0] == ~{12'b0, sum[19:16]};  // all ones, were the carries added
  logic [NumDrops-1:0] reasons;
  always_comb begin
    reasons = '0;
    if (body.length < 14'(HeaderBytes)) reasons[DropTruncated] = 1'b1;
    else if (swap16(header.length) != {2'b0, body.length}) begin
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
  wire refused = body_first ? ~open : refused_q;
  wire taken = body_valid & body_ready;

  icmp_pkg::unreachable_meta_t refused_meta;
  always_comb begin
    refused_meta = '{
        mac_port: body.meta.mac_port,
        vlan: body.meta.vlan,
        tos: body.meta.tos,
        dont_fragment: body.meta.dont_fragment,
        payload_length: {2'b0, body.length},
        ip: body.meta.ip,
        header: body.meta.l4.ip_rx
    };
    sent = body;
    sent.kind = $bits(sent.kind)'(KindPacket);
    sent.length = body.length - 14'(HeaderBytes);
    sent.meta.csum = '0;
    sent.meta.l4.ports.src_port = swap16(header.src_port);
    sent.meta.l4.ports.dst_port = swap16(header.dst_port);
    if (refused) begin
      sent.kind   = $bits(sent.kind)'(KindUnreachable);
      sent.meta   = refused_meta;
      sent.length = 14'(HeaderBytes);
      sent.data   = $bits(sent.data)'(header);
      sent.bytes  = $bits(sent.bytes)'(HeaderBytes);
      sent.last   = 1'b1;
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
      .beat_t(beat_t),
      .NumDrops(NumDrops),
      .NextWidth(NextWidth),
      .CutsReady(CutsReady)
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
