// SPDX-License-Identifier: Apache-2.0
// Start of a proof: reset in the first cycle only; the watched value is constant.
module proof_start #(
    parameter int unsigned Width = 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Width-1:0] watched_i,
    output logic started_o,  // a reset has occurred
    output logic [Width-1:0] watched_o  // value of the previous cycle
);

  logic started_q = 1'b0;
  assign started_o = started_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    watched_o <= watched_i;
  end
  always_comb begin
    assume (rst_i == ~started_q);
    if (started_q) assume (watched_i == watched_o);
  end

endmodule
