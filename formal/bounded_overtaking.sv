// SPDX-License-Identifier: Apache-2.0
// Among the inputs ordered by service_order, each other input starts at most one message while the
// watched input could start.
module bounded_overtaking #(
    parameter int unsigned NumInputs = 4
) (
    input logic clk_i,
    input logic rst_i,
    input logic started_i,
    input logic [$clog2(NumInputs)-1:0] watched_i,  // any input, constant
    input logic waits_i,  // the watched input could start
    input logic [NumInputs-1:0] starts_i,  // input that starts, one-hot or zero
    input logic [NumInputs-1:0][NumInputs-1:0] before_i  // the arbiter's matrix
);

  logic [$clog2(NumInputs)-1:0] watched_q;
  logic [NumInputs-1:0][1:0] overtaken_q;  // messages of each input that have overtaken it
  always_ff @(posedge clk_i) begin
    watched_q <= watched_i;
    for (int unsigned k = 0; k < NumInputs; k++) begin
      if (rst_i | (|(starts_i & (NumInputs'(1) << watched_i)))) overtaken_q[k] <= '0;
      else if (waits_i & starts_i[k]) overtaken_q[k] <= overtaken_q[k] + 1'b1;
    end
  end

  always_comb begin
    assume (32'(watched_i) < NumInputs);
    if (started_i) assume (watched_i == watched_q);
  end

  logic [NumInputs-1:0] others;  // inputs that have overtaken it, and itself
  always_comb begin
    for (int unsigned k = 0; k < NumInputs; k++) begin
      others[k] = overtaken_q[k] == 2'd1 || 32'(watched_i) == k;
      if (started_i) begin
        assert (overtaken_q[k] <= 2'd1);
        if (overtaken_q[k] != '0) begin
          assert (32'(watched_q) != k);
          assert (before_i[watched_q][k]);
        end
      end
    end
    // Cover: all other inputs have overtaken it.
    if (started_i & ~rst_i) cover (&others);
  end

endmodule
