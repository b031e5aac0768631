// SPDX-License-Identifier: Apache-2.0
// cluster_link_transmit: on the wire are never more beats with words of packets than the last State
// allowed, whatever States, acknowledgements and Naks arrive, and whenever the channel takes
// beats. Bounded: examined from reset up to the depth of the proof.
module cluster_link_credit_formal
  import cluster_pkg::*;
  import cluster_link_pkg::*;
#(
    parameter int unsigned MaxWords = 2
) (
    input logic clk_i,
    input logic rst_i,
    input logic [1:0] length_i,
    input logic in_valid_i,
    input logic tx_ready_i,
    input logic state_i,
    input logic [3:0] limit_i,
    input logic [1:0] acked_i,
    input logic nak_i,
    input logic is_new_i,
    input logic [1:0] expected_i,
    input logic sure_i
);

  typedef struct packed {
    header_t header;
    logic last;
    logic [63:0] data;
  } beat_t;

  logic started, unused_watched;
  proof_start u_start (
      .clk_i,
      .rst_i,
      .watched_i(1'b0),
      .started_o(started),
      .watched_o(unused_watched)
  );

  // Bit 31 of the low half of a word is 1 in all words of packets, and 0 in control words.
  localparam logic [31:0] Half = 32'h8000_0000;
  beat_t in;
  logic [1:0] word_q, length_q;
  wire [1:0] length = word_q == '0 ? length_i : length_q;
  logic in_ready, tx_valid, unused_done;
  logic [63:0] tx_data;
  logic [NumEvents-1:0] events;
  control_t control;
  numbers_t numbers;
  always_comb begin
    in = '0;
    in.header.length = length_t'(length);
    in.last = 32'(word_q) + 1 >= 32'(length);
    in.data = {Half, Half};
    numbers = state_i ?
    '{seq: seq_t'(acked_i), count: count_t'(limit_i)}
    :
    '{seq: seq_t'(expected_i), count: '0};
    control = '{kind: state_i ? WordState : is_new_i ? WordNakNew : WordNak, payload: numbers};
  end
  heard_t heard;
  assign heard = '{valid: state_i | nak_i, sure: sure_i, alone: 1'b0, control: control};
  count_t unused_credits;
  logic unused_draining, unused_drained, unused_valid, unused_forgets;
  beat_t unused_returned;
  cluster_link_transmit #(
      .beat_t(beat_t),
      .DataWidth(64),
      .RetryBeats(16),
      .MaxWords(MaxWords),
      .StateCycles(8),
      .TailCycles(8)
  ) u_transmit (
      .clk_i,
      .rst_i,
      .in_i(in),
      .in_valid_i,
      .in_ready_o(in_ready),
      .tx_data_o(tx_data),
      .tx_valid_o(tx_valid),
      .tx_ready_i,
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
      .forgets_o(unused_forgets),
      .credits_o(unused_credits),
      .event_o(events)
  );

  logic [7:0] limit_q, sent_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      word_q  <= '0;
      limit_q <= '0;
      sent_q  <= '0;
    end else begin
      if (in_valid_i & in_ready) begin
        length_q <= length;
        word_q   <= in.last ? '0 : word_q + 1'b1;
      end
      if (state_i & sure_i) limit_q <= 8'(limit_i);
      sent_q <= sent_q + 8'(tx_valid & tx_ready_i & tx_data[31]);
    end
  end
  always_comb begin
    assume (32'(length_i) <= MaxWords);
    if (rst_i) assume (~state_i & ~nak_i);
    if (state_i) assume (8'(limit_i) >= limit_q);  // a limit never falls
  end

  always_comb begin
    if (started) assert (sent_q + 8'(tx_valid & tx_data[31]) <= limit_q);
  end

  always_comb begin
    if (started) begin
      cover (sent_q == 8'd3 && limit_q == 8'd4);
      cover (events[EventRetry] && sent_q == 8'd2);
    end
  end

endmodule
