// SPDX-License-Identifier: Apache-2.0
// Struct types whose width depends on the data width and the mesh. A generated top declares each
// once and passes it to its instances as a type parameter.
`ifndef BOMBUS_TYPES_SVH
`define BOMBUS_TYPES_SVH

// One beat of a message at the ports of a layer. data: byte 0 of the message in bits 7:0. bytes:
// number of valid bytes, meaningful with last (0 to data_width_/8); invalid bytes are zero. Valid
// with the first beat: kind, length (payload bytes of the message), and meta, the struct of the
// message's kind, in the lowest bits if other kinds have wider metadata. meta is the topmost field,
// so a cast converts a beat to one with wider or narrower metadata.
`define BOMBUS_BEAT_T(name_, data_width_, meta_t_ = bombus_pkg::packet_meta_t, kind_bits_ = 3) \
  typedef struct packed { \
    meta_t_                             meta; \
    bombus_pkg::length_t                length; \
    logic [(kind_bits_)-1:0]            kind; \
    logic                               last; \
    logic [$clog2((data_width_)/8):0]   bytes; \
    logic [(data_width_)-1:0]           data; \
  } name_;

// One flit on a mesh link: the beat and its route. dir: output port at the next router, computed
// one hop ahead (noc_pkg::dir_e). x, y: destination tile; port: entry of that tile.
`define BOMBUS_FLIT_T(name_, beat_t_, x_bits_, y_bits_, port_bits_) \
  typedef struct packed { \
    noc_pkg::dir_e            dir; \
    logic [(x_bits_)-1:0]     x; \
    logic [(y_bits_)-1:0]     y; \
    logic [(port_bits_)-1:0]  port; \
    beat_t_                   beat; \
  } name_;

`endif
