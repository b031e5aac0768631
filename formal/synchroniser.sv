// SPDX-License-Identifier: Apache-2.0
// Replaces rtl/platform/clocks/synchroniser.sv in a proof. A bit that is sampled while it changes
// may be sampled as its old or new value, independently for each bit: the value before the latest
// edge of the source may still be seen in the first sample after that edge.
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

  logic [Width-1:0] src_q, before_q;
  logic [1:0] edges_q, seen_q;  // edges of the source; edges at the last sample
  (* keep *) logic [Width-1:0] is_late;  // undriven: any value in each cycle
  wire changing = edges_q != seen_q;
  logic [Stages-1:0][Width-1:0] stages_q;

  assign dst_o = stages_q[Stages-1];

  always_ff @(posedge src_clk_i) begin
    src_q <= src_i;
    before_q <= src_q;
    edges_q <= edges_q + 1'b1;
  end

  wire [Width-1:0] sample = changing ? (before_q & is_late) | (src_q & ~is_late) : src_q;
  always_ff @(posedge dst_clk_i) begin
    seen_q <= edges_q;
    if (dst_rst_i) stages_q <= '0;
    else stages_q <= {stages_q[Stages-2:0], sample};
  end

endmodule
