// SPDX-License-Identifier: Apache-2.0
// In place of vr_window: the beats after the first one, their number and their times are anything.
module any_vr_window
  import vr_pkg::*;
#(
    parameter type tag_t = logic
) (
    input logic clk_i,
    input logic rst_i,

    input  line_t in_i,
    input  logic  in_valid_i,
    input  logic  in_last_i,
    input  logic  begin_i,
    input  logic  first_i,
    input  logic  discard_i,
    output logic  ready_o,
    output logic  ended_o,
    output line_t next_o,
    output logic  has_next_o,

    input  logic [6:0] count_i,
    input  logic       consume_i,
    input  logic       extract_i,
    input  logic       rotates_i,
    output logic [5:0] place_o,
    output logic       has_o,
    output logic       turns_o,

    input tag_t tag_i,
    output line_t line_o,
    output logic [LineBytes-1:0] keep_o,
    output tag_t tag_o,
    output logic valid_o
);

endmodule
