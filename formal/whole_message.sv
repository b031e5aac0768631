// SPDX-License-Identifier: Apache-2.0
// All flits of a message have the same `mark`: the path, which is assumed at inputs, or the input
// of arrival, which is asserted at outputs. For each of several links or channels.
module whole_message #(
    parameter type mark_t = logic,
    parameter int unsigned Count = 1,
    parameter bit Assume = 0
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Count-1:0] offered_i,  // a flit is offered
    input logic [Count-1:0] taken_i,  // and taken
    input logic [Count-1:0] last_i,
    input mark_t [Count-1:0] mark_i,
    output logic [Count-1:0] inside_o,  // inside a message
    output mark_t [Count-1:0] mark_o  // mark of the last flit taken
);

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    inside_o  <= rst_i ? '0 : (inside_o & ~taken_i) | (taken_i & ~last_i);
    for (int unsigned n = 0; n < Count; n++) if (taken_i[n]) mark_o[n] <= mark_i[n];
  end

  always_comb begin
    for (int unsigned n = 0; n < Count; n++) begin
      if (started_q & offered_i[n] & inside_o[n]) begin
        if (Assume)
          assume (mark_i[n] == mark_o[n]);
          else assert (mark_i[n] == mark_o[n]);
      end
    end
  end

endmodule
