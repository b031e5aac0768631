// The field of 256 elements that storage uses: polynomials over GF(2) modulo
// x^8 + x^4 + x^3 + x^2 + 1, generator x (2).
//
// A multiplier that varies from cycle to cycle is cheapest between two bases:
// the factor of many bytes in the polynomial basis as they are, the product in
// the dual basis, whose bit n of an element y is trace(DualScale * x^n * y). There
// a multiplication by g is a Hankel matrix of 15 bits h[n] = trace(DualScale * g *
// x^n): product bit i is the sum of h[i+j] & byte bit j. DualScale is the one for
// which the way back takes the fewest gates: two XOR.
package gf256_pkg;

  typedef logic [7:0] gf_t;

  parameter logic [8:0] Polynomial = 9'h11D;
  parameter gf_t DualScale = 8'h6C;

  function automatic gf_t gf_mul(gf_t a, gf_t b);
    gf_t product, shifted;
    product = '0;
    shifted = a;
    for (int unsigned i = 0; i < 8; i++) begin
      if (b[i]) product ^= shifted;
      shifted = {shifted[6:0], 1'b0} ^ (shifted[7] ? Polynomial[7:0] : 8'h00);
    end
    return product;
  endfunction

  function automatic gf_t gf_pow(gf_t a, int unsigned exponent);
    gf_t power, square;
    power  = 8'h01;
    square = a;
    for (int unsigned i = 0; i < 8; i++) begin
      if (exponent[i]) power = gf_mul(power, square);
      square = gf_mul(square, square);
    end
    return power;
  endfunction

  // a != 0
  function automatic gf_t gf_inv(gf_t a);
    return gf_pow(a, 254);
  endfunction

  function automatic logic gf_trace(gf_t a);
    gf_t sum, square;
    sum = '0;
    square = a;
    for (int unsigned i = 0; i < 8; i++) begin
      sum ^= square;
      square = gf_mul(square, square);
    end
    return sum[0];
  endfunction

  // What a multiplication by a constant takes: the Hankel matrix in blocks of 4x4,
  // [H0 H1; H1 H2], prepared for three products of blocks instead of four:
  // [H1(lo+hi) + (H0+H1)lo; H1(lo+hi) + (H1+H2)hi]. Entry (i, j) of a block is bit i+j.
  typedef struct packed {
    logic [6:0] low;   // H0 + H1
    logic [6:0] both;  // H1
    logic [6:0] high;  // H1 + H2
  } multiplier_t;

  function automatic multiplier_t gf_multiplier(gf_t g);
    logic [14:0] h;
    multiplier_t m;
    for (int unsigned n = 0; n < 15; n++)
    h[n] = gf_trace(gf_mul(DualScale, gf_mul(g, gf_pow(2, n))));
    m.low  = h[6:0] ^ h[10:4];
    m.both = h[10:4];
    m.high = h[10:4] ^ h[14:8];
    return m;
  endfunction

  // From the dual basis back: bit n is the sum of the bits that are set in FromDual[n].
  parameter logic [7:0][7:0] FromDual = {8'h08, 8'h10, 8'h20, 8'h40, 8'h88, 8'h05, 8'h02, 8'h04};

endpackage
