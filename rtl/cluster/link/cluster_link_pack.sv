// SPDX-License-Identifier: Apache-2.0
// Packs packets and control words into beats of the wire.
//
// A packet is 4 bytes of header, its payload and a CRC-32C: length + 1 words of 8 bytes, which
// begin at any word of a beat. At most one packet or control word begins in a beat, and at most one
// packet ends in it; where more would fit, the rest of the beat is idle. Nothing follows a control
// word in its beat.
//
// sum_i is what a beat and its header add to the CRC at the end of the beat, whose last word is the
// last one of its data (crc_words). For a beat that is full it may come a cycle late: no word after
// the beat's data has left by then.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module cluster_link_pack
  import cluster_pkg::*;
  import cluster_crc_pkg::*;
  import cluster_link_pkg::session_key_t;
#(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 128,  // bits
    localparam int unsigned NumWords = DataWidth / WordBits,
    localparam int unsigned WordShift = $clog2(NumWords)
) (
    input logic clk_i,
    input logic rst_i,

    input beat_t beat_i,
    input crc_t sum_i,
    input logic sum_late_i,  // it is at sum_i in the next cycle, in which no beat has its own
    input session_key_t key_i,  // added to the CRC of a packet
    input logic [WordShift:0] words_i,  // of the beat: NumWords, or fewer in the last one
    input logic beat_valid_i,
    output logic beat_taken_o,
    output logic inside_o,  // a packet is begun
    input logic breaks_i,  // the packet is given up; not with beat_valid_i

    input logic [63:0] word_i,  // a control word, between packets
    input logic word_valid_i,  // not with beat_valid_i
    input logic word_aligned_i,  // at the beginning of a beat
    output logic word_taken_o,

    output logic [DataWidth-1:0] tx_data_o,
    output logic tx_valid_o,
    input logic tx_ready_i,

    output logic [1:0] begun_o,  // beats with words of packets that begin: 0, 1 or 2
    output logic sends_o  // such a beat leaves
);

  typedef logic [WordShift:0] fill_t;  // words of a beat, 0 to NumWords

  if (DataWidth < WordBits || DataWidth % WordBits != 0) begin : gen_bad_width
    $error("cluster_link_pack: DataWidth must be a multiple of %0d", WordBits);
  end

  // ---- CRC: the state before a beat, advanced by each number of its words ----

  typedef matrix_t [NumWords:1] matrices_t;
  function automatic matrices_t by_words();
    for (int unsigned w = 1; w <= NumWords; w++) by_words[w] = by_zeros(int'(WordBits * w));
  endfunction
  localparam matrices_t ByWords = by_words();
  crc_t [NumWords:1] states_q;  // 0 before a packet
  crc_t state, crc;
  logic late_q, late_last_q;  // sum_i is that of the beat before; of the last one of a packet
  always_comb begin
    crc = ~sum_i ^ crc_t'(key_i);
    for (int unsigned w = 1; w <= NumWords; w++) if (32'(words_i) == w) crc ^= states_q[w];
    state = states_q[NumWords] ^ sum_i;
  end

  // ---- Words of the item ----

  logic [31:0] half_q;
  logic [NumWords:0][63:0] words;
  wire is_word = word_valid_i;
  wire first = ~inside_o;
  wire last = beat_i.last;
  wire [31:0] low_half = first ? {1'b1, beat_i.header} : half_q;
  always_comb begin
    words = {32'b0, beat_i.data, low_half};
    if (last & ~sum_late_i) begin
      for (int unsigned w = 0; w <= NumWords; w++) if (32'(words_i) == w) words[w][63:32] = crc;
    end
    if (~last) words[NumWords] = '0;
    if (is_word) begin
      words = '0;
      words[0] = word_i;
    end
  end

  // ---- Beats of the wire ----

  logic [NumWords-1:0][63:0] rest_q, rest;
  fill_t fill_q;  // words in it
  always_comb begin
    rest = rest_q;
    for (int unsigned w = 0; w < NumWords; w++) begin
      if (late_last_q & fill_q == fill_t'(w + 1)) rest[w][63:32] = crc;
    end
  end
  logic rest_starts_q, rest_data_q;
  wire   out_free = ~tx_valid_o | tx_ready_i;
  wire   full = fill_q == fill_t'(NumWords);
  wire   pending = fill_q != '0;
  // The sums of two small numbers, as tables.
  fill_t left;  // words of the rest, with the beat
  logic fills, alone;  // a beat of the wire is full; no second one begins
  always_comb begin
    left  = '0;
    fills = is_word;
    alone = 1'b0;
    for (int unsigned f = 0; f < NumWords; f++) begin
      for (int unsigned w = 0; w <= NumWords; w++) begin
        if (fill_q == fill_t'(f) && words_i == fill_t'(w)) begin
          if (!last) left = fill_t'(f);
          else left = f + w + 1 < NumWords ? fill_t'(f + w + 1) : fill_t'(f + w + 1 - NumWords);
          if (!last || f + w + 1 >= NumWords) fills = 1'b1;
          if (last && f + w + 1 <= NumWords) alone = 1'b1;
        end
      end
    end
  end
  wire word_conflicts = pending & (rest_starts_q | word_aligned_i);
  wire beat_conflicts = first & pending & (rest_starts_q | alone);
  assign word_taken_o = word_valid_i & out_free & ~full & ~word_conflicts;
  assign beat_taken_o = beat_valid_i & out_free & ~full & ~beat_conflicts;
  wire takes = word_taken_o | beat_taken_o;
  wire flush = pending & (full | (word_valid_i ? word_conflicts :
      beat_valid_i ? beat_conflicts : ~inside_o | breaks_i));
  wire emits = out_free & (flush | (takes & fills));

  logic [2*NumWords-1:0][63:0] window;
  always_comb begin
    window = (2 * DataWidth)'(words) << (WordBits * 32'(fill_q));
    window[NumWords-1:0] |= rest;
  end

  wire sums = late_q | (beat_taken_o & ~sum_late_i);
  wire begins_here = beat_taken_o & ~rest_data_q;
  wire begins_next = beat_taken_o & fills & (left != '0);
  assign begun_o = 2'(begins_here) + 2'(begins_next);
  assign sends_o = emits & (rest_data_q | beat_taken_o);
  always_ff @(posedge clk_i) begin
    if (emits) tx_data_o <= flush ? rest : window[NumWords-1:0];
    if (takes) rest_q <= fills ? window[2*NumWords-1:NumWords] : window[NumWords-1:0];
    else rest_q <= emits ? '0 : rest;
    if (beat_taken_o) half_q <= beat_i.data[DataWidth-1-:32];
    if (sums) begin
      for (int unsigned w = 1; w <= NumWords; w++) states_q[w] <= times(ByWords[w], state);
    end
    if (rst_i | breaks_i | (sums & (late_q ? late_last_q : last))) states_q <= '0;
    late_q <= beat_taken_o & sum_late_i & ~rst_i;
    late_last_q <= beat_taken_o & sum_late_i & last & ~rst_i;
    if (rst_i) begin
      rest_q <= '0;
      tx_valid_o <= 1'b0;
      fill_q <= '0;
      rest_starts_q <= 1'b0;
      rest_data_q <= 1'b0;
      inside_o <= 1'b0;
    end else begin
      if (out_free) tx_valid_o <= emits;
      if (beat_taken_o) begin
        fill_q <= left;
        rest_starts_q <= ~fills & (rest_starts_q | first);
        rest_data_q <= ~fills | begins_next;
        inside_o <= ~last;
      end else if (emits) begin
        fill_q <= '0;
        rest_starts_q <= 1'b0;
        rest_data_q <= 1'b0;
      end
      if (breaks_i) inside_o <= 1'b0;
    end
  end

endmodule
