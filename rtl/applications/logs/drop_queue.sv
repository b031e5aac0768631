// SPDX-License-Identifier: Apache-2.0
// Queues the drops of one observed stream: pulses become items, one per cycle, each with the cycle
// of its pulse. Pulses of one cycle are queued one after the other.
//
// A pulse is missed when 32 items wait, or when an earlier one of the same reason, or a lower one
// for 63 cycles, is still to be queued.
`include "bombus_assert.svh"

module drop_queue
  import bombus_pkg::*;
  import log_pkg::*;
#(
    parameter  int unsigned NumDrops  = 1,
    localparam int unsigned IndexBits = NumDrops > 1 ? $clog2(NumDrops) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input stamp_t stamp_i,
    input logic [NumDrops-1:0] drop_i,
    input message_number_t [NumDrops-1:0] message_i,

    output logic [IndexBits-1:0] drop_o,  // number
    output message_number_t message_o,
    output stamp_t stamp_o,
    output logic valid_o,
    input logic ready_i,

    output logic missed_o,
    output logic busy_o
);

  typedef struct packed {
    logic [IndexBits-1:0] drop;
    message_number_t message;
    stamp_t stamp;
  } item_t;
  typedef logic [5:0] age_t;

  logic [NumDrops-1:0] pending_q, picks, late;
  message_number_t [NumDrops-1:0] message_q;
  age_t [NumDrops-1:0] age_q;
  stamp_t stamp_q;
  assign picks = pending_q & ~(pending_q - 1'b1);
  always_comb begin
    for (int unsigned d = 0; d < NumDrops; d++) late[d] = &age_q[d];
  end
  always_ff @(posedge clk_i) begin
    stamp_q <= stamp_i;
    for (int unsigned d = 0; d < NumDrops; d++) begin
      if (drop_i[d] & (~pending_q[d] | picks[d] | late[d])) message_q[d] <= message_i[d];
      age_q[d] <= pending_q[d] & ~picks[d] ? age_q[d] + age_t'(1) : '0;
    end
    if (rst_i) pending_q <= '0;
    else pending_q <= drop_i | (pending_q & ~picks & ~late);
  end

  item_t item, queued;
  logic room, unused_head;
  always_comb begin
    item = '0;
    for (int unsigned d = 0; d < NumDrops; d++) begin
      if (picks[d]) begin
        item.drop = IndexBits'(d);
        item.message = message_q[d];
        item.stamp = '{time_us: stamp_q.time_us, cycle: stamp_q.cycle - 48'(age_q[d])};
      end
    end
  end
  head_fifo #(
      .head_t(logic),
      .body_t(item_t),
      .Depth (32)
  ) u_items (
      .clk_i,
      .rst_i,
      .in_head_i  (1'b0),
      .in_body_i  (item),
      .in_valid_i (|pending_q),
      .in_ready_o (room),
      .out_head_o (unused_head),
      .out_body_o (queued),
      .out_valid_o(valid_o),
      .out_ready_i(ready_i)
  );
  assign drop_o = queued.drop;
  assign message_o = queued.message;
  assign stamp_o = queued.stamp;

  always_ff @(posedge clk_i) begin
    missed_o <= ~rst_i & ((|pending_q & ~room) | (|(pending_q & ~picks & (late | drop_i))));
  end
  assign busy_o = |pending_q | valid_o;

  `BOMBUS_ASSERT(OneAtATime, $onehot0(picks))

endmodule
