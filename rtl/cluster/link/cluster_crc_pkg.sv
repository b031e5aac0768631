// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli; RFC 3720 appendix B.4) as linear maps over GF(2). Bits are processed lowest
// first. State and result are reflected, as in software; the result is the inverted state.
package cluster_crc_pkg;

  typedef logic [31:0] crc_t;
  typedef crc_t [31:0] matrix_t;  // rows

  localparam crc_t Polynomial = 32'h82F63B78;

  // The state after one more bit of zero, and its inverse.
  function automatic crc_t advance(crc_t state);
    return (state >> 1) ^ (state[0] ? Polynomial : '0);
  endfunction
  function automatic crc_t retreat(crc_t state);
    return state[31] ? {state[30:0] ^ Polynomial[30:0], 1'b1} : {state[30:0], 1'b0};
  endfunction

  // The map of the state by so many bits of zero; below 0: back.
  function automatic matrix_t by_zeros(int bits);
    matrix_t rows;
    for (int unsigned b = 0; b < 32; b++) begin
      crc_t column;
      column = crc_t'(1) << b;
      for (int n = 0; n < bits; n++) column = advance(column);
      for (int n = 0; n > bits; n--) column = retreat(column);
      for (int unsigned r = 0; r < 32; r++) rows[r][b] = column[r];
    end
    return rows;
  endfunction

  function automatic crc_t times(matrix_t matrix, crc_t vector);
    crc_t product;
    for (int unsigned r = 0; r < 32; r++) product[r] = ^(matrix[r] & vector);
    return product;
  endfunction

  localparam matrix_t By32 = by_zeros(32);

  // The state of any message that ends with its own CRC.
  localparam crc_t Residue = times(By32, '1);

  // CRC of 4 bytes.
  function automatic crc_t of_half(crc_t half);
    return ~times(By32, ~half);
  endfunction

endpackage
