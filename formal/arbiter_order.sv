// SPDX-License-Identifier: Apache-2.0
// In every service_order: its matrix is a total order. Of any two inputs one precedes the other,
// and no three form a cycle.
module arbiter_order #(
    parameter int unsigned NumInputs = 4
) (
    input logic clk_i,
    input logic [NumInputs-1:0][NumInputs-1:0] before_i
);

  logic started_q = 1'b0;  // a reset has occurred
  always_ff @(posedge clk_i) started_q <= 1'b1;

  always_comb begin
    if (started_q) begin
      for (int unsigned i = 0; i < NumInputs; i++) begin
        for (int unsigned j = 0; j < NumInputs; j++) begin
          if (i != j) assert (before_i[i][j] != before_i[j][i]);
          for (int unsigned k = 0; k < NumInputs; k++) begin
            if (i != j && j != k && i != k) begin
              assert (!(before_i[i][j] && before_i[j][k] && before_i[k][i]));
            end
          end
        end
      end
    end
  end

endmodule

bind service_order arbiter_order #(
    .NumInputs(NumInputs)
) u_is_order (
    .clk_i,
    .before_i(before_o)
);
