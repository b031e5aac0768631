// SPDX-License-Identifier: Apache-2.0
// Pipeline register of a stream that also registers ready: two entries in flip-flops, one LUT per
// bit.
//
// A beat that arrives in the cycle in which the output stalls is stored in the spare entry, so
// in_ready_o may follow one cycle later.
//
// Latency: 1 cycle. Throughput: one beat per cycle. in_ready_o is registered.
`include "bombus_assert.svh"

module skid_buffer #(
    parameter type data_t = logic
) (
    input logic clk_i,
    input logic rst_i,

    input  data_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output data_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i
);

  data_t spare_q;  // holds a beat while in_ready_o is low
  wire   moves = ~out_valid_o | out_ready_i;

  always_ff @(posedge clk_i) begin
    if (moves) out_o <= in_ready_o ? in_i : spare_q;
    if (in_ready_o) spare_q <= in_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      in_ready_o  <= 1'b1;
      out_valid_o <= 1'b0;
    end else begin
      in_ready_o <= moves | (in_ready_o & ~in_valid_i);
      if (moves) out_valid_o <= in_valid_i | ~in_ready_o;
    end
  end

  `BOMBUS_ASSERT(SpareFollowsOutput, in_ready_o || out_valid_o)

endmodule
