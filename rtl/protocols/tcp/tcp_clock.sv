// SPDX-License-Identifier: Apache-2.0
// Extends time_us_i, which wraps around after 71 minutes, to a longer count of microseconds since
// reset. time_us_i may jump by less than 35 minutes per cycle.
//
// Latency: 1 cycle.
module tcp_clock
  import tcp_pkg::*;
(
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,
    output long_time_t long_time_o
);

  long_time_t now_q;
  localparam int unsigned WrapsWidth = $bits(long_time_t) - 32;
  wire wraps = now_q[31] & ~time_us_i[31];
  always_ff @(posedge clk_i) begin
    if (rst_i) now_q <= '0;
    else now_q <= {now_q[32+:WrapsWidth] + WrapsWidth'(wraps), time_us_i};
  end
  assign long_time_o = now_q;

endmodule
