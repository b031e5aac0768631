// SPDX-License-Identifier: Apache-2.0
// Packets of the network between boards, and their form on a link.
//
// Source: "A Transport-Layer Network for Distributed FPGA Platforms", section III: a packet has a
// source, a destination, a type (here: channel) and payload.
package cluster_pkg;

  localparam int unsigned BoardBits = 8;
  localparam int unsigned ChannelBits = 5;
  localparam int unsigned LengthBits = 8;
  localparam int unsigned MaxLinks = 4;

  localparam int unsigned WordBits = 64;  // unit of length, and of packing on a link

  typedef logic [BoardBits-1:0] board_t;
  typedef logic [ChannelBits-1:0] channel_t;
  typedef logic [LengthBits-1:0] length_t;

  // length: payload in words of 8 bytes, 0 to 255. channel: number of the endpoint, on all boards.
  // credit: a flow-control packet of a managed endpoint, whose payload is one word: the number of
  // packets that the destination may send. yield: the sender needs no more than InitBudget for its
  // next stride.
  typedef struct packed {
    board_t   destination;
    board_t   source;
    channel_t channel;
    logic     credit;
    logic     yield;
    length_t  length;
  } header_t;

  // The first 4 bytes of a packet on a link.
  typedef struct packed {
    logic    data;    // 1; 0 in a control word
    header_t header;
  } wire_header_t;

  // Beats of a packet of so many words; a packet without payload is one beat.
  function automatic int unsigned beats(length_t length, int unsigned data_width);
    int unsigned words;
    words = data_width / WordBits;
    return length == '0 ? 1 : (32'(length) + words - 1) / words;
  endfunction

endpackage
