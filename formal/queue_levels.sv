// SPDX-License-Identifier: Apache-2.0
// Levels and capacities of the queues fed by a crosspoint_input, with flits leaving at any pace:
// the two lanes of a split queue have half of it each.
module queue_levels
  import noc_pkg::*;
#(
    parameter int unsigned Input = 0,  // dir_e
    parameter logic [NumDirs-1:0] Queues = '1,
    parameter int unsigned Depth = 8,
    localparam type level_t = logic [$clog2(Depth):0]
) (
    input logic clk_i,
    input logic rst_i,
    input logic [NumDirs-1:0] push_i,
    input logic [NumDirs-1:0] leave_i,  // a flit leaves the queue
    output level_t [NumDirs-1:0] level_o,
    output level_t [NumDirs-1:0] depth_o,  // constant
    output logic [NumDirs-1:0] full_o
);

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    for (int unsigned c = 0; c < NumDirs; c++) begin
      if (rst_i) level_o[c] <= '0;
      else level_o[c] <= level_o[c] + level_t'(push_i[c]) - level_t'(leave_i[c]);
    end
  end

  always_comb begin
    for (int unsigned c = 0; c < NumDirs; c++) begin
      depth_o[c] = level_t'(Depth);
      if (Queues[Input] && (c == Input || c == int'(opposite(Input)))) begin
        depth_o[c] = level_t'(Depth / 2);
      end
      full_o[c] = level_o[c] == depth_o[c];
      if (level_o[c] == '0) assume (~leave_i[c]);
      if (started_q) assert (level_o[c] <= depth_o[c]);
    end
  end

endmodule
