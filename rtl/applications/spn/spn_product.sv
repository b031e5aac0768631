// SPDX-License-Identifier: Apache-2.0
// The product of probabilities: the sum of their negated logarithms and of a constant. The compiler
// builds trees of it.
//
// Latency: 1 cycle. Throughput: one product per cycle.
module spn_product #(
    parameter int unsigned Width = 27,  // bits of a number
    parameter int unsigned Operands = 2,
    parameter logic [Width-1:0] Constant = '0
) (
    input logic clk_i,

    input  logic [Operands-1:0][Width-1:0] numbers_i,
    output logic [   Width-1:0]            number_o
);

  logic [Width-1:0] total;
  always_comb begin
    total = Constant;
    for (int unsigned n = 0; n < Operands; n++) total += numbers_i[n];
  end
  always_ff @(posedge clk_i) number_o <= total;

endmodule
