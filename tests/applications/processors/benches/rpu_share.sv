// SPDX-License-Identifier: Apache-2.0
// rpu_share. In: beats. Out: those of each lane. Control: flows, in_turn, lanes that are enabled.
`include "bombus_types.svh"
`include "bench.svh"

module bench #(
    localparam int unsigned DataWidth = 64,
    localparam int unsigned BeatBits  = bench_pkg::beat_bits(DataWidth)
) (
    `BENCH_PORTS(1, BeatBits, 4, BeatBits, 37, 1)
);

  `BENCH_SHAPE
  `BOMBUS_BEAT_T(beat_t, DataWidth)
  typedef struct packed {
    struct packed {logic [31:0] lanes;} flows;
    struct packed {
      logic in_turn;
      logic [3:0] lanes;
    } share;
  } regs_t;

  beat_t [3:0] lanes;
  for (genvar n = 0; n < 4; n++) begin : gen_lane
    assign out_o[n] = $bits(out_o[n])'(lanes[n]);
  end
  rpu_share #(
      .beat_t(beat_t),
      .regs_t(regs_t)
  ) u_share (
      .clk_i,
      .rst_i,
      .in_i(beat_t'(in_i[0][$bits(beat_t)-1:0])),
      .in_valid_i(in_valid_i[0]),
      .in_ready_o(in_ready_o[0]),
      .lane_1_o(lanes[0]),
      .lane_1_valid_o(out_valid_o[0]),
      .lane_1_ready_i(out_ready_i[0]),
      .lane_2_o(lanes[1]),
      .lane_2_valid_o(out_valid_o[1]),
      .lane_2_ready_i(out_ready_i[1]),
      .lane_3_o(lanes[2]),
      .lane_3_valid_o(out_valid_o[2]),
      .lane_3_ready_i(out_ready_i[2]),
      .lane_4_o(lanes[3]),
      .lane_4_valid_o(out_valid_o[3]),
      .lane_4_ready_i(out_ready_i[3]),
      .regs_i(regs_t'(control_i)),
      .busy_o(status_o[0])
  );
  assign event_o = '0;

endmodule
