// SPDX-License-Identifier: Apache-2.0
// Marks the first beat of each message of a stream.
//
// first_o is high from reset, or from the cycle after the last beat of a message, until the next
// beat is taken.
module first_beat (
    input  logic clk_i,
    input  logic rst_i,
    input  logic taken_i,  // a beat is taken: valid and ready
    input  logic last_i,   // the last one of its message
    output logic first_o   // the next beat to be taken begins a message
);

  logic first_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) first_q <= 1'b1;
    else if (taken_i) first_q <= last_i;
  end
  assign first_o = first_q;

endmodule
