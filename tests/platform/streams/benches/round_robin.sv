// SPDX-License-Identifier: Apache-2.0
// Arbiters of 2 to 8 inputs, side by side. Control: request, last; status: one
// nibble of grant each, then one byte of wins each.
`include "bench.svh"

module bench #(
    localparam int unsigned MaxInputs = 8
) (
    `BENCH_PORTS(1, 8, 1, 8, MaxInputs + 4, (4 + MaxInputs) * (MaxInputs - 1))
);

  `BENCH_SHAPE

  for (genvar n = 2; n <= MaxInputs; n++) begin : gen_size
    logic [$clog2(n)-1:0] grant;
    logic [n-1:0] wins;
    round_robin #(
        .NumInputs(n)
    ) u_arbiter (
        .last_i(control_i[$clog2(n)-1:0]),
        .request_i(control_i[4+:n]),
        .grant_o(grant),
        .wins_o(wins)
    );
    assign status_o[4*(n-2)+:4] = 4'(grant);
    assign status_o[4*(MaxInputs-1)+MaxInputs*(n-2)+:MaxInputs] = MaxInputs'(wins);
  end

  assign in_ready_o = '1;
  assign out_valid_o = '0;
  assign out_o = '0;
  assign event_o = '0;

endmodule
