// SPDX-License-Identifier: Apache-2.0
// What each word of a beat adds to the state of a CRC-32C at the end of the beat. The state after
// the beat is the sum (XOR) of these and of by_zeros(64 * NumWords) of the state before it; words
// that do not belong to the message are left out of the sum. Combinational.
module crc_words
  import cluster_crc_pkg::*;
#(
    parameter int unsigned NumWords = 2
) (
    input logic [NumWords-1:0][63:0] words_i,
    output crc_t [NumWords-1:0] sums_o
);

  if (NumWords < 1) begin : gen_bad_words
    $error("crc_words: NumWords must be at least 1");
  end

  typedef logic [63:0] word_t;
  typedef word_t [NumWords-1:0][31:0] masks_t;
  function automatic masks_t masks();
    masks_t found;
    crc_t   column;
    column = Polynomial;
    for (int bit_index = 64 * int'(NumWords) - 1; bit_index >= 0; bit_index--) begin
      for (int unsigned r = 0; r < 32; r++) found[bit_index/64][r][bit_index%64] = column[r];
      column = advance(column);
    end
    return found;
  endfunction
  localparam masks_t Masks = masks();

  for (genvar w = 0; w < NumWords; w++) begin : gen_word
    for (genvar r = 0; r < 32; r++) begin : gen_bit
      assign sums_o[w][r] = ^(words_i[w] & Masks[w][r]);
    end
  end

endmodule
