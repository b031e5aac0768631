// SPDX-License-Identifier: Apache-2.0
// Synchroniser of single bits: a flip-flop in the source's clock domain, so that no glitch is
// sampled, then a chain of flip-flops in the destination's.
//
// The bits are independent: they are consistent only if at most one of them changes at a time
// (count_crossing). Board constraint: a datapath delay from src_q to stages_q[0] of at most the
// shorter clock period.
//
// Latency: 1 source cycle and Stages destination cycles; one more if the first stage samples a
// change.
module synchroniser #(
    parameter int unsigned Width  = 1,
    parameter int unsigned Stages = 2
) (
    input logic src_clk_i,
    input logic [Width-1:0] src_i,

    input logic dst_clk_i,
    input logic dst_rst_i,
    output logic [Width-1:0] dst_o
);

  if (Width < 1 || Stages < 2) begin : gen_bad_shape
    $error("synchroniser: Width must be at least 1, Stages 2");
  end

  logic [Width-1:0] src_q;
  (* ASYNC_REG = "TRUE" *) logic [Stages-1:0][Width-1:0] stages_q;

  assign dst_o = stages_q[Stages-1];

  always_ff @(posedge src_clk_i) src_q <= src_i;

  always_ff @(posedge dst_clk_i) begin
    if (dst_rst_i) stages_q <= '0;
    else stages_q <= {stages_q[Stages-2:0], src_q};
  end

endmodule
