// SPDX-License-Identifier: Apache-2.0
// Messages of a witness, each of which waits until the lines that were announced before it are in
// the external memory of the log: no vote leaves before the entry that it acknowledges is stored.
//
// After an error of the memory no further message leaves until a reset, as if the witness had
// crashed: its log may be wrong. The messages are discarded, so that they block no other tile.
//
// Latency: 1 cycle if all lines are stored. Throughput: one beat per cycle.
`include "bombus_assert.svh"

module vr_vote_queue
  import vr_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned Depth = 32  // in beats; a power of two
) (
    input logic clk_i,
    input logic rst_i,

    input writes_t announced_i,
    input writes_t stored_i,
    input logic    error_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,
    output logic  holds_o       // a beat is inside
);

  typedef struct packed {
    writes_t number;  // of the last line announced before it
    beat_t   beat;
  } held_t;
  held_t front;
  logic front_valid, front_ready, first;
  stream_queue #(
      .data_t(held_t),
      .Depth (Depth)
  ) u_queue (
      .clk_i,
      .rst_i,
      .in_i('{number: announced_i, beat: in_i}),
      .in_valid_i,
      .in_ready_o,
      .out_o(front),
      .out_valid_o(front_valid),
      .out_ready_i(front_ready),
      .holds_o
  );
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(front_valid & front_ready),
      .last_i (front.beat.last),
      .first_o(first)
  );

  // Numbers wrap; fewer than 2^15 lines are announced and not stored.
  wire writes_t ahead = stored_i - front.number;
  wire is_stored = ~ahead[$bits(writes_t)-1];
  logic failed_q, discards_q, offered_q;
  wire discards = first & ~offered_q ? failed_q | error_i : discards_q;
  always_ff @(posedge clk_i) begin
    failed_q   <= failed_q | error_i;
    discards_q <= discards;
    offered_q  <= out_valid_o & ~out_ready_i;
    if (rst_i) begin
      failed_q  <= 1'b0;
      offered_q <= 1'b0;
    end
  end
  assign front_ready = is_stored & (discards | out_ready_i);
  assign out_valid_o = front_valid & is_stored & ~discards;
  assign out_o = front.beat;

  wire writes_t open = announced_i - stored_i;
  `BOMBUS_ASSERT(StoredAfterAnnounced, !open[$bits(writes_t)-1])
  `BOMBUS_ASSERT(VotesWhenStored, !out_valid_o || is_stored)

endmodule
