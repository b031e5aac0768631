// SPDX-License-Identifier: Apache-2.0
// Selects the channel of a virtual-channel router input that requests its output, among the fronts
// that can be sent.
//
// The choice for a cycle is made in the cycle before, for both cases of granted_i, so that choice_o
// is registered and the grant only selects the next choice. Order of preference:
//
// - a further flit of the message that is being sent;
// - a front that could have been sent: first those whose output is not held by a continuing message
//   of another input, then the channel that has not started a message for the longest time;
// - the next message of the same channel, if there is no such front or all of them must wait;
// - without it, a flit that arrives at an empty lane.
//
// The last two are chosen before it is known whether they can be sent, so that they lose no cycle.
// Otherwise the choice is kept; while there are fronts, one of them is chosen.
//
// To prevent starvation, a front becomes urgent after its input has started Patience other messages
// since the front last moved: it is chosen once it could have been sent. If it starts a message, it
// claims its output, which then opens no channel before all inputs have seen it free (vc_output).
//
// Latency: 1 cycle. Only can_i and granted_i are late.
`include "bombus_assert.svh"

module vc_choice
  import noc_pkg::*;
#(
    parameter int unsigned NumLanes = 2,
    localparam type lanes_t = logic [NumLanes-1:0]
) (
    input logic clk_i,
    input logic rst_i,

    input lanes_t arrives_i,  // a flit enters the lane
    input lanes_t valid_i,  // the lane has a front flit
    input lanes_t more_i,  // another flit follows the front
    input lanes_t can_i,  // the front could be sent
    input lanes_t inside_i,  // the message of the front has started
    input lanes_t last_i,  // the front is the last flit of its message
    input logic [NumLanes-1:0][NumDirs-1:0] dir_i,  // output of the front, one-hot
    input logic [NumDirs-1:0] kept_i,  // outputs with a message that continues

    output lanes_t choice_o,  // one-hot or zero
    output logic continues_o,  // its message sent a flit in the last cycle
    output logic [NumDirs-1:0] claim_o,  // outputs claimed for an urgent message
    input logic granted_i,  // the choice is granted
    input logic start_i  // the choice is the first flit of a message
);

  if (NumLanes < 1) begin : gen_bad_lanes
    $error("vc_choice: NumLanes must be at least 1");
  end

  localparam int unsigned Patience = 7;
  typedef logic [$clog2(Patience+1)-1:0] count_t;

  count_t [NumLanes-1:0] passed_q;  // messages that started ahead of each lane's front
  lanes_t keep_q;  // sent a flit in the last cycle that was not the last
  lanes_t urgent;
  wire lanes_t pop = granted_i ? choice_o : '0;

  always_ff @(posedge clk_i) begin
    if (rst_i) keep_q <= '0;
    else keep_q <= pop & ~last_i;
  end
  assign continues_o = |(choice_o & keep_q);

  if (NumLanes == 1) begin : gen_single
    assign choice_o = valid_i;
    assign claim_o  = '0;
    assign passed_q = '0;
    assign urgent   = '0;
    wire unused = ^{arrives_i, more_i, can_i, inside_i, dir_i, kept_i, start_i, urgent, passed_q};
  end else begin : gen_several
    lanes_t chosen_q, waits, arriving, waiting, best, best_other, if_granted, if_not;
    lanes_t [NumLanes-1:0] order, ahead;

    service_order #(
        .NumInputs(NumLanes)
    ) u_order (
        .clk_i,
        .rst_i,
        .served_i(start_i ? pop : '0),
        .before_o(order)
    );

    always_comb begin
      claim_o = '0;
      for (int unsigned l = 0; l < NumLanes; l++) begin
        urgent[l] = passed_q[l] == count_t'(Patience);
        waits[l]  = |(dir_i[l] & kept_i);
        if (valid_i[l] & urgent[l] & ~inside_i[l]) claim_o |= dir_i[l];
      end
      for (int unsigned a = 0; a < NumLanes; a++) begin
        for (int unsigned b = 0; b < NumLanes; b++) begin
          if (urgent[a] != urgent[b]) ahead[a][b] = urgent[a];
          else if (waits[a] != waits[b]) ahead[a][b] = waits[b];
          else ahead[a][b] = order[a][b];
        end
      end
    end

    wire has_next = |(chosen_q & (more_i | arrives_i));
    wire continues = has_next & ~|(chosen_q & last_i);
    lanes_t first;  // preferred to the next message of the lane being sent
    logic [NumDirs-1:0] chosen_dir;
    always_comb begin
      chosen_dir = '0;
      for (int unsigned l = 0; l < NumLanes; l++) if (chosen_q[l]) chosen_dir |= dir_i[l];
      for (int unsigned l = 0; l < NumLanes; l++) begin
        first[l] = urgent[l] | ~|(dir_i[l] & kept_i & ~chosen_dir) | ~has_next;
      end
    end

    always_comb begin
      best = can_i;
      best_other = can_i & ~chosen_q;
      for (int unsigned a = 0; a < NumLanes; a++) begin
        for (int unsigned b = 0; b < NumLanes; b++) begin
          if (a != b && can_i[a] && ahead[a][b]) begin
            best[b] = 1'b0;
            if (!chosen_q[a]) best_other[b] = 1'b0;
          end
        end
      end

      arriving = arrives_i & ~valid_i;
      waiting  = valid_i & ~chosen_q;
      if (|best) if_not = best;
      else if (|arriving) if_not = arriving;
      else if_not = chosen_q;

      if (continues & ~|(can_i & urgent & ~chosen_q)) if_granted = chosen_q;
      else if (|(can_i & ~chosen_q & first)) if_granted = best_other;
      else if (has_next) if_granted = chosen_q;
      else if (|arriving) if_granted = arriving;
      else begin
        for (int unsigned l = 0; l < NumLanes; l++) begin
          if_granted[l] = waiting[l] & ((waiting & ~(lanes_t'('1) << l)) == '0);  // the first
        end
      end
    end

    assign choice_o = chosen_q;
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        chosen_q <= '0;
        passed_q <= '0;
      end else begin
        chosen_q <= granted_i ? if_granted : if_not;
        for (int unsigned l = 0; l < NumLanes; l++) begin
          if (pop[l] | ~valid_i[l]) passed_q[l] <= '0;
          else if (granted_i & start_i & ~urgent[l]) passed_q[l] <= passed_q[l] + 1'b1;
        end
      end
    end
  end

  `BOMBUS_ASSERT(ChoosesOneLane, $onehot0(choice_o))

endmodule
