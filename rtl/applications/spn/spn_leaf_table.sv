// SPDX-License-Identifier: Apache-2.0
// The number of a value: a table of the values 0 to Depth - 2, and of a missing one in the last
// entry. Values above have the number of Depth - 2; the value of all ones is missing.
//
// Latency: 1 cycle. Throughput: one value per cycle.
module spn_leaf_table #(
    parameter int unsigned ValueBits = 8,
    parameter int unsigned Width = 27,  // bits of a number
    parameter int unsigned Depth = 3,  // entries, at least 2
    parameter bit BlockRam = 1'b0,  // 0: in LUTs
    parameter logic [Depth-1:0][Width-1:0] Numbers = '0  // entry 0 is the lowest
) (
    input logic clk_i,

    input  logic [ValueBits-1:0] value_i,
    output logic [    Width-1:0] number_o
);

  if (Depth < 2 || Depth > 2 ** ValueBits) begin : gen_bad_depth
    $error("spn_leaf_table: Depth must be 2 to 2^ValueBits");
  end

  typedef logic [$clog2(Depth)-1:0] index_t;
  wire is_missing = &value_i;
  wire is_above = 32'(value_i) > Depth - 2;
  index_t index;
  always_comb begin
    index = index_t'(value_i);
    if (is_missing) index = index_t'(Depth - 1);
    else if (is_above) index = index_t'(Depth - 2);
  end

  if (BlockRam) begin : gen_block
    (* ram_style = "block" *) logic [Width-1:0] rom[Depth];
    initial for (int unsigned n = 0; n < Depth; n++) rom[n] = Numbers[n];
    always_ff @(posedge clk_i) number_o <= rom[index];
  end else begin : gen_luts
    always_ff @(posedge clk_i) number_o <= Numbers[index];
  end

endmodule
