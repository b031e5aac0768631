// SPDX-License-Identifier: Apache-2.0
// In place of rpu_multiply: its latency, with another function. The unused half of the product of
// an instruction is not the value of the function.
module multiply_stand_in
  import rpu_pkg::*;
  import stand_in_pkg::*;
(
    input  logic        clk_i,
    input  word_t       first_i,
    input  word_t       second_i,
    input  logic  [1:0] op_i,
    output word_t       high_o,
    output word_t       low_o
);

  word_t result_q;
  logic is_low_q, is_low_2_q;
  word_t result_2_q;
  always_ff @(posedge clk_i) begin
    result_q   <= muldiv({1'b0, op_i}, first_i, second_i);
    result_2_q <= result_q;
    is_low_q   <= op_i == 2'b00;
    is_low_2_q <= is_low_q;
  end
  assign high_o = is_low_2_q ? ~result_2_q : result_2_q;
  assign low_o  = is_low_2_q ? result_2_q : ~result_2_q;

endmodule
