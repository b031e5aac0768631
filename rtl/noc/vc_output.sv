// SPDX-License-Identifier: Apache-2.0
// Output of the virtual-channel router: which channels of the next router are allocated, and which
// input sends a flit in this cycle.
//
// A message that has sent a flit in the last cycle goes on while it asks, so that
// messages are not interleaved for no reason. Otherwise, among the inputs that ask,
// the one that has gone longest without starting a message goes: whoever waits lets
// each rival start once at most.
//
// Latency: 1 cycle from the grant to sent_o, select_o and kept_o. Combinational grant.
module vc_output #(
    parameter int unsigned NumInputs   = 4,
    parameter int unsigned NumChannels = 2
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [NumChannels-1:0] room_i,  // channels that have room
    output logic [NumChannels-1:0] free_o,  // and that no message holds: a message may start there

    input logic [NumInputs-1:0] request_i,
    // Continues the message that sent a flit in the last cycle
    input logic [NumInputs-1:0] goes_on_i,
    input logic [NumInputs-1:0] first_i,  // first flit of a message, last flit
    input logic [NumInputs-1:0] last_i,
    input logic [NumInputs-1:0][NumChannels-1:0] channel_i,  // channel it takes
    output logic [NumInputs-1:0] grant_o,  // one-hot or zero

    output logic [NumChannels-1:0] sent_o,  // channel of the flit granted in the last cycle
    output logic [$clog2(NumInputs)-1:0] select_o,  // its input
    output logic kept_o  // it did not end its message
);

  if (NumInputs < 1 || NumChannels < 1) begin : gen_bad_shape
    $error("vc_output: NumInputs and NumChannels must be at least 1");
  end

  logic [NumChannels-1:0] held_q, sent;
  logic [$clog2(NumInputs)-1:0] select;
  logic [NumInputs-1:0][NumInputs-1:0] order;
  wire last = |(grant_o & last_i);

  assign free_o = room_i & ~held_q;

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
        if (a != b && request_i[a] && (goes_on_i[a] | (order[a][b] & ~goes_on_i[b]))) begin
          grant_o[b] = 1'b0;
        end
      end
    end
    sent   = '0;
    select = '0;
    for (int unsigned k = 0; k < NumInputs; k++) begin
      if (grant_o[k]) begin
        sent |= channel_i[k];
        select |= ($clog2(NumInputs))'(k);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    select_o <= select;
    if (rst_i) begin
      held_q <= '0;
      sent_o <= '0;
      kept_o <= 1'b0;
    end else begin
      sent_o <= sent;
      kept_o <= |(grant_o & ~last_i);
      held_q <= last ? held_q & ~sent : held_q | sent;
    end
  end

endmodule
