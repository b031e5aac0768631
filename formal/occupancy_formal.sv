// SPDX-License-Identifier: Apache-2.0
// occupancy: level_o is the number of items of one cycle ago, and holds_o covers every item from
// the cycle after it entered. Proved for all time, by induction.
module occupancy_formal #(
    parameter int unsigned Max = 9
) (
    input logic clk_i,
    input logic rst_i,
    input logic enter_i,
    input logic leave_i
);

  localparam int unsigned Width = $clog2(Max + 1);
  logic [Width-1:0] level;
  logic holds;
  occupancy #(
      .Max(Max)
  ) u_occupancy (
      .clk_i,
      .rst_i,
      .enter_i,
      .leave_i,
      .level_o(level),
      .holds_o(holds)
  );

  logic started_q = 1'b0;
  logic [Width-1:0] real_q;  // items inside
  logic [Width-1:0] before_q;  // one cycle ago
  logic filled_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (rst_i) begin
      real_q   <= '0;
      before_q <= '0;
      filled_q <= 1'b0;
    end else begin
      real_q   <= real_q + Width'(enter_i) - Width'(leave_i);
      before_q <= real_q;
      filled_q <= filled_q | (real_q == Width'(Max));
    end
  end

  always_comb begin
    if (~started_q) assume (rst_i);
    if (leave_i) assume (real_q != '0);
    if (enter_i) assume (real_q != Width'(Max));
  end

  always_comb begin
    if (started_q) begin
      assert (real_q <= Width'(Max) && before_q <= Width'(Max));
      assert (level == before_q);
      assert (real_q == before_q + Width'(u_occupancy.enter_q) - Width'(u_occupancy.leave_q));
      if (u_occupancy.leave_q) assert (before_q != '0);
      if (u_occupancy.enter_q) assert (before_q != Width'(Max));
      if (real_q != '0) assert (holds);
      cover (filled_q & ~holds);
    end
  end

endmodule
