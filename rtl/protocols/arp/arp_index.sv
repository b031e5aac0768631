// SPDX-License-Identifier: Apache-2.0
// Sets of a neighbour in NumTables hash tables of 2^Width sets: the low Width bits of its address,
// XORed with a keyed hash of all other bits of the key.
//
// Strangers choose the keys, so without the seed they cannot choose keys of one set. Addresses that
// differ only in the low Width bits are in different sets, so consecutive ones fill all evenly.
//
// Combinational. A key wider than MaxKeyBits does not exist, so the seed has this width.
module arp_index
  import bombus_pkg::*;
  import arp_pkg::*;
#(
    parameter int unsigned PortBits = 0,  // width of the MAC port number above the key
    parameter int unsigned Width = 9,  // at most 16
    parameter int unsigned NumTables = 1,
    localparam type port_key_t = logic [PortBits+$bits(key_t)-1:0]
) (
    input port_key_t key_i,
    input logic [MaxKeyBits-1:0] seed_i,
    output logic [NumTables-1:0][Width-1:0] index_o
);

  if (Width < 1 || Width > 16 || NumTables < 1) begin : gen_bad_shape
    $error("arp_index: Width must be 1 to 16, NumTables at least 1");
  end

  if (PortBits > $bits(mac_port_t)) begin : gen_bad_key
    $error("arp_index: PortBits must be at most %0d", $bits(mac_port_t));
  end

  localparam int unsigned HighBits = $bits(port_key_t) - Width;
  logic [NumTables*Width-1:0] hash;
  keyed_hash #(
      .DataWidth(HighBits),
      .HashWidth(NumTables * Width)
  ) u_hash (
      .data_i(key_i[$bits(port_key_t)-1:Width]),
      .seed_i(seed_i[HighBits-1:0]),
      .hash_o(hash)
  );
  assign index_o = hash ^ {NumTables{key_i[Width-1:0]}};

endmodule
