// SPDX-License-Identifier: Apache-2.0
// Data received beyond gaps in each session: up to NumGaps ranges of bytes, the latest first, as
// SACK reports them (RFC 2018, 4). The bytes themselves are in the receive buffer.
//
// Runs in parallel with the pipeline of tcp_core: the ranges of the session are read in the cycle
// before the first, and written at the end of the third.
module tcp_reassembly
  import tcp_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned NumGaps = 4,
    parameter int unsigned RingBytes = 65536,  // receive buffer per session
    localparam int unsigned IndexWidth = $clog2(NumSessions)
) (
    input logic clk_i,
    input logic [IndexWidth-1:0] index_i,

    // First cycle
    input seq_t rcv_nxt_i,
    input seq_t left_i,  // first byte of the payload
    input seq_t right_i,

    output logic some_2_o,  // in the second cycle: the session has ranges

    // Third cycle
    input logic [IndexWidth-1:0] index_3_i,
    input seq_t rcv_nxt_3_i,
    input seq_t left_3_i,
    input seq_t right_3_i,
    input logic write_i,
    input logic clear_i,  // discard all ranges
    input logic ahead_i,  // the payload is beyond a gap, and stored if there is room
    input logic in_order_i,  // the payload is in order
    output logic room_o,
    output logic some_o,  // the session has ranges
    output logic duplicate_o,  // the payload is contained in one range
    output logic reaches_o,  // the payload closes the gap before a range that
    output seq_t reach_o,  // ends at this sequence number
    output logic [2:0] num_sacks_o,  // number of SACK blocks, as many as an option holds
    output sack_block_t [MaxSackBlocks-1:0] sacks_o,
    input logic [3:0] slot_i,  // for registers: index of the range to show
    output logic shown_valid_o,
    output sack_block_t shown_o
);

  // Width for positions within the ring and up to one ring away.
  localparam int unsigned Width = $clog2(RingBytes) + 2;
  localparam int unsigned NumBlocks = NumGaps < MaxSackBlocks ? NumGaps : MaxSackBlocks;

  if (!is_num_sessions(NumSessions, 2)) begin : gen_bad
    $error("tcp_reassembly: NumSessions must be a power of two, 2 to 16384");
  end
  if (NumGaps < 1 || NumGaps > 16) begin : gen_bad_gaps
    $error("tcp_reassembly: NumGaps must be 1 to 16");
  end
  if (RingBytes < 1024 || RingBytes > 2 ** 29 || RingBytes != 2 ** $clog2(
          RingBytes
      )) begin : gen_bad_ring
    $error("tcp_reassembly: RingBytes must be a power of two, 1024 to 2**29");
  end

  typedef struct packed {
    logic [NumGaps-1:0] valid;
    logic [NumGaps-1:0][Width-1:0] left;
    logic [NumGaps-1:0][Width-1:0] right;
  } ranges_t;
  ranges_t old_q, next, written, old_3;
  always_comb begin
    written = next;
    if (clear_i) written.valid = '0;
  end
  sized_memory #(
      .data_t(ranges_t),
      .Depth(NumSessions),
      .LutDepth(SessionLutDepth)
  ) u_memory (
      .clk_i,
      .write_addr_i(index_3_i),
      .data_i(written),
      .write_i(write_i),
      .read_addr_i(index_i),
      .data_o(old_q)
  );

  logic [Width-1:0] reach;
  logic reach_wraps;
  logic [NumGaps-1:0] unused_current, unused_mark, unused_mark_3, left_wraps, right_wraps;
  tcp_ranges #(
      .NumRanges(NumGaps),
      .Width(Width)
  ) u_ranges (
      .clk_i,
      .valid_i(old_q.valid),
      .mark_i('0),
      .left_i(old_q.left),
      .right_i(old_q.right),
      .base_i(rcv_nxt_i[Width-1:0]),
      .add_left_i(left_i[Width-1:0]),
      .add_right_i(right_i[Width-1:0]),
      .add_i(ahead_i & room_o),
      .remove_i(in_order_i),
      .left_3_i(left_3_i[Width-1:0]),
      .right_3_i(right_3_i[Width-1:0]),
      .mark_3_i(1'b0),
      .room_o,
      .known_o(duplicate_o),
      .reaches_o,
      .reach_o(reach),
      .reach_wraps_o(reach_wraps),
      .current_3_o(unused_current),
      .valid_3_o(old_3.valid),
      .mark_3_o(unused_mark_3),
      .left_3_o(old_3.left),
      .right_3_o(old_3.right),
      .left_wraps_3_o(left_wraps),
      .right_wraps_3_o(right_wraps),
      .valid_o(next.valid),
      .mark_o(unused_mark),
      .left_o(next.left),
      .right_o(next.right)
  );
  assign some_o = old_3.valid[0];
  always_ff @(posedge clk_i) some_2_o <= old_q.valid[0];

  // Extends the lower bits of a sequence number after rcv_nxt.
  wire [31-Width:0] upper = rcv_nxt_3_i[31:Width];
  wire [31-Width:0] upper_next = upper + 1'b1;
  assign reach_o = {reach_wraps ? upper_next : upper, reach};
  sack_block_t [NumGaps-1:0] blocks;
  always_comb begin
    blocks = '0;
    shown_valid_o = 1'b0;
    shown_o = '0;
    for (int unsigned r = 0; r < NumGaps; r++) begin
      if (old_3.valid[r]) begin
        blocks[r].left  = {left_wraps[r] ? upper_next : upper, old_3.left[r]};
        blocks[r].right = {right_wraps[r] ? upper_next : upper, old_3.right[r]};
      end
      if (slot_i == 4'(r)) begin
        shown_valid_o = old_3.valid[r];
        shown_o = blocks[r];
      end
    end
    num_sacks_o = '0;
    sacks_o = '0;
    for (int unsigned b = 0; b < NumBlocks; b++) begin
      num_sacks_o += 3'(old_3.valid[b]);
      sacks_o[b] = blocks[b];
    end
  end

endmodule
