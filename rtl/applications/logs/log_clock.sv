// SPDX-License-Identifier: Apache-2.0
// Time stamp of the current cycle. Cycles count from the first cycle after reset.
module log_clock
  import log_pkg::*;
(
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,
    output stamp_t stamp_o
);

  logic [47:0] cycle_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) cycle_q <= '0;
    else cycle_q <= cycle_q + 48'd1;
  end
  assign stamp_o = '{time_us: time_us_i, cycle: cycle_q};

endmodule
