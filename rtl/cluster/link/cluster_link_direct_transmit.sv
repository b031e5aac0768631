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

    input orders_t orders_i,  // of the session
    input session_key_t key_i,  // of the sent CRCs
    output logic train_run_done_o,
    input heard_t heard_i,  // from the other side
    input wanted_t wanted_i,  // for the other side

    output count_t credits_o,  // beats that may be sent
    output logic [NumEvents-1:0] event_o
);

  localparam int unsigned NumWords = DataWidth / 64;
  localparam int unsigned WordShift = $clog2(NumWords);
  localparam int unsigned Settled = 8;  // cycles; longer than the latency of u_sum
  typedef logic [$clog2(NumWords+1)-1:0] fill_t;

  numbers_t numbers;
  assign numbers = heard_i.control.payload;
  wire acks = heard_i.valid & heard_i.sure & (heard_i.control.kind == WordState);
  wire naks = heard_i.valid &
      (heard_i.control.kind == WordNak | heard_i.control.kind == WordNakNew);
  wire down = orders_i.training | orders_i.stopped;

  // ---- What the next beat of the wire carries ----

  typedef enum logic [1:0] {
    TurnNone,
    TurnFlush,  // the rest of the beat before
    TurnWord,   // that, and a control word
    TurnPacket  // that, and a beat of a packet
  } turn_e;
  turn_e choice, turn, turn_q;
  logic stalled_q;
  logic inside_q, cut_q, open, word_valid, aligned;
  fill_t fill_q;
  count_t sent_q, limit_q;  // limit_q is 1 beat less
  seq_t send_seq_q;
  wire count_t credit = limit_q - sent_q;
  wire count_t need_less_1 = count_t'(in_i.header.length) >> WordShift;
  wire starts = ~inside_q & open & ~credit[11] & (credit >= need_less_1);
  wire pending = fill_q != '0;
  always_comb begin
    choice = TurnNone;
    if (orders_i.stopped) choice = TurnNone;
    else if (fill_q == fill_t'(NumWords)) choice = TurnFlush;
    else if (in_valid_i & ~cut_q & ~orders_i.training & (inside_q | starts)) choice = TurnPacket;
    else if (inside_q) choice = TurnNone;
    else if (word_valid & ~(aligned & pending)) choice = TurnWord;
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

  control_t word;
  crc_t word_crc;
  sums_t sums;
  logic unused_active;
  cluster_link_control #(
      .StateBeats(StateBeats),
      .StateCycles(StateCycles),
      .NakCycles(NakCycles),
      .Settled(Settled),
      .TrainBeats(TrainBeats)
  ) u_control (
      .clk_i,
      .rst_i,
      .orders_i,
      .key_i,
      .wanted_i,
      .train_run_done_o,
      .mark_i(naks),
      .mark_nonce_i(numbers.count),
      .state_seq_i(sums),
      .seq_i(send_seq_q),
      .sent_i(sent_q),
      .inside_i(inside_q),
      .still_i(~inside_q & ~cut_q & turn != TurnPacket),
      .sends_i(takes),
      .word_o(word),
      .crc_o(word_crc),
      .valid_o(word_valid),
      .aligned_o(aligned),
      .placed_i(places),
      .active_o(unused_active),
      .open_o(open)
  );

  // ---- Credits: given back as a limit, which never falls ----

  logic new_q;
  always_ff @(posedge clk_i) begin
    turn_q <= turn;
    if (rst_i) begin
      stalled_q <= 1'b0;
      limit_q <= '0;
      new_q <= 1'b1;
    end else begin
      stalled_q <= tx_valid_o & ~tx_ready_i & ~down;
      new_q <= orders_i.fresh | (new_q & down);
      if (new_q) limit_q <= sent_q - 1'b1;
      else if (acks) limit_q <= numbers.count - 1'b1;
    end
  end

  // ---- Sums of the payload ----

  sum_t sum;
  logic [1:0] number_q;  // of the next State
  wire places_state = places & word.kind == WordState;
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
  always_ff @(posedge clk_i) begin
    if (rst_i) number_q <= '0;
    else if (places_state) number_q <= number_q + 1'b1;
  end
  assign sums = '{number: number_q, sum: sum};

  // ---- Beats of the wire ----

  logic [NumWords-1:0][63:0] rest_q;
  logic [2*NumWords-1:0][63:0] window;
  wire [31:0] first_half = {1'b1, in_i.header};
  wire [31:0] word_half = {1'b0, word};
  wire [63:0] first_word = {of_half(first_half) ^ crc_t'(key_i), first_half};
  always_comb begin
    window = '0;
    if (turn == TurnPacket) begin
      window = inside_q ? (2 * DataWidth)'(in_i.data) : (2 * DataWidth)'({in_i.data, first_word});
    end
    if (turn == TurnWord) window[0] = {word_crc, word_half};
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

  wire unused = ^{numbers, unused_active};

  assign credits_o = credit[11] ? '0 : credit + 1'b1;

  always_ff @(posedge clk_i) begin
    event_o <= '0;
    event_o[EventPacketOut] <= takes & in_i.last;
    event_o[EventBeatOut] <= emits & (turn == TurnPacket | pending);
    if (rst_i) event_o <= '0;
  end

  `BOMBUS_ASSERT(StableTurn, !(stalled_q && !down && turn_q == TurnPacket && !in_valid_i))

endmodule
