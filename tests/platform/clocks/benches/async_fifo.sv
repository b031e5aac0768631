// SPDX-License-Identifier: Apache-2.0
// FIFOs between two clocks: the first ones from clock 0 to clock 1, then the same from clock 1 to
// clock 0. Both resets are active at the same time, as required.
`include "bench.svh"

module bench #(
    localparam int unsigned NumKinds = 4,
    localparam int unsigned NumFifos = 2 * NumKinds
) (
    `BENCH_PORTS_OF_CLOCKS(2, NumFifos, 32, NumFifos, 32, 1, 16 * NumFifos)
);

  `BENCH_SHAPE_OF_CLOCKS(8'hF0, 8'h0F, '0)

  typedef logic [31:0] data_t;
  localparam int unsigned Depths[NumKinds] = '{4, 16, 64, 16};
  localparam int unsigned Stages[NumKinds] = '{2, 2, 2, 3};

  for (genvar n = 0; n < NumFifos; n++) begin : gen_fifo
    localparam int unsigned Depth = Depths[n%NumKinds];
    localparam int unsigned In = n / NumKinds;
    logic [$clog2(Depth):0] in_level, out_level;
    async_fifo #(
        .data_t(data_t),
        .Depth(Depth),
        .BlockRam(n % NumKinds == 2),
        .SyncStages(Stages[n%NumKinds])
    ) u_fifo (
        .in_clk_i(clk_i[In]),
        .in_rst_i(rst_i[In]),
        .in_i(in_i[n]),
        .in_valid_i(in_valid_i[n]),
        .in_ready_o(in_ready_o[n]),
        .in_level_o(in_level),
        .out_clk_i(clk_i[1-In]),
        .out_rst_i(rst_i[1-In]),
        .out_o(out_o[n]),
        .out_valid_o(out_valid_o[n]),
        .out_ready_i(out_ready_i[n]),
        .out_level_o(out_level)
    );
    assign status_o[16*n+:16] = {8'(out_level), 8'(in_level)};
  end

  assign event_o = '0;

endmodule
