// SPDX-License-Identifier: Apache-2.0
// In every vc_output: at most one flit is on its link, and it is from one of the inputs. `state` is
// for the proofs of its users.
module vc_output_state #(
    parameter int unsigned NumInputs   = 4,
    parameter int unsigned NumChannels = 2
) (
    input logic clk_i,
    input logic [NumChannels-1:0] held_i,
    input logic [NumChannels-1:0] sent_i,
    input logic [$clog2(NumInputs)-1:0] select_i,
    input logic [NumInputs-1:0][NumInputs-1:0] before_i
);

  typedef struct packed {
    logic [NumChannels-1:0] held;  // held by a message that has started and not ended
    logic [$clog2(NumInputs)-1:0] select;  // input of the flit on the link
    logic [NumInputs-1:0][NumInputs-1:0] order;  // the arbiter's matrix
  } state_t;
  wire state_t state = '{held: held_i, select: select_i, order: before_i};

  logic started_q = 1'b0;  // a reset has occurred
  always_ff @(posedge clk_i) started_q <= 1'b1;

  always_comb begin
    if (started_q) begin
      assert ($onehot0(sent_i));
      if (|sent_i) assert (32'(select_i) < NumInputs);
    end
  end

endmodule

bind vc_output vc_output_state #(
    .NumInputs  (NumInputs),
    .NumChannels(NumChannels)
) u_state (
    .clk_i,
    .held_i  (held_q),
    .sent_i  (sent_o),
    .select_i(select_o),
    .before_i(u_order.before_o)
);
