// SPDX-License-Identifier: Apache-2.0
// rpu_multiply, for words of Width bits: products of any operands, 2 cycles later. The pipeline has
// no other state: checking as many cycles as it has stages is sufficient.
module rpu_multiply_formal #(
    parameter int unsigned Width = 8,
    localparam type word_t = logic [Width-1:0]
) (
    input logic clk_i,
    input logic rst_i,
    input word_t first_i,
    input word_t second_i,
    input logic [1:0] op_i
);

  logic started, unused_watched;
  proof_start u_start (
      .clk_i,
      .rst_i,
      .watched_i(1'b0),
      .started_o(started),
      .watched_o(unused_watched)
  );

  word_t high, low;
  rpu_multiply #(
      .Width(Width)
  ) u_multiply (
      .clk_i,
      .first_i,
      .second_i,
      .op_i,
      .high_o(high),
      .low_o (low)
  );

  // As wide as both operands, sign-extended where the instruction has signs.
  typedef logic [2*Width-1:0] product_t;
  logic first_signed, second_signed;
  product_t product, product_q, product_2_q;
  logic valid_q, valid_2_q;
  assign first_signed = op_i != 2'b11;  // mulhu
  assign second_signed = ~op_i[1];  // mul, mulh
  assign product = {{Width{first_signed & first_i[Width-1]}}, first_i} *
      {{Width{second_signed & second_i[Width-1]}}, second_i};
  always_ff @(posedge clk_i) begin
    product_q <= product;
    product_2_q <= product_q;
    valid_q <= started;
    valid_2_q <= started & valid_q;
  end
  always_comb if (started & valid_q & valid_2_q) assert ({high, low} == product_2_q);

  // Cover: a product of negative numbers, and one that needs all its bits.
  always_comb begin
    if (started & valid_q & valid_2_q) begin
      cover (product_2_q == product_t'(6));
      cover (high == {1'b0, 1'b1, {(Width - 2) {1'b0}}});
      cover (high == {{(Width - 1) {1'b1}}, 1'b0});
    end
  end

endmodule
