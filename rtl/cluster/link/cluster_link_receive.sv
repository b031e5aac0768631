// SPDX-License-Identifier: Apache-2.0
// The receiving half of a link with retry: finds packets and control words in the beats of the
// wire, checks them, and passes on each packet whose CRC is good and whose turn it is.
//
// Beats with words of packets are kept in a ring as they arrive (cluster_link_ring), and leave it
// when the CRC of their packet has been checked. After anything that does not fit, the receiver is
// out of step (hunting): beats are discarded until a Mark arrives, at the beginning of a beat,
// with the nonce that this receiver has drawn for the purpose. Payload can therefore not be
// mistaken for one.
//
// Numbers of beats that the sender counts (count_t) are those of the ring plus shift_q, which each
// Tail corrects: beats lost on the wire occupy no room for ever.
//
// Latency: 2 cycles from the beat with the end of a packet to its first beat; 3 if it began in the
// same beat, or directly follows another packet or a control word; 4 to heard_o. Throughput: one
// beat per cycle.
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
    input logic fresh_i,  // the other side is new; a pulse
    input logic restart_i,  // it begins anew where this side is; a pulse
    input session_key_t key_i,  // of what arrives

    output heard_t heard_o,
    output logic beat_valid_o,  // a beat has been examined: heard_o is valid if it had a word
    output wanted_t wanted_o,

    output logic [NumEvents-1:0] event_o
);

  localparam int unsigned NumWords = DataWidth / 64;
  localparam int unsigned WordShift = $clog2(NumWords);
  localparam int unsigned OffsetBits = WordShift == 0 ? 1 : WordShift;
  typedef logic [OffsetBits-1:0] offset_t;
  typedef logic [NumWords-1:0] mask_t;
  typedef logic [NumWords-1:0][63:0] words_t;
  typedef logic [8:0] left_t;
  typedef logic [WordShift+1:0] near_t;  // the same up to NumWords; more is NumWords + 1
  function automatic near_t near(left_t left);
    return left > 9'(NumWords) ? near_t'(NumWords + 1) : near_t'(left);
  endfunction

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

  // ---- Cycle 0: a beat arrives; its words are classified, and their CRCs computed ----

  words_t arrived_q;
  logic   arrived_valid_q;
  mask_t is_packet_q, is_control_q, is_mark_q, is_junk_q, is_zero_q, ends_here_q, is_short_q;
  left_t [NumWords-1:0] left_after_q;  // words in later beats, if a packet begins here
  near_t [NumWords-1:0] near_after_q;
  logic [NumWords-1:0][WordShift:0] end_at_q;  // index of its last word, if it ends here
  crc_t [NumWords-1:0] sums, sums_q;
  crc_words #(
      .NumWords(NumWords)
  ) u_sums (
      .words_i(rx_data_i),
      .sums_o (sums)
  );
  always_ff @(posedge clk_i) begin
    arrived_valid_q <= rx_valid_i & ~rst_i;
    sums_q <= sums;
    for (int unsigned w = 0; w < NumWords; w++) begin
      arrived_q[w] <= rx_data_i[64*w+:64];
      is_packet_q[w] <= rx_data_i[64*w+31];
      is_control_q[w] <= ~rx_data_i[64*w+31] & (|rx_data_i[64*w+28+:3]);
      is_mark_q[w] <= ~rx_data_i[64*w+31] & rx_data_i[64*w+28+:3] == WordMark;
      is_zero_q[w] <= ~(|rx_data_i[64*w+:64]);
      is_junk_q[w] <= ~(|rx_data_i[64*w+28+:4]) & (|rx_data_i[64*w+:64]);
      left_after_q[w] <= 9'(rx_data_i[64*w+:8]) + 9'd1 - 9'(NumWords - w);
      near_after_q[w] <= near(9'(rx_data_i[64*w+:8]) + 9'd1 - 9'(NumWords - w));
      ends_here_q[w] <= 32'(rx_data_i[64*w+:8]) < NumWords - w;
      is_short_q[w] <= 32'(rx_data_i[64*w+:8]) <= NumWords;
      end_at_q[w] <= (WordShift + 1)'(w) + (WordShift + 1)'(rx_data_i[64*w+:8]);
    end
  end

  // ---- Cycle 1: where packets begin and end, and whether the CRC of one that ends is good ----

  typedef struct packed {
    logic valid;
    logic ends;  // a packet ends
    seq_t seq;  // its number
    logic awaited;  // it has not been received before, and is in the ring
    logic sure;
    logic guess;  // a Mark that was only guessed
    logic junk;
    logic overflow;
    logic is_control;
    logic alone;  // in the lowest word; the others are 0
    count_t count;  // beats stored until then
    seq_t next_seq;
  } parsed_t;
  parsed_t parsed, checked_q;

  left_t  left_q;  // words of the packet that follow
  near_t  near_q;
  logic   hunts_q;  // as hunting_q, but ends with a Mark that is not checked yet
  seq_t   seq_q;  // of the next packet
  seq_t   begun_seq_q;  // of the latest one
  nonce_t nonce_q;
  seq_t   expected_q;
  logic fresh_q, kill_q;
  logic awaited_q;
  logic full;
  count_t write, read;
  wire covers = near_q >= near_t'(NumWords);
  wire tail = near_q != '0;

  mask_t candidates, first;
  always_comb begin
    for (int unsigned w = 0; w < NumWords; w++) begin
      candidates[w] = (is_packet_q[w] | is_control_q[w] | is_junk_q[w]) & ~covers &
          (near_t'(w) >= near_q);
    end
    if (hunts_q) candidates = mask_t'(is_control_q[0]);
    first = candidates & (~candidates + 1'b1);  // the lowest
  end

  logic [63:0] control, control_q;
  length_t length;
  offset_t offset;
  left_t   left_after;
  near_t   near_after;
  always_comb begin
    control = '0;
    offset = '0;
    left_after = '0;
    near_after = '0;
    for (int unsigned w = 0; w < NumWords; w++) begin
      if (first[w]) begin
        control |= arrived_q[w];
        offset |= offset_t'(w);
        left_after |= left_after_q[w];
        near_after |= near_after_q[w];
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
  // A packet that is repeated, though it has arrived, does not enter the ring's list.
  wire seq_t ahead = seq_q - expected_q;
  wire awaited = fresh_q | ~ahead[15];

  wire stores = arrived_valid_q & (tail | is_packet) & ~hunts_q;
  always_comb begin
    parsed.valid = arrived_valid_q & ~kill_q;
    parsed.ends = tail ? near_q <= near_t'(NumWords) : is_whole;
    parsed.seq = tail ? begun_seq_q : seq_q;
    parsed.awaited = tail ? awaited_q : awaited;
    parsed.sure = ~hunts_q;
    parsed.guess = hunts_q & is_mark;
    parsed.junk = |(first & is_junk_q) | (tail & is_whole);
    parsed.overflow = stores & full;
    parsed.is_control = is_control;
    parsed.alone = &(is_zero_q | mask_t'(1));
    parsed.count = write;
    parsed.next_seq = seq_q;
  end

  // The number of a packet, and the inversion with which the CRC begins, are added to its first
  // half word. A packet that ends within the beat is checked against the residue after zeros.
  localparam matrix_t ByBeat = by_zeros(DataWidth);
  typedef matrix_t [NumWords-1:0] matrices_t;
  function automatic matrices_t seeds();
    for (int unsigned w = 0; w < NumWords; w++) begin
      seeds[w] = by_zeros(64 * (int'(NumWords) - int'(w)));
    end
  endfunction
  localparam matrices_t Seeds = seeds();
  function automatic crc_t [NumWords-1:0] residues();
    for (int unsigned w = 0; w < NumWords; w++) begin
      residues[w] = times(by_zeros(64 * (int'(NumWords) - 1 - int'(w))), Residue);
    end
  endfunction
  localparam crc_t [NumWords-1:0] Residues = residues();
  function automatic matrices_t keys();
    for (int unsigned w = 0; w < NumWords; w++) begin
      keys[w] = by_zeros(64 * (int'(NumWords) - 1 - int'(w)) + 32);
    end
  endfunction
  localparam matrices_t Keys = keys();

  // The key is added to the CRC, at the end of the packet.
  crc_t [NumWords-1:0] residues_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned w = 0; w < NumWords; w++) begin
      residues_q[w] <= Residues[w] ^ times(Keys[w], crc_t'(key_i));
    end
  end

  crc_t [NumWords:0] suffixes;  // the sum of a word and those after it
  crc_t [NumWords-1:0] rests;  // the residue that is required if the packet ends with this word
  crc_t advanced_q;  // the state after the beat before, and as many zeros as a beat has
  crc_t begun, whole, continued, ended, difference_q;
  always_comb begin
    suffixes[NumWords] = '0;
    for (int w = int'(NumWords) - 1; w >= 0; w--) suffixes[w] = suffixes[w+1] ^ sums_q[w];
    for (int unsigned w = 0; w < NumWords; w++) rests[w] = suffixes[w+1] ^ residues_q[w];
    // A packet that begins here, at any of the words
    begun = '0;
    whole = '0;
    for (int unsigned w = 0; w < NumWords; w++) begin
      if (first[w]) begin
        begun |= times(Seeds[w], ~32'(seq_q)) ^ suffixes[w];
        whole |= times(Seeds[w], ~32'(seq_q)) ^ suffixes[w] ^ rests[offset_t'(end_at_q[w])];
      end
    end
    // One that began before
    continued = advanced_q ^ suffixes[0];
    ended = continued;
    for (int unsigned w = 0; w < NumWords; w++) if (near_q == near_t'(w + 1)) ended ^= rests[w];
  end

  always_ff @(posedge clk_i) begin
    checked_q <= parsed;
    control_q <= control;
    difference_q <= tail ? ended : whole;
    if (arrived_valid_q) begin
      advanced_q <= times(ByBeat, covers ? continued : begun);
      if (is_packet) begin
        awaited_q <= awaited;
        begun_seq_q <= seq_q;
        seq_q <= seq_q + 1'b1;
      end
      if (is_mark) seq_q <= mark_numbers.seq;
      left_q <= covers ? left_q - 9'(NumWords) : left_after;
      near_q <= covers ? near(left_q - 9'(NumWords)) : (is_packet & ~is_whole) ? near_after : '0;
      if (is_mark) hunts_q <= 1'b0;
    end
    if (rst_i | kill_q | ~listens_i) hunts_q <= 1'b1;
    if (rst_i | kill_q) near_q <= '0;
    if (rst_i) checked_q.valid <= 1'b0;
  end

  // A packet leaves at once if it is certain to count in cycle 2: nothing before it is still to be
  // decided on.
  logic decides, early_q;
  wire early = parsed.valid & tail & parsed.ends & parsed.sure & listens_i & ~parsed.overflow &
      awaited_q & begun_seq_q == expected_q & ended == '0 & ~decides;
  always_ff @(posedge clk_i) early_q <= early & ~rst_i;

  // ---- Cycle 2: packets that are good count; the CRC of a control word is computed ----

  typedef struct packed {
    logic valid;
    logic is_control;
    logic is_mark;
    logic is_tail;
    logic alone;
    logic sure;
    logic guess;
    control_t control;
    logic good;  // its CRC
    logic tail_next;  // as a Tail, it names the next packet
    count_t tail_shift;  // and so many beats sent that were not stored
  } word_t;
  word_t word_q;
  control_t taken_control;
  numbers_t taken_numbers;
  assign taken_control = control_q[30:0];
  assign taken_numbers = taken_control.payload;
  wire crc_t taken_key = taken_control.kind == WordTrain ? '0 : crc_t'(key_i);
  always_ff @(posedge clk_i) begin
    word_q <= '{
        valid: checked_q.valid & ~kill_q & ~rst_i,
        is_control: checked_q.is_control,
        is_mark: checked_q.is_control & taken_control.kind == WordMark,
        is_tail: checked_q.is_control & taken_control.kind == WordTail,
        alone: checked_q.alone,
        sure: checked_q.sure,
        guess: checked_q.guess,
        control: taken_control,
        good: control_q[63:32] == (of_half(control_q[31:0]) ^ taken_key),
        tail_next: taken_numbers.seq == checked_q.next_seq,
        tail_shift: taken_numbers.count - checked_q.count
    };
  end

  logic hunting_q, adopts_q, limit_valid_q, listened_q;
  count_t shift_q, shift;
  count_t limit_q;  // what the ring has room for, in numbers of the sender
  nonce_t noise_q;
  logic word_is_mark, tail_adopts;
  wire end_good = difference_q == '0;
  wire packet_ends = checked_q.valid & checked_q.ends & checked_q.sure & ~kill_q &
      (listens_i | early_q);
  // Between a Mark and its Tail is no packet.
  wire adopting = word_is_mark | (adopts_q & ~tail_adopts);
  wire is_next = checked_q.seq == expected_q;
  wire packet_fits = is_next == checked_q.awaited;
  wire packet_good = packet_ends & end_good & ~checked_q.overflow & ~adopting & packet_fits;
  wire commits = packet_good & checked_q.awaited;
  wire repeats = packet_good & ~checked_q.awaited;
  wire bad_packet = packet_ends & ~end_good;
  wire bad_place = (packet_ends & (adopting | ~packet_fits)) |
      (checked_q.valid & checked_q.sure & listens_i & ~kill_q &
       (checked_q.junk | checked_q.overflow));

  // ---- Cycle 3: control words ----

  numbers_t numbers;
  assign numbers = word_q.control.payload;
  wire word_valid = word_q.valid & ~kill_q;
  wire control_good = word_valid & word_q.is_control & word_q.good;
  wire seq_t mark_back = expected_q - numbers.seq;
  assign word_is_mark = word_valid & word_q.is_mark & word_q.good & listens_i;
  wire mark_good = word_is_mark & (word_q.sure | (numbers.count == nonce_q)) &
      (fresh_q | mark_back < 16'h4000);
  wire tail_good = word_valid & word_q.is_tail & word_q.good & word_q.sure & listens_i;
  wire tail_fits = word_q.tail_next & (adopts_q | word_q.tail_shift == shift_q);
  assign tail_adopts = tail_good & word_q.tail_next;
  always_comb begin
    shift = shift_q;
    if (tail_good & tail_fits & adopts_q) shift = word_q.tail_shift;
    if (rst_i) shift = '0;
  end
  wire bad_word = word_valid & listens_i & (word_q.sure ?
      (word_q.is_control & ~word_q.good) | (word_is_mark & ~mark_good) | (tail_good & ~tail_fits) :
      word_q.guess & ~mark_good);

  assign decides = restart_i | adopts_q | (word_q.valid & (word_q.is_control | word_q.guess)) |
      (checked_q.valid &
       (checked_q.ends | checked_q.junk | checked_q.overflow | checked_q.is_control));

  // A cycle after the decision, all that arrived after it is dropped too.
  always_ff @(posedge clk_i) begin
    listened_q <= listens_i;
    kill_q <= ~rst_i & (bad_packet | bad_place | bad_word | restart_i | (listened_q & ~listens_i));
    noise_q <= {noise_q[10:0], noise_q[11] ^ noise_q[5] ^ noise_q[3] ^ noise_q[0]};
    shift_q <= shift;
    limit_q <= read + shift + count_t'(BufferBeats);
    if (rst_i) noise_q <= nonce_t'(1);
    if (rst_i) begin
      expected_q <= '0;
      hunting_q <= 1'b1;
      adopts_q <= 1'b0;
      limit_valid_q <= 1'b0;
      fresh_q <= 1'b1;
      nonce_q <= nonce_t'(1);
    end else begin
      if (commits) expected_q <= expected_q + 1'b1;
      if (mark_good) begin
        hunting_q <= 1'b0;
        adopts_q  <= 1'b1;
        if (fresh_q) expected_q <= numbers.seq;
        fresh_q <= 1'b0;
      end
      if (tail_good & tail_fits) begin
        adopts_q <= 1'b0;
        limit_valid_q <= 1'b1;
      end
      if (kill_q | ~listens_i) begin
        hunting_q <= 1'b1;
        adopts_q  <= 1'b0;
        if (~hunting_q) nonce_q <= noise_q;
      end
      if (fresh_i) begin
        fresh_q <= 1'b1;
        limit_valid_q <= 1'b0;
      end
    end
  end
  assign wanted_o = '{
          expected: expected_q,
          limit: limit_q,
          limit_valid: limit_valid_q,
          hunting: hunting_q,
          is_new: fresh_q,
          nonce: nonce_q
      };
  // Out of step, only what cannot do harm is believed: a Nak, and training words.
  assign heard_o = '{
          valid: control_good,
          sure: word_q.sure & listens_i,
          alone: word_q.alone,
          control: word_q.control
      };
  assign beat_valid_o = word_valid;

  cluster_link_ring #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .BufferBeats(BufferBeats)
  ) u_ring (
      .clk_i,
      .rst_i,
      .data_i(arrived_q),
      .store_i(stores),
      .continues_i(arrived_valid_q & tail & ~hunts_q),
      .start_i(is_packet & awaited),
      .offset_i(offset),
      .length_i(length),
      .short_i(|(first & is_short_q)),
      .full_o(full),
      .count_o(write),
      .accept_i(early | (commits & ~early_q)),
      .keep_i(packet_good),
      .keep_count_i(count_t'(checked_q.count + 1'b1)),
      .discard_i(kill_q),
      .read_o(read),
      .out_o,
      .out_valid_o,
      .out_ready_i
  );

  always_ff @(posedge clk_i) begin
    event_o <= '0;
    event_o[EventPacketIn] <= commits;
    event_o[EventBeatIn] <= stores;
    event_o[EventCrcError] <= bad_packet & ~bad_word;
    event_o[EventBadWord] <= bad_word | (bad_place & ~bad_packet);
    event_o[EventResync] <= mark_good & hunting_q;
    event_o[EventDuplicate] <= repeats;
    if (rst_i) event_o <= '0;
  end

  `BOMBUS_ASSERT(EarlyCounts, !early_q || commits)

endmodule
