// SPDX-License-Identifier: Apache-2.0
// Output of the virtual-channel router: which channels of the next router messages
// hold, and which input sends a flit in this cycle.
//
// Among the inputs that ask, the one that has gone longest without starting a
// message goes. So a message that has started is not interleaved with others for
// no reason, and whoever waits lets each rival start once at most.
//
// Latency: 1 cycle from the grant to sent_o and select_o. Combinational grant.
module vc_output #(
    parameter int unsigned NumInputs   = 4,
    parameter int unsigned NumChannels = 2
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [NumChannels-1:0] room_i,  // channels that have room
    output logic [NumChannels-1:0] start_o, // for the next message; zero: none may start

    input logic [NumInputs-1:0] request_i,
    input logic [NumInputs-1:0] first_i,  // the first flit of a message, the last
    input logic [NumInputs-1:0] last_i,
    input logic [NumInputs-1:0][NumChannels-1:0] channel_i,  // it goes by
    output logic [NumInputs-1:0] grant_o,  // one-hot or zero

    output logic [NumChannels-1:0] sent_o,  // of the flit granted in the last cycle
    output logic [$clog2(NumInputs)-1:0] select_o  // its input
);

  if (NumInputs < 1 || NumChannels < 1) begin : gen_bad_shape
    $error("vc_output: NumInputs and NumChannels must be at least 1");
  end

  logic [NumChannels-1:0] held_q, sent;
  logic first, last;

  wire [NumChannels-1:0] free = room_i & ~held_q;
  assign start_o = free & (~free + 1'b1);  // the lowest

  least_recent #(
      .NumInputs(NumInputs)
  ) u_arbiter (
      .clk_i,
      .rst_i,
      .request_i,
      .grant_o,
      .served_i(first)
  );

  always_comb begin
    sent  = '0;
    first = |(grant_o & first_i);
    last  = |(grant_o & last_i);
    for (int unsigned k = 0; k < NumInputs; k++) if (grant_o[k]) sent |= channel_i[k];
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < NumInputs; k++) begin
      if (grant_o[k]) select_o <= ($clog2(NumInputs))'(k);
    end
    if (rst_i) begin
      held_q <= '0;
      sent_o <= '0;
    end else begin
      sent_o <= sent;
      held_q <= last ? held_q & ~sent : held_q | sent;
    end
  end

endmodule
