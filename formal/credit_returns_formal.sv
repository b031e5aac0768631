// SPDX-License-Identifier: Apache-2.0
// credit_returns never reports a flit that has not left, and counts every flit that it has not
// reported as inside or as left: no credit is lost. Proved for all time, by induction, for layers
// that send no more than they take and are idle only when they contain no flit.
module credit_returns_formal (
    input logic clk_i,
    input logic rst_i,
    input logic received_i,
    input logic [1:0] port_i,
    input logic sent_i,
    input logic lost_i,
    input logic idle_i,
    input logic dropped_i  // by a layer
);

  // Sink 0 forwards, messages leave at sink 1, sink 2 is outside the network with credits.
  logic left;
  credit_returns #(
      .CountWidth(4),
      .NumSinks(3),
      .PortWidth(2),
      .Passes(3'b001),
      .Leaves(3'b010)
  ) u_returns (
      .clk_i,
      .rst_i,
      .received_i,
      .port_i,
      .sent_i,
      .lost_i,
      .idle_i,
      .left_o(left)
  );

  wire entered = received_i & port_i == 2'd0;
  wire exited = received_i & port_i == 2'd1;
  logic started_q = 1'b0;
  logic [3:0] real_q;  // flits inside the layers
  logic [3:0] owed_q;  // flits that have left and have not been reported
  logic [3:0] before_q;  // real_q one cycle earlier
  logic idle_q, sent_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (rst_i) begin
      real_q   <= '0;
      before_q <= '0;
      owed_q   <= '0;
    end else begin
      real_q   <= real_q + 4'(entered) - 4'(sent_i) - 4'(dropped_i);
      before_q <= real_q;
      owed_q   <= owed_q + 4'(exited) + 4'(lost_i) + 4'(dropped_i) - 4'(left);
    end
    idle_q <= ~rst_i & idle_i;
    sent_q <= ~rst_i & sent_i;
  end

  always_comb begin
    if (~started_q) assume (rst_i);
    assume (4'(sent_i) + 4'(dropped_i) <= real_q);
    if (idle_i) assume (real_q == '0);
    // As limited by 9 credits
    assume (5'(real_q) + 5'(owed_q) + 5'(received_i) + 5'(lost_i) <= 5'd9);
  end

  wire [3:0] held = u_returns.inside_q + 4'(u_returns.entered_q) - 4'(u_returns.sent_q);
  wire [3:0] reported = u_returns.pending_q + u_returns.stale_q + 4'(u_returns.exited_q) +
      4'(u_returns.lost_q) + 4'(left);
  always_comb begin
    if (started_q) begin
      assert (5'(held) + 5'(reported) == 5'(real_q) + 5'(owed_q));
      assert (held >= real_q);
      assert (u_returns.inside_q >= before_q);
      assert (u_returns.inside_q >= 4'(u_returns.sent_q));
      assert (u_returns.inside_q <= 4'd9 && u_returns.pending_q <= 4'd9 && owed_q <= 4'd9);
      assert (5'(u_returns.pending_q) + 5'(u_returns.stale_q) <= 5'd9);
      assert (u_returns.idle_q == idle_q && u_returns.sent_q == sent_q);
      if (idle_q) assert (before_q == '0);
      if (sent_q) assert (before_q != '0);
      assert (5'(before_q) - 5'(sent_q) + 5'(u_returns.entered_q) >= 5'(real_q));
      if (left) assert (owed_q != '0);
    end
  end

  always_comb begin
    if (started_q & ~rst_i) begin
      cover (owed_q == 4'd5 && real_q == '0);
      cover (u_returns.inside_q == 4'd4 && u_returns.idle_q);
      cover (left && owed_q == 4'd1 && real_q == 4'd3);
    end
  end

endmodule
