// SPDX-License-Identifier: Apache-2.0
// In every reset_handshake: the ring of both directions has at most one position at which the level
// changes. `is_running` and `is_stopped` are the two states in which proofs begin.
module reset_handshake_state (
    input logic [1:0] state_i,
    input logic again_i,
    input logic request_i,
    input logic held_i,
    input logic stop_src_i,
    input logic stop_before_i,
    input logic [1:0] stop_stages_i,
    input logic stop_changing_i,
    input logic [1:0] back_src_i,  // want, held
    input logic [1:0] back_before_i,
    input logic [1:0][1:0] back_stages_i,
    input logic back_changing_i
);

  wire stopping = state_i == 2'd0 || state_i == 2'd1;
  wire [7:0] ring = {
    stopping,
    stop_src_i,
    stop_stages_i[0],
    stop_stages_i[1],
    held_i,
    back_src_i[0],
    back_stages_i[0][0],
    back_stages_i[1][0]
  };
  wire is_clear = ring == '1;
  wire is_stopped = state_i == 2'd0 && ring == '1 && stop_before_i && back_before_i[0] && again_i
                    && request_i;
  wire is_running = state_i == 2'd3
                    && {ring, stop_before_i, back_before_i, again_i, request_i} == '0
                    && {back_src_i, back_stages_i} == '0;

  always_comb begin
    assert ($onehot0(ring[7:1] ^ ring[6:0]));
    // A value that may still arrive is older than the one sent and newer than the one received.
    if (stop_changing_i) assert (stop_before_i == ring[6] || stop_before_i == ring[5]);
    if (back_changing_i) assert (back_before_i[0] == ring[2] || back_before_i[0] == ring[1]);
    // A reset of the writer's side ends only when all pointers have been cleared.
    if (state_i == 2'd3) assert (~again_i && ring == '0);
  end

endmodule

bind reset_handshake reset_handshake_state u_state (
    .state_i(state_q),
    .again_i(again_q),
    .request_i(request_q),
    .held_i(held_q),
    .stop_src_i(u_stop.src_q),
    .stop_before_i(u_stop.before_q),
    .stop_stages_i(u_stop.stages_q),
    .stop_changing_i(u_stop.changing),
    .back_src_i(u_back.src_q),
    .back_before_i(u_back.before_q),
    .back_stages_i(u_back.stages_q),
    .back_changing_i(u_back.changing)
);
