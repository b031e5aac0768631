// SPDX-License-Identifier: Apache-2.0
// Drives the clock of the LiteX design, which ends the simulation.
module clock;
  logic clk = 1'b0;
  always #2.5 clk = ~clk;  // 200 MHz
  soc u_soc (.clk);
  initial begin
    #100_000;
    $fatal(1, "no reply");
  end
endmodule
