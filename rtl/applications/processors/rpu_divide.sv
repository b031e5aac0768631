// SPDX-License-Identifier: Apache-2.0
// Divides signed or unsigned numbers of Width bits, one bit of the quotient per cycle.
//
// Latency: done_o is high Width + 2 cycles after start_i, and the result follows one cycle later
// and stays. Operands must be stable until then; the result does not depend on them afterwards.
`include "bombus_assert.svh"

module rpu_divide #(
    parameter int unsigned Width = 32,  // a power of two
    localparam type word_t = logic [Width-1:0]
) (
    input logic clk_i,
    input logic rst_i,  // also ends a division

    input  logic        start_i,
    input  word_t       first_i,
    input  word_t       second_i,
    input  logic  [1:0] op_i,      // funct3: div, divu, rem, remu
    output logic        done_o,
    output word_t       result_o
);

  if (Width < 2 || Width != 2 ** $clog2(Width)) begin : gen_bad_width
    $error("rpu_divide: Width must be a power of two, at least 2");
  end

  wire is_signed = ~op_i[0];
  wire negative = is_signed & second_i[Width-1];

  // A cycle to load the dividend, one for each bit, one for the sign of the result.
  logic load_q, divides_q, last_q;
  logic [$clog2(Width)-1:0] bit_q;
  word_t rest_q, quotient_q;

  // Subtracts the divisor's absolute value: a negative one is added.
  logic [Width:0] shifted, difference;
  logic unused_low, fits;
  assign shifted = {rest_q, quotient_q[Width-1]};
  assign {difference, unused_low} = {shifted, 1'b1} +
      {negative ? {1'b1, second_i} : ~{1'b0, second_i}, ~negative};
  assign fits = ~difference[Width];

  // One negation for the dividend and for the result.
  logic flip_q, unused_carry;
  word_t flipped, positive;
  assign flipped = ~last_q ? first_i : op_i[1] ? rest_q : quotient_q;
  assign {positive, unused_carry} = {flipped ^ {Width{flip_q}}, 1'b1} + {word_t'(0), flip_q};

  wire flip_first = is_signed & first_i[Width-1];
  wire has_divisor = second_i != '0;
  always_ff @(posedge clk_i) begin
    if (load_q) flip_q <= flip_first ^ (~op_i[1] & negative);
    else if (~divides_q) flip_q <= flip_first;
    // The quotient of a division by 0 is -1, regardless of signs.
    if (load_q & ~op_i[1] & ~has_divisor) flip_q <= 1'b0;

    if (load_q | last_q) quotient_q <= positive;
    else if (divides_q) quotient_q <= {quotient_q[Width-2:0], fits};
    if (load_q) rest_q <= '0;
    else if (divides_q) rest_q <= fits ? difference[Width-1:0] : shifted[Width-1:0];

    bit_q  <= divides_q ? bit_q + 1'b1 : '0;
    load_q <= start_i;
    if (load_q | &bit_q) divides_q <= load_q;
    last_q <= divides_q & &bit_q;
    if (rst_i) {load_q, divides_q, last_q} <= '0;
  end
  assign done_o   = last_q;
  assign result_o = quotient_q;

  `BOMBUS_ASSERT(StartsWhenIdle, !(start_i && (load_q || divides_q || last_q)))

endmodule
