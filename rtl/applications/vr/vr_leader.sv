// SPDX-License-Identifier: Apache-2.0
// The leader of a view: view modulo replicas, bit by bit.
//
// Latency: 48 cycles from start_i to busy_o low.
module vr_leader
  import vr_pkg::*;
(
    input logic clk_i,

    input  number_t  view_i,
    input  replica_t replicas_i,  // not 0
    input  logic     start_i,     // takes the view
    input  logic     step_i,      // high until the result is read
    output replica_t leader_o,
    output logic     busy_o
);

  logic [47:0] dividend_q;
  logic [ 5:0] steps_q;
  logic [ 3:0] remainder_q;
  wire  [ 3:0] doubled = {remainder_q[2:0], dividend_q[47]};
  wire  [ 3:0] reduced = doubled >= {1'b0, replicas_i} ? doubled - {1'b0, replicas_i} : doubled;
  assign leader_o = remainder_q[2:0];
  assign busy_o   = steps_q != '0;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      dividend_q  <= view_i;
      steps_q     <= 6'd48;
      remainder_q <= '0;
    end else if (step_i & busy_o) begin
      dividend_q  <= dividend_q << 1;
      steps_q     <= steps_q - 1'b1;
      remainder_q <= reduced;
    end
  end

endmodule
