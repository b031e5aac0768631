// SPDX-License-Identifier: Apache-2.0
// Multiplies signed or unsigned 32-bit numbers: four products of halves, then their sum.
//
// Latency: the product is right 2 cycles after the operands come, while they stay; it is not registered.
module rpu_multiply
  import rpu_pkg::*;
(
    input logic clk_i,

    input word_t first_i,
    input word_t second_i,
    input logic [1:0] op_i,  // funct3: mul, mulh, mulhsu, mulhu

    // 2 cycles later
    output word_t high_o,
    output word_t low_o
);

  // Lower halves have 17 bits, upper halves 16 and a sign.
  typedef logic signed [17:0] half_t;
  half_t first_low, first_high, second_low, second_high;
  assign first_low   = {1'b0, first_i[16:0]};
  assign second_low  = {1'b0, second_i[16:0]};
  assign first_high  = {{3{first_i[31] & op_i != 2'b11}}, first_i[31:17]};
  assign second_high = {{3{second_i[31] & ~op_i[1]}}, second_i[31:17]};

  logic signed [35:0] low_q, high_q, cross_q, other_cross_q;
  logic signed [35:0] middle_q;
  logic [65:0] outer_q, total;
  always_ff @(posedge clk_i) begin
    low_q <= first_low * second_low;
    high_q <= first_high * second_high;
    cross_q <= first_high * second_low;
    other_cross_q <= first_low * second_high;
    middle_q <= cross_q + other_cross_q;
    outer_q <= {high_q[31:0], low_q[33:0]};
  end
  assign total = outer_q + {{13{middle_q[35]}}, middle_q, 17'd0};
  assign {high_o, low_o} = total[63:0];

endmodule
