// SPDX-License-Identifier: Apache-2.0
// Computes hashes in sequence. Streams: data, hashes.
`include "bench.svh"

module bench #(
    parameter int unsigned DataWidth = 120
) (
    `BENCH_PORTS(1, 120, 1, 64, 8, 8)
);

  `BENCH_SHAPE

  logic busy_q, start;
  logic [119:0] data_q;
  assign in_ready_o[0] = ~busy_q;
  always_ff @(posedge clk_i) begin
    start <= in_valid_i[0] & in_ready_o[0] & ~rst_i;
    if (in_ready_o[0]) data_q <= in_i[0][119:0];
    if (rst_i | out_valid_o[0]) busy_q <= 1'b0;
    else if (in_valid_i[0]) busy_q <= 1'b1;
  end
  siphash #(
      .DataWidth(DataWidth)
  ) u_siphash (
      .clk_i,
      .rst_i,
      .key_i  (128'h0F0E0D0C0B0A09080706050403020100),
      .start_i(start),
      .data_i (data_q[DataWidth-1:0]),
      .done_o (out_valid_o[0]),
      .hash_o (out_o[0])
  );
  assign status_o = '0;
  assign event_o  = '0;

endmodule
