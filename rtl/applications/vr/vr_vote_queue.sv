// SPDX-License-Identifier: Apache-2.0
// Messages of a witness, each of which waits until the lines that were announced before it are in
// the external memory of the log: no vote leaves before the entry that it acknowledges is stored.
// It also waits for its last beat, so that an error of a line in it is known.
//
// After an error of the memory no further message leaves until a reset, as if the witness had
// crashed: its log may be wrong. The messages are discarded, so that they block no other tile.
//
// Latency: 1 cycle from the last beat, if all lines are stored. Throughput: one beat per cycle.
`include "bombus_assert.svh"

module vr_vote_queue
  import vr_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned Depth = 32  // in beats, at least those of a message; a power of two
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

  logic  first;
  beat_t front;
  logic front_valid, front_ready;
  stream_queue #(
      .data_t(beat_t),
      .Depth (Depth)
  ) u_queue (
      .clk_i,
      .rst_i,
      .in_i,
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
      .last_i (front.last),
      .first_o(first)
  );

  // Of each message, the number of the last line announced before its end. A number waits for lines
  // only, not for the output: it leaves before later lines make it wrap.
  writes_t number;
  logic number_valid, number_ready, unused_number_holds;
  wire writes_t ahead = stored_i - number;
  wire is_stored = number_valid & ~ahead[$bits(writes_t)-1];
  stream_queue #(
      .data_t(writes_t),
      .Depth (Depth)
  ) u_numbers (
      .clk_i,
      .rst_i,
      .in_i(announced_i),
      .in_valid_i(in_valid_i & in_ready_o & in_i.last),
      .in_ready_o(number_ready),
      .out_o(number),
      .out_valid_o(number_valid),
      .out_ready_i(is_stored),
      .holds_o(unused_number_holds)
  );
  logic [$clog2(Depth+3):0] free_q;  // messages whose number has left, and which have not
  wire is_free = is_stored | (free_q != '0);
  wire leaves = front_valid & front_ready & front.last;
  always_ff @(posedge clk_i) begin
    free_q <= free_q + $bits(free_q)'(is_stored) - $bits(free_q)'(leaves);
    if (rst_i) free_q <= '0;
  end

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
  assign front_ready = is_free & (discards | out_ready_i);
  assign out_valid_o = front_valid & is_free & ~discards;
  assign out_o = front;

  wire writes_t open = announced_i - stored_i;
  `BOMBUS_ASSERT(StoredAfterAnnounced, !open[$bits(writes_t)-1])
  `BOMBUS_ASSERT(RoomForNumbers, number_ready || !in_ready_o)

endmodule
