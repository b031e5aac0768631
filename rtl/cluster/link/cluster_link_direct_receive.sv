// SPDX-License-Identifier: Apache-2.0
// The receiving half of a link without retry: passes on the beats of packets as they come
// (cluster_link_direct_transmit has the format), and gives control words to the sender.
//
// The first word of a packet is checked before anything of it is passed on. If it is wrong, the
// receiver is out of step (hunting): beats are discarded until a Mark arrives, at the beginning
// of a beat, with the nonce that this receiver has drawn for the purpose. Numbers in Marks and
// Tails show how many packets were lost. A packet that the end of the connection cuts is completed
// with beats of zeros; if none of its beats was passed on, it is lost.
//
// Wrong payload is passed on. It is noticed by the sums in States and counted: EventCrcError counts
// intervals between States, and packets that were completed with zeros.
//
// Numbers of beats that the sender counts (count_t) are those passed on plus shift_q, which each
// Tail corrects.
//
// Latency: 1 cycle from the beat of the wire with the last word of a beat at out_o. Throughput: one
// beat per cycle.
`include "bombus_assert.svh"

module cluster_link_direct_receive
  import cluster_pkg::*;
  import cluster_crc_pkg::*;
  import cluster_link_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 128,
    parameter int unsigned BufferBeats = 200
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
  localparam int unsigned RingBeats = 2 ** $clog2(BufferBeats);
  localparam int unsigned AddrBits = $clog2(RingBeats);
  typedef logic [AddrBits-1:0] addr_t;
  typedef logic [WordShift:0] offset_t;
  typedef logic [NumWords-1:0][63:0] words_t;

  if (DataWidth < 64 || DataWidth > 512 || DataWidth != 2 ** $clog2(
          DataWidth
      )) begin : gen_bad_width
    $error("cluster_link: DataWidth must be 64, 128, 256 or 512");
  end
  if (BufferBeats > 1024 || BufferBeats < 257 / NumWords + 4) begin : gen_bad_buffer
    $error("cluster_link: BufferBeats must hold a packet of 255 words, and be at most 1024");
  end

  // ---- Where a packet or a control word may begin ----

  words_t rx, before_q;
  logic inside_q, first_q, filling_q, hunting_q;
  offset_t offset_q;  // of the words of the packet, in the beat after the one where it began
  length_t left_q;  // beats
  offset_t last_words_q;  // of the last beat
  logic [63:0] word, word_q;
  logic [NumWords-1:0] is_zero_q;
  logic seen_q, beat_q, fail;
  assign rx = rx_data_i;
  wire cuts = ~listens_i | restart_i;
  wire fills = filling_q;
  wire arrives = rx_valid_i & ~filling_q;
  wire pushes = inside_q & (arrives | fills) & ~fail & ~(cuts & first_q);
  wire ends = left_q == length_t'(1);
  wire offset_t at = inside_q ? offset_q : '0;
  wire looks = ~inside_q | (ends & offset_q != offset_t'(NumWords));
  always_comb begin
    word = '0;
    for (int unsigned w = 0; w < NumWords; w++) begin
      if (at == offset_t'(w)) word = rx[w];
    end
  end
  wire length_t length = word[7:0];
  wire length_t beats_of_word = length_t'((9'(length) + 9'(NumWords - 1)) >> WordShift);
  wire offset_t last_words = length == '0 ? '0 : offset_t'(length) -
      (offset_t'(beats_of_word) << WordShift) + offset_t'(NumWords);
  wire completes = pushes & ends & filling_q;
  wire begins = arrives & looks & word[31] & listens_i & ~hunting_q & ~fail;
  always_ff @(posedge clk_i) begin
    if (rx_valid_i) before_q <= rx;
    if (arrives & looks) word_q <= word;
    for (int unsigned w = 0; w < NumWords; w++) is_zero_q[w] <= ~(|rx[w]);
    if (rst_i) begin
      seen_q <= 1'b0;
      beat_q <= 1'b0;
      inside_q <= 1'b0;
      first_q <= 1'b0;
      filling_q <= 1'b0;
    end else begin
      seen_q <= arrives & looks & ~fail;
      beat_q <= rx_valid_i;
      if (pushes) begin
        first_q <= 1'b0;
        left_q  <= left_q - 1'b1;
        if (ends) begin
          inside_q  <= 1'b0;
          filling_q <= 1'b0;
        end
      end
      if (cuts & inside_q & ~(pushes & ends)) begin
        if (first_q) inside_q <= 1'b0;
        else filling_q <= 1'b1;
      end
      if (fail & first_q) inside_q <= 1'b0;
      if (begins & ~cuts) begin
        inside_q <= 1'b1;
        first_q <= 1'b1;
        offset_q <= at + 1'b1;
        left_q <= length == '0 ? length_t'(1) : beats_of_word;
        last_words_q <= last_words;
      end
    end
  end

  // ---- The word is checked, a cycle later ----

  control_t control;
  numbers_t numbers;
  sums_t sums;
  assign control = word_q[30:0];
  assign numbers = control.payload;
  assign sums = numbers.seq;
  wire is_packet = word_q[31];
  wire crc_t key = ~is_packet & control.kind == WordTrain ? '0 : crc_t'(key_i);
  wire good = word_q[63:32] == (of_half(word_q[31:0]) ^ key);
  wire alone = &(is_zero_q | NumWords'(1));
  wire is_control = ~is_packet & control.kind != WordIdle;
  wire is_junk = ~is_packet & ~is_control & |word_q;
  logic fresh_q, limit_valid_q;
  seq_t expected_q;
  nonce_t nonce_q, noise_q;
  count_t shift_q, received_q, given_q;
  wire in_step = seen_q & listens_i & ~hunting_q;
  wire bad = in_step & (is_junk | ((is_packet | is_control) & ~good));
  assign fail = bad | restart_i;
  wire controls = seen_q & is_control & good;
  wire mark_good = controls & listens_i & control.kind == WordMark &
      (~hunting_q | (numbers.count == nonce_q));
  wire tail_good = controls & in_step & control.kind == WordTail;
  wire state_good = controls & in_step & control.kind == WordState;
  wire seq_t missing = numbers.seq - expected_q;
  wire misses = (mark_good & ~fresh_q) | tail_good;
  seq_t lost_q;
  // A packet ends before its first beat, and its number was counted.
  logic counted_q;
  wire counts = in_step & is_packet & good;
  wire abandons = inside_q & first_q & (cuts | fail) & (counts | counted_q);
  always_ff @(posedge clk_i) begin
    noise_q <= {noise_q[10:0], noise_q[11] ^ noise_q[5] ^ noise_q[3] ^ noise_q[0]};
    if (rst_i) noise_q <= nonce_t'(1);
    if (rst_i) begin
      hunting_q <= 1'b1;
      fresh_q <= 1'b1;
      limit_valid_q <= 1'b0;
      expected_q <= '0;
      shift_q <= '0;
      received_q <= '0;
      nonce_q <= nonce_t'(1);
      lost_q <= '0;
      counted_q <= 1'b0;
    end else begin
      counted_q <= ~begins & (counts | counted_q);
      if (counts) expected_q <= expected_q + 1'b1;
      if (pushes) received_q <= received_q + 1'b1;
      if (mark_good) begin
        hunting_q <= 1'b0;
        fresh_q   <= 1'b0;
      end
      if (mark_good | tail_good) expected_q <= numbers.seq;
      if (tail_good) begin
        shift_q <= numbers.count - received_q;
        limit_valid_q <= 1'b1;
      end
      if (fail | ~listens_i) begin
        hunting_q <= 1'b1;
        if (~hunting_q) nonce_q <= noise_q;
      end
      if (fresh_i) begin
        fresh_q <= 1'b1;
        limit_valid_q <= 1'b0;
      end
      // One event per cycle. A number that went back is that of a sender that was reset.
      lost_q <= lost_q - seq_t'(lost_q != '0) + seq_t'(abandons) +
          ((misses & ~missing[15]) ? missing : '0);
    end
  end
  assign wanted_o = '{
          expected: expected_q,
          limit: count_t'(given_q + shift_q + count_t'(BufferBeats)),
          limit_valid: limit_valid_q,
          hunting: hunting_q,
          is_new: fresh_q,
          nonce: nonce_q
      };
  assign heard_o = '{
          valid: controls,
          sure: listens_i & ~hunting_q,
          alone: alone,
          control: control
      };
  assign beat_valid_o = beat_q;

  // ---- Sums of the payload ----

  beat_t pushed;
  // Wrong bits and words of other packets are kept out of what follows the payload.
  always_comb begin
    pushed.header = word_q[30:0];
    pushed.last   = ends;
    pushed.data   = DataWidth'({rx, before_q} >> (64 * 32'(offset_q)));
    for (int unsigned w = 0; w < NumWords; w++) begin
      if (filling_q | (ends & offset_t'(w) >= last_words_q)) pushed.data[64*w+:64] = '0;
    end
  end
  sum_t sum;
  cluster_link_sum #(
      .DataWidth(DataWidth)
  ) u_sum (
      .clk_i,
      .rst_i,
      .data_i (pushed.data),
      .valid_i(pushes),
      .mark_i (state_good),
      .sum_o  (sum)
  );
  // A sum counts if the States before and after its interval, and the one that brings the sender's,
  // are consecutive. They are compared 2 cycles later: `sum` is then that of the State before, even
  // if that one came in the cycle before this one.
  logic [1:0] number_q, run_q, claims_q;
  sum_t [1:0] claimed_q;
  wire follows = (run_q != '0) & sums.number == number_q + 2'd1;
  wire sum_bad = claims_q[1] & claimed_q[1] != sum;
  always_ff @(posedge clk_i) begin
    if (state_good) number_q <= sums.number;
    claimed_q <= {claimed_q[0], sums.sum};
    claims_q  <= rst_i ? '0 : {claims_q[0], state_good & follows & run_q == 2'd2};
    if (rst_i | hunting_q) run_q <= '0;
    else if (state_good) run_q <= ~follows ? 2'd1 : 2'd2;
  end

  // ---- The buffer: beats that wait for out_ready_i ----

  (* ram_style = "block" *) beat_t ring[RingBeats];
  beat_t next_q;
  logic next_valid_q;
  logic [AddrBits:0] write_q, fetch_q;
  wire out_free = ~out_valid_o | out_ready_i;
  wire readable = fetch_q != write_q;
  wire passes = pushes & ~next_valid_q & ~readable & out_free;
  wire full = (AddrBits + 1)'(write_q - fetch_q) == (AddrBits + 1)'(RingBeats);
  wire keeps = pushes & ~passes & ~full;
  wire fetches = readable & (~next_valid_q | out_free);
  always_ff @(posedge clk_i) begin
    if (keeps) ring[addr_t'(write_q)] <= pushed;
    if (fetches) next_q <= ring[addr_t'(fetch_q)];
    if (out_free) out_o <= next_valid_q ? next_q : pushed;
    if (rst_i) begin
      write_q <= '0;
      fetch_q <= '0;
      next_valid_q <= 1'b0;
      out_valid_o <= 1'b0;
      given_q <= '0;
    end else begin
      if (keeps) write_q <= write_q + 1'b1;
      if (fetches) fetch_q <= fetch_q + 1'b1;
      if (fetches) next_valid_q <= 1'b1;
      else if (out_free) next_valid_q <= 1'b0;
      if (out_free) out_valid_o <= next_valid_q | passes;
      if (out_free & (next_valid_q | passes)) given_q <= given_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    event_o <= '0;
    event_o[EventPacketIn] <= pushes & ends & ~filling_q;
    event_o[EventBeatIn] <= arrives & (inside_q | begins);
    event_o[EventCrcError] <= sum_bad | completes;
    event_o[EventBadWord] <= bad;
    event_o[EventResync] <= mark_good & hunting_q;
    event_o[EventLost] <= lost_q != '0;
    if (rst_i) event_o <= '0;
  end

  `BOMBUS_ASSERT(NoOverflow, !(pushes && !passes && full))

endmodule
