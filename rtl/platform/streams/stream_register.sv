// SPDX-License-Identifier: Apache-2.0
// Pipeline register of a stream: flip-flops with a clock enable, no LUT per bit. in_ready_o depends
// combinationally on out_ready_i.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
`include "bombus_assert.svh"

module stream_register #(
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

  assign in_ready_o = ~out_valid_o | out_ready_i;

  always_ff @(posedge clk_i) begin
    if (in_ready_o) out_o <= in_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) out_valid_o <= 1'b0;
    else if (in_ready_o) out_valid_o <= in_valid_i;
  end

  `BOMBUS_ASSERT(BeatWaits, out_valid_o && !out_ready_i |=> out_valid_o)

endmodule
