// SPDX-License-Identifier: Apache-2.0
// Timer of a packet processor's core: mtime in microseconds and mtimecmp, the lower words of both.
//
//   word 0  mtime, read only         word 2  mtimecmp; a write arms the timer
//   word 1  0                        word 3  a write disarms it; reads as whether it is armed
//
// due_o is high while the timer is armed and mtime has reached mtimecmp: it may be up to 2^31 us ahead.
// Latency: 1 cycle from a write or the time to due_o.
module rpu_timer
  import rpu_pkg::*;
(
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,

    input logic write_i,
    input logic [1:0] place_i,
    input word_t data_i,
    output word_t read_o,  // of the word at place_i

    output logic armed_o,
    output logic due_o
);

  word_t compare_q;
  logic armed_q;
  wire [31:0] passed = time_us_i - compare_q;
  always_ff @(posedge clk_i) begin
    if (write_i & place_i == 2'd2) compare_q <= data_i;
    if (write_i & place_i[1]) armed_q <= ~place_i[0];
    due_o <= armed_q & ~passed[31] & ~write_i;
    if (rst_i) {armed_q, due_o} <= '0;
  end
  assign armed_o = armed_q;

  always_comb begin
    unique case (place_i)
      2'd0: read_o = time_us_i;
      2'd1: read_o = '0;
      2'd2: read_o = compare_q;
      2'd3: read_o = 32'(armed_q);
    endcase
  end

endmodule
