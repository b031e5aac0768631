// SPDX-License-Identifier: Apache-2.0
// Arbiter that prefers who was served least recently (a matrix of who is before
// whom). While somebody asks and may be served, each rival is served at most once
// before him, whatever comes and goes in between: unlike round robin it stays
// fair when requests are masked by what they need. Combinational grant.
module least_recent #(
    parameter int unsigned NumInputs = 4
) (
    input logic clk_i,
    input logic rst_i,
    input logic [NumInputs-1:0] request_i,
    output logic [NumInputs-1:0] grant_o,  // one-hot, zero without a request
    input logic served_i  // the grant is taken
);

  if (NumInputs < 1) begin : gen_bad_inputs
    $error("least_recent: NumInputs must be at least 1");
  end

  logic [NumInputs-1:0][NumInputs-1:0] before_q;  // [i][j]: i goes before j

  always_comb begin
    grant_o = request_i;
    for (int unsigned i = 0; i < NumInputs; i++) begin
      for (int unsigned j = 0; j < NumInputs; j++) begin
        if (i != j && request_i[j] && before_q[j][i]) grant_o[i] = 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < NumInputs; i++) begin
      for (int unsigned j = 0; j < NumInputs; j++) begin
        if (rst_i) before_q[i][j] <= i < j;
        else if (served_i && grant_o[i]) before_q[i][j] <= 1'b0;
        else if (served_i && grant_o[j]) before_q[i][j] <= i != j;
      end
    end
  end

endmodule
