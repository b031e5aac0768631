// SPDX-License-Identifier: Apache-2.0
// Takes a beat every 64 cycles, and sends nothing.
module tray #(
    parameter type beat_t = logic
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o
);

  localparam string Entry = "tray";
  localparam int unsigned MaxBusyCycles = 64;

  logic [5:0] wait_q;
  assign in_ready_o = wait_q == '1;
  always_ff @(posedge clk_i) begin
    if (rst_i | ~in_valid_i) wait_q <= '0;
    else wait_q <= wait_q + 1'b1;
  end
  wire unused = ^in_i;

endmodule
