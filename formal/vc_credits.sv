// SPDX-License-Identifier: Apache-2.0
// In every router_virtual_channels: each entry of the buffer at the local output contains a flit,
// has one on its way, or counts as free.
module vc_credits #(
    parameter int unsigned Depth = 4
) (
    input logic clk_i,
    input logic [$clog2(Depth):0] level_i,
    input logic enter_i,  // a flit is about to enter it
    input logic [Depth-1:0] free_entries_i
);

  logic started_q = 1'b0;  // a reset has occurred
  always_ff @(posedge clk_i) started_q <= 1'b1;

  always_comb begin
    if (started_q) begin
      assert (32'(level_i) + 32'(enter_i) + $countones(free_entries_i) == Depth);
      assert ((free_entries_i & (free_entries_i + 1'b1)) == '0);
    end
  end

endmodule

bind router_virtual_channels vc_credits u_credits (
    .clk_i,
    .level_i(gen_output[0].gen_present.gen_local.u_fifo.u_state.level_q),
    .enter_i(sent[0][0]),
    .free_entries_i(gen_output[0].gen_present.gen_local.free_entries_q)
);
