// Generator matrices of systematic Reed-Solomon codes, as storage software makes
// them: the parity shard `row` is the sum of coefficient(row, shard) * data shard.
package rs_matrix_pkg;

  import gf256_pkg::*;

  // Vandermonde matrix (row r: powers of r) times the inverse of its upper square:
  // Backblaze, klauspost/reedsolomon and reed-solomon-erasure by default.
  parameter int unsigned MatrixVandermonde = 0;
  // 1 / (row ^ shard): ISA-L's gf_gen_cauchy1_matrix, klauspost's WithCauchyMatrix.
  parameter int unsigned MatrixCauchy = 1;
  // (2^row)^shard: ISA-L's gf_gen_rs_matrix. The first row is plain XOR.
  parameter int unsigned MatrixPower = 2;

  // Rows of parity shards count from 0 here.
  function automatic gf_t rs_coefficient(int unsigned matrix, int unsigned data_shards,
                                         int unsigned row, int unsigned shard);
    gf_t x, above, below;
    x = gf_t'(data_shards + row);
    above = 8'h01;
    below = 8'h01;
    if (matrix == MatrixCauchy) return gf_inv(x ^ gf_t'(shard));
    if (matrix == MatrixPower) return gf_pow(gf_pow(8'h02, row), shard);
    // The data shards are a polynomial's values at 0, 1, 2...; parity continues them.
    // Hence the coefficient is Lagrange's, and no matrix need be inverted.
    for (int unsigned other = 0; other < data_shards; other++) begin
      if (other != shard) begin
        above = gf_mul(above, x ^ gf_t'(other));
        below = gf_mul(below, gf_t'(shard) ^ gf_t'(other));
      end
    end
    return gf_mul(above, gf_inv(below));
  endfunction

endpackage
