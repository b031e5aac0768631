// SPDX-License-Identifier: Apache-2.0
// In the place of head_fifo: its outputs may be anything. What a proof needs of them, it assumes, and
// head_fifo_formal shows.
module any_fifo #(
    parameter type head_t = logic,
    parameter type body_t = logic,
    parameter int unsigned Depth = 32
) (
    input logic clk_i,
    input logic rst_i,

    input  head_t in_head_i,
    input  body_t in_body_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output head_t out_head_o,
    output body_t out_body_o,
    output logic  out_valid_o,
    input  logic  out_ready_i
);
endmodule
