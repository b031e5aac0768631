// SPDX-License-Identifier: Apache-2.0
// Queues of depths 0 (wires), 8 (LUTRAM) and 128 (block RAM), side by side. Status: what they hold.
`include "bench.svh"

module bench #(
    localparam int unsigned NumDepths = 3
) (
    `BENCH_PORTS(NumDepths, 16, NumDepths, 16, 1, 3)
);

  `BENCH_SHAPE

  for (genvar n = 0; n < NumDepths; n++) begin : gen_depth
    stream_queue #(
        .data_t(logic [15:0]),
        .Depth (n == 0 ? 0 : 8 << 4 * (n - 1))
    ) u_queue (
        .clk_i,
        .rst_i,
        .in_i(in_i[n]),
        .in_valid_i(in_valid_i[n]),
        .in_ready_o(in_ready_o[n]),
        .out_o(out_o[n]),
        .out_valid_o(out_valid_o[n]),
        .out_ready_i(out_ready_i[n]),
        .holds_o(status_o[n])
    );
  end

  wire unused = control_i;
  assign event_o = '0;

endmodule
