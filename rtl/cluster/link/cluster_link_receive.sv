// SPDX-License-Identifier: Apache-2.0
// The receiving half of a link with retry: finds packets and control words in the beats of the
// wire, checks them, and passes on each packet whose CRC is good and whose turn it is.
//
// Beats with words of packets are kept in a ring as they come. Packets leave it when their CRC has
// been checked. After anything that does not fit, the receiver is out of step (hunting_o): beats
// are discarded until a Mark arrives, at the beginning of a beat, with the nonce that this receiver
// has drawn for the purpose. Payload can therefore not be mistaken for one.
//
// Numbers of beats that the sender counts (count_t) are those of the ring plus shift_q, which each
// Tail corrects: beats lost on the wire occupy no room for ever.
//
// Latency: 8 cycles from the beat with the end of a packet to its first beat. Throughput: one beat
// per cycle.
`include "bombus_assert.svh"

module cluster_link_receive
  import cluster_pkg::*;
  import cluster_crc_pkg::*;
  import cluster_link_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 128,
    parameter int unsigned BufferBeats = 200,
    parameter int unsigned MaxWords = 255  // of a packet
) (
    input logic clk_i,
    input logic rst_i,

    input logic [DataWidth-1:0] rx_data_i,
    input logic rx_valid_i,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    input logic listens_i,  // up: takes packets; otherwise only training words
    input logic fresh_i,    // the other side is new; a pulse
    input logic restart_i,  // it begins anew where this side is; a pulse

    output control_t control_o,
    output logic control_valid_o,
    output logic control_sure_o,
    output logic beat_valid_o,  // a beat has been examined: control_valid_o says if it had a word

    output seq_t   expected_o,
    output count_t limit_o,
    output logic   limit_valid_o,
    output logic   hunting_o,
    output logic   new_o,
    output nonce_t nonce_o,

    output logic [NumEvents-1:0] event_o
);

  localparam int unsigned NumWords = DataWidth / 64;
  localparam int unsigned WordShift = $clog2(NumWords);
  // A good packet waits for each beat of the buffer and for those that are read already.
  localparam int unsigned RingBeats = 2 ** $clog2(BufferBeats + 3);
  localparam int unsigned AddrBits = $clog2(RingBeats);
  localparam int unsigned OffsetBits = WordShift == 0 ? 1 : WordShift;
  typedef logic [AddrBits-1:0] addr_t;
  typedef logic [OffsetBits-1:0] offset_t;
  typedef logic [NumWords-1:0] mask_t;
  typedef logic [NumWords-1:0][63:0] words_t;
  typedef logic [8:0] left_t;

  if (DataWidth < 64 || DataWidth > 512 || DataWidth != 2 ** $clog2(
          DataWidth
      )) begin : gen_bad_width
    $error("cluster_link: DataWidth must be 64, 128, 256 or 512");
  end
  if (MaxWords < 1 || MaxWords > 255) begin : gen_bad_words
    $error("cluster_link: MaxWords must be 1 to 255");
  end
  if (BufferBeats > 1024 || BufferBeats < (MaxWords + 2) / NumWords + 4) begin : gen_bad_buffer
    $error("cluster_link: BufferBeats must hold the longest packet, and be at most 1024");
  end

  // ---- A beat arrives; each of its words is classified ----

  words_t arrived_q;
  logic   arrived_valid_q;
  mask_t is_packet_q, is_control_q, is_mark_q, is_junk_q, ends_here_q;
  left_t [NumWords-1:0] left_after_q;  // words in later beats, if a packet begins here
  logic [NumWords-1:0][WordShift:0] end_at_q;  // index of its last word, if it ends here
  logic fail, fresh_q;
  always_ff @(posedge clk_i) begin
    arrived_valid_q <= rx_valid_i & ~rst_i & ~fail;
    for (int unsigned w = 0; w < NumWords; w++) begin
      arrived_q[w] <= rx_data_i[64*w+:64];
      is_packet_q[w] <= rx_data_i[64*w+31];
      is_control_q[w] <= ~rx_data_i[64*w+31] & (|rx_data_i[64*w+28+:3]);
      is_mark_q[w] <= ~rx_data_i[64*w+31] & rx_data_i[64*w+28+:3] == WordMark;
      is_junk_q[w] <= ~(|rx_data_i[64*w+28+:4]) & (|rx_data_i[64*w+:64]);
      left_after_q[w] <= 9'(rx_data_i[64*w+:8]) + 9'd1 - 9'(NumWords - w);
      ends_here_q[w] <= 32'(rx_data_i[64*w+:8]) < NumWords - w;
      end_at_q[w] <= (WordShift + 1)'(w) + (WordShift + 1)'(rx_data_i[64*w+:8]);
    end
  end

  // ---- Where packets begin and end ----

  typedef struct packed {
    addr_t   addr;
    offset_t offset;
    length_t length;
  } place_t;
  typedef struct packed {
    logic valid;
    logic ends;  // a packet ends
    logic whole;  // which began in this beat
    logic starts;  // a packet begins that does not end here
    mask_t end_words;
    mask_t start_words;
    mask_t end_at;  // one-hot
    place_t place;  // of the packet that ends
    seq_t seq;  // its number

    logic is_control;
    logic sure;
    logic guess;  // a Mark that was only guessed
    logic junk;
    logic overflow;
    count_t count;  // beats stored until then
    seq_t next_seq;
  } parsed_t;
  parsed_t parsed, parsed_q, partial_q, checked_q;

  left_t  left_q;  // words of the packet that follow
  logic   hunts_q;  // as hunting_q, but ends with a Mark that is not checked yet
  seq_t   seq_q;  // of the next packet
  nonce_t nonce_q;
  place_t place_q;
  seq_t   expected_q;
  logic [11:0] write_q, commit_q, read_q;  // the ring's addresses, extended
  wire covers = left_q >= 9'(NumWords);
  wire tail = left_q != '0;

  mask_t candidates, first;
  always_comb begin
    for (int unsigned w = 0; w < NumWords; w++) begin
      candidates[w] = (is_packet_q[w] | is_control_q[w] | is_junk_q[w]) & ~covers &
          (9'(w) >= left_q);
    end
    if (hunts_q) candidates = mask_t'(is_control_q[0]);
    first = candidates & (~candidates + 1'b1);  // the lowest
  end

  logic [63:0] control, control_q;
  length_t length;
  offset_t offset;
  left_t left_after;
  logic [WordShift:0] end_at;
  always_comb begin
    control = '0;
    offset = '0;
    left_after = '0;
    end_at = '0;
    for (int unsigned w = 0; w < NumWords; w++) begin
      if (first[w]) begin
        control |= arrived_q[w];
        offset |= offset_t'(w);
        left_after |= left_after_q[w];
        end_at |= end_at_q[w];
      end
    end
  end
  assign length = control[7:0];
  control_t marked;
  numbers_t mark_numbers;
  assign marked = control[30:0];
  assign mark_numbers = marked.payload;
  wire is_packet = |(first & is_packet_q) & ~hunts_q;
  wire is_whole = |(first & is_packet_q & ends_here_q) & ~hunts_q;
  wire is_control = |(first & is_control_q);
  // A receiver that hunts looks for the Mark in the lowest word only.
  control_t lowest;
  numbers_t lowest_numbers;
  assign lowest = arrived_q[0][30:0];
  assign lowest_numbers = lowest.payload;
  wire is_answer = is_mark_q[0] & lowest_numbers.count == nonce_q &
      (fresh_q | seq_t'(expected_q - lowest_numbers.seq) < 16'h4000);
  wire is_mark = listens_i & (hunts_q ? is_answer : |(first & is_mark_q));

  wire stores = arrived_valid_q & (tail | is_packet) & ~hunts_q;
  wire full = 12'(write_q - read_q) >= 12'(BufferBeats);
  always_comb begin
    parsed.valid  = arrived_valid_q;
    parsed.ends   = tail ? left_q <= 9'(NumWords) : is_whole;
    parsed.whole  = ~tail;
    parsed.starts = is_packet & ~is_whole;
    for (int unsigned w = 0; w < NumWords; w++) begin
      parsed.end_words[w] = tail ? 9'(w) < left_q :
          (is_whole & w >= 32'(offset) & w <= 32'(end_at));
      parsed.start_words[w] = parsed.starts & w >= 32'(offset);
      parsed.end_at[w] = tail ? left_q == 9'(w) + 9'd1 : 32'(end_at) == w;
    end
    parsed.place = tail ? place_q : '{addr: addr_t'(write_q), offset: offset, length: length};
    parsed.seq = tail ? seq_q - 1'b1 : seq_q;

    parsed.is_control = is_control;
    parsed.sure = ~hunts_q;
    parsed.guess = hunts_q & is_mark;
    parsed.junk = |(first & is_junk_q) | (tail & is_whole);
    parsed.overflow = stores & full;
    parsed.count = write_q;
    parsed.next_seq = seq_q;
  end

  always_ff @(posedge clk_i) begin
    parsed_q  <= parsed;
    control_q <= control;
    if (arrived_valid_q & is_packet) begin
      place_q <= '{addr: addr_t'(write_q), offset: offset, length: length};
    end
    if (arrived_valid_q) begin
      if (is_packet) seq_q <= seq_q + 1'b1;
      if (is_mark) seq_q <= mark_numbers.seq;
      left_q <= covers ? left_q - 9'(NumWords) : (is_packet & ~is_whole) ? left_after : '0;
      if (is_mark) hunts_q <= 1'b0;
    end
    if (rst_i | fail | ~listens_i) hunts_q <= 1'b1;
    if (rst_i | fail) begin
      parsed_q.valid <= 1'b0;
      left_q <= '0;
    end
  end

  // ---- The CRC ----

  // The number of a packet, and the inversion with which the CRC begins, go into its first half
  // word. The sum of a packet begins with nothing before it.
  words_t seeded_q, stored_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned w = 0; w < NumWords; w++) begin
      seeded_q[w] <= arrived_q[w];
      if (first[w]) seeded_q[w][31:0] <= ~(arrived_q[w][31:0] ^ 32'(seq_q));
    end
    stored_q <= arrived_q;
  end

  crc_t [NumWords-1:0] sums, sums_q;
  crc_words #(
      .NumWords(NumWords)
  ) u_sums (
      .words_i(seeded_q),
      .sums_o (sums)
  );
  control_t partial_control_q, checked_control_q;
  logic control_good_q, checked_good_q;
  always_ff @(posedge clk_i) begin
    sums_q <= sums;
    partial_q <= parsed_q;
    partial_control_q <= control_q[30:0];
    control_good_q <= control_q[63:32] == of_half(control_q[31:0]);
    if (rst_i | fail) partial_q.valid <= 1'b0;
  end

  localparam matrix_t ByBeat = by_zeros(DataWidth);
  // The residue of a packet that ends before the end of the beat.
  function automatic crc_t [NumWords-1:0] residues();
    crc_t [NumWords-1:0] found;
    for (int unsigned w = 0; w < NumWords; w++) begin
      found[w] = times(by_zeros(64 * (int'(NumWords) - 1 - int'(w))), Residue);
    end
    return found;
  endfunction
  localparam crc_t [NumWords-1:0] Residues = residues();

  crc_t state_q, end_sum, start_sum, wanted;
  logic end_good_q;
  numbers_t partial_numbers;
  assign partial_numbers = partial_control_q.payload;
  logic   tail_next_q;  // a Tail names the next packet
  count_t tail_shift_q;  // beats sent that were not stored, by a Tail
  always_comb begin
    end_sum   = partial_q.whole ? '0 : times(ByBeat, state_q);
    start_sum = '0;
    wanted    = '0;
    for (int unsigned w = 0; w < NumWords; w++) begin
      if (partial_q.end_words[w]) end_sum ^= sums_q[w];
      if (partial_q.start_words[w]) start_sum ^= sums_q[w];
      if (partial_q.end_at[w]) wanted |= Residues[w];
    end
  end
  always_ff @(posedge clk_i) begin
    if (partial_q.valid) state_q <= partial_q.starts ? start_sum : end_sum;
    end_good_q <= end_sum == wanted;
    checked_q <= partial_q;
    checked_control_q <= partial_control_q;
    checked_good_q <= control_good_q;
    tail_next_q <= partial_numbers.seq == partial_q.next_seq;
    tail_shift_q <= partial_numbers.count - partial_q.count;
    if (rst_i | fail) checked_q.valid <= 1'b0;
  end

  // ---- What is good counts ----

  logic hunting_q, adopts_q, limit_valid_q;
  count_t   shift_q;
  nonce_t   noise_q;
  numbers_t numbers;
  assign numbers = checked_control_q.payload;
  wire packet_good = checked_q.valid & checked_q.ends & end_good_q & listens_i & checked_q.sure &
      ~checked_q.overflow & ~adopts_q;
  wire control_good = checked_q.valid & checked_q.is_control & checked_good_q &
      ~(checked_q.ends & ~end_good_q & checked_q.sure);
  wire is_next = checked_q.seq == expected_q;
  wire commits = packet_good & is_next;
  wire repeats = packet_good & ~is_next;
  // Both cases of commits are computed beside it.
  wire seq_t mark_back = expected_q - numbers.seq;
  wire seq_t mark_back_next = expected_q + ~numbers.seq + 16'd2;
  wire mark_near = (commits ? mark_back_next : mark_back) < 16'h4000;
  wire mark_good = control_good & checked_control_q.kind == WordMark & listens_i &
      (checked_q.sure | (numbers.count == nonce_q)) & (fresh_q | mark_near);
  wire tail_good = control_good & checked_control_q.kind == WordTail & checked_q.sure & listens_i;
  wire tail_fits = tail_next_q & (adopts_q | tail_shift_q == shift_q);
  wire bad_packet = checked_q.ends & ~end_good_q;
  wire bad_word = checked_q.is_control & ~checked_good_q;
  wire bad_place = checked_q.junk | checked_q.overflow | (checked_q.ends & adopts_q) |
      (tail_good & ~tail_fits) |
      (control_good & checked_control_q.kind == WordMark & ~mark_good);
  wire guessed = checked_q.guess & ~mark_good;
  assign fail = restart_i | (listens_i & checked_q.valid &
      (checked_q.sure ? bad_packet | bad_word | bad_place : guessed));

  place_t places[RingBeats];
  addr_t committed_q, taken_q;  // packets
  always_ff @(posedge clk_i) begin
    noise_q <= {noise_q[10:0], noise_q[11] ^ noise_q[5] ^ noise_q[3] ^ noise_q[0]};
    if (rst_i) noise_q <= nonce_t'(1);
    if (commits) places[committed_q] <= checked_q.place;
    if (rst_i) begin
      expected_q <= '0;
      committed_q <= '0;
      hunting_q <= 1'b1;
      adopts_q <= 1'b0;
      limit_valid_q <= 1'b0;
      fresh_q <= 1'b1;
      shift_q <= '0;
      nonce_q <= nonce_t'(1);
      write_q <= '0;
      commit_q <= '0;
    end else begin
      if (commits) begin
        expected_q  <= expected_q + 1'b1;
        committed_q <= committed_q + 1'b1;
      end
      if (packet_good) commit_q <= checked_q.count + 1'b1;
      if (mark_good) begin
        hunting_q <= 1'b0;
        adopts_q  <= 1'b1;
        if (fresh_q) expected_q <= numbers.seq;
        fresh_q <= 1'b0;
      end
      if (tail_good & tail_fits) begin
        adopts_q <= 1'b0;
        limit_valid_q <= 1'b1;
        if (adopts_q) shift_q <= numbers.count - checked_q.count;
      end
      if (stores & ~full) write_q <= write_q + 1'b1;
      if (fail | ~listens_i) begin
        hunting_q <= 1'b1;
        adopts_q  <= 1'b0;
        write_q   <= packet_good ? checked_q.count + 1'b1 : commit_q;
        if (~hunting_q) nonce_q <= noise_q;
      end
      if (fresh_i) begin
        fresh_q <= 1'b1;
        limit_valid_q <= 1'b0;
      end
    end
  end
  assign expected_o = expected_q;
  assign hunting_o = hunting_q;
  assign new_o = fresh_q;
  assign nonce_o = nonce_q;
  assign limit_valid_o = limit_valid_q;
  assign limit_o = read_q + shift_q + count_t'(BufferBeats);
  assign control_o = checked_control_q;
  // Out of step, only what cannot do harm is believed: a Nak, and training words.
  assign control_valid_o = control_good;
  assign control_sure_o = checked_q.sure & listens_i;
  assign beat_valid_o = checked_q.valid;

  // ---- Beats leave the ring ----

  (* ram_style = "block" *) words_t ring[RingBeats];
  words_t next_q, current_q;
  logic next_valid_q, current_valid_q;
  logic [11:0] fetch_q, current_addr_q;
  place_t upcoming_q;
  logic upcoming_valid_q, inside_q;
  length_t out_left_q;

  wire out_free = ~out_valid_o | out_ready_i;
  wire length_t out_left = inside_q ? out_left_q : upcoming_q.length;
  wire out_last = 32'(out_left) <= NumWords;
  // Index in the two beats of the word after the last one of data.
  wire [WordShift+1:0] reach = (WordShift + 2)'(upcoming_q.offset) +
      (out_last ? (WordShift + 2)'(out_left) : (WordShift + 2)'(NumWords));
  wire needs_next = reach >= (WordShift + 2)'(NumWords);
  wire at_place = inside_q | addr_t'(current_addr_q) == upcoming_q.addr;
  wire holds_packet = current_valid_q & upcoming_valid_q & at_place;
  wire gives = holds_packet & out_free & (~needs_next | next_valid_q);
  // The beat is exhausted: a packet continues or ends in the next one, or ends at its last word, or
  // nothing begins after one that began here.
  wire exhausts = gives & (needs_next | ~inside_q | (reach == (WordShift + 2)'(NumWords - 1)));
  wire passes = current_valid_q & upcoming_valid_q & ~at_place;  // nothing in it is wanted
  wire stale = current_valid_q & ~upcoming_valid_q & next_valid_q;
  wire shifts = ~current_valid_q | exhausts | passes | stale;
  wire fetches = ~next_valid_q | shifts;
  wire refills = ~upcoming_valid_q | (gives & out_last);

  logic stores_q;
  addr_t stored_addr_q;
  // Beats up to here are complete; those after it may be taken back.
  wire readable = fetch_q != commit_q;
  always_ff @(posedge clk_i) begin
    if (stores_q) ring[stored_addr_q] <= stored_q;
    if (fetches) next_q <= ring[addr_t'(fetch_q)];
    if (shifts) current_q <= next_q;
    if (refills) upcoming_q <= places[taken_q];
    if (gives) out_left_q <= out_left - length_t'(NumWords);
    if (rst_i) begin
      next_valid_q <= 1'b0;
      current_valid_q <= 1'b0;
      current_addr_q <= '1;
      fetch_q <= '0;
      read_q <= '0;
      upcoming_valid_q <= 1'b0;
      inside_q <= 1'b0;
      taken_q <= '0;
    end else begin
      if (fetches) begin
        next_valid_q <= readable;
        if (readable) fetch_q <= fetch_q + 1'b1;
      end
      read_q <= fetch_q;
      if (shifts) begin
        current_valid_q <= next_valid_q;
        if (next_valid_q) current_addr_q <= current_addr_q + 1'b1;
      end
      if (refills) begin
        upcoming_valid_q <= taken_q != committed_q;
        if (taken_q != committed_q) taken_q <= taken_q + 1'b1;
      end
      if (gives) inside_q <= ~out_last;
    end
  end

  always_ff @(posedge clk_i) begin
    stores_q <= stores & ~full;
    stored_addr_q <= addr_t'(write_q);
  end

  // The data are the words from the header's on, less half a word.
  logic [2*NumWords-1:0][63:0] pair;
  logic [2*DataWidth-1:0] span;
  header_t out_header, header_q;
  assign pair = {next_q, current_q};
  always_comb begin
    span = pair >> (64 * 32'(upcoming_q.offset));
    out_header = inside_q ? header_q : span[30:0];
  end
  beat_t out;
  always_comb begin
    out.header = out_header;
    out.last   = out_last;
    out.data   = span[32+:DataWidth];
    for (int unsigned w = 0; w < NumWords; w++) begin
      if (32'(out_left) <= w) out.data[64*w+:64] = '0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (out_free) out_o <= out;
    if (gives) header_q <= out_header;
    if (rst_i) out_valid_o <= 1'b0;
    else if (out_free) out_valid_o <= gives;
  end

  always_ff @(posedge clk_i) begin
    event_o <= '0;
    event_o[EventPacketIn] <= commits;
    event_o[EventBeatIn] <= stores;
    event_o[EventCrcError] <= fail & ~restart_i & bad_packet & checked_q.sure;
    event_o[EventBadWord] <= fail & ~restart_i & ~(bad_packet & checked_q.sure);
    event_o[EventResync] <= mark_good & hunting_q;
    event_o[EventDuplicate] <= repeats;
    if (rst_i) event_o <= '0;
  end

  wire unused = ^{
    span,
    checked_q.whole,
    checked_q.starts,
    checked_q.end_words,
    checked_q.start_words,
    checked_q.end_at
  };

  `BOMBUS_ASSERT(NoOverflow, count_t'(write_q - read_q) <= count_t'(BufferBeats))

endmodule
