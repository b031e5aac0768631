// SPDX-License-Identifier: Apache-2.0
// reset_handshake, with resets of either side at any time: pointers are cleared only
// while nobody acts on them. It begins where a long reset of both sides leaves it.
// Proved for all time, by induction.
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

  // Round the ring of both directions, at most one place where the level changes.
  logic stopping;
  logic [7:0] ring;
  logic stop_before, held_before;
  always_comb begin
    stopping = u_reset.state_q == 2'd0 || u_reset.state_q == 2'd1;
    ring = {
      stopping,
      u_reset.u_stop.src_q,
      u_reset.u_stop.stages_q[0],
      u_reset.u_stop.stages_q[1],
      u_reset.held_q,
      u_reset.u_back.src_q[0],
      u_reset.u_back.stages_q[0][0],
      u_reset.u_back.stages_q[1][0]
    };
    stop_before = u_reset.u_stop.before_q;
    held_before = u_reset.u_back.before_q[0];
  end

  logic [1:0] src_q = '0;
  logic [1:0] dst_q = '0;
  wire started = src_q[0] | dst_q[0];  // an edge has been
  always_ff @(posedge src_clk_i) src_q <= {src_q[0], 1'b1};
  always_ff @(posedge dst_clk_i) dst_q <= {dst_q[0], 1'b1};
  always_comb begin
    if (~started) begin
      assume (u_reset.state_q == 2'd0 && ring == '1 && stop_before && held_before);
      assume (u_reset.again_q && u_reset.want_q);
    end
  end

  always_comb begin
    assert ($onehot0(ring[7:1] ^ ring[6:0]));
    // What may still arrive is older than what is sent, and newer than what has come.
    if (u_reset.u_stop.changing) assert (stop_before == ring[6] || stop_before == ring[5]);
    if (u_reset.u_back.changing) assert (held_before == ring[2] || held_before == ring[1]);

    // The reader holds still while the writer's pointers are cleared, and the writer
    // while the reader's are.
    if (src_clear) assert (dst_clear & stop);
    if (run) assert (~dst_clear);
    // A reset of the writer's side is over only when all has been cleared.
    if (u_reset.state_q == 2'd3) assert (~u_reset.again_q && ring == '0);
    if (src_clear) assert (ring == '1);
  end

  // It gets to run, is stopped, and is cleared again.
  logic ran_q = 1'b0;
  always_ff @(posedge src_clk_i) ran_q <= ran_q | run;
  always_comb cover (ran_q & src_clear);

endmodule
