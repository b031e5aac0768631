// SPDX-License-Identifier: Apache-2.0
// async_fifo with arbitrary clocks: each entry written is read once, in order. The invariants are
// in async_fifo_state, which is bound into it. One arbitrary entry is watched. Proved for all time,
// by induction.
module async_fifo_formal #(
    parameter int unsigned Depth = 4
) (
    input logic in_clk_i,
    input logic out_clk_i,
    input logic rst_i,
    input logic [1:0] in_i,
    input logic in_valid_i,
    input logic out_ready_i
);

  localparam int unsigned Width = $clog2(Depth) + 1;
  typedef logic [1:0] data_t;
  typedef logic [Width-1:0] pointer_t;
  typedef logic [Width+1:0] count_t;  // wider than the pointers

  logic started, in_ready, out_valid;
  data_t out_data;
  pointer_t in_level, out_level;
  logic unused_empty;
  logic [1:0] unused_in_resets, out_resets;
  two_clocks_start u_start (
      .in_clk_i,
      .out_clk_i,
      .rst_i,
      .started_o(started),
      .is_empty_o(unused_empty),
      .in_resets_o(unused_in_resets),
      .out_resets_o(out_resets)
  );
  async_fifo #(
      .data_t(data_t),
      .Depth (Depth)
  ) u_fifo (
      .in_clk_i,
      .in_rst_i(rst_i),
      .in_i,
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_level_o(in_level),
      .out_clk_i,
      .out_rst_i(rst_i),
      .out_o(out_data),
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_level_o(out_level)
  );

  // Counts of entries written and read, and the watched entry.
  count_t popped_q, pushed;
  assign pushed = u_fifo.u_state.pushed_q;
  (* keep *)count_t watch;
  count_t watch_q;
  data_t  watched_q;
  always_ff @(posedge in_clk_i) begin
    if (rst_i) watch_q <= watch;
    else if (in_valid_i & in_ready & (pushed == watch_q)) watched_q <= in_i;
  end
  always_ff @(posedge out_clk_i) begin
    if (rst_i) popped_q <= '0;
    else if (out_valid & out_ready_i) popped_q <= popped_q + 1'b1;
  end

  wire count_t fetched = popped_q + count_t'(out_valid);
  wire count_t present = pushed - popped_q;
  wire count_t stored = pushed - fetched;  // entries in memory
  always_comb begin
    if (started) begin
      assert (32'(present) <= Depth + 1);
      assert (u_fifo.u_state.fetched_q == fetched);
      if (out_valid) assert (present != '0);
      if (out_valid & (popped_q == watch_q)) assert (out_data == watched_q);
      assert (count_t'(in_level) + 1'b1 >= stored);
      assert (count_t'(out_level) <= stored);
      assert (in_level <= pointer_t'(Depth));
    end
  end

  // The watched entry while it is in memory.
  wire count_t watch_index = watch_q - fetched;
  always_comb begin
    if (started && watch_index < stored) begin
      assert (u_fifo.gen_lutram.ram[watch_q[Width-2:0]] == watched_q);
    end
  end

  always_comb if (out_resets[0]) assert (popped_q == '0);

  // Cover: full, then empty again.
  logic was_full_q;
  always_ff @(posedge out_clk_i) begin
    was_full_q <= ~rst_i & (was_full_q | (32'(present) == Depth + 1));
  end
  always_comb if (started) cover (was_full_q & ~out_valid);

endmodule
