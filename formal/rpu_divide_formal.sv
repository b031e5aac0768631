// SPDX-License-Identifier: Apache-2.0
// rpu_divide, for words of Width bits, with any operands, started at any time and ended early:
// quotients and remainders, signs, overflow and divisors of 0 follow the unprivileged ISA (chapter
// "M"), after Width + 3 cycles. Proved for all time, by induction.
module rpu_divide_formal #(
    parameter int unsigned Width = 8,
    localparam type word_t = logic [Width-1:0]
) (
    input logic clk_i,
    input logic rst_i,
    input logic ends_i,  // the division is ended early
    input logic start_i,
    input word_t first_i,
    input word_t second_i,
    input logic [1:0] op_i
);

  logic started, unused_watched;
  proof_start u_start (
      .clk_i,
      .rst_i,
      .watched_i(1'b0),
      .started_o(started),
      .watched_o(unused_watched)
  );

  logic  done;
  word_t result;
  rpu_divide #(
      .Width(Width)
  ) u_divide (
      .clk_i,
      .rst_i(rst_i | ends_i),
      .start_i,
      .first_i,
      .second_i,
      .op_i,
      .done_o(done),
      .result_o(result)
  );

  // One division at a time; operands stay.
  localparam int unsigned CountWidth = $clog2(Width + 3);
  logic [CountWidth-1:0] count_q;  // cycles since the start; 0: none
  word_t first_q, second_q;
  logic [1:0] op_q;
  wire last = count_q == CountWidth'(Width + 2);
  always_ff @(posedge clk_i) begin
    if (rst_i | ends_i | last) count_q <= '0;
    else if (start_i) count_q <= CountWidth'(1);
    else if (count_q != '0) count_q <= count_q + 1'b1;
    {first_q, second_q, op_q} <= {first_i, second_i, op_i};
  end
  always_comb begin
    if (count_q != '0) begin
      assume (~start_i);
      assume ({first_i, second_i, op_i} == {first_q, second_q, op_q});
    end
  end

  word_t expected, expected_q;
  logic is_there_q;
  always_comb begin
    unique case (op_i)
      2'b00:   expected = $signed(first_i) / $signed(second_i);
      2'b01:   expected = first_i / second_i;
      2'b10:   expected = $signed(first_i) % $signed(second_i);
      default: expected = first_i % second_i;
    endcase
    if (second_i == '0) expected = op_i[1] ? first_i : '1;
  end
  always_ff @(posedge clk_i) begin
    if (last) expected_q <= expected;
    is_there_q <= ~rst_i & (last | is_there_q & count_q == '0 & ~start_i);
  end
  always_comb begin
    if (started) begin
      assert (count_q <= CountWidth'(Width + 2));
      assert (done == last);
      if (is_there_q) assert (result == expected_q);
    end
  end

  // Cover: results with and without signs, a divisor of 0, a division after one ended early.
  logic ended_q;
  always_ff @(posedge clk_i) ended_q <= ~rst_i & (ended_q | ends_i & count_q > CountWidth'(2));
  always_comb begin
    if (started & is_there_q) begin
      cover (~op_q[0] & expected_q == '1 - 1'b1);
      cover (op_q == 2'b11 & expected_q == '1 - 1'b1);
      cover (second_q == '0);
      cover (ended_q & expected_q != '0);
    end
  end

endmodule
