// SPDX-License-Identifier: Apache-2.0
// Arbiter that prefers the least recently served requester (service_order). While a requester waits
// and may be served, each other requester is served at most once before it, even if requests change
// in the meantime. Unlike round robin, it stays fair when requests are masked by their resources.
// Combinational grant.
`include "bombus_assert.svh"

module least_recent #(
    parameter int unsigned NumInputs = 4
) (
    input logic clk_i,
    input logic rst_i,
    input logic [NumInputs-1:0] request_i,
    output logic [NumInputs-1:0] grant_o,  // one-hot; zero without a request
    input logic served_i  // the grant is taken
);

  logic [NumInputs-1:0][NumInputs-1:0] order;

  service_order #(
      .NumInputs(NumInputs)
  ) u_order (
      .clk_i,
      .rst_i,
      .served_i(served_i ? grant_o : '0),
      .before_o(order)
  );

  always_comb begin
    grant_o = request_i;
    for (int unsigned i = 0; i < NumInputs; i++) begin
      for (int unsigned j = 0; j < NumInputs; j++) begin
        if (i != j && request_i[j] && order[j][i]) grant_o[i] = 1'b0;
      end
    end
  end

  `BOMBUS_ASSERT(GrantsOneInput, $onehot0(grant_o))

endmodule
