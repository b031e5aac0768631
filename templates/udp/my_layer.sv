// SPDX-License-Identifier: Apache-2.0
// UDP service that returns every datagram to its sender.
//
// Two services that answer each other never stop (CVE-2024-2169): datagrams from ports below those
// of clients are dropped, and with them those from port 0, which expect no reply (RFC 768).
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module my_layer
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned UdpPort = 7  // Bombus reads it and binds the port to this layer
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output logic        out_next_o,
    output logic  [0:0] drop_o,
    output logic  [0:0] event_o,
    output logic        busy_o
);

  // Declarations that Bombus reads: entry, next hops, counters.
  localparam string Entry = "my_layer";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  typedef enum logic [0:0] {NextUdpTx} next_e;
  typedef enum int unsigned {
    DropNoClient,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventAnswered,
    NumEvents
  } event_e;

  localparam logic [15:0] FirstClientPort = 16'd32768;  // as in Linux

  wire  taken = in_valid_i & in_ready_o;
  logic first;  // beat of its message
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (in_i.last),
      .first_o(first)
  );

  // The reply, beat by beat. Change `reply.data` here.
  beat_t reply;
  always_comb begin
    reply = in_i;
    reply.meta.l4.ports.src_port = in_i.meta.l4.ports.dst_port;
    reply.meta.l4.ports.dst_port = in_i.meta.l4.ports.src_port;
  end

  logic [NumDrops-1:0] reasons;  // for dropping, with the first beat: at most one
  always_comb begin
    reasons = '0;
    reasons[DropNoClient] = in_i.meta.l4.ports.src_port < FirstClientPort;
  end

  drop_register #(
      .beat_t  (beat_t),
      .NumDrops(NumDrops)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(reply),
      .in_valid_i,
      .in_ready_o,
      .in_first_i(first),
      .in_next_i(NextUdpTx),
      .in_drop_i(reasons),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) event_o <= '0;
    else event_o[EventAnswered] <= taken & first & ~|reasons;
  end
  assign busy_o = out_valid_o;

endmodule
