// SPDX-License-Identifier: Apache-2.0
// The field of 256 elements that storage software uses: polynomials over GF(2) modulo x^8 + x^4 +
// x^3 + x^2 + 1, generator x (2).
//
// A multiplier by a factor that varies from cycle to cycle is smallest between two bases: the
// multiplicands, many bytes, are in the polynomial basis, the products in the dual basis, in which
// bit n of an element y is trace(DualScale * x^n * y). Multiplication by g is then a Hankel matrix
// of 15 bits, h[n] = trace(DualScale * g * x^n): product bit i is the sum of h[i+j] & byte bit j.
// DualScale is chosen so that the conversion back takes the fewest gates: two XOR.
package gf256_pkg;

  typedef logic [7:0] gf_t;

  parameter logic [8:0] Polynomial = 9'h11D;
  parameter gf_t DualScale = 8'h6C;
  // trace(y) = y + y^2 + y^4 + ... + y^128 is linear; among x^0 to x^7, only x^5 has trace 1.
  parameter int unsigned TraceBit = 5;

  // ---- Functions for constants: a few steps per coefficient, since there are thousands ----
  //
  // Callers keep the tables in variables: tools re-evaluate a parameter each time that a function
  // reads it.

  // a * x
  function automatic gf_t gf_double(gf_t a);
    return {a[6:0], 1'b0} ^ (a[7] ? Polynomial[7:0] : 8'h00);
  endfunction

  typedef gf_t [255:0] gf_table_t;  // one entry per element

  // Logarithm of each element to the base of the generator, 0 to 254; undefined for 0.
  function automatic gf_table_t gf_logarithms();
    gf_table_t logarithms;
    gf_t power;
    logarithms = '0;
    power = 8'h01;
    for (int unsigned n = 0; n < 255; n++) begin
      logarithms[power] = gf_t'(n);
      power = gf_double(power);
    end
    return logarithms;
  endfunction

  // Bit n: trace(DualScale * x^n). Any 15 consecutive bits form a Hankel matrix.
  typedef logic [268:0] traces_t;
  function automatic traces_t gf_traces();
    traces_t traces;
    gf_t element;
    element = DualScale;
    for (int unsigned n = 0; n < $bits(traces_t); n++) begin
      traces[n] = element[TraceBit];
      element   = gf_double(element);
    end
    return traces;
  endfunction

  // The constants of a multiplication: the Hankel matrix in blocks of 4x4, [H0 H1; H1 H2], prepared
  // for three block products instead of four: [H1(lo+hi) + (H0+H1)lo; H1(lo+hi) + (H1+H2)hi]. Entry
  // (i, j) of a block is bit i+j.
  typedef struct packed {
    logic [6:0] low;   // H0 + H1
    logic [6:0] both;  // H1
    logic [6:0] high;  // H1 + H2
  } multiplier_t;

  // For multiplication by x^exponent, with exponent below 255; `traces` as above.
  function automatic multiplier_t gf_multiplier(int unsigned exponent, traces_t traces);
    logic [14:0] h;
    multiplier_t m;
    h = traces[exponent+:15];
    m.low = h[6:0] ^ h[10:4];
    m.both = h[10:4];
    m.high = h[10:4] ^ h[14:8];
    return m;
  endfunction

  // Conversion from the dual basis: bit n is the sum of the bits set in FromDual[n].
  parameter logic [7:0][7:0] FromDual = {8'h08, 8'h10, 8'h20, 8'h40, 8'h88, 8'h05, 8'h02, 8'h04};

endpackage
