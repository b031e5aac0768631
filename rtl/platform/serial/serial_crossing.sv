// SPDX-License-Identifier: Apache-2.0
// Carries beats from one clock domain to another. Either side may be reset alone, at any time
// (reset_handshake): beats inside are then lost.
//
// Latency: SyncStages + 1 output cycles, up to one more for the phase. Throughput: one beat per
// cycle of the slower clock.
module serial_crossing #(
    parameter int unsigned DataWidth = 64
) (
    input logic in_clk_i,
    input logic in_rst_i,
    input logic [DataWidth-1:0] in_i,
    input logic in_valid_i,
    output logic in_ready_o,

    input logic out_clk_i,
    input logic out_rst_i,
    output logic [DataWidth-1:0] out_o,
    output logic out_valid_o,
    input logic out_ready_i
);

  logic run, in_clear, out_clear, discard, fifo_ready, fifo_valid;
  logic unused_stop;
  logic [4:0] unused_in_level, unused_out_level;

  assign in_ready_o  = fifo_ready & run;
  assign out_valid_o = fifo_valid & ~discard & ~out_rst_i;

  reset_handshake u_reset (
      .src_clk_i(in_clk_i),
      .src_rst_i(in_rst_i),
      .src_run_o(run),
      .src_clear_o(in_clear),
      .dst_clk_i(out_clk_i),
      .dst_rst_i(out_rst_i),
      .dst_empty_i(~fifo_valid),
      .dst_stop_o(unused_stop),
      .dst_discard_o(discard),
      .dst_clear_o(out_clear)
  );

  async_fifo #(
      .data_t(logic [DataWidth-1:0])
  ) u_fifo (
      .in_clk_i,
      .in_rst_i(in_clear),
      .in_i,
      .in_valid_i(in_valid_i & run),
      .in_ready_o(fifo_ready),
      .in_level_o(unused_in_level),
      .out_clk_i,
      .out_rst_i(out_clear),
      .out_o,
      .out_valid_o(fifo_valid),
      .out_ready_i(out_ready_i | discard | out_rst_i),
      .out_level_o(unused_out_level)
  );

endmodule
