// SPDX-License-Identifier: Apache-2.0
// Depths 2, 4 and 32 of block_fifo, or of ram_fifo (Ram), side by side; an item is 16 bits. It is
// taken if there is room for it. Events: wrong levels of ram_fifo.
`include "bench.svh"

module bench #(
    parameter bit Ram = 0,
    localparam int unsigned NumDepths = 3
) (
    `BENCH_PORTS(NumDepths, 16, NumDepths, 16, 1, 1)
);

  `BENCH_SHAPE

  logic [NumDepths-1:0] wrong_levels;
  for (genvar n = 0; n < NumDepths; n++) begin : gen_depth
    localparam int unsigned Depth = n == 2 ? 32 : 2 << n;
    int unsigned level_q;
    wire write = in_valid_i[n] & in_ready_o[n];
    assign in_ready_o[n] = level_q < (Ram ? Depth : Depth + 2);

    if (Ram) begin : gen_ram
      logic [$clog2(Depth):0] level;
      ram_fifo #(
          .data_t(logic [15:0]),
          .Depth (Depth)
      ) u_fifo (
          .clk_i,
          .rst_i,
          .data_i (in_i[n]),
          .write_i(write),
          .level_o(level),
          .data_o (out_o[n]),
          .valid_o(out_valid_o[n]),
          .ready_i(out_ready_i[n])
      );
      assign wrong_levels[n] = 32'(level) != level_q;
    end else begin : gen_block
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
      assign wrong_levels[n] = 1'b0;
    end

    always_ff @(posedge clk_i) begin
      if (rst_i) level_q <= 0;
      else level_q <= level_q + 32'(write) - 32'(out_valid_o[n] & out_ready_i[n]);
    end
  end

  assign status_o = control_i;
  assign event_o  = 64'(wrong_levels);

endmodule
