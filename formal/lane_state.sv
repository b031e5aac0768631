// SPDX-License-Identifier: Apache-2.0
// In every queue_lane: the relation of its registers to the number of its entries, so that one step
// of induction suffices.
module lane_state #(
    parameter int unsigned HeadWidth = 1,
    parameter int unsigned Depth = 4,
    localparam type level_t = logic [$clog2(Depth):0]
) (
    input logic clk_i,
    input level_t level_i,
    input logic valid_i,
    input level_t read_i,
    input level_t next_i,
    input level_t write_i,
    input logic [HeadWidth-1:0] head_i,
    input logic [HeadWidth-1:0] oldest_i  // as stored in the memory
);

  logic started_q = 1'b0;  // a reset has occurred
  always_ff @(posedge clk_i) started_q <= 1'b1;

  always_comb begin
    if (started_q) begin
      assert (32'(level_i) <= Depth);
      assert (valid_i == (level_i != '0));
      assert (next_i == read_i + 1'b1);
      assert (write_i == read_i + level_i);
      if (level_i != '0) assert (head_i == oldest_i);
    end
  end

endmodule

bind queue_lane lane_state #(
    .HeadWidth($bits(head_q)),
    .Depth(Depth)
) u_state (
    .clk_i,
    .level_i (level_o),
    .valid_i (valid_q),
    .read_i  (read_q),
    .next_i  (next_q),
    .write_i (write_q),
    .head_i  (head_q),
    .oldest_i(heads[read_addr_o])
);
