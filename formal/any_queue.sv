// SPDX-License-Identifier: Apache-2.0
// Replaces stream_queue: its outputs are unconstrained. A proof assumes the properties that it
// needs.
module any_queue #(
    parameter type data_t = logic,
    parameter int unsigned Depth = 0
) (
    input logic clk_i,
    input logic rst_i,

    input  data_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output data_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,
    output logic  holds_o
);
endmodule
