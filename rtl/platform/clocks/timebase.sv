// SPDX-License-Identifier: Apache-2.0
// Microseconds since reset, accumulated from the tick input of the top. Wraps after 71 minutes;
// timers compare differences.
module timebase (
    input  logic        clk_i,
    input  logic        rst_i,
    input  logic [15:0] tick_us_i,  // microseconds passed in this cycle
    output logic [31:0] time_us_o
);

  always_ff @(posedge clk_i) begin
    if (rst_i) time_us_o <= '0;
    else time_us_o <= time_us_o + 32'(tick_us_i);
  end

endmodule
