// SPDX-License-Identifier: Apache-2.0
// Struct types of the network between boards that depend on the width of a link, and the ports of
// layers in the chain of endpoints.
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

// The ports of a layer in the chain, up to the node and down to the next layer of the row, and how
// it connects them to its bridge_endpoint. A beat has packet_bits_ bits. chain_there_i: a next one
// is there. The ports end with a comma, so that verible can parse the list: further ports follow.
`define CLUSTER_CHAIN_PORTS(packet_bits_) \
    input logic [(packet_bits_)-1:0] chain_down_i, \
    input logic chain_down_offer_i, \
    output logic chain_down_take_o, \
    output logic [(packet_bits_)-1:0] chain_up_o, \
    output logic chain_up_offer_o, \
    input logic chain_up_take_i, \
    output logic chain_there_o, \
    output logic [(packet_bits_)-1:0] chain_down_o, \
    output logic chain_down_offer_o, \
    input logic chain_down_take_i, \
    input logic [(packet_bits_)-1:0] chain_up_i, \
    input logic chain_up_offer_i, \
    output logic chain_up_take_o, \
    input logic chain_there_i,

`define CLUSTER_CHAIN_CONNECTIONS \
    .chain_down_i, \
    .chain_down_offer_i, \
    .chain_down_take_o, \
    .chain_up_o, \
    .chain_up_offer_o, \
    .chain_up_take_i, \
    .chain_there_o, \
    .chain_down_o, \
    .chain_down_offer_o, \
    .chain_down_take_i, \
    .chain_up_i, \
    .chain_up_offer_i, \
    .chain_up_take_o, \
    .chain_there_i

`endif
