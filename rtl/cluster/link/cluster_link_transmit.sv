// SPDX-License-Identifier: Apache-2.0
// The sending half of a link with retry: keeps each packet until it is acknowledged, and sends
// packets and control words.
//
// A packet's CRC-32C is over its number (16 bits, XORed to the header), header and payload. A
// packet is sent while it is still arriving, but begun only if the other side has room for all of
// it, and taken only if the retry buffer has, so that control words never wait for a packet that
// waits for something else. Beats: cluster_link_pack.
//
// A drain (while stopped) drops the packets that the other side has received, and passes the rest
// to returned_o, with those that arrive at in_i meanwhile. The first packet after it has the number
// that the other side expects. If that is not known, packets that were sent are given up
// (forgets_o), and a new session has to follow. So does it after a Nak that names a packet which
// this side no longer has, or not yet.
//
// Latency: 1 cycle from in_i to tx_data_o; 2 for a packet whose last beat is not full. Throughput:
// one beat per cycle.
`include "bombus_assert.svh"

module cluster_link_transmit
  import cluster_pkg::*;
  import cluster_crc_pkg::*;
  import cluster_link_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 128,
    parameter int unsigned RetryBeats = 512,  // a power of two
    parameter int unsigned MaxWords = 255,  // of a packet
    parameter int unsigned StateBeats = 25,  // beats that are given back by one control word
    parameter int unsigned StateCycles = 256,  // at least one State in so many cycles
    parameter int unsigned NakCycles = 512,  // until an unanswered Nak is repeated
    parameter int unsigned TailCycles = 256,  // without packets, until a Tail
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

    // The drain: drain_i.drain is held until drained_o
    input link_control_t drain_i,
    output logic draining_o,
    output logic drained_o,
    output logic forgets_o,  // it gives up packets that were sent; a pulse
    output beat_t returned_o,
    output logic returned_valid_o,
    input logic returned_ready_i,

    output count_t credits_o,  // beats that may be sent
    output logic [NumEvents-1:0] event_o
);

  localparam int unsigned NumWords = DataWidth / WordBits;

  // ---- Going back, and acknowledgements ----

  typedef struct packed {
    logic back;
    logic lost;  // packets that were sent are given up
    logic mark;
    logic drain;
    logic forgets;  // a new session has to follow
    seq_t seq;
  } lookup_t;
  lookup_t lookup, lookup_q, found_q;
  logic lookup_valid_q, found_valid_q;
  numbers_t numbers;
  assign numbers = heard_i.control.payload;

  logic ack_due_q, nak_due_q, fresh_due_q, nak_known_q;
  seq_t ack_seq_q, nak_seq_q, acked_q, send_seq_q, write_seq;
  nonce_t nak_nonce_q;
  logic draining_q;
  logic marked_q;  // a Mark was sent since the reset
  wire down = orders_i.training | orders_i.stopped;
  wire seq_t sent_packets = send_seq_q - acked_q;
  wire lookup_free = ~lookup_valid_q & ~found_valid_q;
  wire takes_fresh = lookup_free & fresh_due_q & ~draining_q;
  wire takes_nak = lookup_free & ~fresh_due_q & nak_due_q;
  wire takes_ack = lookup_free & ~fresh_due_q & ~nak_due_q & ack_due_q;
  wire takes_drain = lookup_free & ~fresh_due_q & ~nak_due_q & ~ack_due_q & orders_i.stopped &
      drain_i.drain & ~draining_q;
  // The sender may have gone back, so the other side can have more than sent_packets. Before the
  // first Mark its number is that of an earlier session.
  wire drain_fits = drain_i.known & marked_q &
      (seq_t'(drain_i.expected - acked_q) <= seq_t'(write_seq - acked_q));
  // A Nak that names no packet, or none that is in the buffer, is answered with all of them.
  wire nak_fits = nak_known_q & (seq_t'(nak_seq_q - acked_q) <= sent_packets);
  // No packet that was or could have been sent.
  wire nak_strange = nak_known_q & (seq_t'(nak_seq_q - acked_q) > seq_t'(write_seq - acked_q));
  seq_t gone_q;  // packets, if the other side awaits one before acked_q; a cycle late
  always_comb begin
    lookup = '{default: '0, seq: ack_seq_q};
    if (takes_fresh) begin
      lookup.back = 1'b1;
      lookup.lost = 1'b1;
      lookup.seq  = send_seq_q;
    end
    if (takes_nak) begin
      lookup.back = 1'b1;
      lookup.mark = ~nak_strange;
      lookup.forgets = nak_strange;
      lookup.seq = nak_fits ? nak_seq_q : acked_q;
    end
    if (takes_drain) begin
      lookup.back = 1'b1;
      lookup.lost = ~drain_fits;
      lookup.drain = 1'b1;
      lookup.forgets = ~drain_fits;
      lookup.seq = drain_fits ? drain_i.expected : send_seq_q;
    end
  end

  wire goes_back = found_valid_q & found_q.back;
  wire back_pending = nak_due_q | fresh_due_q | (lookup_valid_q & lookup_q.back) | goes_back;
  wire acks = heard_i.valid & heard_i.sure & (heard_i.control.kind == WordState);
  wire naks = heard_i.valid &
      (heard_i.control.kind == WordNak | heard_i.control.kind == WordNakNew);
  wire ends_drain = draining_q & ~drain_i.drain;  // packets that wait at in_i are sent
  logic empty;
  wire renumbers = ends_drain & empty;
  logic sends, sends_last;  // a beat of a packet
  seq_t lost_q;
  always_ff @(posedge clk_i) begin
    lookup_q <= lookup;
    found_q  <= lookup_q;
    gone_q   <= acked_q - nak_seq_q;
    if (acks) ack_seq_q <= numbers.seq;
    if (naks) begin
      nak_seq_q   <= numbers.seq;
      nak_nonce_q <= numbers.count;
      nak_known_q <= heard_i.sure & (heard_i.control.kind == WordNak);
    end
    if (rst_i) begin
      {ack_due_q, nak_due_q, fresh_due_q} <= '0;
      lookup_valid_q <= 1'b0;
      found_valid_q <= 1'b0;
      acked_q <= '0;
      send_seq_q <= '0;
      lost_q <= '0;
      draining_q <= 1'b0;
    end else begin
      lookup_valid_q <= takes_fresh | takes_nak | takes_drain | (takes_ack & (seq_t'(
          ack_seq_q - acked_q
      ) <= sent_packets));
      found_valid_q <= lookup_valid_q;
      ack_due_q <= (acks | (ack_due_q & ~takes_ack)) & ~orders_i.training;
      nak_due_q <= (naks | (nak_due_q & ~takes_nak)) & ~orders_i.training;
      fresh_due_q <= orders_i.fresh | (fresh_due_q & ~takes_fresh);
      if (found_valid_q) acked_q <= found_q.seq;
      if (sends_last) send_seq_q <= send_seq_q + 1'b1;
      if (goes_back) send_seq_q <= found_q.seq;
      lost_q <= lost_q - seq_t'(lost_q != '0) +
          ((found_valid_q & found_q.lost) ? found_q.seq - acked_q : '0) +
          ((found_valid_q & found_q.forgets & ~found_q.drain & ~gone_q[15]) ? gone_q : '0);
      if (found_valid_q & found_q.drain) draining_q <= 1'b1;
      else if (renumbers) draining_q <= 1'b0;
    end
  end
  assign forgets_o = found_valid_q & found_q.forgets;

  // ---- The retry buffer ----

  beat_t next;
  crc_t next_sum;
  logic [$clog2(NumWords):0] next_words;
  logic next_valid, next_fits, next_passes;
  count_t credit_q;
  wire returns = draining_q & next_valid & returned_ready_i;
  cluster_link_retry #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .RetryBeats(RetryBeats),
      .MaxWords(MaxWords)
  ) u_retry (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .closed_i(ends_drain),
      .seq_o(write_seq),
      .renumber_i(renumbers),
      .empty_o(empty),
      .seek_seq_i(renumbers ? acked_q : lookup.seq),
      .back_i(goes_back),
      .free_i(found_valid_q),
      .frees_i(draining_q),
      .out_o(next),
      .out_passes_o(next_passes),
      .out_sum_o(next_sum),
      .out_words_o(next_words),
      .out_valid_o(next_valid),
      .out_taken_i(sends | returns),
      .credit_i(credit_q),
      .out_fits_o(next_fits)
  );
  assign draining_o = draining_q;
  assign drained_o = draining_q & empty;
  assign returned_o = next;
  assign returned_valid_o = draining_q & next_valid;

  // ---- Control words ----

  control_t word;
  crc_t word_crc;
  logic word_valid, word_aligned, word_placed, active, open, in_packet;
  count_t sent_q;
  wire [31:0] word_half = {1'b0, word};
  cluster_link_control #(
      .StateBeats (StateBeats),
      .StateCycles(StateCycles),
      .NakCycles  (NakCycles),
      .TailCycles (TailCycles),
      .TrainBeats (TrainBeats)
  ) u_control (
      .clk_i,
      .rst_i,
      .orders_i,
      .key_i,
      .wanted_i,
      .train_run_done_o,
      .mark_i(goes_back & found_q.mark),
      .mark_nonce_i(nak_nonce_q),
      .state_seq_i(wanted_i.expected),
      .seq_i(send_seq_q),
      .sent_i(sent_q),
      .inside_i(in_packet),
      .still_i(~in_packet & ~back_pending),
      .sends_i(sends),
      .word_o(word),
      .crc_o(word_crc),
      .valid_o(word_valid),
      .aligned_o(word_aligned),
      .placed_i(word_placed),
      .active_o(active),
      .open_o(open)
  );

  // ---- Beats of the wire ----

  wire breaks = back_pending | down;  // a packet is broken off only to go back
  logic [1:0] begun;
  logic sends_beat;
  cluster_link_pack #(
      .beat_t(beat_t),
      .DataWidth(DataWidth)
  ) u_pack (
      .clk_i,
      .rst_i,
      .beat_i(next),
      .sum_i(next_sum),
      .sum_late_i(next_passes),
      .key_i,
      .words_i(next_words),
      .beat_valid_i(next_valid & ~breaks & (in_packet | (open & next_fits))),
      .beat_taken_o(sends),
      .inside_o(in_packet),
      .breaks_i(breaks),
      .word_i({word_crc, word_half}),
      .word_valid_i(word_valid & ~in_packet & ~orders_i.stopped),
      .word_aligned_i(word_aligned),
      .word_taken_o(word_placed),
      .tx_data_o,
      .tx_valid_o,
      .tx_ready_i,
      .begun_o(begun),
      .sends_o(sends_beat)
  );
  assign sends_last = sends & next.last;

  // ---- Credits: given back as a limit, which never falls ----

  // A packet begins by the credit of two cycles before. Meanwhile two beats may have begun, and it
  // takes one more than the whole beats of its length.
  localparam count_t Margin = count_t'(3);
  logic new_q;
  count_t limit_q, gain_q;
  wire count_t raised = credit_q + gain_q;
  // begun is late: the results for each of its values are ready before it.
  function automatic count_t after(logic [1:0] steps, count_t none, count_t one, count_t two);
    return steps[1] ? two : steps[0] ? one : none;
  endfunction
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      sent_q   <= '0;
      limit_q  <= '0;
      gain_q   <= '0;
      credit_q <= -Margin;
      new_q    <= 1'b1;
      marked_q <= 1'b0;
    end else begin
      sent_q   <= after(begun, sent_q, sent_q + count_t'(1), sent_q + count_t'(2));
      new_q    <= orders_i.fresh | (new_q & down);
      gain_q   <= acks ? numbers.count - limit_q : '0;
      credit_q <= after(begun, raised, raised - count_t'(1), raised - count_t'(2));
      if (acks) limit_q <= numbers.count;
      if (new_q) begin
        limit_q  <= sent_q;
        gain_q   <= '0;
        credit_q <= -Margin;
      end
      if (word_valid & word.kind == WordMark) marked_q <= 1'b1;
    end
  end
  assign credits_o = credit_q + Margin;

  always_ff @(posedge clk_i) begin
    event_o <= '0;
    event_o[EventPacketOut] <= sends_last;
    event_o[EventBeatOut] <= sends_beat;
    event_o[EventRetry] <= goes_back & found_q.mark & active;
    event_o[EventLost] <= lost_q != '0;
    if (rst_i) event_o <= '0;
  end

  wire unused = drain_i.disable_link;

  `BOMBUS_ASSERT(DrainsStopped, !draining_q || orders_i.stopped)
  `BOMBUS_ASSERT(AcksSent, sent_packets <= seq_t'(RetryBeats))
  `BOMBUS_ASSERT(CreditNotExceeded, credits_o < 12'h800)

endmodule
