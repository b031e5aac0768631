// SPDX-License-Identifier: Apache-2.0
// UDP receive (RFC 768): checks length and checksum, strips the header, and sends the datagram to
// the application bound to its port.
//
// The checksum is verified without reading the payload: meta.csum is the sum of the whole datagram;
// the pseudo-header is added to it. A checksum of zero means that there is none. If no application
// is bound to the port, the UDP header is sent to icmp as kind unreachable, and the payload is
// dropped (RFC 1122, 4.1.3.1).
//
// Latency: 2 cycles (at 128 bits and more). Throughput: one beat per cycle.
`include "bombus_assert.svh"

module udp_rx
  import bombus_pkg::*;
  import udp_pkg::*;
#(
    parameter type beat_t = logic,
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter int unsigned NumMacPorts = 1,
    // Open UDP ports, filled in by Bombus, and the bound next hop of each
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

    output beat_t                           out_o,
    output logic                            out_valid_o,
    input  logic                            out_ready_i,
    output logic            [NextWidth-1:0] out_next_o,
    output logic            [          3:0] drop_o,
    output message_number_t [          3:0] drop_message_o,
    output logic            [          0:0] event_o,
    output logic                            busy_o
);

  localparam string Entry = "udp_rx";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowPayload;
  localparam logic [7:0] IpProtocol = ProtocolUdp;  // the key that ipv4_rx binds
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
      .keep_i(1'b0),
      .out_o(body),
      .out_valid_o(body_valid),
      .out_ready_i(body_ready),
      .out_first_o(body_first),
      .header_o(header),
      .*
  );

  // ---- Results of the first beat, kept for the whole message ----

  typedef struct packed {
    logic truncated;
    logic bad_length;
    logic has_csum;
    logic bad_port;
    logic open;
    logic [NextWidth-1:0] next;
    ones_pkg::saved_t sum;  // sum of the datagram and its pseudo-header
  } found_t;
  found_t found_d, found_q;
  header_t read;
  assign read = in_i.data[HeaderBytes*8-1:0];

  logic is_open;
  logic [NextWidth-1:0] app;
  bound_hop #(
      .NumBound (NumBound),
      .HopWidth (NextWidth),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_bound (
      .key_i  (swap16(read.dst_port)),
      .found_o(is_open),
      .hop_o  (app)
  );
  assign found_d.open = is_open;
  assign found_d.next = is_open ? app + NextWidth'(NextBound) : NextWidth'(NextIcmp);

  // The constant part of the pseudo-header.
  ones_pkg::word_t sum_host;
  host_sum #(
      .NumMacPorts(NumMacPorts),
      .Constant(16'(ProtocolUdp))
  ) u_sum_host (
      .clk_i,
      .host_i,
      .port_i(in_i.meta.mac_port),
      .sum_o (sum_host)
  );
  assign found_d.sum = ones_pkg::save(
      {sum_host, in_i.meta.csum, in_i.meta.ip, {2'b0, in_i.length}, 16'b0}
  );
  assign found_d.truncated = in_i.length < 14'(HeaderBytes);
  assign found_d.bad_length = swap16(read.length) != {2'b0, in_i.length};
  assign found_d.has_csum = read.csum != '0;
  assign found_d.bad_port = read.dst_port == '0;

  // When u_strip accepts this beat, it has sent all of the previous message.
  logic first;
  wire  in_taken = in_valid_i & in_ready_o;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(in_taken),
      .last_i (in_i.last),
      .first_o(first)
  );
  always_ff @(posedge clk_i) begin
    if (in_taken & first) found_q <= found_d;
  end

  // ---- Verdict ----

  logic [NumDrops-1:0] reasons;
  always_comb begin
    reasons = '0;
    if (found_q.truncated) reasons[DropTruncated] = 1'b1;
    else if (found_q.bad_length) reasons[DropBadLength] = 1'b1;
    else if (found_q.has_csum & ~ones_pkg::is_ones(found_q.sum)) reasons[DropBadChecksum] = 1'b1;
    else if (found_q.bad_port) reasons[DropBadPort] = 1'b1;
  end

  // Closed port: only the UDP header is passed on, in one beat; the rest of the message is
  // discarded.
  beat_t sent;
  logic  sent_ready;
  wire   refused = ~found_q.open;
  wire   discard = refused & ~body_first;

  always_comb begin
    sent = body;
    sent.kind = $bits(sent.kind)'(KindPacket);
    sent.length = body.length - 14'(HeaderBytes);
    sent.meta.csum = '0;
    sent.meta.l4.ports.src_port = swap16(header.src_port);
    sent.meta.l4.ports.dst_port = swap16(header.dst_port);
    if (refused) begin
      sent.kind   = $bits(sent.kind)'(KindUnreachable);
      sent.meta   = icmp_pkg::unreachable_meta(body.meta, body.length);
      sent.length = 14'(HeaderBytes);
      sent.data   = $bits(sent.data)'(header);
      sent.bytes  = $bits(sent.bytes)'(HeaderBytes);
      sent.last   = 1'b1;
    end
  end

  // The payload of a refused datagram is neither sent nor counted.
  assign body_ready = sent_ready | discard;

  drop_output #(
      .beat_t(beat_t),
      .NumDrops(NumDrops),
      .NextWidth(NextWidth),
      .CutsReady(CutsReady)
  ) u_out (
      .in_i(sent),
      .in_valid_i(body_valid & ~discard),
      .in_ready_o(sent_ready),
      .in_first_i(body_first),
      .in_next_i(found_q.next),
      .in_drop_i(reasons),
      .*
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) event_o <= '0;
    else event_o[EventClosedPort] <= body_valid & sent_ready & body_first & refused & ~|reasons;
  end

  assign busy_o = body_valid | out_valid_o;

  `BOMBUS_ASSERT(DropsForOneReason, $onehot0(reasons))

endmodule
