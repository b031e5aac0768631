// SPDX-License-Identifier: Apache-2.0
// Entries of a StateTransfer or a StartView: holds them until all are valid (vr_entries), compares
// them with the log, and gives the new ones line by line.
//
// A line is given in each StCopyLine, and it is new if new_o is high.
module vr_transfer
  import vr_pkg::*;
  import vr_header_pkg::*;
  import vr_state_pkg::*;
#(
    parameter int unsigned BufferLines = 256  // a power of two, up to 256
) (
    input logic clk_i,

    input st_e            st_i,
    input st_e            st_next_i,
    input st_e            after_i,
    input actions_t       actions_i,
    input header_t        header_i,
    input words_t         word_i,
    input replica_state_t now_i,
    input logic           same_log_i,  // they extend the present log
    input line_t          line_i,      // of entries
    input logic           valid_i,

    output facts_t facts_o,  // those of the entries; the others are 0
    output number_t keep_o,  // operations up to this one are kept; from StRoom on before_o, if it
                             // is later
    output number_t before_o,  // operation before the entries
    output number_t installed_o,  // last operation with them
    output number_t reported_o,  // as committed
    output count_t lines_o,  // of new entries
    output count_t ops_o,
    output line_t line_o,
    output logic new_o,  // the line is part of a new entry,
    output logic first_o,  // and its first one
    output number_t op_o,  // of this entry
    output count_t op_lines_o
);

  localparam int unsigned BufferBits = $clog2(BufferLines);
  logic bad;
  number_t first, last;
  count_t lines_q, left_q;  // to be received, of the entry that is copied
  count_t old_q;  // lines before those of new entries
  logic [BufferBits:0] copy_q;
  logic any_q, jumps_q, jumps_far_q, lacks_q, has_new_q;
  logic differs_q;  // the last entry is not the one that a StartView names
  vr_entries #(
      .BufferLines(BufferLines)
  ) u_entries (
      .clk_i,
      .begin_i(actions_i.begins_entries),
      .lines_i(header_i.lines),
      .view_i(number_t'(word_i[0])),
      .keep_i(keep_o),
      .line_i,
      .valid_i,
      .bad_o(bad),
      .first_o(first),
      .last_o(last),
      .new_lines_o(lines_o),
      .new_ops_o(ops_o),
      .read_addr_i(copy_q[BufferBits-1:0]),
      .read_line_o(line_o)
  );
  wire number_t reported = header_i.is_start ? number_t'(word_i[2]) : number_t'(word_i[1]);
  wire [13:0] op_bytes = 14'(word_at(line_o, 0));
  assign first_o = left_q == '0;
  assign op_o = number_t'(word_at(line_o, 16));
  assign op_lines_o = count_t'((15'(op_bytes) + 15'd63) >> 6);
  assign new_o = count_t'(copy_q) > old_q;  // copy_q: the next line
  assign installed_o = has_new_q ? last : keep_o;
  wire exceeds = reported_o > installed_o;

  always_comb begin
    facts_o = '0;
    facts_o.lines_left = lines_q != '0;
    facts_o.bad_entries = bad | (header_i.is_start & any_q & differs_q);
    facts_o.jumps_far = jumps_far_q;
    facts_o.jumps = jumps_q;
    facts_o.lacks = lacks_q;
    facts_o.copied = copy_q == (BufferBits + 1)'(header_i.lines);
    facts_o.has_new = has_new_q;
  end

  always_ff @(posedge clk_i) begin
    has_new_q <= ops_o != '0;
    old_q <= header_i.lines - lines_o;
    differs_q <= last != number_t'(word_i[1]);
    if (st_i == StDecide) begin
      keep_o <= same_log_i ? now_i.last : now_i.committed;
      reported_o <= reported;
      lines_q <= header_i.lines;
      any_q <= 1'b0;
    end
    if (st_i == StEntries) begin
      if (actions_i.extract) begin
        lines_q <= lines_q - 1'b1;
        any_q   <= 1'b1;
      end
      copy_q <= '0;
      left_q <= '0;
    end
    if (st_i == StJudge) begin
      if (any_q) before_o <= first - 1'b1;
      else before_o <= header_i.is_start ? number_t'(word_i[1]) : keep_o;
    end
    if (st_i == StPlan) jumps_q <= before_o > keep_o;
    jumps_far_q <= jumps_q & (before_o > reported_o);
    lacks_q <= ~same_log_i & exceeds;
    if ((st_i == StSettle && after_i == StRoom || st_i == StRoom) && jumps_q) keep_o <= before_o;
    if (st_i == StCopy && st_next_i != StCopy) begin
      copy_q <= copy_q + 1'b1;
      if (st_next_i == StInstalled && exceeds) reported_o <= installed_o;
    end
    if (st_i == StCopyLine) begin
      left_q <= (first_o ? op_lines_o : left_q) - 1'b1;
    end
  end

endmodule
