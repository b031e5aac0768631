// SPDX-License-Identifier: Apache-2.0
// credit_limit counts the flits in flight or admitted, and never admits more than the credits, for
// a source with correct lengths. Proved for all time, by induction.
module credit_limit_formal #(
    parameter int unsigned Longest = 0
) (
    input logic clk_i,
    input logic rst_i,
    input logic [3:0] credits_i,  // constant
    input logic [3:0] length_i,
    input logic valid_i,
    input logic ready_i,
    input logic return_i
);

  logic may_send;
  logic [3:0] sent_q;  // flits of the message sent
  wire last = sent_q + 1'b1 == length_i;
  wire taken = valid_i & may_send & ready_i;
  credit_limit #(
      .CountWidth(4),
      .Longest(Longest)
  ) u_limit (
      .clk_i,
      .rst_i,
      .credits_i,
      .length_i,
      .valid_i,
      .taken_i(taken),
      .last_i(last),
      .return_i,
      .may_send_o(may_send)
  );

  logic started_q = 1'b0;
  logic [3:0] credits_q, length_q;
  logic waits_q;  // a message was offered and has not ended
  logic [4:0] inside_q;  // flits sent that have not left
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    credits_q <= credits_i;
    length_q  <= length_i;
    waits_q   <= ~rst_i & valid_i & ~(taken & last);
    if (rst_i) begin
      sent_q   <= '0;
      inside_q <= '0;
    end else begin
      if (taken) sent_q <= last ? '0 : sent_q + 1'b1;
      inside_q <= inside_q + 5'(taken) - 5'(return_i);
    end
  end

  wire [3:0] admitted = sent_q == '0 ? '0 : length_q - sent_q;
  always_comb begin
    if (~started_q)
      assume (rst_i);
      else assume (credits_i == credits_q);
    assume (length_i != '0);
    if (Longest != 0) assume (length_i <= 4'(Longest) && credits_i >= 4'(Longest));
    if (started_q & (waits_q | (sent_q != '0))) assume (length_i == length_q);
    if (started_q & waits_q & (sent_q == '0)) assume (valid_i);
    if (started_q & (inside_q == '0)) assume (~return_i);
  end

  always_comb begin
    if (started_q) begin
      assert (5'(u_limit.in_flight_q) == inside_q + 5'(admitted));
      assert (u_limit.inside_q == (sent_q != '0));
      assert (sent_q == '0 || sent_q < length_q);
      assert (inside_q <= 5'(credits_q));
      assert (inside_q + 5'(admitted) <= 5'(credits_q));
      // A message that has begun is never held back.
      if (sent_q != '0) assert (may_send);
    end
  end

  wire fits = inside_q + 5'(length_i) <= 5'(credits_i);
  if (Longest == 0) begin : gen_exact
    // A message that fits is not held back.
    always_comb begin
      if (started_q & (sent_q == '0)) assert (may_send == fits);
    end
  end else begin : gen_early
    // With Longest: no message is held back that fitted one cycle earlier and still waits, or while
    // there are credits for any length. Permission to send remains until it is used.
    logic fitted_q, could_q, ample_q;
    always_ff @(posedge clk_i) begin
      fitted_q <= ~rst_i & fits;
      could_q  <= ~rst_i & may_send & valid_i & ~taken;
      ample_q  <= ~rst_i & inside_q + 5'(admitted) + 5'(Longest) <= 5'(credits_i);
    end
    always_comb begin
      if (started_q & (sent_q == '0)) begin
        if (may_send & valid_i) assert (fits);
        if (waits_q & fitted_q) assert (may_send);
        if (could_q) assert (may_send);
        if (ample_q & waits_q) assert (may_send);
        if (u_limit.gen_early.ample_q) assert (inside_q + 5'(Longest) <= 5'(credits_i));
        if (u_limit.gen_early.fits_q & valid_i) assert (fits);
        if (u_limit.gen_early.fits_q) assert (waits_q);
      end
      if (started_q & (sent_q != '0)) begin
        if (u_limit.gen_early.ample_q)
          assert (inside_q + 5'(admitted) + 5'(Longest) <= 5'(credits_i));
      end
    end
  end

  always_comb begin
    if (started_q & ~rst_i) begin
      cover (credits_i == 4'd5 && inside_q == 5'd5);
      cover (valid_i & ~may_send);
    end
  end

endmodule
