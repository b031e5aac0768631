// SPDX-License-Identifier: Apache-2.0
// Adder, comparison, logic and shifts of the RISC-V core. Combinational. All shifts are rotations
// to the right; the bits that wrap around are masked.
module rpu_alu
  import rpu_pkg::*;
(
    input word_t  first_i,
    input word_t  second_i,
    input logic   subtracts_i,
    input logic_e logic_op_i,
    input logic   shifts_i,
    input logic   left_i,
    input logic   arithmetic_i,

    output word_t sum_o,
    output word_t combined_o,  // 0 for other operations
    output word_t shifted_o,  // 0 for other operations
    output logic equal_o,
    output logic less_o,
    output logic less_unsigned_o
);

  // An adder one bit longer provides the carry into the lowest bit.
  logic carry, unused_low;
  wire [31:0] added = second_i ^ {32{subtracts_i}};
  assign {carry, sum_o, unused_low} = {1'b0, first_i, 1'b1} + {1'b0, added, subtracts_i};
  assign less_unsigned_o = ~carry;
  assign less_o = first_i[31] ^ second_i[31] ? first_i[31] : ~carry;
  assign equal_o = first_i == second_i;

  word_t reversed;
  assign reversed = {<<8{first_i}};
  always_comb begin
    unique case (logic_op_i)
      LogicAnd: combined_o = first_i & second_i;
      LogicOr: combined_o = first_i | second_i;
      LogicXor: combined_o = first_i ^ second_i;
      LogicSecond: combined_o = second_i;
      LogicReverse: combined_o = reversed;
      default: combined_o = '0;
    endcase
  end

  wire [4:0] amount = second_i[4:0];
  wire [4:0] turn = left_i ? 5'd0 - amount : amount;
  wire fill = arithmetic_i & first_i[31];
  word_t by_4, by_16, turned, kept;
  assign by_4   = 32'({first_i, first_i} >> turn[1:0]);
  assign by_16  = 32'({by_4, by_4} >> {turn[3:2], 2'b00});
  assign turned = turn[4] ? {by_16[15:0], by_16[31:16]} : by_16;
  for (genvar b = 0; b < 32; b++) begin : gen_kept
    assign kept[b] = 6'(amount) < (left_i ? 6'(b + 1) : 6'(32 - b));
  end
  assign shifted_o = {32{shifts_i}} & (kept & turned | ~kept & {32{fill}});

endmodule
