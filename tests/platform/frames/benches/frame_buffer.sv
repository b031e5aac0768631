// SPDX-License-Identifier: Apache-2.0
// Two frame buffers. An item in: abort, commit, write, data; the writer waits
// while the buffer is full, as every writer must.
`include "bench.svh"

module bench #(
    parameter bit OutputRegister = 0,
    localparam int unsigned NumDepths = 2
) (
    `BENCH_PORTS(NumDepths, 19, NumDepths, 16, 1, NumDepths)
);

  `BENCH_SHAPE

  typedef logic [15:0] data_t;

  for (genvar n = 0; n < NumDepths; n++) begin : gen_depth
    logic full, abort, commit, write;
    data_t data;
    assign {abort, commit, write, data} = in_i[n][18:0];
    assign in_ready_o[n] = ~full;
    assign status_o[n] = full;
    wire go = in_valid_i[n] & ~full;
    frame_buffer #(
        .data_t(data_t),
        .Depth(n == 0 ? 4 : 32),
        .OutputRegister(OutputRegister)
    ) u_buffer (
        .clk_i,
        .rst_i,
        .data_i  (data),
        .write_i (go & write),
        .commit_i(go & commit),
        .abort_i (go & abort),
        .full_o  (full),
        .data_o  (out_o[n]),
        .valid_o (out_valid_o[n]),
        .ready_i (out_ready_i[n])
    );
  end

  assign event_o = '0;

endmodule
