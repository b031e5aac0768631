// SPDX-License-Identifier: Apache-2.0
// Round-robin choice: the first request after the last winner, who comes last.
// Without a request the last winner stays. Combinational.
module round_robin #(
    parameter int unsigned NumInputs = 4,
    localparam type sel_t = logic [$clog2(NumInputs)-1:0]
) (
    input  sel_t                 last_i,     // last winner
    input  logic [NumInputs-1:0] request_i,
    output sel_t                 grant_o
);

  if (NumInputs < 2) begin : gen_bad_inputs
    $error("round_robin: NumInputs must be at least 2");
  end

  always_comb begin
    grant_o = last_i;
    for (int unsigned k = NumInputs; k > 0; k--) begin
      if (request_i[sel_t'((32'(last_i)+k)%NumInputs)]) begin
        grant_o = sel_t'((32'(last_i) + k) % NumInputs);
      end
    end
  end

endmodule
