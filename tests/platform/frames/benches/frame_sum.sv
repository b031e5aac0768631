// SPDX-License-Identifier: Apache-2.0
// Sums at all data widths, side by side. An item in: seed, last, data; out: the sum with zero for
// all ones, the sum.
`include "bench.svh"

module bench #(
    localparam int unsigned NumWidths = 4
) (
    `BENCH_PORTS(NumWidths, 512 + 1 + 16, NumWidths, 32, 1, 1)
);

  `BENCH_SHAPE

  for (genvar n = 0; n < NumWidths; n++) begin : gen_width
    ones_pkg::split_t sum;
    frame_sum #(
        .DataBytes(8 << n)
    ) u_sum (
        .clk_i,
        .rst_i,
        .data_i (in_i[n][(64<<n)-1:0]),
        .valid_i(in_valid_i[n]),
        .last_i (in_i[n][512]),
        .seed_i (in_i[n][513+:16]),
        .sum_o  (sum),
        .valid_o(out_valid_o[n])
    );
    assign out_o[n] = {
      bombus_pkg::swap16(ones_pkg::join_up(sum, 1'b1)),
      bombus_pkg::swap16(ones_pkg::join_up(sum, 1'b0))
    };
  end

  assign in_ready_o = '1;
  assign status_o = control_i;
  assign event_o = '0;

endmodule
