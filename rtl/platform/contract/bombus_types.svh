// SPDX-License-Identifier: Apache-2.0
// Struct types whose width follows from the data width and the mesh; a
// generated top declares them once and hands them down as type parameters.
`ifndef BOMBUS_TYPES_SVH
`define BOMBUS_TYPES_SVH

// One beat of a message, as a layer sees it. data: byte 0 of the message in bits 7:0. bytes: how
// many bytes are valid, meaningful with last (0 to data_width_/8); the bytes above are zero. Valid
// with the first beat: kind, length (payload bytes of the message), and meta, the struct of the
// message's kind, in the lowest bits if others are wider. meta is the topmost field, so a cast
// converts a beat to one with wider or narrower metadata.
`define BOMBUS_BEAT_T(name_, data_width_, meta_t_ = bombus_pkg::packet_meta_t, kind_bits_ = 3) \
  typedef struct packed { \
    meta_t_                             meta; \
    logic [13:0]                        length; \
    logic [(kind_bits_)-1:0]            kind; \
    logic                               last; \
    logic [$clog2((data_width_)/8):0]   bytes; \
    logic [(data_width_)-1:0]           data; \
  } name_;

// One flit on a mesh link: the beat and its route. dir: output port of the
// router that the flit enters next, computed one hop ahead (noc_pkg::dir_e).
// x, y: destination tile; port: entry inside that tile.
`define BOMBUS_FLIT_T(name_, beat_t_, x_bits_, y_bits_, port_bits_) \
  typedef struct packed { \
    noc_pkg::dir_e            dir; \
    logic [(x_bits_)-1:0]     x; \
    logic [(y_bits_)-1:0]     y; \
    logic [(port_bits_)-1:0]  port; \
    beat_t_                   beat; \
  } name_;

`endif
