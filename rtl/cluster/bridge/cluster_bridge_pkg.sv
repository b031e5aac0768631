// SPDX-License-Identifier: Apache-2.0
// Messages of a mesh in packets of the network between boards.
//
// A message is cut into pieces, one for each packet. A packet is one word (piece_t), the metadata
// of the message in whole words, and the payload of the piece. All pieces but the last have
// piece_bytes() of payload.
package cluster_bridge_pkg;

  // identity: of the kind of message (docs/architecture.md, "Kinds of messages"). target: low bits
  // of the number of the input that the message is for, so that two boards of different designs do
  // not exchange messages. length: payload bytes of the message. left: those from this piece on.
  typedef struct packed {
    logic [31:0]         identity;
    logic [3:0]          target;
    bombus_pkg::length_t length;
    bombus_pkg::length_t left;
  } piece_t;

  // Words before the payload of a packet, with so many bits of metadata.
  function automatic int unsigned header_words(int unsigned meta_bits);
    return 1 + (meta_bits + 63) / 64;
  endfunction

  // Payload bytes of a full piece: whole beats of the mesh.
  function automatic int unsigned piece_bytes(int unsigned max_words, int unsigned meta_bits,
                                              int unsigned data_width);
    return (max_words - header_words(meta_bits)) * 64 / data_width * (data_width / 8);
  endfunction

endpackage
