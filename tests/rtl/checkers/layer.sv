// SPDX-License-Identifier: Apache-2.0
// Plays a trace of the streams of a layer, a line for each cycle, to layer_checker. A
// line: last, ready, valid of the outputs, then of the inputs, a bit for each stream.
//
// Input 0 may wait for output 0 and for a message on input 2; input 1 for output 1;
// input 2 for nothing. Input 2 brings the answers to the requests of output 1.
module bench #(
    parameter int unsigned MaxBusyCycles = 20
);

  typedef struct packed {
    logic [1:0] out_last;
    logic [1:0] out_ready;
    logic [1:0] out_valid;
    logic [2:0] in_last;
    logic [2:0] in_ready;
    logic [2:0] in_valid;
  } line_t;

  logic clk, rst;
  line_t line;

  trace_player #(
      .Width($bits(line_t))
  ) u_player (
      .clk_o (clk),
      .rst_o (rst),
      .line_o(line)
  );

  layer_checker #(
      .NumInputs(3),
      .NumOutputs(2),
      .WaitsForOutputs({2'b00, 2'b10, 2'b01}),
      .WaitsForInputs({3'b000, 3'b000, 3'b100}),
      .Credits({32'd2, 32'd0}),
      .AnsweredBy({3'b100, 3'b000}),
      .MaxBusyCycles(MaxBusyCycles)
  ) check_app (
      .clk_i      (clk),
      .rst_i      (rst),
      .in_valid_i (line.in_valid),
      .in_ready_i (line.in_ready),
      .in_last_i  (line.in_last),
      .out_valid_i(line.out_valid),
      .out_ready_i(line.out_ready),
      .out_last_i (line.out_last)
  );

endmodule
