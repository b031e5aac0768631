// SPDX-License-Identifier: Apache-2.0
// Counts the messages of a stream, for a layer that reports which ones it drops
// (docs/architecture.md, "Observers").
`include "bombus_assert.svh"

module message_number
  import bombus_pkg::*;
#(
    parameter bit Enabled = 1  // 0: all numbers are 0 and not known
) (
    input  logic            clk_i,
    input  logic            rst_i,
    input  logic            taken_i,  // a beat is taken: valid and ready
    input  logic            last_i,   // the last one of its message
    output logic            first_o,  // the next beat to be taken begins a message
    output message_number_t here_o,   // message of the next beat to be taken
    output message_number_t begun_o   // the last one whose first beat was taken
);

  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i,
      .last_i,
      .first_o
  );
  logic [15:0] next_q, begun_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      next_q  <= '0;
      begun_q <= '0;
    end else if (taken_i & first_o) begin
      next_q  <= next_q + 16'd1;
      begun_q <= next_q;
    end
  end
  assign begun_o = Enabled ? '{known: 1'b1, number: begun_q} : '0;
  assign here_o  = Enabled ? '{known: 1'b1, number: first_o ? next_q : begun_q} : '0;

  `BOMBUS_ASSERT(BegunIsInside, first_o || begun_q + 16'd1 == next_q)

endmodule
