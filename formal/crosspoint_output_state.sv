// SPDX-License-Identifier: Apache-2.0
// In every crosspoint_output: a message in progress has one lane, and its flits are counted up to
// MaxPacket. `state` is for the proofs of its users.
module crosspoint_output_state #(
    parameter int unsigned NumLanes  = 4,
    parameter int unsigned MaxPacket = 2
) (
    input logic clk_i,
    input logic locked_i,
    input logic long_i,
    input logic [$clog2(MaxPacket+1)-1:0] count_i,
    input logic [NumLanes-1:0] owner_i
);

  typedef struct packed {
    logic locked;  // inside a message
    logic [$clog2(MaxPacket+1)-1:0] count;  // flits of it sent, up to MaxPacket
    logic [NumLanes-1:0] owner;  // lane of the last flit sent
  } state_t;
  wire state_t state = '{locked: locked_i, count: count_i, owner: owner_i};

  logic started_q = 1'b0;  // a reset has occurred
  always_ff @(posedge clk_i) started_q <= 1'b1;

  always_comb begin
    if (started_q) begin
      assert (32'(count_i) <= MaxPacket);
      assert (locked_i == (count_i != '0));
      assert (long_i == (32'(count_i) == MaxPacket));
      if (locked_i) assert ($onehot(owner_i));
    end
  end

endmodule

bind crosspoint_output crosspoint_output_state #(
    .NumLanes (NumLanes),
    .MaxPacket(MaxPacket)
) u_state (
    .clk_i,
    .locked_i(locked_q),
    .long_i  (long_q),
    .count_i (count_q),
    .owner_i (owner_q)
);
