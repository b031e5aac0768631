// SPDX-License-Identifier: Apache-2.0
// crc_words and the maps of cluster_crc_pkg against a CRC-32C bit by bit, and back over words of
// zeros. All of them are sums (XOR) of bits of the state and the words, so that it suffices to look
// at each bit alone; bit_i is any of them. Combinational: one cycle is all time.
module crc_words_formal
  import cluster_crc_pkg::*;
#(
    parameter int unsigned NumWords = 2,
    localparam int unsigned Width = 64 * NumWords
) (
    input logic clk_i,
    input logic rst_i,
    input logic [$clog2(Width+32)-1:0] bit_i
);

  logic unused_started, unused_watched;
  proof_start u_start (
      .clk_i,
      .rst_i,
      .watched_i(1'b0),
      .started_o(unused_started),
      .watched_o(unused_watched)
  );

  crc_t state;
  logic [NumWords-1:0][63:0] words;
  assign {state, words} = (Width + 32)'(1) << bit_i;
  crc_t [NumWords-1:0] sums;
  crc_words #(
      .NumWords(NumWords)
  ) u_words (
      .words_i(words),
      .sums_o (sums)
  );

  function automatic crc_t serial(crc_t state, logic [Width-1:0] data);
    crc_t now;
    now = state;
    for (int unsigned b = 0; b < Width; b++) now = advance({now[31:1], now[0] ^ data[b]});
    return now;
  endfunction

  localparam matrix_t ByBeat = by_zeros(int'(Width));
  localparam matrix_t ByWord = by_zeros(64);
  localparam matrix_t BackByWord = by_zeros(-64);
  crc_t whole;
  always_comb begin
    whole = times(ByBeat, state);
    for (int unsigned w = 0; w < NumWords; w++) whole ^= sums[w];
    assert (whole == serial(state, words));
    assert (times(BackByWord, times(ByWord, state)) == state);
    cover (state != '0);
    cover (words[NumWords-1] != '0);
  end

endmodule
