// SPDX-License-Identifier: Apache-2.0
// Control words that a link's sender owes: which one is next, and the times of those that are
// repeated. One word waits at a time, with its CRC.
//
// The order is: training, Nak, State, Mark, Tail. A Mark is sent for each Nak of the other side,
// and a Tail after it and after TailCycles without packets. A State that waits for the end of a
// packet always contains the latest limit.
//
// Latency: 1 cycle from a reason to the word, and 1 to open_o. Throughput: one word per cycle.
module cluster_link_control
  import cluster_crc_pkg::*;
  import cluster_link_pkg::*;
#(
    parameter int unsigned StateBeats = 25,  // beats that are given back by one State
    parameter int unsigned StateCycles = 256,  // at least one State in so many cycles
    parameter int unsigned Settled = 1,  // cycles from a State to the next one, at least
    parameter int unsigned TailCycles = 256,  // without packets, until a Tail
    parameter int unsigned NakCycles = 512,  // until an unanswered Nak is repeated: a round trip
    parameter int unsigned TrainBeats = 300  // words of a run of training
) (
    input logic clk_i,
    input logic rst_i,

    input orders_t orders_i,
    input session_key_t key_i,  // added to all CRCs but those of training words
    input wanted_t wanted_i,
    output logic train_run_done_o,

    input logic   mark_i,       // a Nak is to be answered; a pulse
    input nonce_t mark_nonce_i,

    input seq_t   state_seq_i,  // for a State: next packet expected, or sums_t
    input seq_t   seq_i,        // next packet to be sent
    input count_t sent_i,       // beats sent
    input logic   inside_i,     // in a packet: no word is taken in this cycle
    input logic   still_i,      // a Mark or Tail may be chosen: neither in a packet nor before one
    input logic   sends_i,      // a beat of a packet is sent

    output control_t word_o,
    output crc_t crc_o,
    output logic valid_o,
    output logic aligned_o,  // at the beginning of a beat
    input logic placed_i,

    output logic active_o,  // a Mark was chosen since the link came up
    output logic open_o     // a packet may begin
);

  if (StateBeats < 1 || Settled < 1) begin : gen_bad_state
    $error("cluster_link_control: StateBeats and Settled must be at least 1");
  end

  // A State can wait for a long packet, so that one of fewer beats is sent if the last one is old.
  localparam int unsigned AgedBeats = (StateBeats + 3) / 4;
  localparam int unsigned AgedCycles = Settled > StateBeats + StateBeats / 2 ?
      Settled : StateBeats + StateBeats / 2;

  wire down = orders_i.training | orders_i.stopped;
  logic state_due_q, nak_send_q, tail_time_q, mark_due_q, tail_due_q, hunting_q;
  nonce_t mark_nonce_q;
  count_t announced_q;
  logic [$clog2(StateCycles)-1:0] state_timer_q;
  logic [$clog2(TailCycles)-1:0] tail_timer_q;
  logic [$clog2(NakCycles)-1:0] nak_timer_q;
  logic [$clog2(TrainBeats+1)-1:0] train_left_q;
  logic run_q;  // it is not 0

  // ---- The next word ----

  control_t control;
  numbers_t numbers;
  logic chooses;
  logic is_state_q;  // of word_o
  wire waits_state = valid_o & is_state_q;
  wire renews = waits_state & inside_i;
  wire word_free = ~valid_o | placed_i | renews;
  wire trains = orders_i.training | run_q;
  always_comb begin
    chooses = word_free;
    numbers = '{seq: seq_i, count: sent_i};
    control = '{kind: WordTail, payload: numbers};
    if (trains) control = '{kind: WordTrain, payload: orders_i.word};
    else if (nak_send_q & ~renews) begin
      numbers = '{seq: wanted_i.expected, count: wanted_i.nonce};
      control = '{kind: wanted_i.is_new ? WordNakNew : WordNak, payload: numbers};
    end else if (state_due_q | renews) begin
      numbers = '{seq: state_seq_i, count: wanted_i.limit};
      control = '{kind: WordState, payload: numbers};
    end else if (mark_due_q) begin
      numbers.count = mark_nonce_q;
      control = '{kind: WordMark, payload: numbers};
      chooses &= still_i;
    end else if (tail_due_q) chooses &= still_i;
    else chooses = 1'b0;
  end

  wire chooses_state = chooses & control.kind == WordState;
  wire chooses_nak = chooses & (control.kind == WordNak | control.kind == WordNakNew);
  wire chooses_mark = chooses & control.kind == WordMark;
  wire chooses_tail = chooses & control.kind == WordTail;
  wire chooses_train = chooses & control.kind == WordTrain;
  wire count_t given_back = wanted_i.limit - announced_q;
  always_ff @(posedge clk_i) begin
    if (chooses) begin
      word_o <= control;
      is_state_q <= control.kind == WordState;
      crc_o <= of_half({1'b0, control}) ^ (trains ? '0 : crc_t'(key_i));
      aligned_o <= control.kind != WordState;
    end
    if (mark_i) mark_nonce_q <= mark_nonce_i;
    hunting_q <= wanted_i.hunting;
    if (rst_i) begin
      valid_o <= 1'b0;
      active_o <= 1'b0;
      mark_due_q <= 1'b0;
      tail_due_q <= 1'b0;
      tail_time_q <= 1'b0;
      tail_timer_q <= '0;
      announced_q <= '0;
      state_due_q <= 1'b0;
      state_timer_q <= '0;
      nak_send_q <= 1'b0;
      nak_timer_q <= '0;
      run_q <= 1'b0;
    end else begin
      if (word_free) valid_o <= chooses;
      // What was chosen before the link went down is of no use after it.
      if (orders_i.training & ~chooses & word_o.kind != WordTrain) valid_o <= 1'b0;
      if (chooses_mark) begin
        mark_due_q <= 1'b0;
        tail_due_q <= 1'b1;
        active_o   <= 1'b1;
      end
      if (chooses_tail) tail_due_q <= 1'b0;
      else if (tail_time_q & active_o) tail_due_q <= 1'b1;
      if (mark_i) mark_due_q <= 1'b1;
      if (down) begin
        active_o   <= 1'b0;
        mark_due_q <= 1'b0;
        tail_due_q <= 1'b0;
      end

      // The sum of the next State is known some cycles after this one has been placed.
      state_timer_q <= (chooses_state | waits_state) ? '0 : state_timer_q + 1'b1;
      if (chooses_state) announced_q <= wanted_i.limit;
      state_due_q <= ~chooses_state & wanted_i.limit_valid & ~orders_i.training &
          (state_due_q | (&state_timer_q) |
           (32'(state_timer_q) >= Settled & ~valid_o & given_back >= count_t'(StateBeats)) |
           (32'(state_timer_q) >= AgedCycles & ~valid_o & given_back >= count_t'(AgedBeats)));
      tail_timer_q <= (sends_i | chooses_tail) ? '0 : tail_timer_q + 1'b1;
      tail_time_q <= ~sends_i & ~chooses_tail & (tail_time_q | (&tail_timer_q));
      nak_timer_q <= chooses_nak ? '0 : nak_timer_q + 1'b1;
      nak_send_q <= wanted_i.hunting & ~chooses_nak & ~orders_i.training &
          (nak_send_q | ~hunting_q | (&nak_timer_q));
      if (orders_i.run) begin
        train_left_q <= $bits(train_left_q)'(TrainBeats);
        run_q <= 1'b1;
      end else if (chooses_train & run_q) begin
        train_left_q <= train_left_q - 1'b1;
        run_q <= train_left_q != $bits(train_left_q)'(1);
      end
    end
  end
  assign train_run_done_o = ~run_q;
  assign open_o = active_o & ~mark_due_q & ~tail_due_q & ~valid_o;

endmodule
