// SPDX-License-Identifier: Apache-2.0
// cluster_link_receive: whatever arrives on the wire, the ring of the receiver contains no more
// than BufferBeats beats, none is overwritten before it has left, only beats before the end of a
// good packet leave it, and the credits are the rest of the buffer. Proved for all time, by
// induction. The results of CRCs are anything.
module cluster_link_ring_formal
  import cluster_pkg::*;
  import cluster_link_pkg::*;
#(
    parameter int unsigned DataWidth   = 128,
    parameter int unsigned BufferBeats = 200
) (
    input logic clk_i,
    input logic rst_i,
    input logic [DataWidth-1:0] rx_data_i,
    input logic rx_valid_i,
    input logic out_ready_i,
    input logic listens_i,
    input logic fresh_i,
    input logic restart_i
);

  typedef struct packed {
    header_t header;
    logic last;
    logic [DataWidth-1:0] data;
  } beat_t;
  localparam int unsigned RingBeats = 2 ** $clog2(BufferBeats + 3);

  beat_t out;
  control_t control;
  seq_t expected;
  count_t limit;
  nonce_t nonce;
  logic out_valid, control_valid, sure, beat_valid, limit_valid, hunting, is_new;
  logic [NumEvents-1:0] events;
  cluster_link_receive #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .BufferBeats(BufferBeats)
  ) u_receive (
      .clk_i,
      .rst_i,
      .rx_data_i,
      .rx_valid_i,
      .out_o(out),
      .out_valid_o(out_valid),
      .out_ready_i,
      .listens_i,
      .fresh_i,
      .restart_i,
      .control_o(control),
      .control_valid_o(control_valid),
      .control_sure_o(sure),
      .beat_valid_o(beat_valid),
      .expected_o(expected),
      .limit_o(limit),
      .limit_valid_o(limit_valid),
      .hunting_o(hunting),
      .new_o(is_new),
      .nonce_o(nonce),
      .event_o(events)
  );

  logic started, unused_watched;
  proof_start u_start (
      .clk_i,
      .rst_i,
      .watched_i(1'b0),
      .started_o(started),
      .watched_o(unused_watched)
  );

  // ---- Assumption: a link that is down stays so for longer than the receiver's pipeline; a run of
  // ---- training words takes longer (cluster_link_session).

  localparam int unsigned Stages = 4;
  logic [2:0] down_q;  // cycles without listens_i, at most Stages
  logic parsed_live_q, partial_live_q, checked_live_q;  // it has listened since the beat came
  always_ff @(posedge clk_i) begin
    if (listens_i & ~rst_i) down_q <= '0;
    else if (rst_i) down_q <= 3'(Stages);
    else if (down_q != 3'(Stages)) down_q <= down_q + 1'b1;
    parsed_live_q  <= listens_i;
    partial_live_q <= parsed_live_q & listens_i;
    checked_live_q <= partial_live_q & listens_i;
  end
  always_comb begin
    if (started & listens_i) assume (down_q == '0 | down_q == 3'(Stages));
  end

  // ---- Beats of the wire, from the last one that is good ----

  typedef logic [11:0] number_t;
  wire number_t written = number_t'(u_receive.write_q - u_receive.commit_q);
  wire number_t parsed = number_t'(u_receive.parsed_q.count - u_receive.commit_q);
  wire number_t partial = number_t'(u_receive.partial_q.count - u_receive.commit_q);
  wire number_t checked = number_t'(u_receive.checked_q.count - u_receive.commit_q);
  wire number_t unread = number_t'(u_receive.commit_q - u_receive.fetch_q);
  wire number_t held = number_t'(u_receive.write_q - u_receive.read_q);
  wire parsed_counts = u_receive.parsed_q.valid & u_receive.parsed_q.sure;
  wire partial_counts = u_receive.partial_q.valid & u_receive.partial_q.sure;
  wire checked_counts = u_receive.checked_q.valid & u_receive.checked_q.sure;
  wire parsed_ends = u_receive.parsed_q.ends & ~u_receive.parsed_q.overflow;
  wire partial_ends = u_receive.partial_q.ends & ~u_receive.partial_q.overflow;
  wire checked_ends = u_receive.checked_q.ends & ~u_receive.checked_q.overflow;
  wire stores = u_receive.stores & ~u_receive.full;
  always_comb begin
    if (started) begin
      assert (held <= number_t'(BufferBeats));
      assert (unread <= held && written <= held);
      // A beat is stored where none waits.
      if (stores) assert (13'(unread) + 13'(written) < 13'(RingBeats));
      if (u_receive.fetches & u_receive.readable) assert (unread != '0);
      // Credits and what the ring contains sum to the buffer.
      assert (count_t'(limit - u_receive.shift_q) == count_t'(u_receive.read_q + BufferBeats));
    end
  end

  // ---- For the induction: beats on their way to the check ----

  always_comb begin
    if (started) begin
      assert (number_t'(u_receive.fetch_q - u_receive.read_q) <= number_t'(1));
      assert (number_t'(u_receive.fetch_q - u_receive.read_q) + unread + written == held);
      if (parsed_counts) assert (parsed_live_q | down_q != '0);
      if (partial_counts) assert (partial_live_q | down_q != '0);
      if (checked_counts) assert (checked_live_q | down_q != '0);
      if (down_q != '0) assert (u_receive.hunts_q);
      if (down_q >= 3'd2) assert (~parsed_counts);
      if (down_q >= 3'd3) assert (~partial_counts);
      if (down_q >= 3'd4) assert (~checked_counts);
      if (parsed_counts & parsed_live_q) begin
        assert (13'(parsed) + 13'(parsed_ends) <= 13'(written));
      end
      if (partial_counts & partial_live_q) begin
        assert (13'(partial) + 13'(partial_ends) <= 13'(written));
        if (parsed_counts) assert (13'(partial) + 13'(partial_ends) <= 13'(parsed));
      end
      if (checked_counts & checked_live_q) begin
        assert (13'(checked) + 13'(checked_ends) <= 13'(written));
        if (parsed_counts) assert (13'(checked) + 13'(checked_ends) <= 13'(parsed));
        if (partial_counts) assert (13'(checked) + 13'(checked_ends) <= 13'(partial));
      end
    end
  end

  always_comb begin
    if (started) begin
      cover (unread == number_t'(3));
      cover (u_receive.fail & written > number_t'(1) & unread != '0);
    end
  end

endmodule
