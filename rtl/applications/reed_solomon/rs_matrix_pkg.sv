// SPDX-License-Identifier: Apache-2.0
// Generator matrices of systematic Reed-Solomon codes, as used by storage software: parity shard
// `row` is the sum of x^rs_exponent(row, shard) * data shard.
package rs_matrix_pkg;

  import gf256_pkg::*;

  // Vandermonde matrix (row r: powers of r) times the inverse of its upper square:
  // Backblaze, klauspost/reedsolomon and reed-solomon-erasure by default.
  parameter int unsigned MatrixVandermonde = 0;
  // 1 / (row ^ shard): ISA-L's gf_gen_cauchy1_matrix, klauspost's WithCauchyMatrix.
  parameter int unsigned MatrixCauchy = 1;
  // (2^row)^shard: ISA-L's gf_gen_rs_matrix. The first row is plain XOR.
  parameter int unsigned MatrixPower = 2;

  // Whether any data_shards of all shards recover the data with MatrixPower, as they always do with
  // the other matrices: all square submatrices of the parity rows must be invertible.
  function automatic bit power_recovers(int unsigned data_shards, int unsigned parity_shards);
    int unsigned less, more;
    less = data_shards < parity_shards ? data_shards : parity_shards;
    more = data_shards < parity_shards ? parity_shards : data_shards;
    return less < 4 || (less == 4 && more <= 21) || more == 5;
  endfunction

  // Logarithms of a product for each shard, data or parity: the differences between its point of
  // the field and those of all other data shards.
  function automatic gf_table_t rs_products(int unsigned data_shards, int unsigned shards,
                                            gf_table_t logarithms);
    gf_table_t   products;
    int unsigned sum;
    products = '0;
    for (int unsigned point = 0; point < shards; point++) begin
      sum = 0;
      for (int unsigned other = 0; other < data_shards; other++) begin
        if (other != point) sum += 32'(logarithms[gf_t'(point^other)]);
      end
      products[point] = gf_t'(sum % 255);
    end
    return products;
  endfunction

  // Logarithm of a coefficient; no coefficient is 0. Parity rows count from 0 here.
  function automatic int unsigned rs_exponent(int unsigned matrix, int unsigned data_shards,
                                              int unsigned row, int unsigned shard,
                                              gf_table_t logarithms, gf_table_t products);
    int unsigned point, difference;
    if (matrix == MatrixPower) return (row * shard) % 255;
    point = data_shards + row;
    difference = 32'(logarithms[gf_t'(point^shard)]);
    if (matrix == MatrixCauchy) return (255 - difference) % 255;
    // The data shards are the values of a polynomial at 0, 1, 2...; the parity shards are its next
    // values. The coefficient is therefore Lagrange's, and no matrix is inverted.
    return (510 + 32'(products[point]) - difference - 32'(products[shard])) % 255;
  endfunction

endpackage
