// SPDX-License-Identifier: Apache-2.0
// Collective operations of the boards of a ring: commands, and the first beat of their packets.
package collective_pkg;

  typedef enum logic [1:0] {
    OpBarrier,
    OpBroadcast,
    OpReduce,
    OpAllReduce
  } op_e;

  localparam int unsigned IndexBits = 16;
  localparam int unsigned HopBits = 9;
  localparam int unsigned BeatBits = 20;

  typedef logic [IndexBits-1:0] index_t;
  typedef logic [HopBits-1:0] hop_t;
  typedef logic [BeatBits-1:0] beats_t;
  typedef logic [7:0] tag_t;
  typedef logic [7:0] position_t;

  // The ring as one board sees it. positions count from 0 in the direction of transfer; last: the
  // largest of them. All boards have the same order.
  typedef struct packed {
    position_t position;
    position_t last;
    cluster_pkg::board_t following;
    cluster_pkg::board_t preceding;
  } ring_t;

  // One operation. tag: one more (modulo 256) than that of the operation before, the same on all
  // boards, as are op, is_float, root (a position) and beats (of the vector; 0 for OpBarrier).
  typedef struct packed {
    tag_t      tag;
    op_e       op;
    logic      is_float;  // IEEE 754 binary32, not 32-bit integers
    position_t root;      // of OpBroadcast and OpReduce
    beats_t    beats;
  } command_t;

  // The first beat of a packet, bits 63:0. index: of the packet in the vector. hop: boards that it
  // has reached with this transfer; up to ring_t.last they add, from there on they store.
  typedef struct packed {
    logic [28:0] unused;
    tag_t        tag;
    op_e         op;
    hop_t        hop;
    index_t      index;
  } packet_t;

  // A packet in the memory that is to be sent on.
  typedef struct packed {
    index_t index;
    hop_t   hop;
  } stored_t;

  // Beats of a packet of the vector, without its first one.
  function automatic int unsigned data_beats(command_t command, index_t index,
                                             int unsigned packet_beats);
    int unsigned left;
    left = 32'(command.beats) - 32'(index) * packet_beats;
    return left > packet_beats ? packet_beats : left;
  endfunction

endpackage
