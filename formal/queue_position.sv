// SPDX-License-Identifier: Apache-2.0
// Follows one flit through a queue: whether it is inside, and the number of flits before it.
module queue_position #(
    parameter int unsigned Width = 3
) (
    input logic clk_i,
    input logic rst_i,
    input logic enter_i,  // it enters in this cycle
    input logic [Width-1:0] level_i,  // flits in the queue now
    input logic leave_i,  // the oldest one leaves
    output logic inside_o,
    output logic [Width-1:0] ahead_o
);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      inside_o <= 1'b0;
      ahead_o  <= '0;
    end else if (enter_i) begin
      inside_o <= 1'b1;
      ahead_o  <= level_i - Width'(leave_i);
    end else if (inside_o & leave_i) begin
      inside_o <= ahead_o != '0;
      ahead_o  <= ahead_o - 1'b1;
    end
  end

endmodule
