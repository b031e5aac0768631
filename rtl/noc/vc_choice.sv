// SPDX-License-Identifier: Apache-2.0
// Selects the channel of a virtual-channel router input that requests its output in this cycle,
// among the head flits that can move.
//
// A message that has sent a flit in the last cycle goes on while it can. Next come
// those that need not wait for a message of another input that goes on at their
// output, and of equals the channel that has gone longest without starting a
// message. So that nobody is passed over for ever, a front whose input has started
// Patience other messages since it last moved becomes urgent: while it can go, no
// other channel of its input asks.
//
// Who is before whom comes from flip-flops: only can_i and granted_i are late.
// Combinational.
module vc_choice
  import noc_pkg::*;
#(
    parameter int unsigned NumLanes = 2
) (
    input logic clk_i,
    input logic rst_i,

    input logic [NumLanes-1:0] valid_i,  // the lane has a front flit
    input logic [NumLanes-1:0] can_i,  // and it can be sent
    input logic [NumLanes-1:0] last_i,  // it is the last flit of its message
    input logic [NumLanes-1:0][NumDirs-1:0] dir_i,  // its output, one-hot
    input logic [NumDirs-1:0] kept_i,  // outputs whose last flit, in the last cycle, did not end a message

    output logic [NumLanes-1:0] choice_o,  // one-hot or zero
    output logic goes_on_o,  // its message sent a flit in the last cycle
    input logic granted_i,  // the choice is granted
    input logic start_i  // it is the first flit of a message
);

  if (NumLanes < 1) begin : gen_bad_lanes
    $error("vc_choice: NumLanes must be at least 1");
  end

  localparam int unsigned Patience = 7;
  typedef logic [$clog2(Patience+1)-1:0] count_t;

  count_t [NumLanes-1:0] passed_q;  // messages that started ahead of each lane's front
  logic   [NumLanes-1:0] keep_q;  // sent a flit in the last cycle that was not the last
  logic [NumLanes-1:0] urgent, waits;
  logic [NumLanes-1:0][NumLanes-1:0] order, ahead;

  wire [NumLanes-1:0] pop = granted_i ? choice_o : '0;

  service_order #(
      .NumInputs(NumLanes)
  ) u_order (
      .clk_i,
      .rst_i,
      .served_i(start_i ? pop : '0),
      .before_o(order)
  );

  always_comb begin
    for (int unsigned l = 0; l < NumLanes; l++) begin
      urgent[l] = passed_q[l] == count_t'(Patience);
      waits[l]  = |(dir_i[l] & kept_i);
    end
    for (int unsigned a = 0; a < NumLanes; a++) begin
      for (int unsigned b = 0; b < NumLanes; b++) begin
        if (urgent[a] != urgent[b]) ahead[a][b] = urgent[a];
        else if (keep_q[a] != keep_q[b]) ahead[a][b] = keep_q[a];
        else if (waits[a] != waits[b]) ahead[a][b] = waits[b];
        else ahead[a][b] = order[a][b];
      end
    end
    choice_o = can_i;
    for (int unsigned a = 0; a < NumLanes; a++) begin
      for (int unsigned b = 0; b < NumLanes; b++) begin
        if (a != b && can_i[a] && ahead[a][b]) choice_o[b] = 1'b0;
      end
    end
  end

  assign goes_on_o = |(choice_o & keep_q);

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
