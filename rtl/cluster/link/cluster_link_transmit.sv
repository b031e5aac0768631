// SPDX-License-Identifier: Apache-2.0
// The sending half of a link with retry: keeps each packet until it is acknowledged, and packs
// packets and control words without gaps into beats of the wire.
//
// A packet is 4 bytes of header, its payload and a CRC-32C over its number (16 bits, XORed to the
// header), header and payload: length + 1 words of 8 bytes, which begin at any word of a beat. At
// most one packet or control word begins in a beat, and at most one packet ends in it; where more
// would fit, the rest of the beat is idle. A packet is sent while it is still arriving, but begun
// only if the other side has room for all of it, and taken only if the retry buffer has, so that
// control words never wait for a packet that waits for something else.
//
// A drain (while stopped_i) drops the packets that the other side has received, and passes the rest
// to returned_o, with those that arrive at in_i meanwhile. The first packet after it has the number
// that the other side expects. If that is not known, packets that were sent are given up
// (forgets_o), and a new session has to follow.
//
// Latency: 5 cycles from in_i to phy_tx_data_o. Throughput: one beat per cycle.
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
    input logic fresh_i,  // the other side is new: packets sent to it are lost; a pulse

    // The drain: drain_i.drain is held until drained_o
    input link_control_t drain_i,
    output logic draining_o,
    output logic drained_o,
    output logic forgets_o,  // it gives up packets that were sent; a pulse
    output beat_t returned_o,
    output logic returned_valid_o,
    input logic returned_ready_i,

    // From the other side
    input control_t control_i,
    input logic control_valid_i,
    input logic control_sure_i,  // it came between packets, not while the receiver was out of step
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
  localparam int unsigned MaxBeats = (MaxWords + NumWords - 1) / NumWords;
  localparam int unsigned AddrBits = $clog2(RetryBeats);
  localparam int unsigned PacketBits = AddrBits;  // each packet has a beat
  typedef logic [AddrBits-1:0] addr_t;
  typedef logic [PacketBits-1:0] index_t;
  typedef logic [8:0] words_t;
  typedef logic [WordShift:0] fill_t;  // words of a beat, 0 to NumWords

  if (MaxWords < 1 || MaxWords > 255) begin : gen_bad_words
    $error("cluster_link: MaxWords must be 1 to 255");
  end
  if (RetryBeats != 2 ** AddrBits || RetryBeats < 2 * MaxBeats) begin : gen_bad_retry
    $error("cluster_link: RetryBeats must be a power of two and hold the two longest packets");
  end

  // ---- Packets enter the retry buffer ----

  addr_t write_q, free_q;
  seq_t write_seq_q, acked_q;
  words_t write_left_q;  // words of the packet still to come; 0 between packets
  logic room_q, write_inside_q;
  logic renumbers;  // the end of a drain
  addr_t starts[RetryBeats];  // of each packet, and of the one that follows
  (* ram_style = "distributed" *) length_t lengths[RetryBeats];

  logic draining_q, returned_valid_q;
  // The drain ends: packets that wait at in_i are sent.
  wire ends_drain = draining_q & ~drain_i.drain;
  assign in_ready_o = write_inside_q | (room_q & ~ends_drain);
  wire writes = in_valid_i & in_ready_o;
  wire words_t write_left = write_inside_q ? write_left_q : 9'(in_i.header.length);
  wire write_last = write_left <= 9'(NumWords);
  beat_t written;
  always_comb begin
    written = in_i;
    written.last = write_last;
    for (int unsigned w = 0; w < NumWords; w++) begin
      if (32'(write_left) <= w) written.data[64*w+:64] = '0;
    end
  end

  // Where packets start is known when the one before has been written.
  logic   start_write_q;
  index_t start_index_q;
  addr_t  start_q;
  always_ff @(posedge clk_i) begin
    start_write_q <= rst_i | (writes & write_last) | renumbers;
    start_index_q <= rst_i ? '0 : renumbers ? index_t'(acked_q) : index_t'(write_seq_q) + 1'b1;
    start_q <= rst_i ? '0 : renumbers ? write_q : write_q + 1'b1;
    if (start_write_q) starts[start_index_q] <= start_q;
    if (writes & ~write_inside_q) lengths[index_t'(write_seq_q)] <= in_i.header.length;
    write_left_q <= writes ? write_left - 9'(NumWords) : write_left;
    if (rst_i) begin
      write_q <= '0;
      write_seq_q <= '0;
      write_inside_q <= 1'b0;
      room_q <= 1'b0;
    end else begin
      if (writes) begin
        write_q <= write_q + 1'b1;
        write_inside_q <= ~write_last;
        if (write_last) write_seq_q <= write_seq_q + 1'b1;
      end
      if (renumbers) write_seq_q <= acked_q;
      room_q <= 32'(addr_t'(write_q - free_q)) < RetryBeats - MaxBeats - 4;
    end
  end

  // ---- Going back, and acknowledgements ----

  typedef struct packed {
    logic back;
    logic lost;   // packets that were sent are given up
    logic mark;
    logic drain;
    seq_t seq;
  } lookup_t;
  lookup_t lookup, lookup_q, found_q;
  logic lookup_valid_q, found_valid_q;
  addr_t found_start_q;
  numbers_t numbers;
  assign numbers = control_i.payload;

  logic ack_due_q, nak_due_q, fresh_due_q, nak_known_q;
  seq_t ack_seq_q, nak_seq_q;
  nonce_t nak_nonce_q;
  addr_t send_q;
  seq_t send_seq_q;
  logic marked_q;  // a Mark was sent since the reset
  wire seq_t sent_packets = send_seq_q - acked_q;
  wire lookup_free = ~lookup_valid_q & ~found_valid_q;
  wire takes_fresh = lookup_free & fresh_due_q & ~draining_q;
  wire takes_nak = lookup_free & ~fresh_due_q & nak_due_q;
  wire takes_ack = lookup_free & ~fresh_due_q & ~nak_due_q & ack_due_q;
  wire takes_drain = lookup_free & ~fresh_due_q & ~nak_due_q & ~ack_due_q & stopped_i &
      drain_i.drain & ~draining_q;
  // The sender may have gone back, so the other side can have more than sent_packets. Before the
  // first Mark its number is that of an earlier session.
  wire drain_fits = drain_i.known & marked_q &
      (seq_t'(drain_i.expected - acked_q) <= seq_t'(write_seq_q - acked_q));
  // A Nak that names no packet, or none that is in the buffer, is answered with all of them.
  wire nak_fits = nak_known_q & (seq_t'(nak_seq_q - acked_q) <= sent_packets);
  always_comb begin
    lookup = '{back: 1'b0, lost: 1'b0, mark: 1'b0, drain: 1'b0, seq: ack_seq_q};
    if (takes_fresh) begin
      lookup.back = 1'b1;
      lookup.lost = 1'b1;
      lookup.seq  = send_seq_q;
    end
    if (takes_nak) begin
      lookup.back = 1'b1;
      lookup.mark = 1'b1;
      lookup.seq  = nak_fits ? nak_seq_q : acked_q;
    end
    if (takes_drain) begin
      lookup.back  = 1'b1;
      lookup.lost  = ~drain_fits;
      lookup.drain = 1'b1;
      lookup.seq   = drain_fits ? drain_i.expected : send_seq_q;
    end
  end

  wire  goes_back = found_valid_q & found_q.back;
  wire  back_pending = nak_due_q | fresh_due_q | (lookup_valid_q & lookup_q.back) | goes_back;
  wire  acks = control_valid_i & control_sure_i & (control_i.kind == WordState);
  wire  naks = control_valid_i & (control_i.kind == WordNak | control_i.kind == WordNakNew);
  seq_t lost_q;
  always_ff @(posedge clk_i) begin
    found_start_q <= starts[index_t'(lookup_q.seq)];
    lookup_q <= lookup_free ? lookup : lookup_q;
    found_q <= lookup_q;
    if (acks) ack_seq_q <= numbers.seq;
    if (naks) begin
      nak_seq_q   <= numbers.seq;
      nak_nonce_q <= numbers.count;
      nak_known_q <= control_sure_i & (control_i.kind == WordNak);
    end
    if (rst_i) begin
      {ack_due_q, nak_due_q, fresh_due_q} <= '0;
      lookup_valid_q <= 1'b0;
      found_valid_q <= 1'b0;
      free_q <= '0;
      acked_q <= '0;
      lost_q <= '0;
    end else begin
      lookup_valid_q <= takes_fresh | takes_nak | takes_drain | (takes_ack & (seq_t'(
          ack_seq_q - acked_q
      ) <= sent_packets));
      found_valid_q <= lookup_valid_q;
      ack_due_q <= (acks | (ack_due_q & ~takes_ack)) & ~training_i;
      nak_due_q <= (naks | (nak_due_q & ~takes_nak)) & ~training_i;
      fresh_due_q <= fresh_i | (fresh_due_q & ~takes_fresh);
      if (found_valid_q) begin
        free_q  <= found_start_q;
        acked_q <= found_q.seq;
      end else if (draining_q) free_q <= send_q;
      lost_q <= lost_q - seq_t'(lost_q != '0) +
          ((found_valid_q & found_q.lost) ? found_q.seq - acked_q : '0);
    end
  end

  // ---- Choice of the next item: a control word or a beat of a packet ----

  typedef struct packed {
    logic       valid;
    logic       is_control;
    logic       first;
    logic       last;
    fill_t      words;       // of the last beat
    seq_t       seq;
    control_t   control;
    logic [8:0] need;        // beats that the packet may take at most
  } item_t;
  item_t item, read_q, summed_q;

  logic read_ready, summed_ready, placed_ready;
  logic inside_q, active_q, mark_due_q, tail_due_q, quiet;
  seq_t   mark_seq_q;
  nonce_t mark_nonce_q;
  words_t send_left_q;
  count_t booked_q, settled_q, sent_q, limit_q, announced_q;
  logic state_due_q, nak_send_q, tail_time_q;
  logic [$clog2(StateCycles)-1:0] state_timer_q, tail_timer_q;
  logic [$clog2(NakCycles)-1:0] nak_timer_q;
  logic [$clog2(TrainBeats+1)-1:0] train_left_q;
  logic hunting_q, new_q;
  wire down = training_i | stopped_i;

  wire length_t next_length = lengths[index_t'(send_seq_q)];
  wire words_t send_left = inside_q ? send_left_q : 9'(next_length);
  wire send_last = send_left <= 9'(NumWords);
  logic [8:0] need_q;
  wire length_t beats_less_2 = next_length >> WordShift;
  wire [8:0] need = 9'(beats_less_2) + 9'd2;  // at the start of a packet
  // Beats of packets on the way through this module are booked twice for a while, so it can be
  // negative.
  wire count_t given_back = limit_i - announced_q;
  wire count_t credit = limit_q - booked_q;
  wire available = send_q != write_q;
  wire returns = draining_q & available & (~returned_valid_q | returned_ready_i);
  wire empty = ~available & ~returned_valid_q & ~write_inside_q;
  assign renumbers = ends_drain & empty;
  wire holds = back_pending | mark_due_q | tail_due_q | down;
  wire boundary = ~inside_q;
  logic sends_state, sends_nak, sends_mark, sends_tail, sends_train;
  wire control_due = nak_send_q | state_due_q | (train_left_q != '0);
  wire starts_packet = boundary & active_q & ~holds & ~control_due & ~sends_tail & ~credit[11] &
      (credit >= count_t'(beats_less_2));
  wire sends = read_ready & available & ((inside_q & ~holds) | starts_packet);

  always_comb begin
    {sends_state, sends_nak, sends_mark, sends_tail, sends_train} = '0;
    if (read_ready & boundary & ~stopped_i) begin
      if (training_i) sends_train = 1'b1;
      else if (train_left_q != '0) sends_train = 1'b1;
      else if (nak_send_q) sends_nak = 1'b1;
      else if (state_due_q) sends_state = 1'b1;
      else if (quiet & ~back_pending) begin
        if (mark_due_q) sends_mark = 1'b1;
        else if (tail_due_q | (tail_time_q & active_q)) sends_tail = 1'b1;
      end
    end
  end
  numbers_t out_numbers;
  always_comb begin
    out_numbers  = '{seq: expected_i, count: limit_i};
    item.control = '{kind: WordState, payload: out_numbers};
    if (sends_nak) begin
      out_numbers.count = nonce_i;
      item.control = '{kind: new_i ? WordNakNew : WordNak, payload: out_numbers};
    end
    if (sends_mark) begin
      out_numbers  = '{seq: mark_seq_q, count: mark_nonce_q};
      item.control = '{kind: WordMark, payload: out_numbers};
    end
    if (sends_tail) begin
      out_numbers  = '{seq: send_seq_q, count: sent_q};
      item.control = '{kind: WordTail, payload: out_numbers};
    end
    if (sends_train) item.control = '{kind: WordTrain, payload: training_word_i};
    item.is_control = sends_state | sends_nak | sends_mark | sends_tail | sends_train;
    item.valid = sends | item.is_control;
    item.first = boundary;
    item.last = send_last;
    item.words = send_left[WordShift:0];
    item.seq = send_seq_q;
    item.need = inside_q ? need_q : need;
  end


  always_ff @(posedge clk_i) begin
    if (sends) send_left_q <= send_left - 9'(NumWords);
    if (sends) need_q <= item.need;
    if (goes_back) begin
      mark_seq_q   <= found_q.seq;
      mark_nonce_q <= nak_nonce_q;
    end
    hunting_q <= hunting_i;
    if (rst_i) begin
      inside_q <= 1'b0;
      active_q <= 1'b0;
      marked_q <= 1'b0;
      mark_due_q <= 1'b0;
      tail_due_q <= 1'b0;
      send_q <= '0;
      send_seq_q <= '0;
      limit_q <= '0;
      announced_q <= '0;
      state_due_q <= 1'b0;
      nak_send_q <= 1'b0;
      tail_time_q <= 1'b0;
      state_timer_q <= '0;
      tail_timer_q <= '0;
      nak_timer_q <= '0;
      train_left_q <= '0;
      new_q <= 1'b1;
    end else begin
      if (sends) begin
        send_q   <= send_q + 1'b1;
        inside_q <= ~send_last;
        if (send_last) send_seq_q <= send_seq_q + 1'b1;
      end
      if (returns) send_q <= send_q + 1'b1;
      if (holds) inside_q <= 1'b0;  // a packet is broken off only to go back
      if (sends_mark) begin
        mark_due_q <= 1'b0;
        tail_due_q <= 1'b1;
        active_q   <= 1'b1;
        marked_q   <= 1'b1;
      end
      if (sends_tail) tail_due_q <= 1'b0;
      if (goes_back) begin
        send_q <= found_start_q;
        send_seq_q <= found_q.seq;
        mark_due_q <= found_q.mark;
        tail_due_q <= 1'b0;
      end
      if (down) begin
        active_q   <= 1'b0;
        mark_due_q <= 1'b0;
        tail_due_q <= 1'b0;
      end

      // Credits are given back as a limit, which never falls. limit_q is 2 beats less.
      new_q <= fresh_i | (new_q & down);
      if (new_q) limit_q <= sent_q - count_t'(2);
      else if (acks) limit_q <= numbers.count - count_t'(2);

      state_timer_q <= sends_state ? '0 : state_timer_q + 1'b1;
      if (sends_state) announced_q <= limit_i;
      state_due_q <= ~sends_state & limit_valid_i & ~training_i &
                    (state_due_q | (&state_timer_q) | given_back >= count_t'(StateBeats));
      tail_timer_q <= (sends | sends_tail) ? '0 : tail_timer_q + 1'b1;
      tail_time_q <= ~sends & ~sends_tail & (tail_time_q | (&tail_timer_q));
      nak_timer_q <= sends_nak ? '0 : nak_timer_q + 1'b1;
      nak_send_q <= hunting_i & ~sends_nak & ~training_i &
          (nak_send_q | ~hunting_q | (&nak_timer_q));
      if (train_run_i) train_left_q <= $bits(train_left_q)'(TrainBeats);
      else if (sends_train & (train_left_q != '0)) train_left_q <= train_left_q - 1'b1;
    end
  end
  assign train_run_done_o = train_left_q == '0;

  // ---- The beat is read, and its CRC computed ----

  (* ram_style = "block" *) beat_t ring[RetryBeats];
  beat_t beat_q;
  assign read_ready = ~read_q.valid | summed_ready;
  always_ff @(posedge clk_i) begin
    if (writes) ring[write_q] <= written;
    if (draining_q ? returns : read_ready) beat_q <= ring[send_q];
    if (read_ready) read_q <= item;
    if (rst_i | draining_q) read_q.valid <= 1'b0;
    if (rst_i) begin
      draining_q <= 1'b0;
      returned_valid_q <= 1'b0;
    end else begin
      if (found_valid_q & found_q.drain) draining_q <= 1'b1;
      else if (renumbers) draining_q <= 1'b0;
      returned_valid_q <= returns | (returned_valid_q & ~returned_ready_i);
    end
  end
  assign forgets_o = found_valid_q & found_q.drain & found_q.lost;
  assign draining_o = draining_q;
  assign drained_o = draining_q & empty;
  assign returned_o = beat_q;
  assign returned_valid_o = returned_valid_q;

  localparam matrix_t ByBeat = by_zeros(DataWidth);
  crc_t [NumWords-1:0] sums;
  crc_t crc_q, crc;
  wire wire_header_t header = '{data: 1'b1, header: beat_q.header};
  crc_words #(
      .NumWords(NumWords)
  ) u_sums (
      .words_i(beat_q.data),
      .sums_o (sums)
  );
  always_comb begin
    crc = times(ByBeat, read_q.first ? times(By32, ~(header ^ 32'(read_q.seq))) : crc_q);
    for (int unsigned w = 0; w < NumWords; w++) crc ^= sums[w];
  end

  beat_t summed_beat_q;
  wire [31:0] control_half = {1'b0, read_q.control};
  assign summed_ready = ~summed_q.valid | placed_ready;
  always_ff @(posedge clk_i) begin
    if (summed_ready) begin
      summed_q <= read_q;
      summed_beat_q <= beat_q;
      if (read_q.valid) crc_q <= read_q.is_control ? of_half(control_half) : crc;
    end
    if (rst_i) summed_q.valid <= 1'b0;
  end

  // Words of zero after the end are taken out of the CRC again.
  function automatic matrix_t [WordShift:0] backs();
    matrix_t [WordShift:0] found;
    for (int unsigned b = 0; b <= WordShift; b++) found[b] = by_zeros(-64 * (1 << b));
    return found;
  endfunction
  localparam matrix_t [WordShift:0] Backs = backs();
  fill_t surplus;
  assign surplus = fill_t'(NumWords) - summed_q.words;
  crc_t end_crc;
  always_comb begin
    end_crc = crc_q;
    for (int unsigned b = 0; b <= WordShift; b++) begin
      if (surplus[b]) end_crc = times(Backs[b], end_crc);
    end
    end_crc = ~end_crc;
  end

  // ---- Words of the item ----

  logic [31:0] half_q;
  logic [NumWords:0][63:0] words, words_q;
  typedef struct packed {
    logic valid;
    logic is_control;
    logic first;
    logic last;
    logic [WordShift+1:0] count;  // words, up to NumWords + 1
    logic [8:0] need;
  } placing_t;
  placing_t placing_q;
  wire [31:0] low_half = summed_q.first ? {1'b1, summed_beat_q.header} : half_q;
  wire [31:0] summed_control = {1'b0, summed_q.control};
  always_comb begin
    words = {32'b0, summed_beat_q.data, low_half};
    for (int unsigned w = 0; w <= NumWords; w++) begin
      if (summed_q.last && 32'(summed_q.words) == w) words[w][63:32] = end_crc;
    end
    if (summed_q.is_control) begin
      words = '0;
      words[0] = {crc_q, summed_control};
    end
  end
  logic takes;
  assign placed_ready = ~placing_q.valid | takes;
  always_ff @(posedge clk_i) begin
    if (placed_ready) begin
      words_q <= words;
      if (~summed_q.is_control & ~summed_q.last) words_q[NumWords] <= '0;
      placing_q <= '{
          valid: summed_q.valid,
          is_control: summed_q.is_control,
          first: summed_q.first | summed_q.is_control,
          last: summed_q.last | summed_q.is_control,
          count:
          summed_q.is_control
          ?
          (WordShift + 2)'(1)
          :
          summed_q.last
          ?
          (WordShift + 2)'(summed_q.words) + 1'b1
          : (
          WordShift + 2
          )'(
          NumWords
          ),
          need: summed_q.need
      };
      if (summed_q.valid) half_q <= summed_beat_q.data[DataWidth-1-:32];
    end
    if (rst_i) placing_q.valid <= 1'b0;
  end

  // ---- Beats of the wire ----

  logic [NumWords-1:0][63:0] rest_q;
  fill_t fill_q;
  logic rest_starts_q, rest_data_q, middle_q;
  wire out_free = ~tx_valid_o | tx_ready_i;
  wire full = fill_q == fill_t'(NumWords);
  wire pending = fill_q != '0;
  wire [WordShift+1:0] total = (WordShift + 2)'(fill_q) + placing_q.count;
  wire fills = total >= (WordShift + 2)'(NumWords);
  wire single_inside = placing_q.first & placing_q.last & ~placing_q.is_control &
      (total <= (WordShift + 2)'(NumWords));
  wire conflicts = placing_q.first & pending & (rest_starts_q | single_inside);
  wire flush = pending & (full | (placing_q.valid ? conflicts : ~middle_q | holds));
  assign takes = placing_q.valid & out_free & ~full & ~conflicts;
  wire emits = out_free & (flush | (takes & fills));

  logic [2*NumWords-1:0][63:0] window;
  always_comb begin
    window = (2 * DataWidth)'(words_q) << (64 * 32'(fill_q));
    window[NumWords-1:0] |= rest_q;
  end

  // Beats that this item begins.
  wire places_data = takes & ~placing_q.is_control;
  wire [WordShift+1:0] spilled = total - (WordShift + 2)'(NumWords);
  wire begins_here = places_data & ~rest_data_q;
  wire begins_next = places_data & fills & (spilled != '0);
  always_ff @(posedge clk_i) begin
    if (emits) tx_data_o <= flush ? rest_q : window[NumWords-1:0];
    if (takes) rest_q <= fills ? window[2*NumWords-1:NumWords] : window[NumWords-1:0];
    else if (out_free & flush) rest_q <= '0;
    if (rst_i) begin
      rest_q <= '0;
      tx_valid_o <= 1'b0;
      fill_q <= '0;
      rest_starts_q <= 1'b0;
      rest_data_q <= 1'b0;
      middle_q <= 1'b0;
      sent_q <= '0;
      booked_q <= '0;
      settled_q <= '0;
    end else begin
      if (out_free) tx_valid_o <= emits;
      if (takes) begin
        fill_q <= fills ? fill_t'(spilled) : fill_t'(total);
        rest_starts_q <= ~fills & (rest_starts_q | placing_q.first);
        rest_data_q <= fills ? begins_next : rest_data_q | places_data;
        middle_q <= ~placing_q.last;
      end else if (out_free & flush) begin
        fill_q <= '0;
        rest_starts_q <= 1'b0;
        rest_data_q <= 1'b0;
        middle_q <= 1'b0;
      end
      sent_q <= sent_q + count_t'(begins_here) + count_t'(begins_next);
      // A cycle late: until then, the bookings of the packet cover its beats.
      settled_q <= count_t'(begins_here) + count_t'(begins_next) -
          ((places_data & placing_q.last) ? count_t'(placing_q.need) : '0);
      booked_q <= booked_q + ((sends & boundary) ? count_t'(need) : '0) + settled_q;
      if (sends_mark | down) booked_q <= sent_q;
    end
  end
  assign quiet = ~read_q.valid & ~summed_q.valid & ~placing_q.valid & ~pending;

  assign credits_o = credit[11] ? '0 : credit + count_t'(2);

  always_ff @(posedge clk_i) begin
    event_o <= '0;
    event_o[EventPacketOut] <= places_data & placing_q.last;
    event_o[EventBeatOut] <= emits & (rest_data_q | (~flush & ~placing_q.is_control));
    event_o[EventRetry] <= goes_back & found_q.mark & active_q;
    event_o[EventLost] <= lost_q != '0;
    if (rst_i) event_o <= '0;
  end

  wire unused = ^{summed_q.seq, summed_beat_q.last, drain_i.disable_link};

  `BOMBUS_ASSERT(NoOverflow, !(writes && addr_t'(write_q + 1'b1) == free_q))
  `BOMBUS_ASSERT(LastAgrees, !(writes && in_i.last != write_last))
  `BOMBUS_ASSERT(DrainsStopped, !draining_q || stopped_i)
  `BOMBUS_ASSERT(AcksSent, sent_packets <= seq_t'(RetryBeats))

endmodule
