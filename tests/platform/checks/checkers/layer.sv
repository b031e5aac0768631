// SPDX-License-Identifier: Apache-2.0
// Plays a trace of the streams of a layer, a line for each cycle, to layer_checker. A
// line: idle, then last, ready, valid of the outputs and of the inputs, a bit for each
// stream.
//
// Input 0 may wait for output 0 and for a message on input 2; input 1 for output 1;
// input 2 for nothing. Input 2 brings the answers to the requests of output 1. Input 3
// may wait for output 0, and has room for 2 messages. With Serves, output 0 answers them.
// With Exact, both outputs send one message for each on input 1, and none is a request.
module bench #(
    parameter int unsigned MaxBusyCycles = 20,
    parameter bit Serves = 0,
    parameter bit Forwards = 0,
    parameter bit Exact = 0
);

  typedef struct packed {
    logic idle;
    logic [1:0] out_last;
    logic [1:0] out_ready;
    logic [1:0] out_valid;
    logic [3:0] in_last;
    logic [3:0] in_ready;
    logic [3:0] in_valid;
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
      .NumInputs(4),
      .NumOutputs(2),
      .WaitsForOutputs({2'b01, 2'b00, 2'b10, 2'b01}),
      .WaitsForInputs({4'b0000, 4'b0000, 4'b0000, 4'b0100}),
      .Room({32'd2, 32'd0, 32'd0, 32'd0}),
      .Serves({4'b0000, Serves, 3'b000}),
      .OneForEach({2{2'b00, Exact, 1'b0}}),
      .Credits({Exact ? 32'd0 : 32'd2, 32'd0}),
      .AnsweredBy({Exact ? 4'b0000 : 4'b0100, 4'b0000}),
      .AnswersFrom("store"),
      .Forwards(Forwards),
      .MaxBusyCycles(MaxBusyCycles)
  ) check_app (
      .clk_i      (clk),
      .rst_i      (rst),
      .busy_i     (~line.idle),
      .in_valid_i (line.in_valid),
      .in_ready_i (line.in_ready),
      .in_last_i  (line.in_last),
      .out_valid_i(line.out_valid),
      .out_ready_i(line.out_ready),
      .out_last_i (line.out_last)
  );

endmodule
