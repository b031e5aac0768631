// SPDX-License-Identifier: Apache-2.0
// A table of negated logarithms, one for each class of a variable's values, or for each value.
// spn_leaf_table gives the class of a value.
//
// Latency: 1 cycle. Throughput: one class per cycle. Up to 64 entries take a LUT6 for each bit.
module spn_class_table #(
    parameter int unsigned Width = 22,  // bits of a number
    parameter int unsigned Classes = 2,  // 1 to 512
    parameter logic [Classes-1:0][Width-1:0] Numbers = '0,  // that of class 0 is the lowest
    localparam int unsigned ClassBits = Classes > 1 ? $clog2(Classes) : 1
) (
    input logic clk_i,

    input  logic [ClassBits-1:0] class_i,
    output logic [    Width-1:0] number_o
);

  if (Classes < 1 || Classes > 512) begin : gen_bad_classes
    $error("spn_class_table: Classes must be 1 to 512");
  end

  always_ff @(posedge clk_i) number_o <= Numbers[class_i];

endmodule
