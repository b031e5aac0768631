// SPDX-License-Identifier: Apache-2.0
// Holds the entries of a received message until all are known to be valid, and checks them.
//
// begin_i starts a message, in or before the cycle of its first line. Lines are at least 2 cycles
// apart. The results are valid 4 cycles after the last one. Lines are read with a latency of one
// cycle.
module vr_entries
  import vr_pkg::*;
#(
    parameter int unsigned BufferLines = 128,  // a power of two, up to 256
    localparam int unsigned AddrBits = $clog2(BufferLines)
) (
    input logic clk_i,

    input logic    begin_i,
    input count_t  lines_i,  // of the message
    input number_t view_i,   // of the message
    input number_t keep_i,   // entries after this operation are counted
    input line_t   line_i,
    input logic    valid_i,

    output logic    bad_o,
    output number_t first_o,  // operations
    output number_t last_o,
    output count_t  new_lines_o,
    output count_t  new_ops_o,

    input  logic  [AddrBits-1:0] read_addr_i,
    output line_t                read_line_o
);

  logic [AddrBits-1:0] write_q;
  sized_memory #(
      .data_t(line_t),
      .Depth (BufferLines)
  ) u_memory (
      .clk_i,
      .write_addr_i(write_q),
      .data_i(line_i),
      .write_i(valid_i),
      .read_addr_i,
      .data_o(read_line_o)
  );

  // The fields of an entry, from its first line. A size beyond a datagram is an error.
  wire [63:0] size = word_at(line_i, 0);
  wire [63:0] op_bytes = word_at(line_i, 56);
  wire count_t lines = count_t'((15'(size[13:0]) + 15'd63) >> 6);
  count_t left_q, rest_q;  // lines of this entry, and of the message
  wire is_first = left_q == '0;

  typedef struct packed {
    logic    valid;
    logic    is_bad;  // its lengths
    number_t view;
    number_t op;
    count_t  lines;
  } entry_t;
  entry_t entry_q, judged_q;
  logic any_q, follows_q, keeps_view_q, is_new_q, known_view_q;
  number_t view_q, next_q;  // next: operation, one cycle after last_o

  always_ff @(posedge clk_i) begin
    // The entry, with its lengths.
    entry_q.valid <= valid_i & is_first;
    entry_q.view <= number_t'(word_at(line_i, 8));
    entry_q.op <= number_t'(word_at(line_i, 16));
    entry_q.lines <= lines;
    entry_q.is_bad <= |size[63:14] | |op_bytes[63:14] | (lines > rest_q) |
        ({1'b0, size[13:0]} != {1'b0, op_bytes[13:0]} + 15'd64) | (word_at(
        line_i, 32
    ) != '0) | |line_i[8*8+:16] | |line_i[8*16+:16];
    if (valid_i) begin
      write_q <= write_q + 1'b1;
      rest_q  <= rest_q - 1'b1;
      // A bad size may be 0: the next line then begins another entry.
      if (~is_first) left_q <= left_q - 1'b1;
      else left_q <= lines == '0 ? '0 : lines - 1'b1;
    end
    // Its order.
    judged_q <= entry_q;
    follows_q <= (~any_q | (entry_q.op == next_q)) & (entry_q.op != '0);
    next_q <= last_o + 1'b1;
    keeps_view_q <= ~any_q | (entry_q.view >= view_q);
    known_view_q <= entry_q.view <= view_i;
    is_new_q <= entry_q.op > keep_i;
    if (entry_q.valid) begin
      any_q  <= 1'b1;
      view_q <= entry_q.view;
      last_o <= entry_q.op;
      if (~any_q) first_o <= entry_q.op;
    end
    if (judged_q.valid) begin
      if (judged_q.is_bad | ~follows_q | ~keeps_view_q | ~known_view_q) bad_o <= 1'b1;
      if (is_new_q) begin
        new_lines_o <= new_lines_o + judged_q.lines;
        new_ops_o   <= new_ops_o + 1'b1;
      end
    end
    if (begin_i) begin
      write_q <= '0;
      left_q <= '0;
      rest_q <= lines_i;
      any_q <= 1'b0;
      bad_o <= 1'b0;
      new_lines_o <= '0;
      new_ops_o <= '0;
      entry_q.valid <= 1'b0;
      judged_q.valid <= 1'b0;
    end
  end

endmodule
