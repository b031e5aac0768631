// SPDX-License-Identifier: Apache-2.0
// Struct types of the network between boards that depend on the width of a link.
`ifndef CLUSTER_TYPES_SVH
`define CLUSTER_TYPES_SVH

// One beat of a packet between link, router, endpoint chain and endpoints. header is the same in
// all beats of a packet. data: word 0 of the packet in bits 63:0 of its first beat. All beats
// except the last are full; words beyond header.length are zero. A packet of length 0 is one beat.
`define CLUSTER_BEAT_T(name_, data_width_) \
  typedef struct packed { \
    cluster_pkg::header_t      header; \
    logic                      last; \
    logic [(data_width_)-1:0]  data; \
  } name_;

`endif
