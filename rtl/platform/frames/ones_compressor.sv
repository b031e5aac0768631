// SPDX-License-Identifier: Apache-2.0
// Halves the number of words and keeps their one's complement sum (RFC 1071): groups of up to six
// words are counted column by column, one LUT deep; each further level halves the result again.
// Combinational.
//
// 4 to 6 words are reduced to 3, and 3 words to 2. The 3 words of one group are never all ones
// together.
module ones_compressor #(
    parameter int unsigned NumTerms = 6,  // at least 1
    parameter int unsigned Levels = 1,
    localparam int unsigned NumSums = ones_pkg::num_sums(NumTerms, Levels)
) (
    input  logic [NumTerms-1:0][15:0] terms_i,
    output logic [ NumSums-1:0][15:0] sums_o
);

  if (NumTerms < 1 || Levels < 1) begin : gen_bad_shape
    $error("ones_compressor: NumTerms and Levels must be at least 1");
  end else if (Levels > 1) begin : gen_levels
    localparam int unsigned NumHalves = ones_pkg::num_sums(NumTerms);
    logic [NumHalves-1:0][15:0] halves;
    ones_compressor #(
        .NumTerms(NumTerms)
    ) u_first (
        .terms_i,
        .sums_o(halves)
    );
    ones_compressor #(
        .NumTerms(NumHalves),
        .Levels  (Levels - 1)
    ) u_rest (
        .terms_i(halves),
        .sums_o
    );
  end else begin : gen_groups
    for (genvar g = 0; 6 * g < NumTerms; g++) begin : gen_group
      localparam int unsigned Size = NumTerms - 6 * g < 6 ? NumTerms - 6 * g : 6;
      localparam int unsigned Made = ones_pkg::num_sums(Size);
      if (Size < 3) begin : gen_through
        assign sums_o[3*g+:Made] = terms_i[6*g+:Size];
      end else begin : gen_count
        ones_pkg::saved_t sums;
        assign sums = ones_pkg::save(96'(terms_i[6*g+:Size]));
        assign sums_o[3*g+:Made] = sums[Made-1:0];
      end
    end
  end

endmodule
