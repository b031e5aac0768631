// SPDX-License-Identifier: Apache-2.0
// Reads the options of a TCP header (RFC 9293, 3.1; RFC 7323; RFC 2018) byte by byte, in any order
// and at any position. Options of unknown kind or with an invalid length are skipped; of two
// options of the same kind the last one is used.
//
// A length less than 2 or beyond the header ends the list; options before it are used. Only the
// first SACK block is reported as an option.
//
// This module also finds the further SACK blocks, each of which is output for one cycle: for a
// header that tcp_layout has read, starting at more_at_i, or, with again_i, of the header that has
// been read here. A new header aborts that.
//
// Latency and throughput: one cycle per byte plus three, up to 43.
`include "bombus_assert.svh"

module tcp_options
  import bombus_pkg::*;
  import tcp_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic start_i,  // only while not busy
    input logic [9:0][31:0] words_i,
    input logic [3:0] num_words_i,

    // Only while neither busy nor reading more, and without start_i; with again_i in the cycle of
    // take_i
    input logic start_more_i,
    input logic again_i,
    input logic [5:0] more_at_i,
    input logic [1:0] num_more_i,

    output options_t options_o,   // but for the SACK block, until start_i
    output logic     has_more_o,  // further SACK blocks
    output logic     bad_o,       // the list ended at an invalid length
    output logic     ends_o,      // valid_o rises
    output logic     valid_o,
    input  logic     take_i,
    output logic     busy_o,

    output sack_block_t more_o,
    output logic more_valid_o,
    output logic more_ends_o,  // more_valid_o rises in two cycles
    output logic reads_more_o
);

  // ---- One byte per cycle ----

  logic [39:0][7:0] bytes_q;
  // Index of the next byte to read; bytes left after the one that was read
  logic [5:0] index_q, rest_q;
  logic running_q, byte_valid_q, more_q;
  logic [7:0] byte_q;
  logic finish;
  // Where the further SACK blocks of the header begin, and their number
  logic [5:0] more_at_q;
  logic [1:0] num_more_q;
  wire [1:0] num_more = again_i ? num_more_q : num_more_i;

  always_ff @(posedge clk_i) begin
    if (start_i | (start_more_i & ~again_i)) bytes_q <= words_i;
    byte_q <= bytes_q[index_q];
    if (start_i | start_more_i) begin
      index_q <= start_i ? '0 : again_i ? more_at_q : more_at_i;
      rest_q  <= start_i ? {num_words_i, 2'b0} : {1'b0, num_more, 3'b0};
    end else if (running_q) begin
      index_q <= index_q + 1'b1;
      rest_q  <= rest_q - 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      running_q <= 1'b0;
      byte_valid_q <= 1'b0;
      more_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      if (start_i | start_more_i) running_q <= 1'b1;
      else if (finish) running_q <= 1'b0;
      byte_valid_q <= running_q & ~finish & ~start_i;
      if (start_i) more_q <= 1'b0;
      else if (start_more_i) more_q <= 1'b1;
      else if (finish) more_q <= 1'b0;
      if (finish & ~more_q) valid_o <= 1'b1;
      else if (take_i) valid_o <= 1'b0;
    end
  end
  assign busy_o = (running_q & ~more_q) | valid_o;
  assign reads_more_o = more_q;

  // ---- Decode ----

  typedef enum logic [1:0] {
    StateKind,
    StateLength,
    StateValue
  } state_e;
  state_e state_q;
  logic [7:0] kind_q;
  logic [5:0] value_left_q;
  logic [2:0] block_byte_q;  // byte within a SACK block
  logic first_q;  // first SACK block
  logic uses_mss_q, uses_scale_q, uses_timestamps_q, uses_sack_q;
  options_t found_q;

  wire last = rest_q == '0;
  wire bad_length = (byte_q < 8'd2) | (byte_q > {2'b0, rest_q} + 8'd2);
  wire in_kind = byte_valid_q & (state_q == StateKind);
  wire in_length = byte_valid_q & (state_q == StateLength);
  wire in_value = byte_valid_q & (state_q == StateValue);
  wire ends_list = in_kind & (byte_q == OptionEnd);
  wire cut = (in_kind & last & (byte_q > OptionNop)) | (in_length & bad_length);
  wire no_value = byte_q == 8'd2;
  // The length of a valid option is at most 38 here.
  wire sacks = (kind_q == OptionSack) & (byte_q[2:0] == 3'd2) & (byte_q[5:3] != '0) & ~bad_length;
  wire value_ends = in_value & (value_left_q == 6'd1);
  assign finish = ends_list | cut | (byte_valid_q & last);

  always_ff @(posedge clk_i) begin
    // Also at the end of a list: at least one cycle without a byte follows.
    if (~byte_valid_q) state_q <= more_q ? StateValue : StateKind;
    else if (in_kind) state_q <= byte_q == OptionNop ? StateKind : StateLength;
    else if (in_length) state_q <= no_value ? StateKind : StateValue;
    else if (value_ends) state_q <= StateKind;
  end

  always_ff @(posedge clk_i) begin
    if (in_kind) kind_q <= byte_q;
    if (in_length) begin
      value_left_q <= 6'(byte_q - 8'd2);
      block_byte_q <= '0;
      first_q <= 1'b1;
      uses_mss_q <= (kind_q == OptionMss) & (byte_q == 8'd4);
      uses_scale_q <= (kind_q == OptionScale) & (byte_q == 8'd3);
      uses_timestamps_q <= (kind_q == OptionTimestamps) & (byte_q == 8'd10);
      uses_sack_q <= sacks;
      if (sacks) begin
        more_at_q  <= index_q + 6'd8;  // the byte after this one is that at index_q
        num_more_q <= 2'(byte_q[5:3] - 3'd1);
      end
    end
    if (~byte_valid_q & more_q) begin
      value_left_q <= '0;  // unlimited
      block_byte_q <= '0;
      {uses_mss_q, uses_scale_q, uses_timestamps_q, uses_sack_q} <= 4'b0001;
    end
    if (in_value) begin
      value_left_q <= value_left_q - 1'b1;
      block_byte_q <= block_byte_q + 1'b1;
      if (&block_byte_q) first_q <= 1'b0;
      if (uses_mss_q) found_q.mss <= {found_q.mss[7:0], byte_q};
      if (uses_scale_q) found_q.scale <= clamp_scale(byte_q);
      if (uses_timestamps_q) begin
        {found_q.ts_value, found_q.ts_echo} <= {found_q.ts_value[23:0], found_q.ts_echo, byte_q};
      end
      if (uses_sack_q & (first_q | more_q)) found_q.sack <= {found_q.sack[55:0], byte_q};
    end
    if (start_i) begin
      num_more_q <= '0;
      bad_o <= 1'b0;
      found_q.has_mss <= 1'b0;
      found_q.has_scale <= 1'b0;
      found_q.sack_permitted <= 1'b0;
      found_q.has_timestamps <= 1'b0;
      found_q.has_sack <= 1'b0;
    end else begin
      if (cut) bad_o <= 1'b1;
      if (in_length & ~bad_length & no_value & (kind_q == OptionSackPermitted)) begin
        found_q.sack_permitted <= 1'b1;
      end
      if (value_ends & uses_mss_q) found_q.has_mss <= 1'b1;
      if (value_ends & uses_scale_q) found_q.has_scale <= 1'b1;
      if (value_ends & uses_timestamps_q) found_q.has_timestamps <= 1'b1;
      if (value_ends & uses_sack_q) found_q.has_sack <= 1'b1;
    end
  end

  assign options_o = found_q;
  assign has_more_o = found_q.has_sack & (num_more_q != '0);
  assign ends_o = finish & ~more_q;

  // A complete block is stable for one cycle.
  assign more_o = found_q.sack;
  assign more_ends_o = in_value & more_q & (block_byte_q == 3'd6);
  always_ff @(posedge clk_i)
    more_valid_o <= in_value & more_q & (&block_byte_q) & ~start_i & ~rst_i;

  `BOMBUS_ASSERT(LegalState, state_q inside {StateKind, StateLength, StateValue})

endmodule
