// SPDX-License-Identifier: Apache-2.0
// In every count_crossing: values in transit change by one step at a time, in Gray code. `state` is
// for the proofs of its users; u_start is the instance in the proof.
module count_state #(
    parameter int unsigned Width = 3,
    localparam type count_t = logic [Width-1:0]
) (
    input logic started_i,
    input logic is_empty_i,  // the proof starts here, with no value in transit
    input count_t count_i,
    input count_t src_i,  // Gray-coded, as are the following
    input count_t before_i,
    input count_t [1:0] stages_i,
    input logic changing_i,
    input logic [3:0] sampled_i
);

  typedef struct packed {
    count_t count;
    count_t late;  // value that may still be sampled during a change
    count_t [1:0] stages;
    logic changing;
    logic [3:0] sampled;  // edges of the source, and those of them that were sampled
    logic sent_is_0;
    logic before_is_0;
    logic stages_are_0;
  } state_t;

  function automatic count_t binary(count_t gray);
    count_t value;
    for (int unsigned b = 0; b < Width; b++) value[b] = ^(gray >> b);
    return value;
  endfunction

  state_t state;
  always_comb begin
    state.count = count_i;
    state.late  = binary(before_i);
    for (int unsigned n = 0; n < 2; n++) state.stages[n] = binary(stages_i[n]);
    state.changing = changing_i;
    state.sampled = sampled_i;
    state.sent_is_0 = {count_i, src_i} == '0;
    state.before_is_0 = before_i == '0;
    state.stages_are_0 = stages_i == '0;

    if (is_empty_i) assume ({count_i, src_i, before_i, stages_i} == '0);
    if (started_i) begin
      assert (binary(src_i) == count_i);
      assert ($onehot0(src_i ^ before_i));  // a step changes one bit
    end
  end

endmodule

bind count_crossing count_state #(
    .Width(Width)
) u_state (
    .started_i(u_start.started_o),
    .is_empty_i(u_start.is_empty_o),
    .count_i(src_count_o),
    .src_i(u_sync.src_q),
    .before_i(u_sync.before_q),
    .stages_i(u_sync.stages_q),
    .changing_i(u_sync.changing),
    .sampled_i({u_sync.edges_q, u_sync.seen_q})
);
