// SPDX-License-Identifier: Apache-2.0
// Reset of a clock domain from an asynchronous source: begins at once, even without a clock, and
// ends in step with the clock, Stages cycles after its source.
module async_reset #(
    parameter int unsigned Stages = 4
) (
    input  logic clk_i,
    input  logic rst_i,  // asynchronous
    output logic rst_o
);

  if (Stages < 2) begin : gen_bad_stages
    $error("async_reset: Stages must be at least 2");
  end

  logic [Stages-1:0] stages_q;

  assign rst_o = stages_q[Stages-1];

  always_ff @(posedge clk_i or posedge rst_i) begin
    if (rst_i) stages_q <= '1;
    else stages_q <= stages_q << 1;
  end

endmodule
