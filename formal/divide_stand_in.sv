// SPDX-License-Identifier: Apache-2.0
// In place of rpu_divide: another function, after any time. The requirements of rpu_divide are
// asserted: one division at a time, stable operands.
module divide_stand_in
  import rpu_pkg::*;
  import stand_in_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic        start_i,
    input  word_t       first_i,
    input  word_t       second_i,
    input  logic  [1:0] op_i,
    output logic        done_o,
    output word_t       result_o
);

  logic ends;  // undriven: any value in each cycle
  logic runs_q;
  word_t first_q, second_q;
  logic [1:0] op_q;
  always_ff @(posedge clk_i) begin
    runs_q <= ~rst_i & (start_i | runs_q & ~ends);
    {first_q, second_q, op_q} <= {first_i, second_i, op_i};
    if (done_o) result_o <= muldiv({1'b1, op_i}, first_i, second_i);
  end
  assign done_o = runs_q & ends;

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= started_q | rst_i;
  always_comb begin
    if (started_q & runs_q) begin
      assert (~start_i);
      assert ({first_i, second_i, op_i} == {first_q, second_q, op_q});
    end
  end

endmodule
