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
    input logic restart_i,
    input session_key_t key_i
);

  typedef struct packed {
    header_t header;
    logic last;
    logic [DataWidth-1:0] data;
  } beat_t;
  localparam int unsigned RingBeats = 2 ** $clog2(BufferBeats + 3);

  beat_t   out;
  heard_t  heard;
  wanted_t wanted;
  logic out_valid, beat_valid;
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
      .key_i,
      .heard_o(heard),
      .beat_valid_o(beat_valid),
      .wanted_o(wanted),
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

  // ---- Beats of the wire, from the first one that has not left ----

  typedef logic [11:0] number_t;
  wire number_t held = number_t'(u_receive.u_ring.write_q - u_receive.u_ring.read_q);
  wire number_t kept = number_t'(u_receive.u_ring.commit_q - u_receive.u_ring.read_q);
  wire number_t fetched = number_t'(u_receive.u_ring.fetch_q - u_receive.u_ring.read_q);
  always_comb begin
    if (started) begin
      // What was read or kept has been stored. A beat is stored where none waits.
      assert (held <= number_t'(BufferBeats));
      assert (kept <= held && fetched <= held);
      if (u_receive.u_ring.fetches & ~u_receive.u_ring.empty) assert (fetched != held);
      // Credits and what the ring contains sum to the buffer.
      assert (count_t'(wanted.limit - u_receive.shift_q) ==
              count_t'(u_receive.u_ring.read_q + count_t'(BufferBeats)));
    end
  end

  // ---- Packets: those that have left are good ----

  typedef logic [$clog2(RingBeats)-1:0] index_t;
  wire not_begun = u_receive.u_ring.upcoming_valid_q & ~u_receive.u_ring.inside_q;
  wire index_t left = index_t'(u_receive.u_ring.taken_q - index_t'(not_begun) -
      index_t'(u_receive.u_ring.waits));
  always_comb begin
    if (started) begin
      assert (u_receive.u_ring.proven_q == left);
      if (out_valid) assert (u_receive.u_ring.loaded_q);
      // One that leaves at once counts a cycle later.
      if (u_receive.early_q) assert (u_receive.commits);
    end
  end

  // ---- For the induction ----

  wire number_t checked = number_t'(u_receive.checked_q.count - u_receive.u_ring.commit_q);
  wire number_t written = number_t'(u_receive.u_ring.write_q - u_receive.u_ring.commit_q);
  wire checked_ends = u_receive.checked_q.ends & ~u_receive.checked_q.overflow;
  always_comb begin
    if (started) begin
      if (u_receive.checked_q.valid & u_receive.checked_q.sure) begin
        assert (13'(checked) + 13'(checked_ends) <= 13'(written));
      end
      if (u_receive.u_ring.waits) assert (~u_receive.u_ring.owed);
      assert (u_receive.u_ring.next_valid_q | u_receive.u_ring.empty);
      if (u_receive.word_q.is_mark | u_receive.word_q.is_tail) begin
        assert (u_receive.word_q.is_control);
      end
      if (u_receive.u_ring.inside_q) assert (u_receive.u_ring.upcoming_valid_q);
    end
  end

  always_comb begin
    if (started) begin
      cover (held == number_t'(3) & kept == number_t'(3));
      cover (u_receive.kill_q & u_receive.u_ring.over & u_receive.u_ring.waits);
    end
  end

endmodule
