// SPDX-License-Identifier: Apache-2.0
// reset_handshake, with resets of either side at any time: pointers are cleared only while they are
// not in use. The invariants are in reset_handshake_state, which is bound into it. The proof starts
// in the state after a long reset of both sides. Proved for all time, by induction.
module reset_handshake_formal (
    input logic src_clk_i,
    input logic src_rst_i,
    input logic dst_clk_i,
    input logic dst_rst_i,
    input logic dst_empty_i
);

  logic run, src_clear, stop, discard, dst_clear;
  reset_handshake u_reset (
      .src_clk_i,
      .src_rst_i,
      .src_run_o(run),
      .src_clear_o(src_clear),
      .dst_clk_i,
      .dst_rst_i,
      .dst_empty_i,
      .dst_stop_o(stop),
      .dst_discard_o(discard),
      .dst_clear_o(dst_clear)
  );

  logic [1:0] src_q = '0;
  logic [1:0] dst_q = '0;
  wire started = src_q[0] | dst_q[0];  // an edge has occurred
  always_ff @(posedge src_clk_i) src_q <= {src_q[0], 1'b1};
  always_ff @(posedge dst_clk_i) dst_q <= {dst_q[0], 1'b1};
  always_comb begin
    if (~started) assume (u_reset.u_state.is_stopped);
  end

  always_comb begin
    // The reader is inactive while the writer's pointers are cleared, and the writer while the
    // reader's are.
    if (src_clear) assert (dst_clear & stop);
    if (run) assert (~dst_clear);
    if (src_clear) assert (u_reset.u_state.is_clear);
  end

  // Cover: it runs, is stopped, and is cleared again.
  logic ran_q = 1'b0;
  always_ff @(posedge src_clk_i) ran_q <= ran_q | run;
  always_comb cover (ran_q & src_clear);

endmodule
