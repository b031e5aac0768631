// SPDX-License-Identifier: Apache-2.0
// Queue of a stream: a message that waits for its output does not block the messages that follow
// it.
//
// Up to 64 beats are in LUTRAM, more in block RAM.
//
// Latency: 1 cycle. Throughput: one beat per cycle. Depth: the capacity, a power of two from 4 on;
// 0: plain wires. in_ready_o is registered.
`include "bombus_assert.svh"

module stream_queue #(
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
    output logic  holds_o       // a beat is inside
);

  if (Depth == 0) begin : gen_none
    assign out_o = in_i;
    assign out_valid_o = in_valid_i;
    assign in_ready_o = out_ready_i;
    assign holds_o = 1'b0;
    wire unused = ^{clk_i, rst_i};
  end else if (Depth <= 64) begin : gen_lutram
    logic unused_head;
    head_fifo #(
        .head_t(logic),
        .body_t(data_t),
        .Depth (Depth)
    ) u_fifo (
        .clk_i,
        .rst_i,
        .in_head_i (1'b0),
        .in_body_i (in_i),
        .in_valid_i,
        .in_ready_o,
        .out_head_o(unused_head),
        .out_body_o(out_o),
        .out_valid_o,
        .out_ready_i
    );
    assign holds_o = out_valid_o;
  end else begin : gen_block_ram
    wire pushed = in_valid_i & in_ready_o;
    logic [$clog2(Depth + 3)-1:0] level;
    block_fifo #(
        .data_t(data_t),
        .Depth (Depth)
    ) u_fifo (
        .clk_i,
        .rst_i,
        .data_i (in_i),
        .write_i(pushed),
        .data_o (out_o),
        .valid_o(out_valid_o),
        .ready_i(out_ready_i)
    );
    occupancy #(
        .Max(Depth + 2)  // two after the memory
    ) u_occupancy (
        .clk_i,
        .rst_i,
        .enter_i(pushed),
        .leave_i(out_valid_o & out_ready_i),
        .level_o(level),
        .holds_o
    );
    // Three more beats may arrive before this takes effect: two that are not yet in the level, and
    // the next one.
    always_ff @(posedge clk_i) begin
      in_ready_o <= ~rst_i & 32'(level) < Depth;
    end

    `BOMBUS_ASSERT(LevelInBounds, 32'(level) <= Depth + 2)
  end

endmodule
