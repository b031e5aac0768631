// SPDX-License-Identifier: Apache-2.0
// The sending half of a link without retry: puts beats of packets and control words into beats of
// the wire as they come.
//
// A packet is a word {CRC-32C of the low half, 1, header} and the words of its beats at in_i, all
// of them full. It begins where the packet before it ended if it follows at once, otherwise at the
// beginning of a beat. A control word is at the beginning of a beat, or directly after a packet,
// and nothing follows it in its beat.
//
// A packet is begun only if the other side has room for all of it. The rest of a packet that the
// end of the connection cuts is discarded; the receiver counts the packet.
//
// Latency: 0 cycles, and one more beat on the wire for the header. Throughput: one beat per cycle.
`include "bombus_assert.svh"

module cluster_link_direct_transmit
  import cluster_pkg::*;
  import cluster_crc_pkg::*;
  import cluster_link_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 128,
    parameter int unsigned StateBeats = 33,  // beats that are given back by one control word
    parameter int unsigned StateCycles = 1024,  // at least one State in so many cycles
    parameter int unsigned TailCycles = 256,  // without packets, until a Tail
    parameter int unsigned NakCycles = 512,  // until an unanswered Nak is repeated
    parameter int unsigned TrainBeats = 300  // length of a run of training words
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output logic [DataWidth-1:0] tx_data_o,
    output logic tx_valid_o,
    input logic tx_ready_i,

    // The session
    input logic training_i,  // only training words are sent
    input training_t training_word_i,
    input logic train_run_i,  // send a run of training words; a pulse
    output logic train_run_done_o,
    input logic stopped_i,  // nothing is sent
    input logic fresh_i,  // the other side is new; a pulse

    // From the other side
    input control_t control_i,
    input logic control_valid_i,
    input logic control_sure_i,  // the receiver was in step
    // For the other side
    input seq_t expected_i,
    input count_t limit_i,
    input logic limit_valid_i,
    input logic hunting_i,  // the receiver is out of step
    input logic new_i,  // it expects no particular packet
    input nonce_t nonce_i,

    output count_t credits_o,  // beats that may be sent
    output logic [NumEvents-1:0] event_o
);

  localparam int unsigned NumWords = DataWidth / 64;
  localparam int unsigned WordShift = $clog2(NumWords);
  localparam int unsigned Settled = 8;  // cycles; longer than the latency of u_sum
  typedef logic [$clog2(NumWords+1)-1:0] fill_t;

  numbers_t numbers;
  assign numbers = control_i.payload;
  wire acks = control_valid_i & control_sure_i & (control_i.kind == WordState);
  wire naks = control_valid_i & (control_i.kind == WordNak | control_i.kind == WordNakNew);
  wire down = training_i | stopped_i;

  // ---- What the next beat of the wire carries ----

  typedef enum logic [1:0] {
    TurnNone,
    TurnFlush,  // the rest of the beat before
    TurnWord,   // that, and a control word
    TurnPacket  // that, and a beat of a packet
  } turn_e;
  turn_e choice, turn, turn_q;
  logic stalled_q;
  logic inside_q, cut_q, active_q, mark_due_q, tail_due_q, word_valid_q, aligned_q;
  fill_t fill_q;
  count_t sent_q, limit_q;  // limit_q is 1 beat less
  seq_t send_seq_q;
  wire count_t credit = limit_q - sent_q;
  wire count_t need_less_1 = count_t'(in_i.header.length) >> WordShift;
  wire starts = ~inside_q & active_q & ~mark_due_q & ~tail_due_q & ~word_valid_q & ~credit[11] &
      (credit >= need_less_1);
  wire pending = fill_q != '0;
  always_comb begin
    choice = TurnNone;
    if (stopped_i) choice = TurnNone;
    else if (fill_q == fill_t'(NumWords)) choice = TurnFlush;
    else if (in_valid_i & ~cut_q & ~training_i & (inside_q | starts)) choice = TurnPacket;
    else if (inside_q) choice = TurnNone;
    else if (word_valid_q & ~(aligned_q & pending)) choice = TurnWord;
    else if (pending) choice = TurnFlush;
  end
  // What is offered does not change before it is taken.
  assign turn = (stalled_q & ~down) ? turn_q : choice;
  assign tx_valid_o = turn != TurnNone;
  wire emits = tx_valid_o & tx_ready_i;
  wire takes = emits & (turn == TurnPacket);
  wire places = emits & (turn == TurnWord);
  assign in_ready_o = (turn == TurnPacket & tx_ready_i) | cut_q;

  // ---- Control words ----

  control_t control, word_q;
  crc_t word_crc_q;
  numbers_t out_numbers;
  sums_t sums;
  nonce_t mark_nonce_q;
  logic state_due_q, nak_send_q, tail_time_q, hunting_q, new_q;
  logic [1:0] number_q;
  count_t announced_q;
  logic [$clog2(StateCycles)-1:0] state_timer_q;
  logic [$clog2(TailCycles)-1:0] tail_timer_q;
  logic [$clog2(NakCycles)-1:0] nak_timer_q;
  logic [$clog2(TrainBeats+1)-1:0] train_left_q;
  wire count_t given_back = limit_i - announced_q;
  wire word_free = ~word_valid_q | places;
  wire still = ~inside_q & ~cut_q & turn != TurnPacket;
  logic chooses;
  always_comb begin
    chooses = word_free;
    out_numbers = '{seq: send_seq_q, count: sent_q};
    control = '{kind: WordTail, payload: out_numbers};
    if (training_i | (train_left_q != '0)) begin
      control = '{kind: WordTrain, payload: training_word_i};
    end else if (nak_send_q) begin
      out_numbers = '{seq: expected_i, count: nonce_i};
      control = '{kind: new_i ? WordNakNew : WordNak, payload: out_numbers};
    end else if (state_due_q) begin
      out_numbers = '{seq: sums, count: limit_i};
      control = '{kind: WordState, payload: out_numbers};
    end else if (mark_due_q) begin
      out_numbers.count = mark_nonce_q;
      control = '{kind: WordMark, payload: out_numbers};
      chooses &= still;
    end else if (tail_due_q) chooses &= still;
    else chooses = 1'b0;
  end

  wire waits_state = word_valid_q & word_q.kind == WordState;
  wire places_state = places & waits_state;
  wire chooses_state = chooses & control.kind == WordState;
  wire chooses_nak = chooses & (control.kind == WordNak | control.kind == WordNakNew);
  wire chooses_mark = chooses & control.kind == WordMark;
  wire chooses_tail = chooses & control.kind == WordTail;
  wire chooses_train = chooses & control.kind == WordTrain;
  always_ff @(posedge clk_i) begin
    if (chooses) begin
      word_q <= control;
      word_crc_q <= of_half({1'b0, control});
      aligned_q <= control.kind != WordState;
    end
    if (naks) mark_nonce_q <= numbers.count;
    hunting_q <= hunting_i;
    turn_q <= turn;
    if (rst_i) begin
      stalled_q <= 1'b0;
      word_valid_q <= 1'b0;
      active_q <= 1'b0;
      mark_due_q <= 1'b0;
      tail_due_q <= 1'b0;
      tail_time_q <= 1'b0;
      tail_timer_q <= '0;
      limit_q <= '0;
      announced_q <= '0;
      number_q <= '0;
      state_due_q <= 1'b0;
      state_timer_q <= '0;
      nak_send_q <= 1'b0;
      nak_timer_q <= '0;
      train_left_q <= '0;
      new_q <= 1'b1;
    end else begin
      stalled_q <= tx_valid_o & ~tx_ready_i & ~down;
      if (word_free) word_valid_q <= chooses;
      // What was chosen before the link went down is of no use after it.
      if (training_i & ~chooses & word_q.kind != WordTrain) word_valid_q <= 1'b0;
      if (chooses_mark) begin
        mark_due_q <= 1'b0;
        tail_due_q <= 1'b1;
        active_q   <= 1'b1;
      end
      if (chooses_tail) tail_due_q <= 1'b0;
      else if (tail_time_q & active_q) tail_due_q <= 1'b1;
      if (naks) mark_due_q <= 1'b1;
      if (down) begin
        active_q   <= 1'b0;
        mark_due_q <= 1'b0;
        tail_due_q <= 1'b0;
      end

      // Credits are given back as a limit, which never falls.
      new_q <= fresh_i | (new_q & down);
      if (new_q) limit_q <= sent_q - 1'b1;
      else if (acks) limit_q <= numbers.count - 1'b1;

      // The sum of the next State is known some cycles after this one has been placed.
      state_timer_q <= (chooses_state | waits_state) ? '0 : state_timer_q + 1'b1;
      if (chooses_state) begin
        announced_q <= limit_i;
        number_q <= number_q + 1'b1;
      end
      state_due_q <= ~chooses_state & limit_valid_i & ~training_i &
          (state_due_q | (&state_timer_q) |
           (given_back >= count_t'(StateBeats) & 32'(state_timer_q) >= Settled &
            ~word_valid_q));
      tail_timer_q <= (takes | chooses_tail) ? '0 : tail_timer_q + 1'b1;
      tail_time_q <= ~takes & ~chooses_tail & (tail_time_q | (&tail_timer_q));
      nak_timer_q <= chooses_nak ? '0 : nak_timer_q + 1'b1;
      nak_send_q <= hunting_i & ~chooses_nak & ~training_i &
          (nak_send_q | ~hunting_q | (&nak_timer_q));
      if (train_run_i) train_left_q <= $bits(train_left_q)'(TrainBeats);
      else if (chooses_train & (train_left_q != '0)) train_left_q <= train_left_q - 1'b1;
    end
  end
  assign train_run_done_o = train_left_q == '0;

  // ---- Sums of the payload ----

  sum_t sum;
  cluster_link_sum #(
      .DataWidth(DataWidth)
  ) u_sum (
      .clk_i,
      .rst_i,
      .data_i (in_i.data),
      .valid_i(takes),
      .mark_i (places_state),
      .sum_o  (sum)
  );
  assign sums = '{number: number_q, sum: sum};

  // ---- Beats of the wire ----

  logic [NumWords-1:0][63:0] rest_q;
  logic [2*NumWords-1:0][63:0] window;
  wire [31:0] first_half = {1'b1, in_i.header};
  wire [31:0] word_half = {1'b0, word_q};
  wire [63:0] first_word = {of_half(first_half), first_half};
  always_comb begin
    window = '0;
    if (turn == TurnPacket) begin
      window = inside_q ? (2 * DataWidth)'(in_i.data) : (2 * DataWidth)'({in_i.data, first_word});
    end
    if (turn == TurnWord) window[0] = {word_crc_q, word_half};
    window = window << (64 * 32'(fill_q));
    window[NumWords-1:0] |= rest_q;
  end
  assign tx_data_o = window[NumWords-1:0];

  always_ff @(posedge clk_i) begin
    if (emits) rest_q <= window[2*NumWords-1:NumWords];
    if (rst_i | down) rest_q <= '0;
    if (rst_i) begin
      fill_q <= '0;
      inside_q <= 1'b0;
      cut_q <= 1'b0;
      sent_q <= '0;
      send_seq_q <= '0;
    end else begin
      if (takes) begin
        if (~inside_q) fill_q <= fill_q + 1'b1;
        inside_q <= ~in_i.last;
        sent_q   <= sent_q + 1'b1;
        if (~inside_q) send_seq_q <= send_seq_q + 1'b1;
      end else if (emits) fill_q <= '0;
      // The rest of a cut packet is discarded here, and filled with zeros by the receiver: it uses
      // credits.
      if (in_valid_i & cut_q) sent_q <= sent_q + 1'b1;
      if (in_valid_i & cut_q & in_i.last) cut_q <= 1'b0;
      if (down) begin
        fill_q   <= '0;
        inside_q <= 1'b0;
        if (takes ? ~in_i.last : inside_q) cut_q <= 1'b1;
      end
    end
  end

  wire unused = ^numbers;

  assign credits_o = credit[11] ? '0 : credit + 1'b1;

  always_ff @(posedge clk_i) begin
    event_o <= '0;
    event_o[EventPacketOut] <= takes & in_i.last;
    event_o[EventBeatOut] <= emits & (turn == TurnPacket | pending);
    if (rst_i) event_o <= '0;
  end

  `BOMBUS_ASSERT(StableTurn, !(stalled_q && !down && turn_q == TurnPacket && !in_valid_i))

endmodule
