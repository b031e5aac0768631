// SPDX-License-Identifier: Apache-2.0
// FIFOs of all depths, side by side. An item: body, head.
`include "bench.svh"

module bench #(
    localparam int unsigned NumDepths = 5
) (
    `BENCH_PORTS(NumDepths, 40, NumDepths, 40, 1, 1)
);

  `BENCH_SHAPE

  typedef logic [7:0] head_t;
  typedef logic [31:0] body_t;

  for (genvar n = 0; n < NumDepths; n++) begin : gen_depth
    head_fifo #(
        .head_t(head_t),
        .body_t(body_t),
        .Depth (4 << n)
    ) u_fifo (
        .clk_i,
        .rst_i,
        .in_head_i  (in_i[n][7:0]),
        .in_body_i  (in_i[n][39:8]),
        .in_valid_i (in_valid_i[n]),
        .in_ready_o (in_ready_o[n]),
        .out_head_o (out_o[n][7:0]),
        .out_body_o (out_o[n][39:8]),
        .out_valid_o(out_valid_o[n]),
        .out_ready_i(out_ready_i[n])
    );
  end

  assign status_o = control_i;
  assign event_o  = '0;

endmodule
