// SPDX-License-Identifier: Apache-2.0
// In every vc_input: invariants of its registers, so that one step of induction suffices. A message
// that continues has started, and has one channel; a lane that starts a message has not been
// overtaken since; while there are fronts, one of them is chosen. `state` is for the proofs of its
// users; it has a lane for each channel, of which the local input uses the first.
module vc_input_state
  import noc_pkg::*;
#(
    parameter int unsigned Input = 0,  // dir_e
    parameter int unsigned NumLanes = 1,
    parameter int unsigned NumChannels = 1,
    parameter int unsigned Depth = 4,
    parameter int unsigned FlitWidth = 1,
    localparam type lanes_t = logic [NumLanes-1:0]
) (
    input logic clk_i,
    input lanes_t pop_i,
    input lanes_t can_i,
    input lanes_t inside_i,
    input lanes_t keep_i,
    input lanes_t valid_i,
    input lanes_t chosen_i,
    input logic [NumChannels-1:0] ready_i,
    input logic [NumLanes-1:0][2:0] passed_i,
    input logic [NumLanes-1:0][NumChannels-1:0] channel_i
);

  typedef struct packed {
    logic [NumDirs-1:0] dir;  // one-hot
    logic last;
    logic [FlitWidth-1:0] flit;
  } entry_t;
  typedef struct packed {
    logic [$clog2(Depth):0] level;
    entry_t [Depth-1:0] entry;  // oldest first
  } queue_t;
  typedef struct packed {
    logic [NumChannels-1:0] pop;
    logic [NumChannels-1:0] can;
    logic [NumChannels-1:0] begun;  // part of a message has left
    logic [NumChannels-1:0] keep;  // with a flit in the last cycle
    logic [NumChannels-1:0] chosen;  // the lane that may request its output
    logic [NumChannels-1:0][2:0] passed;
    logic [NumChannels-1:0][NumChannels-1:0] channel;  // channel allocated to its message
    queue_t [NumChannels-1:0] queue;
  } state_t;

  queue_t [NumLanes-1:0] queue;
  if (Input == int'(DirLocal)) begin : gen_local
    assign queue = '0;
  end else begin : gen_queued
    assign queue = vc_input.gen_queued.u_queue.u_state.queue;
  end
  wire state_t state =
  '{
      pop: NumChannels'(pop_i),
      can: NumChannels'(can_i),
      begun: NumChannels'(inside_i),
      keep: NumChannels'(keep_i),
      chosen: NumChannels'(chosen_i),
      passed: (3 * NumChannels)'(passed_i),
      channel: (NumChannels * NumChannels)'(channel_i),
      queue: (NumChannels * $bits(queue_t))'(queue)
  }
  ;

  logic started_q = 1'b0;  // a reset has occurred
  always_ff @(posedge clk_i) started_q <= 1'b1;

  lanes_t is_passed;
  always_comb begin
    for (int unsigned l = 0; l < NumLanes; l++) is_passed[l] = passed_i[l] != '0;
    if (started_q) begin
      assert ($onehot0(is_passed));
      assert ($onehot0(chosen_i) && (chosen_i & ~valid_i) == '0);
      assert (|chosen_i == |valid_i);
      assert ($onehot0(keep_i) && (keep_i & ~inside_i) == '0 && (keep_i & is_passed) == '0);
      for (int unsigned l = 0; l < NumLanes; l++) begin
        if (inside_i[l]) assert ($onehot(channel_i[l]));
        if (Input != int'(DirLocal)) assert (ready_i[l] == (32'(queue[l].level) < Depth - 1));
      end
    end
  end

endmodule

bind vc_input vc_input_state #(
    .Input(Input),
    .NumLanes(NumLanes),
    .NumChannels(VirtualChannels),
    .Depth(Depth),
    .FlitWidth($bits(flit_t))
) u_state (
    .clk_i,
    .pop_i(pop),
    .can_i(can),
    .inside_i(inside_q),
    .keep_i(u_choice.keep_q),
    .valid_i(front_valid),
    .chosen_i(choice),
    .ready_i(in_ready_o),
    .passed_i(u_choice.passed_q),
    .channel_i(channel_q)
);
