// SPDX-License-Identifier: Apache-2.0
// Sends every frame back as it came.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module frame_wire #(
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

    output logic busy_o
);

  localparam string Entry = "eth_rx";
  typedef enum logic {NextMacTx} next_e;

  stream_register #(
      .data_t(beat_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .out_o,
      .out_valid_o,
      .out_ready_i
  );

  assign busy_o = out_valid_o;

endmodule
