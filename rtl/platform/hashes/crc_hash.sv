// SPDX-License-Identifier: Apache-2.0
// Hash of a word: its remainder by a primitive polynomial over GF(2), as a CRC. Any run of
// HashWidth bits, such as the low bits of a port, maps one to one, so that consecutive ports or
// addresses spread evenly. Combinational.
module crc_hash #(
    parameter int unsigned DataWidth = 64,
    parameter int unsigned HashWidth = 6    // 1 to 8
) (
    input  logic [DataWidth-1:0] data_i,
    output logic [HashWidth-1:0] hash_o
);

  if (DataWidth < 1 || HashWidth < 1 || HashWidth > crc_pkg::MaxWidth) begin : gen_bad_width
    $error("crc_hash: HashWidth must be 1 to %0d, DataWidth at least 1", crc_pkg::MaxWidth);
  end

  // Each hash bit is the parity of the data bits whose power of x contains that bit.
  typedef logic [DataWidth-1:0] mask_t;
  function automatic mask_t [HashWidth-1:0] masks();
    mask_t [HashWidth-1:0] found;
    logic  [HashWidth-1:0] power;
    logic  [HashWidth-1:0] polynomial;
    polynomial = HashWidth'(crc_pkg::Polynomials[HashWidth]);
    power = HashWidth'(1);
    for (int unsigned i = 0; i < DataWidth; i++) begin
      for (int unsigned b = 0; b < HashWidth; b++) found[b][i] = power[b];
      power = HashWidth'({power, 1'b0}) ^ (power[HashWidth-1] ? polynomial : '0);
    end
    return found;
  endfunction
  localparam mask_t [HashWidth-1:0] Masks = masks();

  for (genvar b = 0; b < HashWidth; b++) begin : gen_bit
    assign hash_o[b] = ^(data_i & Masks[b]);
  end

endmodule
