// SPDX-License-Identifier: Apache-2.0
// Depths 2, 4 and 32, side by side; an item is 16 bits. It is taken if there is room for it.
`include "bench.svh"

module bench #(
    localparam int unsigned NumDepths = 3
) (
    `BENCH_PORTS(NumDepths, 16, NumDepths, 16, 1, 1)
);

  `BENCH_SHAPE

  for (genvar n = 0; n < NumDepths; n++) begin : gen_depth
    localparam int unsigned Depth = n == 2 ? 32 : 2 << n;
    int unsigned level_q;
    wire write = in_valid_i[n] & in_ready_o[n];
    assign in_ready_o[n] = level_q < Depth + 2;

    block_fifo #(
        .data_t(logic [15:0]),
        .Depth (Depth)
    ) u_fifo (
        .clk_i,
        .rst_i,
        .data_i (in_i[n]),
        .write_i(write),
        .data_o (out_o[n]),
        .valid_o(out_valid_o[n]),
        .ready_i(out_ready_i[n])
    );

    always_ff @(posedge clk_i) begin
      if (rst_i) level_q <= 0;
      else level_q <= level_q + 32'(write) - 32'(out_valid_o[n] & out_ready_i[n]);
    end
  end

  assign status_o = control_i;
  assign event_o  = '0;

endmodule
