// SPDX-License-Identifier: Apache-2.0
// Counts the items in a buffer: at most one item enters and one leaves in each cycle.
//
// Both pulses are registered first, since they arrive at the end of long paths. level_o therefore
// lags by one cycle, and one more item may be in the buffer; holds_o already includes it.
`include "bombus_assert.svh"

module occupancy #(
    parameter  int unsigned Max   = 512,
    localparam int unsigned Width = $clog2(Max + 1)
) (
    input logic clk_i,
    input logic rst_i,

    input logic enter_i,
    input logic leave_i,  // not before the item has entered

    output logic [Width-1:0] level_o,
    output logic             holds_o   // from 1 cycle after the item enters to 2 after it leaves
);

  if (Max < 1) begin : gen_bad_max
    $error("occupancy: Max must be at least 1");
  end

  logic enter_q, leave_q;
  assign holds_o = level_o != '0 | enter_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      enter_q <= 1'b0;
      leave_q <= 1'b0;
      level_o <= '0;
    end else begin
      enter_q <= enter_i;
      leave_q <= leave_i;
      if (enter_q & ~leave_q) level_o <= level_o + 1'b1;
      if (~enter_q & leave_q) level_o <= level_o - 1'b1;
    end
  end

  `BOMBUS_ASSERT(NoUnderflow, !(leave_q && !enter_q && level_o == '0))
  `BOMBUS_ASSERT(NoOverflow, !(enter_q && !leave_q && level_o == Width'(Max)))

endmodule
