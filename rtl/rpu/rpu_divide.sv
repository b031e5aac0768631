// SPDX-License-Identifier: Apache-2.0
// Divides 32-bit numbers, signed or not, one bit of the quotient a cycle.
//
// Latency: result_o is right with done_o, 33 cycles after start_i, while the operands stay; it is
// not registered.
module rpu_divide
  import rpu_pkg::*;
(
    input logic clk_i,
    input logic rst_i,  // also ends a division

    input  logic        start_i,
    input  word_t       first_i,
    input  word_t       second_i,
    input  logic  [1:0] op_i,      // funct3: div, divu, rem, remu
    output logic        done_o,
    output word_t       result_o
);

  wire is_signed = ~op_i[0];
  wire negative = is_signed & second_i[31];

  logic [5:0] step_q;  // 0: idle; 1 to 32: bits; 33: sign
  word_t rest_q, quotient_q;
  wire last = step_q == 6'd33;
  assign done_o = last;

  // Subtracts the divisor's absolute value: a negative one is added.
  logic [32:0] shifted, difference;
  logic unused_low, fits;
  assign shifted = {rest_q, quotient_q[31]};
  assign {difference, unused_low} =
      {shifted, 1'b1} + {negative ? {1'b1, second_i} : ~{1'b0, second_i}, ~negative};
  assign fits = ~difference[32];

  // One negation for the dividend and for the result.
  wire flip_first = is_signed & first_i[31];
  logic flip_result_q;
  wire flip = last ? flip_result_q : flip_first;
  wire [31:0] flipped = last ? (op_i[1] ? rest_q : quotient_q) : first_i;
  word_t positive;
  assign result_o = positive;
  logic unused_carry;
  assign {positive, unused_carry} = {flipped ^ {32{flip}}, 1'b1} + {32'd0, flip};

  always_ff @(posedge clk_i) begin
    if (step_q == '0) begin
      rest_q <= '0;
      quotient_q <= positive;
      // Without a divisor the quotient is -1, whatever the signs.
      flip_result_q <= flip_first ^ (negative & ~op_i[1]);
      if (~op_i[1] & second_i == '0) flip_result_q <= 1'b0;
    end else begin
      rest_q <= fits ? difference[31:0] : shifted[31:0];
      quotient_q <= {quotient_q[30:0], fits};
    end
    if (rst_i) step_q <= '0;
    else if (step_q == '0) step_q <= 6'(start_i);
    else step_q <= last ? '0 : step_q + 6'd1;
  end

endmodule
