// SPDX-License-Identifier: Apache-2.0
// Chooses which channel of an input of the virtual-channel router asks for its
// output in this cycle, among the fronts that can go.
//
// A message that has sent a flit in the last cycle goes on while it can, and the
// other inputs leave its output alone: their channels ask for outputs that they
// can get. Otherwise the channel asks that has gone longest without starting a
// message. So that nobody is passed over for ever, a front whose input has started
// Patience other messages since it last moved becomes urgent: while it can go and
// no other input's message goes on at its output, no other channel of its input asks.
//
// Combinational.
module vc_choice
  import noc_pkg::*;
#(
    parameter int unsigned NumLanes = 2
) (
    input logic clk_i,
    input logic rst_i,

    input logic [NumLanes-1:0] valid_i,  // there is a front
    input logic [NumLanes-1:0] can_i,  // and it can go
    input logic [NumLanes-1:0] last_i,  // it is its message's last flit
    input logic [NumLanes-1:0][NumDirs-1:0] dir_i,  // its output, one-hot

    output logic [NumDirs-1:0] keeps_o,  // output that a message goes on at, one-hot or zero
    input  logic [NumDirs-1:0] kept_i,   // outputs that messages of any input go on at

    output logic [NumLanes-1:0] choice_o,  // one-hot or zero
    input logic granted_i,  // the choice goes
    input logic start_i  // it is a message's first flit
);

  if (NumLanes < 1) begin : gen_bad_lanes
    $error("vc_choice: NumLanes must be at least 1");
  end

  localparam int unsigned Patience = 7;
  typedef logic [$clog2(Patience+1)-1:0] count_t;

  count_t [NumLanes-1:0] passed_q;  // messages that have started before each lane's front
  logic   [NumLanes-1:0] keep_q;  // sent a flit in the last cycle that was not the last
  logic [NumLanes-1:0] urgent, keep, able;

  wire [NumLanes-1:0] pop = granted_i ? choice_o : '0;

  always_comb begin
    for (int unsigned l = 0; l < NumLanes; l++) begin
      urgent[l] = can_i[l] & (passed_q[l] == count_t'(Patience));
    end
    keep = |urgent ? '0 : keep_q & can_i;
    keeps_o = '0;
    for (int unsigned l = 0; l < NumLanes; l++) begin
      if (keep[l]) keeps_o |= dir_i[l];
      able[l] = can_i[l] & ~|(dir_i[l] & kept_i);
    end
    if (|(able & urgent)) able &= urgent;
    else if (|(keep_q & can_i)) able = keep_q & can_i;
  end

  least_recent #(
      .NumInputs(NumLanes)
  ) u_arbiter (
      .clk_i,
      .rst_i,
      .request_i(able),
      .grant_o  (choice_o),
      .served_i (granted_i & start_i)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      keep_q   <= '0;
      passed_q <= '0;
    end else begin
      keep_q <= pop & ~last_i;
      for (int unsigned l = 0; l < NumLanes; l++) begin
        if (pop[l] | ~valid_i[l]) passed_q[l] <= '0;
        else if (granted_i & start_i & (passed_q[l] != count_t'(Patience))) begin
          passed_q[l] <= passed_q[l] + 1'b1;
        end
      end
    end
  end

endmodule
