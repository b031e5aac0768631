// SPDX-License-Identifier: Apache-2.0
// Extracts a byte, a halfword or a word at an address from the word that was loaded, and extends
// it. Combinational.
module rpu_load
  import rpu_pkg::*;
(
    input word_t word_i,
    input logic [1:0] place_i,  // of the first byte
    input logic [2:0] size_i,  // funct3 of the load
    output word_t value_o
);

  wire is_word = size_i[1];
  wire is_half = size_i[0];
  logic [7:0] low, high;
  logic sign;
  always_comb begin
    low = 8'(word_i >> {place_i, 3'b000});
    high = place_i[1] ? word_i[31:24] : word_i[15:8];  // of a word: place_i is 0
    sign = ~size_i[2] & (is_half ? high[7] : low[7]);
    value_o[7:0] = low;
    value_o[15:8] = is_half | is_word ? high : {8{sign}};
    value_o[31:16] = is_word ? word_i[31:16] : {16{sign}};
  end

endmodule
