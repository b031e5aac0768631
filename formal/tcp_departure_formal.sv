// SPDX-License-Identifier: Apache-2.0
// Segments that tcp_departure may send (RFC 9293, 3.8): the acknowledgement is rcv_nxt, the
// advertised window is free space, bytes are in the send buffer and in the peer's window, and a FIN
// follows all of them. For all sound sessions (tcp_invariant_pkg), which remain sound: the pipeline
// is the only state.
module tcp_departure_formal
  import tcp_pkg::*;
  import tcp_state_pkg::*;
  import tcp_invariant_pkg::*;
#(
    parameter int unsigned SendBytes = 65536,
    parameter int unsigned ReceiveBytes = 65536,
    // una is arbitrary; otherwise 0, without loss of generality, since all sequence numbers are
    // relative to it
    parameter bit Anywhere = 0
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,
    input logic [$bits(tcb_t)-1:0] block_i,
    input logic [$bits(session_requests_t)-1:0] requests_i,
    input logic [31:0] congestion_window_i,
    // Outputs of tcp_scoreboard and tcp_reassembly
    input logic resend_i,
    input logic hole_i,
    input seq_t resent_i,
    input seq_t rescue_i,
    input seq_t hole_length_i,
    input logic futile_2_i,
    input logic gaps_2_i,
    input logic allowed_3_i,
    input logic [2:0] num_sacks_3_i,
    input logic [MaxSackBlocks*$bits(sack_block_t)-1:0] sacks_3_i
);

  localparam int unsigned OwnScale = ReceiveBytes > 65535 ? $clog2(ReceiveBytes) - 15 : 0;

  tcb_t block, block_2_q, block_3_q, after;
  session_requests_t requests, requests_2_q, requests_3_q;
  logic hole_2_q, again_2_q, again_3_q, futile_3_q, unread_2, unread_3_q;
  seq_t hole_length_2_q;
  logic [1:0] cycles_q = '0;
  assign block = block_i;
  assign requests = requests_i;
  always_ff @(posedge clk_i) begin
    block_2_q <= block;
    block_3_q <= block_2_q;
    requests_2_q <= requests;
    requests_3_q <= requests_2_q;
    again_2_q <= resend_i;
    again_3_q <= again_2_q;
    hole_2_q <= hole_i;
    futile_3_q <= futile_2_i;
    unread_3_q <= unread_2;
    hole_length_2_q <= hole_length_i;
    if (~&cycles_q) cycles_q <= cycles_q + 2'd1;
  end
  wire settled = cycles_q >= 2'd2;

  departure_t segment;
  changes_t changes;
  seq_t bare;
  logic send, wake, set_timer, occupying, repeats, resends, fills, fresh, restarts, sent_ack;
  seq_t last;
  tcp_departure #(
      .RingBytes(SendBytes),
      .ReceiveBytes(ReceiveBytes),
      .OwnScale(OwnScale),
      .Nagle(1),
      .Ecn(1),
      .Keepalive(1)
  ) u_departure (
      .clk_i,
      .time_us_i,
      .block_i(block),
      .requests_i(requests),
      // While the segment at una is to be retransmitted, no other one is.
      .resend_i(resend_i & ~block.retransmit),
      .hole_i(hole_i & ~block.retransmit),
      .resent_i,
      .rescue_i,
      .congestion_window_i,
      .block_2_i(block_2_q),
      .requests_2_i(requests_2_q),
      .hole_2_i(hole_2_q),
      .futile_2_i,
      .hole_length_2_i(hole_length_2_q[31:14] != '0 ? '1 : hole_length_2_q[13:0]),
      .gaps_2_i,
      .block_3_i(block_3_q),
      .requests_3_i(requests_3_q),
      .allowed_3_i,
      .num_sacks_3_i,
      .sacks_3_i,
      .unread_2_o(unread_2),
      .block_o(after),
      .segment_o(segment),
      .send_o(send),
      .changes_o(changes),
      .wake_o(wake),
      .set_timer_o(set_timer),
      .occupies_o(occupying),
      .repeats_o(repeats),
      .resends_o(resends),
      .fills_o(fills),
      .fresh_o(fresh),
      .last_o(last),
      .restarts_o(restarts),
      .bare_o(bare),
      .sent_ack_o(sent_ack)
  );

  wire seq_t opening = requests.release_edge - block.adv_edge;
  always_comb begin
    assume (rst_i == (cycles_q == '0));
    assume (is_sound(block, requests, SendBytes, ReceiveBytes));
    assume (can_progress(block, requests));
    assume (Anywhere | block.una == '0);
    // Since a segment was last sent, less than 2**30 bytes beyond the advertised window were
    // received.
    if (is_live(block.state)) assume (opening <= 32'h4000_0000);
    // Bytes sent, between una and the ranges of the peer
    assume (~resend_i | (block.recovering & block.sack));
    assume (~hole_i | resend_i);
    if (resend_i) begin
      assume (rescue_i - block.una <= block.max - block.una);
      assume (resent_i - block.una <= block.max - block.una);
    end
    // A range received by the peer after it has at least one byte, or is a FIN.
    if (hole_i) begin
      assume (hole_length_i != '0 && hole_length_i < block.max - resent_i);
      assume (~block.retransmit | resent_i == block.una);
    end
    assume (num_sacks_3_i <= 3'(MaxSackBlocks));
    assume (requests_are_near(block, requests));
  end

  // ---- Positions, relative to SND.UNA ----

  wire seq_t at = segment.seq - block_3_q.una;
  wire seq_t ends = at + 32'(segment.length);
  wire seq_t flight = block_3_q.max - block_3_q.una;
  wire seq_t written = requests_3_q.send_end - block_3_q.una;
  wire distance_t window = block_3_q.wnd_edge - block_3_q.una;  // SND.WND
  wire has_bytes = segment.length != '0;
  wire occupies = has_bytes | segment.flags.syn | segment.flags.fin;
  wire seq_t end_ = segment.seq + 32'(segment.length) + 32'(segment.flags.syn) +
      32'(segment.flags.fin);

  // ---- Our window, in bytes ----

  wire scaled = block_3_q.scaled & ~in_handshake(block_3_q.state);  // RFC 7323, 2.2
  wire seq_t offered = 32'(segment.window) << (scaled ? OwnScale : 0);
  wire distance_t told = after.adv_edge - block_3_q.rcv_nxt;

  // Asserted below, one by one; their consequences are then easier for the solver.
  wire follows = (after.max == block_3_q.max |
                  (send & occupies & after.max == end_ & (end_ - block_3_q.una > flight))) &
      (after.nxt == block_3_q.nxt | (send & occupies & after.nxt == end_)) &
      (~(send & occupies) | end_ - block_3_q.una <= after.max - block_3_q.una) &
      (~has_bytes | ends <= written) & (after.ecn == block_3_q.ecn) &
      (after.marked == block_3_q.marked);

  always_comb begin
    if (settled) assert (occupying == (send & occupies));
    if (settled & send) begin
      // The acknowledgement covers all data received in order, with the SYN and FIN of the peer.
      assert (is_live(block_3_q.state));
      assert (segment.flags.ack == (block_3_q.state != SynSent));
      if (segment.flags.ack) assert (segment.ack == block_3_q.rcv_nxt);
      assert (~segment.flags.rst & ~segment.flags.urg);
      // The advertised window is free space, and never more than recorded as advertised.
      assert (offered <= space(block_3_q, requests_3_q));
      if (segment.flags.ack & offered != '0) assert (distance_t'(offered) <= told);
      // Bytes
      if (has_bytes) begin
        assert (block_3_q.state inside {Established, CloseWait, FinWait1, Closing, LastAck});
        assert (at <= flight);  // no gap before them
        assert (ends <= written);
        assert (segment.length <= block_3_q.mss);
      end
      // New ones are within the peer's window, except for the byte that probes it.
      if (has_bytes & ends > flight) begin
        assert (distance_t'(ends) <= window | (segment.length == 14'd1 & block_3_q.probe));
      end
      // The FIN is sent when the application has closed, after all bytes that it has written,
      // always with the same sequence number. It is within the peer's window, unless it probes it.
      if (segment.flags.fin) begin
        assert (~segment.flags.syn & requests_3_q.closing);
        assert (requests_3_q.close_position == requests_3_q.send_end);
        assert (at <= flight && ends == written);
        assert (distance_t'(ends) < window | (~has_bytes & block_3_q.probe));
        assert (after.fin_sent & after.max == end_);
      end
      if (segment.flags.syn) begin
        assert (in_handshake(block_3_q.state) & segment.seq == block_3_q.una & ~has_bytes);
      end
      // A segment without bytes, SYN or FIN has the sequence number max; while the peer's window is
      // zero, the only one that the peer accepts. RFC 9293, 3.8.4: that of a keepalive is max - 1.
      if (~occupies) assert (segment.seq == bare || segment.seq == block_3_q.max - 32'd1);
      if (segment.seq != bare & ~occupies) assert (block_3_q.probe);
    end
    if (settled) begin
      if (is_live(block_3_q.state)) begin
        assert (bare ==
                (window == 0 & ~in_handshake(block_3_q.state) ? block_3_q.una : block_3_q.max));
      end
      assert (segment.ack == (block_3_q.state == SynSent ? '0 : block_3_q.rcv_nxt));
      // max is the end of the bytes sent, and advances only with a segment.
      if (after.max != block_3_q.max) begin
        assert (send & occupies & after.max == end_ & (end_ - block_3_q.una > flight));
      end
      if (after.nxt != block_3_q.nxt) assert (send & occupies & after.nxt == end_);
      if (send & occupies) assert (end_ - block_3_q.una <= after.max - block_3_q.una);
      assert (after.ecn == block_3_q.ecn & after.marked == block_3_q.marked);
      // Bytes are unread unless the whole buffer is free, but for the position of a FIN.
      if (is_live(block_3_q.state)) begin
        assert (unread_3_q == ~(space(block_3_q, requests_3_q) == ReceiveBytes ||
                                (peer_has_closed(block_3_q.state) &&
                                 space(block_3_q, requests_3_q) == ReceiveBytes - 1)));
      end
      // A departure without effect does not request another one.
      if (wake) assert (send | futile_3_q);
      if (block_3_q.fin_sent) assert (after.max == block_3_q.max);
      // A departure changes neither the receive state nor the acknowledged bytes.
      assert (after.rcv_nxt == block_3_q.rcv_nxt & after.una == block_3_q.una);
      assert (after.wnd_edge == block_3_q.wnd_edge);
      assert (~follows | send_is_sound(after, SendBytes));
      if (is_live(after.state)) begin
        assert (sends_what_is_written(after, requests_3_q, SendBytes));
        assert (state_is_sound(after));
        assert (receive_is_sound(after, requests_3_q, ReceiveBytes) & window_is_sound(after));
      end
      if (after.state != block_3_q.state) begin
        assert (send & segment.flags.fin);
        assert ((block_3_q.state == Established & after.state == FinWait1) |
                (block_3_q.state == CloseWait & after.state == LastAck));
      end
      // An acknowledgement that is due is not lost.
      if (is_live(block_3_q.state) & (block_3_q.state != SynSent) & block_3_q.ack_now) begin
        assert (send & ~after.ack_now & ~after.ack_later);
      end
      // The session makes progress.
      assert (can_progress(after, requests_3_q));
      assert (wake | has_nothing_to_send(after, requests_3_q));
      assert (set_timer ? after.timer != TimerNone : after.timer == block_3_q.timer);
      // Each request of an application for space or bytes is answered once, when they are
      // available.
      assert (changes == changes_t
'{readable: changes.readable, writable: changes.writable, default: 1'b0}
      );
      assert (answers_are_due(block_3_q, after, changes, requests_3_q, SendBytes));
      if (~send) begin
        assert (after.ack_now == block_3_q.ack_now & after.ack_later == block_3_q.ack_later);
        assert (after.adv_edge == block_3_q.adv_edge);
      end
    end
  end

  always_comb begin
    if (settled) begin
      cover (send & has_bytes & segment.flags.fin & (ends == 32'(SendBytes)));
      cover (send & has_bytes & (ends > flight) & (distance_t'(ends) == window));
      cover (send & has_bytes & (distance_t'(ends) > window) & (ends <= flight));
      cover (send & has_bytes & block_3_q.probe & (window == 0));
      cover (send & segment.flags.fin & block_3_q.probe & (window == 0));
      cover (send & segment.flags.fin & (flight > written));
      cover (send & segment.flags.syn & segment.flags.ack);
      cover (send & again_3_q & has_bytes & (at != '0) & (ends < flight));
      cover (send & scaled & (offered == 32'(ReceiveBytes)));
      cover (send & (offered != '0) & (after.adv_edge == block_3_q.adv_edge));
      cover (send & ~occupies & segment.seq == block_3_q.max - 32'd1 & bare == block_3_q.max);
      cover (send & ~occupies & segment.seq == block_3_q.una & (flight != '0));
    end
  end

endmodule
