// SPDX-License-Identifier: Apache-2.0
// Timer of a packet processor's core: mtime in microseconds and mtimecmp, 64 bits each (RISC-V
// privileged ISA, chapter "Machine-Level ISA").
//
//   word 0, 1  mtime, lower word first, read only; the upper one counts from 0 while the core runs
// word 2, 3 mtimecmp; six ones at its upper end disarm the timer (575,000 years), the reset value
//
// due_o is high while mtime is at least mtimecmp. Latency: 3 cycles from a write or the time to
// due_o, which is low meanwhile.
module rpu_timer
  import rpu_pkg::*;
(
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,

    input logic write_i,
    input logic [1:0] index_i,
    input word_t data_i,
    output word_t read_o,  // the word at index_i

    output logic armed_o,
    output logic due_o
);

  word_t low_q, high_q, compare_low_q, compare_high_q;
  logic reached_q, write_q;
  always_ff @(posedge clk_i) begin
    low_q <= time_us_i;
    // The first bits show that the word has wrapped, unless more than 62 minutes are skipped.
    if (time_us_i[31:29] < low_q[31:29]) high_q <= high_q + 32'd1;
    if (write_i & index_i == 2'd2) compare_low_q <= data_i;
    if (write_i & index_i == 2'd3) compare_high_q <= data_i;
    reached_q <= {high_q, low_q} >= {compare_high_q, compare_low_q};
    write_q <= write_i;
    due_o <= armed_o & reached_q & ~write_i & ~write_q;
    armed_o <= ~&compare_high_q[31:26];
    if (rst_i) begin
      {high_q, armed_o, due_o} <= '0;
      compare_high_q <= '1;
      low_q <= '0;
    end
  end

  always_comb begin
    unique case (index_i)
      2'd0: read_o = low_q;
      2'd1: read_o = high_q;
      2'd2: read_o = compare_low_q;
      2'd3: read_o = compare_high_q;
    endcase
  end

endmodule
