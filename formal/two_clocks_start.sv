// SPDX-License-Identifier: Apache-2.0
// How a proof with two clocks begins: with both resets, until each clock has had
// two edges; they never come again.
module two_clocks_start (
    input  logic in_clk_i,
    input  logic out_clk_i,
    input  logic rst_i,
    output logic started_o
);

  logic [1:0] in_q = '0;
  logic [1:0] out_q = '0;
  assign started_o = in_q[1] & out_q[1];
  always_ff @(posedge in_clk_i) in_q <= {in_q[0], 1'b1};
  always_ff @(posedge out_clk_i) out_q <= {out_q[0], 1'b1};
  always_comb assume (rst_i == ~started_o);

endmodule
