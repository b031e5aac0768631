// SPDX-License-Identifier: Apache-2.0
// Start of a proof with two clocks: both resets are active until each clock has had two edges, and
// never again. Without Resets the proof begins running and empty, and has started after the first
// edge. Modules bound into the design refer to it by the name u_start.
module two_clocks_start #(
    parameter bit Resets = 1'b1
) (
    input logic in_clk_i,
    input logic out_clk_i,
    input logic rst_i,
    output logic started_o,
    output logic is_empty_o,  // the proof starts here, running and empty
    output logic [1:0] in_resets_o,  // one edge of this clock has seen the reset; two edges have
    output logic [1:0] out_resets_o
);

  logic [1:0] in_q = '0;
  logic [1:0] out_q = '0;
  assign started_o = Resets ? in_q[1] & out_q[1] : in_q[0] | out_q[0];
  assign is_empty_o = ~Resets & ~started_o;
  assign in_resets_o = Resets && !started_o ? in_q : '0;
  assign out_resets_o = Resets && !started_o ? out_q : '0;
  always_ff @(posedge in_clk_i) in_q <= {in_q[0], 1'b1};
  always_ff @(posedge out_clk_i) out_q <= {out_q[0], 1'b1};
  always_comb begin
    assume (rst_i == (Resets & ~started_o));
    assert (in_q != 2'b10 && out_q != 2'b10);
  end

endmodule
