// SPDX-License-Identifier: Apache-2.0
// Adds 16-bit words for a one's complement sum (RFC 1071) as a tree of 16-bit
// carry chains. A carry out of the top is worth one at the bottom: half of the
// carries enter the next adder there, the others are handed on in carries_o.
//
// sum_o and the number of ones in carries_o add up to the sum, modulo 65535.
// (Adders written side by side would be merged by synthesis into one tree of
// full adders, which takes half as much area again.) Combinational.
module ones_sum #(
    parameter  int unsigned NumTerms   = 8,                               // a power of two
    localparam int unsigned NumCarries = NumTerms > 1 ? NumTerms / 2 : 1
) (
    input  logic [  NumTerms-1:0][15:0] terms_i,
    output logic [          15:0]       sum_o,
    output logic [NumCarries-1:0]       carries_o
);

  if (NumTerms < 1 || NumTerms != 2 ** $clog2(NumTerms)) begin : gen_bad_terms
    $error("ones_sum: NumTerms must be a power of two");
  end

  if (NumTerms == 1) begin : gen_one
    assign sum_o = terms_i[0];
    assign carries_o = '0;
  end else if (NumTerms == 2) begin : gen_two
    assign {carries_o, sum_o} = {1'b0, terms_i[0]} + {1'b0, terms_i[1]};
  end else begin : gen_tree
    localparam int unsigned Half = NumTerms / 2;
    logic [15:0] low, high;
    logic [Half/2-1:0] low_carries, high_carries;
    ones_sum #(
        .NumTerms(Half)
    ) u_low (
        .terms_i(terms_i[Half-1:0]),
        .sum_o(low),
        .carries_o(low_carries)
    );
    ones_sum #(
        .NumTerms(Half)
    ) u_high (
        .terms_i(terms_i[NumTerms-1:Half]),
        .sum_o(high),
        .carries_o(high_carries)
    );
    logic carry, unused;
    // The lowest place makes the carry in.
    assign {carry, sum_o, unused} = {1'b0, low, 1'b1} + {1'b0, high, low_carries[0]};
    if (Half == 2) begin : gen_carries
      assign carries_o = {carry, high_carries};
    end else begin : gen_more_carries
      assign carries_o = {carry, high_carries, low_carries[Half/2-1:1]};
    end
  end

endmodule
