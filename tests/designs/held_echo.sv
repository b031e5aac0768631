// SPDX-License-Identifier: Apache-2.0
// UDP echo that takes nothing while it is held: a server that is slow at times.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module held_echo
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned UdpPort = 9
) (
    input logic clk_i,
    input logic rst_i,
    input logic stop_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic out_valid_o,
    input logic out_ready_i,
    output logic [0:0] out_next_o,
    output logic busy_o
);

  localparam string Entry = "held_echo";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  localparam int unsigned MaxBusyCycles = 0;  // as long as it is held
  typedef enum logic [0:0] {NextUdpTx} next_e;

  beat_t reply;
  always_comb begin
    reply = in_i;
    reply.meta.l4.ports.src_port = in_i.meta.l4.ports.dst_port;
    reply.meta.l4.ports.dst_port = in_i.meta.l4.ports.src_port;
  end

  logic ready;
  assign in_ready_o = ready & ~stop_i;
  output_stage #(
      .beat_t(beat_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(reply),
      .in_valid_i(in_valid_i & ~stop_i),
      .in_ready_o(ready),
      .in_next_i(NextUdpTx),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o
  );

  assign busy_o = out_valid_o;

endmodule
