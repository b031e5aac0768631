// SPDX-License-Identifier: Apache-2.0
// Replaces crc_words: its output is unconstrained, so that a CRC is anything. A proof assumes the
// properties that it needs.
module free_crc_words
  import cluster_crc_pkg::*;
#(
    parameter int unsigned NumWords = 2
) (
    input logic [NumWords-1:0][63:0] words_i,
    output crc_t [NumWords-1:0] sums_o
);
endmodule
