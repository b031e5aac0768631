// SPDX-License-Identifier: Apache-2.0
// Replaces head_fifo: its outputs are unconstrained. A proof assumes the properties that it needs;
// head_fifo_formal proves them.
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
