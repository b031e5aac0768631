// SPDX-License-Identifier: Apache-2.0
// Queue of the sessions that may have a segment to send; each session is queued at most once.
//
// Two inputs add sessions: the first has priority, the second stalls. A session added while it is
// queued keeps its position. Latency: 1 cycle; with more than LutDepth sessions 2 from the second
// input. One session in and one out per cycle.
`include "bombus_assert.svh"

module tcp_transmit_queue
  import tcp_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned LutDepth = 1024,  // the most sessions whose bits are in LUTRAM
    localparam int unsigned IndexWidth = $clog2(NumSessions)
) (
    input logic clk_i,
    input logic rst_i,

    input logic [IndexWidth-1:0] first_next_i,  // first_i of the next cycle
    input logic [IndexWidth-1:0] first_i,
    input logic first_valid_i,
    input logic [IndexWidth-1:0] second_i,
    input logic second_valid_i,
    output logic second_ready_o,

    output logic [IndexWidth-1:0] out_o,
    output logic out_valid_o,
    input logic out_ready_i,

    output logic busy_o
);

  if (!is_num_sessions(NumSessions, 2)) begin : gen_bad
    $error("tcp_transmit_queue: NumSessions must be a power of two, 2 to 16384");
  end

  typedef logic [IndexWidth-1:0] index_t;

  // A session is in the queue while its two bits differ, so each bit has only one writer. `added`
  // is toggled when the session is added; its new value is queued with the session and copied to
  // `removed` when it leaves. Both bits are written one cycle later, since the handshake is known
  // late.
  typedef struct packed {
    logic added;
    logic removed;
  } bits_t;
  index_t clear_q;
  logic   clearing_q;
  index_t in, in_q, out_q;
  bits_t stored;  // of `in`, without the write of this cycle
  logic in_valid, add_q, taken_q, added_q, removed_q, out_mark;
  wire in_added = add_q & (in == in_q) ? added_q : stored.added;
  wire in_removed = taken_q & (in == out_q) ? removed_q : stored.removed;
  wire mark = ~in_added;
  // A session added while it leaves has to be queued again.
  wire leaves = out_valid_o & (in == out_o);
  wire taken = out_valid_o & out_ready_i;
  wire add = in_valid & ((in_added == in_removed) | (leaves & out_ready_i));

  wire index_t added_index = clearing_q ? clear_q : in_q;
  wire index_t removed_index = clearing_q ? clear_q : out_q;
  wire writes_added = clearing_q | add_q;
  wire writes_removed = clearing_q | taken_q;
  wire new_added = ~clearing_q & added_q;
  wire new_removed = ~clearing_q & removed_q;

  always_ff @(posedge clk_i) begin
    in_q <= in;
    added_q <= mark;
    add_q <= add & ~rst_i;
    out_q <= out_o;
    removed_q <= out_mark;
    taken_q <= taken & ~rst_i;
    if (rst_i) begin
      clear_q <= '0;
      clearing_q <= 1'b1;
    end else begin
      clear_q <= clear_q + 1'b1;
      if (&clear_q) clearing_q <= 1'b0;
    end
  end

  if (NumSessions <= LutDepth) begin : gen_bits
    logic added  [NumSessions];
    logic removed[NumSessions];
    assign in = first_valid_i ? first_i : second_i;
    assign in_valid = (first_valid_i | second_valid_i) & ~clearing_q;
    assign second_ready_o = ~first_valid_i & ~clearing_q;
    assign stored = '{added: added[in], removed: removed[in]};
    assign busy_o = out_valid_o;
    always_ff @(posedge clk_i) begin
      if (writes_added) added[added_index] <= new_added;
      if (writes_removed) removed[removed_index] <= new_removed;
    end
    wire index_t unused_next = first_next_i;
  end else begin : gen_deep_bits
    // In block RAM, read a cycle ahead for each of the two inputs: the second has a register.
    index_t second_q;
    logic second_valid_q;
    wire second_stays = second_valid_q & first_valid_i;
    wire index_t [1:0] next = {second_stays ? second_q : second_i, first_next_i};
    bits_t [1:0] read;
    for (genvar p = 0; p < 2; p++) begin : gen_input
      bits_t old;
      bits_t written_q, new_q;  // in the cycle of the read
      sized_memory #(
          .Depth(NumSessions)
      ) u_added (
          .clk_i,
          .write_addr_i(added_index),
          .data_i(new_added),
          .write_i(writes_added),
          .read_addr_i(next[p]),
          .data_o(old.added)
      );
      sized_memory #(
          .Depth(NumSessions)
      ) u_removed (
          .clk_i,
          .write_addr_i(removed_index),
          .data_i(new_removed),
          .write_i(writes_removed),
          .read_addr_i(next[p]),
          .data_o(old.removed)
      );
      always_ff @(posedge clk_i) begin
        written_q <= '{added: add_q & next[p] == in_q, removed: taken_q & next[p] == out_q};
        new_q <= '{added: added_q, removed: removed_q};
      end
      assign read[p] = (new_q & written_q) | (old & ~written_q);
    end
    assign in = first_valid_i ? first_i : second_q;
    assign in_valid = (first_valid_i | second_valid_q) & ~clearing_q;
    assign second_ready_o = ~second_stays & ~clearing_q;
    assign stored = first_valid_i ? read[0] : read[1];
    assign busy_o = out_valid_o | second_valid_q;
    always_ff @(posedge clk_i) begin
      second_q <= next[1];
      second_valid_q <= (second_stays | (second_valid_i & second_ready_o)) & ~rst_i;
    end
  end

  // Both have room for all sessions, plus one that is added while it leaves.
  if (NumSessions > 32) begin : gen_block
    block_fifo #(
        .data_t(logic [IndexWidth:0]),
        .Depth (NumSessions)
    ) u_fifo (
        .clk_i,
        .rst_i,
        .data_i ({mark, in}),
        .write_i(add),
        .data_o ({out_mark, out_o}),
        .valid_o(out_valid_o),
        .ready_i(out_ready_i)
    );
  end else begin : gen_distributed
    logic unused_room;
    head_fifo #(
        .head_t(index_t),
        .body_t(logic),
        .Depth (2 * NumSessions)
    ) u_fifo (
        .clk_i,
        .rst_i,
        .in_head_i (in),
        .in_body_i (mark),
        .in_valid_i(add),
        .in_ready_o(unused_room),
        .out_head_o(out_o),
        .out_body_o(out_mark),
        .out_valid_o,
        .out_ready_i
    );
    `BOMBUS_ASSERT(QueueHasRoom, !add || unused_room)
  end

`ifndef SYNTHESIS
  // Checked for every number of sessions, though only the deep memory requires it.
  index_t announced_q;
  always_ff @(posedge clk_i) announced_q <= first_next_i;
`endif

  `BOMBUS_ASSERT(FirstIsAnnounced, !first_valid_i || first_i == announced_q)

endmodule
