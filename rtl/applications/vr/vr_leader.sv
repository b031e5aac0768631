// SPDX-License-Identifier: Apache-2.0
// The leader of a view: view modulo replicas, bit by bit.
//
// Latency: 49 cycles from start_i to busy_o low.
module vr_leader
  import vr_pkg::*;
(
    input logic clk_i,

    input  replica_t       replicas_i,  // not 0
    input  logic           start_i,
    output logic     [5:0] place_o,     // of bit_i in the view; the highest one is the first
    input  logic           bit_i,
    input  logic           step_i,      // high until the result is read
    output replica_t       leader_o,
    output logic           busy_o
);

  logic reads_q, adds_q, bit_q;
  logic [3:0] remainder_q;
  wire  [3:0] doubled = {remainder_q[2:0], bit_q};
  wire  [3:0] reduced = doubled >= {1'b0, replicas_i} ? doubled - {1'b0, replicas_i} : doubled;
  assign leader_o = remainder_q[2:0];
  assign busy_o   = reads_q | adds_q;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      place_o <= 6'($bits(number_t) - 1);
      reads_q <= 1'b1;
      adds_q <= 1'b0;
      remainder_q <= '0;
    end else if (step_i) begin
      place_o <= place_o - 1'b1;
      bit_q   <= bit_i;
      if (place_o == '0) reads_q <= 1'b0;
      adds_q <= reads_q;
      if (adds_q) remainder_q <= reduced;
    end
  end

endmodule
