// SPDX-License-Identifier: Apache-2.0
// Output of the virtual-channel router: the allocated channels of the next router, and the input
// that sends a flit in this cycle.
//
// A message that sent a flit in the last cycle continues while it requests the output, so that
// messages are not interleaved without need. Otherwise, among the requesting inputs, the one that
// has not started a message for the longest time is granted: while an input waits, each rival
// starts at most one message.
//
// An input selects its request one cycle ahead, from the channels free at that time (vc_choice).
// While an urgent message claims the output, a channel opens only in the cycle after it is seen
// free, so that inputs that had chosen before are not always served first.
//
// Latency: 1 cycle from the grant to sent_o, select_o and kept_o. Combinational grant.
`include "bombus_assert.svh"

module vc_output #(
    parameter int unsigned NumInputs = 4,
    parameter int unsigned NumChannels = 2,
    localparam type channels_t = logic [NumChannels-1:0]
) (
    input logic clk_i,
    input logic rst_i,

    input channels_t room_i,  // channels that have room
    input logic claim_i,  // an urgent message is to start here
    output logic free_o,  // a channel has room and is not allocated
    output logic open_o,  // and a message may start there
    output channels_t start_o,  // in this channel

    input logic [NumInputs-1:0] request_i,
    // Continues the message that sent a flit in the last cycle
    input logic [NumInputs-1:0] continues_i,
    input logic [NumInputs-1:0] first_i,  // first flit of a message: allocates start_o
    input logic [NumInputs-1:0] last_i,  // last flit
    input channels_t [NumInputs-1:0] channel_i,  // channel allocated to its message
    output logic [NumInputs-1:0] grant_o,  // one-hot or zero

    output channels_t sent_o,  // channel of the flit granted in the last cycle
    output logic [$clog2(NumInputs)-1:0] select_o,  // its input
    output logic kept_o  // it did not end its message
);

  if (NumInputs < 1 || NumChannels < 1) begin : gen_bad_shape
    $error("vc_output: NumInputs and NumChannels must be at least 1");
  end

  channels_t held_q, held, closed_q, sent;
  logic [$clog2(NumInputs)-1:0] select;
  logic [NumInputs-1:0][NumInputs-1:0] order;

  wire channels_t free = room_i & ~held_q;
  wire channels_t open = free & ~closed_q;
  assign free_o = |free;
  assign open_o = |open;
  always_comb begin
    for (int unsigned c = 0; c < NumChannels; c++) begin
      start_o[c] = open[c] & ((open & ~(channels_t'('1) << c)) == '0);  // the lowest
    end
  end

  service_order #(
      .NumInputs(NumInputs)
  ) u_order (
      .clk_i,
      .rst_i,
      .served_i(grant_o & first_i),
      .before_o(order)
  );

  always_comb begin
    grant_o = request_i;
    for (int unsigned a = 0; a < NumInputs; a++) begin
      for (int unsigned b = 0; b < NumInputs; b++) begin
        if (a != b && request_i[a] && (continues_i[a] | (order[a][b] & ~continues_i[b]))) begin
          grant_o[b] = 1'b0;
        end
      end
    end
    sent   = '0;
    held   = held_q;
    select = '0;
    for (int unsigned k = 0; k < NumInputs; k++) begin
      if (grant_o[k]) begin
        sent |= first_i[k] ? start_o : channel_i[k];
        select |= ($clog2(NumInputs))'(k);
        if (first_i[k] & ~last_i[k]) held |= start_o;
      end
      for (int unsigned c = 0; c < NumChannels; c++) begin
        if (grant_o[k] & ~first_i[k] & last_i[k] & channel_i[k][c]) held[c] = 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    select_o <= select;
    if (rst_i) begin
      held_q   <= '0;
      closed_q <= '0;
      sent_o   <= '0;
      kept_o   <= 1'b0;
    end else begin
      sent_o   <= sent;
      kept_o   <= |(grant_o & ~last_i);
      held_q   <= held;
      closed_q <= claim_i ? ~free : '0;
    end
  end

  `BOMBUS_ASSERT(GrantsOneInput, $onehot0(grant_o))

endmodule
