// SPDX-License-Identifier: Apache-2.0
// Plays the trace of +trace=FILE, a hexadecimal number for each cycle, after a reset.
module trace_player #(
    parameter int unsigned Width = 1
) (
    output logic clk_o,
    output logic rst_o,
    output logic [Width-1:0] line_o
);

  initial clk_o = 1'b0;
  initial rst_o = 1'b1;

  string name;
  int file;
  initial begin
    void'($value$plusargs("trace=%s", name));
    file = $fopen(name, "r");
    for (int cycle = 0; cycle < 3; cycle++) begin
      #1 clk_o = 1'b1;
      #1 clk_o = 1'b0;
    end
    rst_o = 1'b0;
    while ($fscanf(
        file, "%h", line_o
    ) == 1) begin
      #1 clk_o = 1'b1;
      #1 clk_o = 1'b0;
    end
    $finish;
  end

endmodule
