// SPDX-License-Identifier: Apache-2.0
// Multiplies signed or unsigned numbers of Width bits: four products of halves, then their sum.
//
// Latency: the product is valid 2 cycles after the operands, which must be stable; it is not
// registered.
module rpu_multiply #(
    parameter int unsigned Width = 32,
    localparam type word_t = logic [Width-1:0]
) (
    input logic clk_i,

    input word_t first_i,
    input word_t second_i,
    input logic [1:0] op_i,  // funct3: mul, mulh, mulhsu, mulhu

    // 2 cycles later
    output word_t high_o,
    output word_t low_o
);

  if (Width < 4 || Width % 2 != 0) begin : gen_bad_width
    $error("rpu_multiply: Width must be even, at least 4");
  end

  // Lower halves have one bit more than half of a word, so that upper halves, with three bits of
  // sign, have
  // the same size: 18 bits of 32.
  localparam int unsigned LowWidth = Width / 2 + 1;
  typedef logic signed [LowWidth:0] half_t;
  typedef logic signed [2*LowWidth+1:0] partial_t;
  typedef logic [2*Width+1:0] total_t;
  half_t first_low, first_high, second_low, second_high;
  assign first_low   = {1'b0, first_i[LowWidth-1:0]};
  assign second_low  = {1'b0, second_i[LowWidth-1:0]};
  assign first_high  = {{3{first_i[Width-1] & op_i != 2'b11}}, first_i[Width-1:LowWidth]};
  assign second_high = {{3{second_i[Width-1] & ~op_i[1]}}, second_i[Width-1:LowWidth]};

  partial_t low_q, high_q, cross_q, other_cross_q, middle_q;
  total_t outer_q, total;
  always_ff @(posedge clk_i) begin
    low_q <= first_low * second_low;
    high_q <= first_high * second_high;
    cross_q <= first_high * second_low;
    other_cross_q <= first_low * second_high;
    middle_q <= cross_q + other_cross_q;
    outer_q <= {high_q[Width-1:0], low_q[2*LowWidth-1:0]};
  end
  assign total = outer_q + (total_t'(middle_q) << LowWidth);
  assign {high_o, low_o} = total[2*Width-1:0];

endmodule
