// SPDX-License-Identifier: Apache-2.0
// FIFO of the properties of the frames of a class, for decisions about the next cycle: it shows the
// first entry, and what the first entry of the next cycle is with and without take_i.
//
// Latency: 1 cycle. Throughput: one entry per cycle. The writer must ensure that there is room.
module shaper_frames #(
    parameter type data_t = logic,
    parameter int unsigned Depth = 512  // a power of two
) (
    input logic clk_i,
    input logic rst_i,

    input  data_t data_i,
    input  logic  write_i,
    input  logic  take_i,   // only with valid_o
    output logic  valid_o,
    output data_t data_o,
    // The first entry of the next cycle, if there is one: without take_i, and with it.
    output data_t kept_o,
    output data_t next_o
);

  data_t second;
  logic  second_valid;  // only with valid_o
  wire   moves = ~valid_o | take_i;
  assign kept_o = valid_o ? data_o : data_i;
  assign next_o = second_valid ? second : data_i;
  block_fifo #(
      .data_t(data_t),
      .Depth (Depth)
  ) u_fifo (
      .clk_i,
      .rst_i,
      .data_i,
      .write_i(write_i & (second_valid | ~moves)),
      .data_o (second),
      .valid_o(second_valid),
      .ready_i(moves)
  );
  always_ff @(posedge clk_i) begin
    if (moves) data_o <= next_o;
    if (rst_i) valid_o <= 1'b0;
    else if (moves) valid_o <= second_valid | write_i;
  end

endmodule
