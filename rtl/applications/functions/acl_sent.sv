// SPDX-License-Identifier: Apache-2.0
// Reports the connections of sent packets to an access control list with Established.
//
// It stands before eth_tx; messages of kind packet begin with the IPv4 header. All messages pass
// unchanged. For each TCP or UDP packet with ports and without RST, a message of kind acl_flow is
// sent to the layer acl. There is none if the previous packet had the same flow within the same
// unit of 2^20 us. While QueueMessages reports wait, there is none either, which is counted; a
// later packet of the flow is reported. Packets from the ports of servers, FirstServerPort to
// LastServerPort, are not reported either: then no client makes flows.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module acl_sent
  import bombus_pkg::*;
  import acl_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned QueueMessages = 16,  // a power of two from 4 on
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter int unsigned FirstServerPort = 1,  // more than LastServerPort: none
    parameter int unsigned LastServerPort = 0,
    parameter int unsigned KindAclFlow = 1  // filled in by Bombus
) (
    input logic        clk_i,
    input logic        rst_i,
    input logic [31:0] time_us_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    output beat_t flow_o,
    output logic  flow_valid_o,
    input  logic  flow_ready_i,

    output logic [1:0] event_o,
    output logic       busy_o
);

  localparam string Takes = "any";
  localparam string Sends = "taken";
  localparam string FlowSends = "acl_flow";
  localparam string Entry = "";  // takes the messages of the tile named by `before`
  localparam bit StandsBefore = 1'b1;
  localparam string Precedes = "eth_tx";
  localparam string Agrees = "1=acl.established";
  localparam bit InWaitsForFlow = 1'b0;
  typedef enum logic [0:0] {NextSent} next_e;
  typedef enum logic [0:0] {FlowNextAclFlow} flow_next_e;
  typedef enum int unsigned {
    EventReported,
    EventUnreported,  // too many reports waited
    NumEvents
  } event_e;

  if (FirstServerPort > 65535 || LastServerPort > 65535) begin : gen_bad_ports
    $error("acl_sent: FirstServerPort and LastServerPort must be 0 to 65535");
  end

  // ---- Packets ----

  logic unused_next;
  output_stage #(
      .beat_t(beat_t),
      .CutsReady(CutsReady)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .in_next_i (NextSent),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o(unused_next)
  );

  wire taken = in_valid_i & in_ready_o;
  logic key_valid, malformed, first, other_kind_q;
  key_t key;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (in_i.last),
      .first_o(first)
  );
  wire other_kind = first ? 32'(in_i.kind) != KindPacket : other_kind_q;
  always_ff @(posedge clk_i) if (taken) other_kind_q <= other_kind;
  acl_key #(
      .DataBytes($bits(in_i.data) / 8)
  ) u_key (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .data_i(in_i.data),
      .last_i(in_i.last),
      .length_i(in_i.length),
      .valid_o(key_valid),
      .key_o(key),
      .malformed_o(malformed)
  );

  // ---- Reports ----

  localparam int unsigned UnitShift = 20;
  localparam int unsigned Rst = 2;  // of the flags
  acl_flow_meta_t flow_q, last_q;
  logic valid_q, last_valid_q, queue_ready, holds;
  logic [31-UnitShift:0] last_unit_q;
  wire is_repeated = last_valid_q & last_q == flow_q & last_unit_q == time_us_i[31:UnitShift];
  wire reports = valid_q & ~is_repeated;
  wire is_server = 32'(key.source_port) >= FirstServerPort & 32'(key.source_port) <= LastServerPort;
  always_ff @(posedge clk_i) begin
    flow_q <= '{
        peer: key.destination,
        host: key.source,
        peer_port: key.destination_port,
        host_port: key.source_port,
        protocol: key.protocol
    };
    valid_q <= key_valid & ~malformed & ~other_kind & key.state.has_ports &
        ~key.state.flags[Rst] & ~is_server;
    if (reports & queue_ready) begin
      last_valid_q <= 1'b1;
      last_q <= flow_q;
      last_unit_q <= time_us_i[31:UnitShift];
    end
    event_o[EventReported]   <= reports & queue_ready;
    event_o[EventUnreported] <= reports & ~queue_ready;
    if (rst_i) begin
      valid_q <= 1'b0;
      last_valid_q <= 1'b0;
      event_o <= '0;
    end
  end

  acl_flow_meta_t flow;
  stream_queue #(
      .data_t(acl_flow_meta_t),
      .Depth (QueueMessages)
  ) u_queue (
      .clk_i,
      .rst_i,
      .in_i(flow_q),
      .in_valid_i(reports),
      .in_ready_o(queue_ready),
      .out_o(flow),
      .out_valid_o(flow_valid_o),
      .out_ready_i(flow_ready_i),
      .holds_o(holds)
  );
  always_comb begin
    flow_o = '0;
    flow_o.last = 1'b1;
    flow_o.kind = $bits(flow_o.kind)'(KindAclFlow);
    flow_o.meta = $bits(flow_o.meta)'(flow);
  end
  assign busy_o = out_valid_o | valid_q | holds;

endmodule
