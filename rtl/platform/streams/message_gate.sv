// SPDX-License-Identifier: Apache-2.0
// Stops a stream between messages while hold_i is high, so that everything after it drains. A
// message that has begun passes whole.
//
// Latency: 0 cycles; hold_i acts two cycles later at the earliest.
`include "bombus_assert.svh"

module message_gate (
    input logic clk_i,
    input logic rst_i,
    input logic hold_i,
    input logic last_i,  // the offered beat is the last one of its message

    input  logic in_valid_i,
    output logic in_ready_o,
    output logic out_valid_o,
    input  logic out_ready_i,
    output logic held_o        // stopped: no message is passing
);

  logic inside_q, held_q;
  wire taken = out_valid_o & out_ready_i;
  wire is_between = ~out_valid_o & ~inside_q | taken & last_i;
  assign out_valid_o = in_valid_i & ~held_q;
  assign in_ready_o = out_ready_i & ~held_q;
  assign held_o = held_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      inside_q <= 1'b0;
      held_q   <= 1'b0;
    end else begin
      if (taken) inside_q <= ~last_i;
      if (is_between) held_q <= hold_i;
    end
  end

  `BOMBUS_ASSERT(HoldsBetweenMessages, !(held_q && inside_q))

endmodule
