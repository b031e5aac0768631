// SPDX-License-Identifier: Apache-2.0
// Forwards messages unchanged to the tile that it precedes, so that messages of several senders are
// distributed over the tile's replicas in one module. The network interface distributes them
// (dispatch).
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module scheduler #(
    parameter type beat_t = logic
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,
    output logic  busy_o
);

  localparam string Takes = "any";
  localparam string Sends = "taken";
  localparam string Entry = "";  // the entry of the tile that it precedes
  localparam bit StandsBefore = 1'b1;
  typedef enum logic [0:0] {NextServed} next_e;

  stream_register #(.data_t(beat_t)) u_out (.*);

  assign busy_o = out_valid_o;

endmodule
