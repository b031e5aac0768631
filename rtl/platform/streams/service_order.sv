// SPDX-License-Identifier: Apache-2.0
// Order of service: a matrix that gives the precedence of each pair of requesters, for arbiters
// that prefer the least recently served (least_recent), alone or after another criterion.
//
// before_o is registered.
`include "bombus_assert.svh"

module service_order #(
    parameter int unsigned NumInputs = 4
) (
    input logic clk_i,
    input logic rst_i,
    input logic [NumInputs-1:0] served_i,  // one-hot or zero: moves to the end of the order
    output logic [NumInputs-1:0][NumInputs-1:0] before_o  // [i][j]: i precedes j
);

  if (NumInputs < 1) begin : gen_bad_inputs
    $error("service_order: NumInputs must be at least 1");
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < NumInputs; i++) begin
      for (int unsigned j = 0; j < NumInputs; j++) begin
        if (rst_i) before_o[i][j] <= i < j;
        else if (served_i[i]) before_o[i][j] <= 1'b0;
        else if (served_i[j]) before_o[i][j] <= i != j;
      end
    end
  end

  `BOMBUS_ASSERT(ServesOneInput, $onehot0(served_i))

endmodule
