// SPDX-License-Identifier: Apache-2.0
// Hash of a word with a secret seed, for tables with untrusted keys: tabulation hashing (Zobrist,
// 1970; Patrascu and Thorup, 2012).
//
// Each group of six bits, XORed with its part of the seed, selects a word of a fixed table of
// random words; the hash is the XOR of these words. A linear hash, such as a CRC, is not
// sufficient: words that collide under one seed collide under all, and consecutive words may map to
// half of the lines. Not a cipher: an observer of hashes can compute the seed.
//
// Combinational: a LUT for each bit of the hash and group, then their XOR.
module keyed_hash #(
    parameter int unsigned DataWidth = 64,
    parameter int unsigned HashWidth = 15
) (
    input  logic [DataWidth-1:0] data_i,
    input  logic [DataWidth-1:0] seed_i,
    output logic [HashWidth-1:0] hash_o
);

  if (DataWidth < 1 || HashWidth < 1) begin : gen_bad_width
    $error("keyed_hash: DataWidth and HashWidth must be at least 1");
  end

  localparam int unsigned NumGroups = (DataWidth + 5) / 6;
  localparam int unsigned NumWords = (HashWidth + 31) / 32;
  typedef logic [6*NumGroups-1:0] word_t;
  typedef logic [HashWidth-1:0] hash_t;
  typedef hash_t [63:0] table_t;

  // xorshift32 (Marsaglia, 2003).
  function automatic table_t [NumGroups-1:0] tables();
    table_t [NumGroups-1:0] drawn;
    logic [NumWords-1:0][31:0] words;
    logic [31:0] random;
    random = 32'h9E3779B9;
    for (int unsigned g = 0; g < NumGroups; g++) begin
      for (int unsigned i = 0; i < 64; i++) begin
        for (int unsigned w = 0; w < NumWords; w++) begin
          random ^= random << 13;
          random ^= random >> 17;
          random ^= random << 5;
          words[w] = random;
        end
        drawn[g][i] = hash_t'(words);
      end
    end
    return drawn;
  endfunction
  localparam table_t [NumGroups-1:0] Tables = tables();

  word_t index;
  hash_t [NumGroups-1:0] part;
  assign index = word_t'(data_i) ^ word_t'(seed_i);
  for (genvar g = 0; g < NumGroups; g++) begin : gen_group
    assign part[g] = Tables[g][index[6*g+:6]];
  end
  always_comb begin
    hash_o = '0;
    for (int unsigned g = 0; g < NumGroups; g++) hash_o ^= part[g];
  end

endmodule
