// SPDX-License-Identifier: Apache-2.0
// The two halves of a link, cluster_link_transmit to cluster_link_receive, over a channel that
// loses or changes up to MaxErrors beats, whichever they are: packets arrive once, complete and in
// order, none is forgotten by the sender before it has arrived, and the receiver has room for all
// that the sender sends. Bounded: examined from reset up to the depth of the proof. The cover
// statements show that this contains a loss, its Nak, the Mark, the repetition and the delivery of
// all packets. That a lost packet is repeated at all is left to simulations.
//
// Ideal CRC: it is good exactly for the words of a packet that was sent, with its number. Payload
// does not imitate control words. Both are true with the probability of a CRC.
//
// The way back, from receiver to sender, has one State or Nak on its way at a time. Prompt = 0: it
// is sent at any time, and arrives at any later time or never. Prompt = 1: a Nak when the receiver
// gets out of step, States else, each after one cycle.
module cluster_link_retry_formal
  import cluster_pkg::*;
  import cluster_crc_pkg::*;
  import cluster_link_pkg::*;
#(
    parameter int unsigned NumPackets = 2,
    parameter int unsigned MaxErrors = 1,
    parameter int unsigned StateCycles = 8,
    parameter int unsigned StartCycles = 20,  // without errors: the receiver gets into step
    parameter bit Changes = 1,  // beats are changed; 0: they are only lost
    parameter bit Prompt = 1  // the way back takes one cycle; packets enter without pauses
) (
    input logic clk_i,
    input logic rst_i,
    input logic [NumPackets-1:0][1:0] length_i,  // of each packet, in words; constant
    input logic in_valid_i,
    input logic loses_i,
    input logic changes_i,
    input logic [63:0] noise_i,
    input logic sends_back_i,
    input logic sends_nak_i,
    input logic arrives_i,
    input logic sure_i
);

  typedef struct packed {
    header_t header;
    logic last;
    logic [63:0] data;
  } beat_t;
  typedef logic [7:0] number_t;

  logic started;
  logic [NumPackets-1:0][1:0] lengths;
  proof_start #(
      .Width(2 * NumPackets)
  ) u_start (
      .clk_i,
      .rst_i,
      .watched_i(length_i),
      .started_o(started),
      .watched_o(lengths)
  );

  // ---- Packet n, which is known from its number ----

  function automatic logic [1:0] length_of(number_t n);
    length_of = '0;
    for (int unsigned k = 0; k < NumPackets; k++) begin
      if (n == number_t'(k)) length_of = length_i[k];
    end
  endfunction
  function automatic header_t header_of(number_t n);
    header_of = '0;
    header_of.source = n;
    header_of.length = length_t'(length_of(n));
  endfunction
  // No control word begins with 4'b1000.
  function automatic logic [31:0] half_of(number_t n, logic [1:0] word);
    return {4'b1000, 12'b0, n, 6'b0, word};
  endfunction
  function automatic beat_t beat_of(number_t n, logic [1:0] word);
    beat_of.header = header_of(n);
    beat_of.last   = 32'(word) + 1 >= 32'(length_of(n));
    beat_of.data   = length_of(n) == '0 ? '0 : {half_of(n, word), half_of(n, word)};
  endfunction

  // ---- The link ----

  beat_t in, out;
  logic in_ready, out_valid, tx_valid;
  logic [63:0] tx_data;
  number_t in_packet_q, out_packet_q;
  logic [1:0] in_word_q, out_word_q;
  assign in = beat_of(in_packet_q, in_word_q);
  wire in_valid = in_valid_i & in_packet_q < NumPackets;
  control_t back_q;
  logic back_valid_q, unused_done, unused_beat;
  heard_t heard, unused_heard;
  assign heard = '{valid: back_valid_q & arrives_i, sure: sure_i, alone: 1'b0, control: back_q};
  wanted_t wanted;
  count_t  unused_credits;
  logic [cluster_link_pkg::NumEvents-1:0] send_events, receive_events;
  logic unused_draining, unused_drained, unused_valid, forgets;
  beat_t unused_returned;
  cluster_link_transmit #(
      .beat_t(beat_t),
      .DataWidth(64),
      .RetryBeats(16),
      .MaxWords(2),
      .StateCycles(StateCycles),
      .TailCycles(StateCycles)
  ) u_transmit (
      .clk_i,
      .rst_i,
      .in_i(in),
      .in_valid_i(in_valid),
      .in_ready_o(in_ready),
      .tx_data_o(tx_data),
      .tx_valid_o(tx_valid),
      .tx_ready_i(1'b1),
      .orders_i('0),
      .key_i('0),
      .train_run_done_o(unused_done),
      .heard_i(heard),
      .wanted_i('0),
      .drain_i('0),
      .draining_o(unused_draining),
      .drained_o(unused_drained),
      .returned_o(unused_returned),
      .returned_valid_o(unused_valid),
      .returned_ready_i(1'b0),
      .forgets_o(forgets),
      .credits_o(unused_credits),
      .event_o(send_events)
  );

  wire changes = tx_valid & changes_i;
  wire loses = tx_valid & loses_i;
  wire rx_valid = tx_valid & ~loses_i;
  wire [63:0] rx_data = changes ? noise_i : tx_data;
  cluster_link_receive #(
      .beat_t(beat_t),
      .DataWidth(64),
      .BufferBeats(12),
      .MaxWords(2)
  ) u_receive (
      .clk_i,
      .rst_i,
      .rx_data_i(rx_data),
      .rx_valid_i(rx_valid),
      .out_o(out),
      .out_valid_o(out_valid),
      .out_ready_i(1'b1),
      .listens_i(1'b1),
      .fresh_i(1'b0),
      .restart_i(1'b0),
      .key_i('0),
      .heard_o(unused_heard),
      .beat_valid_o(unused_beat),
      .wanted_o(wanted),
      .event_o(receive_events)
  );

  // ---- The channel ----

  logic [7:0] errors_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) errors_q <= '0;
    else errors_q <= errors_q + 8'(changes | loses);
  end
  always_comb begin
    assume (errors_q <= 8'(MaxErrors));
    assume (~(loses_i & changes_i));
    if (!Changes) assume (~changes_i);
    assume (noise_i[63:32] == noise_i[31:0]);  // no control word, and nothing looks at more
  end

  wire hunting = wanted.hunting;
  logic hunted_q;  // a Nak can be decided on a cycle before it is sent
  logic [7:0] cycle_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) cycle_q <= '0;
    else if (32'(cycle_q) < StartCycles) cycle_q <= cycle_q + 1'b1;
  end
  wire starts = 32'(cycle_q) < StartCycles;
  always_comb begin
    if (starts) assume (~changes_i & ~loses_i);
    if (starts | Prompt) begin
      assume (in_valid_i & arrives_i & sure_i & sends_nak_i == hunting);
      assume (sends_back_i == (~hunting | ~hunted_q));
    end
  end

  // ---- The CRC: the words that the receiver has before it, the latest one first ----

  localparam int unsigned Stages = 2;  // of the receiver, from rx_data_i to its verdict
  typedef struct packed {
    logic valid;
    logic changed;
    logic [31:0] half;
  } word_t;
  word_t [Stages-1:0] stage_q;
  word_t [3:0] words;  // of a packet of up to 3 words; words[0] is the latest
  word_t [3:1] before_q;
  assign words = {before_q, stage_q[Stages-1]};
  always_ff @(posedge clk_i) begin
    stage_q <= {stage_q[Stages-2:0], word_t'{rx_valid & ~rst_i, changes, rx_data[31:0]}};
    if (stage_q[Stages-1].valid) before_q <= words[2:0];
  end
  wire number_t number = number_t'(u_receive.checked_q.seq);
  length_t length;  // of the packet that the receiver has found
  always_ff @(posedge clk_i) begin
    if (u_receive.arrived_valid_q & u_receive.is_packet) length <= u_receive.length;
  end
  logic is_sent;
  always_comb begin
    is_sent = u_receive.checked_q.seq < NumPackets && length == length_t'(length_of(number));
    for (int unsigned w = 0; w < 4; w++) begin
      if (length == length_t'(w)) begin
        is_sent &= words[w].half == {1'b1, header_of(number)};
        for (int unsigned v = 0; v < w; v++) begin
          is_sent &= words[v].half == half_of(number, 2'(w - v - 1));
        end
      end
      if (32'(length) >= w) is_sent &= ~words[w].changed;
    end
    if (u_receive.checked_q.valid & u_receive.checked_q.ends) begin
      assume (u_receive.end_good == is_sent);
    end
  end

  // ---- The way back ----

  numbers_t numbers;
  always_comb begin
    numbers = '{seq: wanted.expected, count: sends_nak_i ? wanted.nonce : wanted.limit};
  end
  always_ff @(posedge clk_i) begin
    hunted_q <= hunting & ~rst_i;
    if (rst_i) back_valid_q <= 1'b0;
    else if (~back_valid_q | arrives_i) begin
      back_valid_q <= sends_back_i & (sends_nak_i ? hunting | hunted_q : wanted.limit_valid);
      back_q <= '{
          kind: ~sends_nak_i ? WordState : wanted.is_new ? WordNakNew : WordNak,
          payload: numbers
      };
    end
  end

  // ---- Packets arrive once, complete and in order ----

  wire  in_taken = in_valid & in_ready;
  wire  out_taken = out_valid;
  logic again_q;  // a packet that had been sent is sent again, after another has arrived
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      in_packet_q <= '0;
      in_word_q <= '0;
      out_packet_q <= '0;
      out_word_q <= '0;
      again_q <= 1'b0;
    end else begin
      if (in_taken) begin
        in_word_q   <= in.last ? '0 : in_word_q + 1'b1;
        in_packet_q <= in_packet_q + number_t'(in.last);
      end
      if (out_taken) begin
        out_word_q   <= out.last ? '0 : out_word_q + 1'b1;
        out_packet_q <= out_packet_q + number_t'(out.last);
      end
      if (send_events[EventRetry] & wanted.expected != '0) again_q <= 1'b1;
    end
  end
  always_comb begin
    if (started) begin
      if (out_valid) begin
        assert (out_packet_q < NumPackets);
        assert (out == beat_of(out_packet_q, out_word_q));
      end
      // The sender keeps each packet until it has arrived.
      assert (u_transmit.acked_q <= u_receive.expected_q);
      assert (u_receive.expected_q <= seq_t'(in_packet_q) + 1'b1);
      assert (~forgets);  // no Nak of this receiver is strange to the sender
      // A packet is sent with its own number, as the ideal CRC assumes.
      if (u_transmit.u_retry.writes) begin
        assert (seq_t'(in_packet_q) == u_transmit.u_retry.seq_o);
      end
      if (u_transmit.sends) begin
        assert (seq_t'(u_transmit.next.header.source) == u_transmit.send_seq_q);
      end
      // What is sent has room.
      if (wanted.limit_valid & ~hunting & ~u_receive.adopts_q) begin
        assert (count_t'(wanted.limit - u_transmit.sent_q) <= count_t'(12));
      end
    end
    for (int unsigned k = 0; k < NumPackets; k++) assume (length_i[k] != 2'd3);
  end

  always_comb begin
    if (started) begin
      cover (out_packet_q == number_t'(1));
      cover (again_q & out_packet_q == number_t'(NumPackets) & errors_q == 8'(MaxErrors));
    end
  end

endmodule
