// SPDX-License-Identifier: Apache-2.0
// A reference queue for a stage of a stream: each beat leaves once, in order, and is stable at the
// output until it is taken. `held_i` relates the stage's registers to the queue, so that one step
// of induction suffices. In every skid_buffer and stream_register; stage_formal uses it for the
// modules that contain them.
//
// It also states that no bubble is added: while the output is ready, one beat enters per cycle and
// leaves a cycle later.
module stage_state #(
    parameter int unsigned Width = 1,
    parameter int unsigned Slots = 1,
    localparam type data_t = logic [Width-1:0],
    localparam type level_t = logic [$clog2(Slots+1)-1:0]
) (
    input logic  clk_i,
    input logic  rst_i,
    input data_t in_i,
    input logic  in_valid_i,
    input logic  in_ready_i,
    input data_t out_i,
    input logic  out_valid_i,
    input logic  out_ready_i,

    // The stage's registers, that of the output first; some may be empty.
    input logic  [Slots-1:0] held_valid_i,
    input data_t [Slots-1:0] held_i
);

  wire push = in_valid_i & in_ready_i;
  wire pop = out_valid_i & out_ready_i;

  level_t level, level_d;
  data_t [Slots-1:0] entry, entry_d;  // oldest first
  always_comb begin
    level_d = level;
    entry_d = entry;
    if (pop) begin
      level_d = level - 1'b1;
      for (int unsigned s = 1; s < Slots; s++) entry_d[s-1] = entry[s];
    end
    if (push) begin
      if (32'(level_d) < Slots) entry_d[level_d] = in_i;
      level_d = level_d + 1'b1;
    end
  end

  logic started_q = 1'b0;  // a reset has occurred
  logic was_ready_q, pushed_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    level <= rst_i ? '0 : level_d;
    entry <= entry_d;
    pushed_q <= ~rst_i & push;
    was_ready_q <= rst_i | out_ready_i;
  end

  level_t [Slots:0] index;  // beats in the registers before this one
  always_comb begin
    index[0] = '0;
    for (int unsigned s = 0; s < Slots; s++) index[s+1] = index[s] + level_t'(held_valid_i[s]);
    if (started_q) begin
      assert (level == index[Slots]);
      for (int unsigned s = 0; s < Slots; s++) begin
        if (held_valid_i[s]) assert (held_i[s] == entry[index[s]]);
      end
      assert (out_valid_i == held_valid_i[0]);
      if (out_valid_i) assert (out_i == entry[0]);
      if (push & ~pop) assert (32'(level) < Slots);
      if (pushed_q) assert (out_valid_i);
      if (was_ready_q & out_ready_i) assert (in_ready_i);
    end
  end

endmodule

bind skid_buffer stage_state #(
    .Width($bits(data_t)),
    .Slots(2)
) u_state (
    .clk_i,
    .rst_i,
    .in_i,
    .in_valid_i,
    .in_ready_i(in_ready_o),
    .out_i(out_o),
    .out_valid_i(out_valid_o),
    .out_ready_i,
    .held_valid_i({~in_ready_o, out_valid_o}),
    .held_i({spare_q, out_o})
);

bind stream_register stage_state #(
    .Width($bits(data_t))
) u_state (
    .clk_i,
    .rst_i,
    .in_i,
    .in_valid_i,
    .in_ready_i(in_ready_o),
    .out_i(out_o),
    .out_valid_i(out_valid_o),
    .out_ready_i,
    .held_valid_i(out_valid_o),
    .held_i(out_o)
);
