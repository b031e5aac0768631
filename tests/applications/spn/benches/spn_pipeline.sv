// SPDX-License-Identifier: Apache-2.0
// A compiled pipeline of the name `model`, and spn_result in both forms. In: samples. Out: the
// number, the result in fixed point, the result as a float.
`include "bench.svh"

module bench (
    `BENCH_PORTS(1, model_model_pkg::NumVariables * model_model_pkg::ValueBits, 1, 96, 1, 1)
);

  import model_model_pkg::*;
  `BENCH_SHAPE

  localparam int unsigned FloatCycles = 3;
  localparam int unsigned FixedCycles = 1;

  number_t number;
  model_pipeline u_pipeline (
      .clk_i,
      .sample_i(in_i[0][NumVariables*ValueBits-1:0]),
      .number_o(number)
  );

  logic [31:0] fixed, float;
  spn_result #(
      .Width(Width),
      .Fraction(Fraction),
      .Offset(Offset)
  ) u_fixed (
      .clk_i,
      .number_i(number),
      .result_o(fixed)
  );
  spn_result #(
      .Width(Width),
      .Fraction(Fraction),
      .Offset(Offset),
      .Float(1'b1)
  ) u_float (
      .clk_i,
      .number_i(number),
      .result_o(float)
  );

  logic [FloatCycles:0][Width-1:0] numbers;
  spn_delay #(
      .Width (Width),
      .Cycles(FloatCycles)
  ) u_numbers (
      .clk_i,
      .value_i(number),
      .taps_o (numbers)
  );
  logic [FloatCycles-FixedCycles:0][31:0] fixed_results;
  spn_delay #(
      .Width (32),
      .Cycles(FloatCycles - FixedCycles)
  ) u_fixed_results (
      .clk_i,
      .value_i(fixed),
      .taps_o (fixed_results)
  );

  logic [Depth+FloatCycles-1:0] valid_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) valid_q <= '0;
    else valid_q <= {valid_q[$bits(valid_q)-2:0], in_valid_i[0]};
  end

  assign in_ready_o = '1;
  assign out_valid_o = valid_q[$bits(valid_q)-1];
  assign out_o[0] = {float, fixed_results[FloatCycles-FixedCycles], 32'(numbers[FloatCycles])};
  assign event_o = '0;
  assign status_o = ^control_i;

endmodule
