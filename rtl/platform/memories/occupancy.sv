// SPDX-License-Identifier: Apache-2.0
// Counts what a buffer holds: at most one item comes and one goes each cycle.
//
// Both pulses are registered first, since they come at the end of long paths. So level_o lags by
// one cycle, and up to one item more may be inside; holds_o does not miss it.
module occupancy #(
    parameter  int unsigned Max   = 512,
    localparam int unsigned Width = $clog2(Max + 1)
) (
    input logic clk_i,
    input logic rst_i,

    input logic came_i,
    input logic went_i,  // not before the item has come

    output logic [Width-1:0] level_o,
    output logic             holds_o   // one cycle after the item has come, to two after it went
);

  if (Max < 1) begin : gen_bad_max
    $error("occupancy: Max must be at least 1");
  end

  logic came_q, went_q;
  assign holds_o = level_o != '0 | came_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      came_q  <= 1'b0;
      went_q  <= 1'b0;
      level_o <= '0;
    end else begin
      came_q <= came_i;
      went_q <= went_i;
      if (came_q & ~went_q) level_o <= level_o + 1'b1;
      if (~came_q & went_q) level_o <= level_o - 1'b1;
    end
  end

endmodule
