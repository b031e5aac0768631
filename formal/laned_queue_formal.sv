// SPDX-License-Identifier: Apache-2.0
// laned_queue against one queue for each lane (queue_state, bound into it): each flit leaves by its
// lane, once, in order, and the flit read last is stable until the next read. Proved for all time,
// by induction.
module laned_queue_formal #(
    parameter int unsigned Depth = 4,
    parameter int unsigned NumLanes = 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic [1:0] in_i,
    input logic [1:0] in_head_i,
    input logic [NumLanes-1:0] push_i,
    input logic [NumLanes-1:0] read_i,
    input logic [NumLanes-1:0] pop_i
);

  localparam int unsigned LaneDepth = Depth / NumLanes;
  typedef logic [1:0] part_t;

  part_t [NumLanes-1:0] unused_head;
  part_t unused_out;
  logic [NumLanes-1:0] head_valid, unused_more;
  logic [NumLanes-1:0][$clog2(Depth):0] level;
  laned_queue #(
      .flit_t(part_t),
      .head_t(part_t),
      .Depth(Depth),
      .NumLanes(NumLanes)
  ) u_queue (
      .clk_i,
      .rst_i,
      .in_i,
      .in_head_i,
      .push_i,
      .head_o(unused_head),
      .head_valid_o(head_valid),
      .more_o(unused_more),
      .read_i,
      .pop_i,
      .out_o(unused_out),
      .level_o(level)
  );

  // queue_state proves the levels that this proof assumes.
  logic started_q = 1'b0;  // a reset has occurred
  logic [NumLanes-1:0] is_full, was_full_q;
  always_ff @(posedge clk_i) begin
    started_q  <= 1'b1;
    was_full_q <= rst_i ? '0 : was_full_q | is_full;
  end
  always_comb begin
    for (int unsigned l = 0; l < NumLanes; l++) is_full[l] = 32'(level[l]) == LaneDepth;
    if (~started_q) assume (rst_i);
    assume ($onehot0(push_i));
    assume ($onehot0(read_i) && (pop_i & ~read_i) == '0);
    if (started_q) assume ((push_i & is_full) == '0 && (read_i & ~head_valid) == '0);
  end

  // Cover: each lane full, then empty again.
  always_comb if (started_q) cover (&was_full_q & ~|head_valid);

endmodule
