// SPDX-License-Identifier: Apache-2.0
// Primitive polynomials over GF(2) for crc_hash, which software reads too.
package crc_pkg;

  localparam int unsigned MaxWidth = 8;  // of a hash

  // x^n modulo the polynomial of degree n, for n from MaxWidth down to 1
  localparam logic [MaxWidth:1][7:0] Polynomials = {
    8'b11101, 8'b11, 8'b11, 8'b101, 8'b11, 8'b11, 8'b11, 8'b1
  };

endpackage
