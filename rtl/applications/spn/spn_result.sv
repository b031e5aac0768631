// SPDX-License-Identifier: Apache-2.0
// The result of a sample, log2 of its likelihood, from a negated logarithm: in fixed point with
// Fraction bits after the point, or as a float (IEEE 754 binary32, rounded toward zero). Offset is
// added to the negated logarithm first.
//
// Latency: 1 cycle in fixed point, 3 cycles as a float. Throughput: one result per cycle.
module spn_result #(
    parameter int unsigned Width = 27,  // bits of a number, at most 31
    parameter int unsigned Fraction = 16,
    parameter int Offset = 0,  // in units of 1
    parameter bit Float = 1'b0
) (
    input logic clk_i,

    input  logic [Width-1:0] number_i,
    output logic [     31:0] result_o
);

  if (Width > 31 || Fraction >= Width) begin : gen_bad_width
    $error("spn_result: Width must be at most 31, Fraction less than Width");
  end

  // In fixed point; the compiler makes sure that 32 bits suffice.
  logic signed [31:0] logarithm_q;
  always_ff @(posedge clk_i) logarithm_q <= -(Offset <<< Fraction) - 32'($signed({1'b0, number_i}));

  if (!Float) begin : gen_fixed
    assign result_o = logarithm_q;
  end else begin : gen_float
    logic is_negative_q, is_zero_q;
    logic [31:0] magnitude_q;
    logic [ 4:0] highest;  // its highest bit
    always_comb begin
      highest = '0;
      for (int unsigned n = 0; n < 32; n++) if (magnitude_q[n]) highest = 5'(n);
    end
    wire [ 7:0] exponent = 8'(127 - Fraction) + 8'(highest);
    wire [31:0] shifted = magnitude_q << (5'd31 - highest);
    always_ff @(posedge clk_i) begin
      is_negative_q <= logarithm_q < 0;
      is_zero_q <= logarithm_q == '0;
      magnitude_q <= logarithm_q < 0 ? -logarithm_q : logarithm_q;
      result_o <= is_zero_q ? '0 : {is_negative_q, exponent, shifted[30:8]};
    end
    wire unused = ^{shifted[31], shifted[7:0]};
  end

endmodule
