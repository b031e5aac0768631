// SPDX-License-Identifier: Apache-2.0
// In place of sized_memory: reads return arbitrary data.
module any_memory #(
    parameter type data_t = logic,
    parameter int unsigned Depth = 16,
    parameter int unsigned LutDepth = 64,
    localparam type addr_t = logic [$clog2(Depth)-1:0]
) (
    input logic clk_i,

    input addr_t write_addr_i,
    input data_t data_i,
    input logic  write_i,

    input  addr_t read_addr_i,
    output data_t data_o
);

endmodule
