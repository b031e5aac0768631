// SPDX-License-Identifier: Apache-2.0
// Adder of the collectives. In: a, b, mode from bit 0 up. Out: the sum. There is no backpressure.
`include "bench.svh"

module bench (
    `BENCH_PORTS(1, 66, 1, 32, 1, 1)
);

  `BENCH_SHAPE

  import collective_lane_pkg::*;

  logic [Stages-1:0] valid_q;
  always_ff @(posedge clk_i) begin
    valid_q <= rst_i ? '0 : {valid_q[Stages-2:0], in_valid_i[0]};
  end

  collective_lane u_lane (
      .clk_i(clk_i[0]),
      .a_i(in_i[0][31:0]),
      .b_i(in_i[0][63:32]),
      .mode_i(mode_e'(in_i[0][65:64])),
      .sum_o(out_o[0])
  );
  assign in_ready_o = 1'b1;
  assign out_valid_o = valid_q[Stages-1];
  assign status_o = '0;
  assign event_o = '0;

endmodule
