// SPDX-License-Identifier: Apache-2.0
// Delays a value, and shows it after each number of cycles up to Cycles: one chain of registers for
// all users of the value. taps_o[n] is the value n cycles ago, taps_o[0] the input.
//
// There is no reset, so that chains without taps become shift registers of LUTs.
module spn_delay #(
    parameter int unsigned Width  = 8,  // bits
    parameter int unsigned Cycles = 1
) (
    input logic clk_i,

    input  logic [Width-1:0]            value_i,
    output logic [ Cycles:0][Width-1:0] taps_o
);

  if (Cycles == 0) begin : gen_wires
    assign taps_o[0] = value_i;
    wire unused = clk_i;
  end else begin : gen_registers
    logic [Cycles-1:0][Width-1:0] values_q;
    always_ff @(posedge clk_i) values_q <= taps_o[Cycles-1:0];
    assign taps_o = {values_q, value_i};
  end

endmodule
