// SPDX-License-Identifier: Apache-2.0
// Reads the options of a TCP header in one step if their layout is one that current systems send.
// In words, where RFC 7323, appendix A, recommends the layout of data segments and
// acknowledgements:
//
//   NOP NOP timestamps, NOP NOP SACK, both in this order, or no options
//   in a SYN: MSS, then
//     Linux: SACK permitted or NOP NOP, timestamps, NOP window scale; without
//       timestamps NOP NOP SACK permitted, NOP window scale; any of the last left out
//     Windows: NOP window scale, NOP NOP SACK permitted
//     macOS: NOP window scale, NOP NOP timestamps, SACK permitted, end
//
// Latency: words are classified before they are registered, here and by the caller; the outputs
// belong to the registered words.
module tcp_layout
  import bombus_pkg::*;
  import tcp_pkg::*;
(
    input logic clk_i,

    input logic [9:0] load_i,  // words arriving in this cycle
    input logic [9:0][31:0] words_i,
    input logic [9:0][31:0] words_q_i,  // words received
    input logic [3:0] offset_i,  // header length in words

    output logic known_o,
    output options_t options_o,
    // Further SACK blocks
    output logic has_more_o,
    output logic [1:0] num_more_o,
    output logic [5:0] more_at_o  // byte of the options where they begin
);

  // Words in wire order, the first one lowest.
  typedef struct packed {
    logic mss;
    logic scale;  // after a NOP
    logic permitted;  // after two NOPs
    logic permitted_end;
    logic timestamps;  // after two NOPs
    logic permitted_timestamps;
    logic sack;  // after two NOPs
  } class_t;
  class_t [9:0] class_q;

  function automatic class_t classify(logic [31:0] word);
    logic nops;
    nops = word[15:0] == {OptionNop, OptionNop};
    return
    '{
        mss: word[15:0] == {8'd4, OptionMss},
        scale: word[23:0] == {8'd3, OptionScale, OptionNop},
        permitted: nops & (word[31:16] == {8'd2, OptionSackPermitted}),
        permitted_end: word == {OptionEnd, OptionEnd, 8'd2, OptionSackPermitted},
        timestamps: nops & (word[31:16] == {8'd10, OptionTimestamps}),
        permitted_timestamps: word == {8'd10, OptionTimestamps, 8'd2, OptionSackPermitted},
        sack:
        nops
        & (
        word[23:16] == OptionSack
        ) & (
        word[26:24] == 3'd2
        ) & (
        (
        word[31:27] == 5'd1
        ) | (
        word[31:27] == 5'd2
        ) | (
        word[31:27] == 5'd3
        ) | (
        word[31:27] == 5'd4
        )
        )
    }
    ;
  endfunction

  always_ff @(posedge clk_i) begin
    for (int unsigned w = 0; w < 10; w++) begin
      if (load_i[w]) class_q[w] <= classify(words_i[w]);
    end
  end

  // Number of SACK blocks, if the option starts in the first or the fourth word of options.
  logic [2:0] num_first, num_fourth;
  assign num_first  = words_q_i[0][29:27];
  assign num_fourth = words_q_i[3][29:27];
  // Header lengths of a SACK option alone and after timestamps: 6 + 2 num_first, 9 + 2 num_fourth.
  // Without an adder, for the sake of timing.
  wire fits_first = offset_i[3] & ~offset_i[0] &
      (offset_i[2:1] == {num_first[1] ~^ num_first[0], ~num_first[0]});
  wire fits_fourth = offset_i[3] & offset_i[0] & ~num_fourth[2] &
      (offset_i[2:1] == num_fourth[1:0]);
  wire ts_first = class_q[0].timestamps;
  wire ts_second = class_q[1].timestamps | class_q[1].permitted_timestamps;

  logic empty, stamps, stamps_sack, sack, linux, bare_linux, windows, macos;
  always_comb begin
    empty = offset_i == 4'd5;
    stamps = ts_first & (offset_i == 4'd8);
    stamps_sack = ts_first & class_q[3].sack & fits_fourth;
    sack = class_q[0].sack & fits_first;
    linux = class_q[0].mss & ts_second &
        ((offset_i == 4'd9) | ((offset_i == 4'd10) & class_q[4].scale));
    bare_linux = class_q[0].mss & ((offset_i == 4'd6) |
        ((offset_i == 4'd7) & (class_q[1].permitted | class_q[1].scale)) |
        ((offset_i == 4'd8) & class_q[1].permitted & class_q[2].scale));
    windows = class_q[0].mss & (offset_i == 4'd8) & class_q[1].scale & class_q[2].permitted;
    macos = class_q[0].mss & (offset_i == 4'd11) & class_q[1].scale & class_q[2].timestamps &
        class_q[5].permitted_end;
    known_o = empty | stamps | stamps_sack | sack | linux | bare_linux | windows | macos;
  end

  logic [2:0][31:0] stamps_at;
  assign stamps_at = ts_first ? words_q_i[2:0] : ts_second ? words_q_i[3:1] : words_q_i[4:2];
  wire [7:0] scale = linux ? words_q_i[4][31:24] :
      class_q[1].scale ? words_q_i[1][31:24] : words_q_i[2][31:24];

  always_comb begin
    options_o = '0;
    options_o.has_mss = ~empty & class_q[0].mss;
    options_o.mss = swap16(words_q_i[0][31:16]);
    options_o.has_scale = (linux & (offset_i == 4'd10)) | windows | macos |
        (bare_linux & (((offset_i == 4'd7) & class_q[1].scale) | (offset_i == 4'd8)));
    options_o.scale = clamp_scale(scale);
    options_o.sack_permitted = (linux & class_q[1].permitted_timestamps) |
        (bare_linux & (offset_i != 4'd6) & class_q[1].permitted) | windows | macos;
    options_o.has_timestamps = stamps | stamps_sack | linux | macos;
    options_o.ts_value = swap32(stamps_at[1]);
    options_o.ts_echo = swap32(stamps_at[2]);
    options_o.has_sack = stamps_sack | sack;
    options_o.sack = '{left: swap32(words_q_i[1]), right: swap32(words_q_i[2])};
    if (ts_first) options_o.sack = '{left: swap32(words_q_i[4]), right: swap32(words_q_i[5])};
  end

  wire [2:0] num_blocks = ts_first ? num_fourth : num_first;
  assign has_more_o = (stamps_sack | sack) & (num_blocks != 3'd1);
  assign num_more_o = 2'(num_blocks - 3'd1);
  assign more_at_o  = ts_first ? 6'd24 : 6'd12;

endmodule
