// SPDX-License-Identifier: Apache-2.0
// tcp_arrival against RFC 9293: which segments are acceptable (3.10.7.4, first), which bytes of a
// payload are accepted and how rcv_nxt advances, and which acknowledgements are valid. For all
// segments, sequence numbers and sound sessions (tcp_invariant_pkg), which remain sound: the
// pipeline is the only state.
module tcp_arrival_formal
  import tcp_pkg::*;
  import tcp_state_pkg::*;
  import tcp_invariant_pkg::*;
#(
    parameter int unsigned SendBytes = 65536,
    parameter int unsigned ReceiveBytes = 65536,
    parameter bit Whole = 0  // as with `bypass: true`
) (
    input logic clk_i,
    input logic rst_i,
    input logic [$bits(tcb_t)-1:0] block_i,
    input logic [$bits(session_requests_t)-1:0] requests_i,
    input logic [$bits(segment_t)-1:0] segment_i,
    input logic report_i,
    input logic [31:0] time_us_i,
    input logic [7:0] coarse_time_i,
    input logic room_i,
    input logic some_i,
    input logic reaches_i,
    input seq_t reach_i,
    // Outputs of tcp_reassembly and tcp_scoreboard
    input logic duplicate_i,
    input logic sack_new_i,
    input logic sack_old_i,
    input logic sack_lost_i,
    input logic past_resent_i,
    input logic may_reopen_i,
    input logic queued_i  // the session is queued for a departure
);

  tcb_t block, block_2_q, block_3_q, after;
  session_requests_t requests, requests_2_q, requests_3_q;
  segment_t segment, segment_2_q, segment_3_q;
  assign block = block_i;
  assign requests = requests_i;
  assign segment = segment_i;
  logic [7:0] coarse_2_q, coarse_3_q;
  logic [1:0] cycles_q = '0;
  logic queued_2_q, queued_3_q, report_2_q, report_3_q, lowers, unreachable, unused_error;
  always_ff @(posedge clk_i) begin
    block_2_q <= block;
    block_3_q <= block_2_q;
    requests_2_q <= requests;
    requests_3_q <= requests_2_q;
    segment_2_q <= segment;
    report_2_q <= report_i;
    report_3_q <= report_2_q;
    queued_2_q <= queued_i;
    queued_3_q <= queued_2_q;
    segment_3_q <= segment_2_q;
    coarse_2_q <= coarse_time_i;
    coarse_3_q <= coarse_2_q;
    if (~&cycles_q) cycles_q <= cycles_q + 2'd1;
  end
  wire settled = cycles_q >= 2'd2;

  logic reopens, ahead, in_order, ends_stream, acks, begins, tail, keep, refuse, synchronise, wake;
  logic set_timer, clear_timer, delay_ack, sample, unacceptable, stale, out_of_order;
  logic [13:0] skip, mss;
  logic new_ack;
  seq_t window_edge;
  changes_t changes;
  congestion_event_t congestion;
  logic [31:0] sample_us, acked;
  tcp_arrival #(
      .RingBytes(SendBytes),
      .ReceiveBytes(ReceiveBytes),
      .Whole(Whole),
      .Ecn(1),
      .Keepalive(1),
      .Errors(1)
  ) u_arrival (
      .clk_i,
      .time_us_i,
      .coarse_time_i,
      .block_i(block),
      .requests_i(requests),
      .segment_i(segment),
      .end_i(segment.seq + 32'(segment.length)),
      .block_2_i(block_2_q),
      .segment_2_i(segment_2_q),
      .reports_2_i(report_2_q),
      .requests_2_i(requests_2_q),
      .acked_2_o(acked),
      .block_3_i(block_3_q),
      .segment_3_i(segment_3_q),
      .room_i,
      .some_i,
      .duplicate_i,
      .reaches_i,
      .reach_i,
      .ahead_o(ahead),
      .in_order_o(in_order),
      .ends_stream_o(ends_stream),
      .sack_new_i,
      .sack_old_i,
      .sack_lost_i,
      .past_resent_i,
      .acks_o(acks),
      .begins_o(begins),
      .tail_o(tail),
      .new_ack_o(new_ack),
      .window_edge_o(window_edge),
      .mss_o(mss),
      .block_o(after),
      .keep_o(keep),
      .skip_o(skip),
      .refuse_o(refuse),
      .may_reopen_i,
      .reopens_o(reopens),
      .synchronise_o(synchronise),
      .changes_o(changes),
      .wake_o(wake),
      .set_timer_o(set_timer),
      .clear_timer_o(clear_timer),
      .delay_ack_o(delay_ack),
      .congestion_o(congestion),
      .sample_o(sample),
      .sample_us_2_o(sample_us),
      .unacceptable_o(unacceptable),
      .stale_o(stale),
      .out_of_order_o(out_of_order),
      .lowers_o(lowers),
      .unreachable_o(unreachable),
      .unused_o(unused_error)
  );

  wire seq_t window = space(block_3_q, requests_3_q);  // RCV.WND
  wire seq_t flight = block_3_q.max - block_3_q.una;
  // The SYN that answers ours sets the first position of the peer's bytes.
  session_requests_t wishes_after;
  always_comb begin
    wishes_after = requests_3_q;
    if (synchronise) wishes_after.release_edge = after.rcv_nxt + ReceiveBytes;
  end
  always_comb begin
    assume (rst_i == (cycles_q == '0));
    assume (is_sound(block, requests, SendBytes, ReceiveBytes));
    assume (can_progress(block, requests) & (queued_i | has_nothing_to_send(block, requests)));
    assume (requests_are_near(block, requests));
    assume (segment.options.scale <= 4'd14);  // clamp_scale
    assume (segment.length <= 14'd8960);
    // As tcp_lookup encodes an error.
    if (report_i) begin
      assume (segment.flags == flags_t'{rst: 1'b1, urg: segment.flags.urg, default: 1'b0});
      assume (segment.length == '0 & ~segment.options.has_sack);
    end
    // tcp_receive: a further SACK block. tcp: a SYN that is offered again.
    if (segment.sack_only) begin
      assume (segment.flags == flags_t
'{ack: 1'b1, default: 1'b0}
      | (segment.flags.syn & ~segment.flags.ack & ~segment.flags.rst));
      assume (segment.length == '0 & ~report_i);
    end
    if (Whole) assume (~reaches_i & ~room_i);  // no ranges are stored
    // A range that closes a gap ends within the window, not before the payload (tcp_ranges_formal).
    if (reaches_i & settled) begin
      assume (reach_i - block_3_q.rcv_nxt <= window);
      assume ($signed(reach_i - segment_3_q.seq - 32'(segment_3_q.length)) >= 0);
    end
  end

  // ---- RFC 9293, 3.10.7.4: the four cases of the table ----

  wire segment_t s = segment_3_q;
  wire seq_t begins_at = s.seq - block_3_q.rcv_nxt;  // relative to RCV.NXT
  // A FIN that arrives before the session is open is ignored; the peer sends it again.
  wire fin = s.flags.fin & (block_3_q.state != SynReceived);
  wire seq_t occupied = 32'(s.length) + 32'(fin) + 32'(s.flags.syn);  // SEG.LEN
  wire seq_t last_at = begins_at + occupied - 32'd1;
  logic in_window;
  always_comb begin
    if (occupied == '0) in_window = window == '0 ? begins_at == '0 : begins_at < window;
    else in_window = window != '0 && (begins_at < window || last_at < window);
  end
  wire synchronised = block_3_q.state inside {SynReceived, Established, FinWait1, FinWait2,
                                              CloseWait, Closing, LastAck, TimeWait};
  // Beyond the table: a segment at the end of the window is accepted without its bytes, so that its
  // acknowledgement is processed. The same applies to a FIN at the edge of the window.
  wire allowed = (begins_at == '0) | (begins_at == window) |
      (s.flags.fin & (begins_at + 32'(s.length) == window));
  wire takes = in_window | allowed;

  wire seq_t acked_3 = s.ack - block_3_q.una;
  wire block_only = s.sack_only & ~s.flags.syn;
  wire is_new = (acked_3 != '0) && (acked_3 <= flight);
  wire seq_t advance = after.rcv_nxt - block_3_q.rcv_nxt;
  wire seq_t kept_from = begins_at + 32'(skip);
  wire seq_t kept_to = begins_at + 32'(s.length);
  always_comb begin
    if (settled & synchronised & ~stale & ~s.flags.syn & ~report_3_q & ~block_only) begin
      if (in_window) assert (~unacceptable);
      if (~takes) assert (unacceptable);
    end
    // Accepted bytes are within the window and after those already received.
    if (settled & synchronised & keep) begin
      assert (~unacceptable & ~stale & ~s.flags.rst & ~s.flags.syn & s.flags.ack);
      assert (32'(skip) < 32'(s.length));
      assert (kept_from < window && kept_to <= window && kept_from < kept_to);
      if (in_order) assert (kept_from == '0);
      if (skip != '0) assert (kept_from == '0);
    end
    // RCV.NXT never decreases, and never passes the window except for a FIN.
    if (settled & synchronised) begin
      assert (advance <= window + 32'd1);
      if (advance != '0) assert (in_order);
      if (in_order & ~reaches_i) assert (advance == kept_to || advance == kept_to + 32'd1);
      // All bytes that will be acknowledged are stored now, or in a range that was stored before. A
      // FIN counts once.
      if (in_order & kept_to != '0 & ~fin) assert (keep & kept_from == '0);
      if (in_order & kept_to != '0 & fin & s.length != '0) assert (keep & kept_from == '0);
      if (in_order & reaches_i & ~fin) assert (after.rcv_nxt == reach_i);
      if (in_order & fin) begin
        assert (advance == kept_to + 32'd1 & ends_stream);
        assert (after.state inside {CloseWait, Closing, TimeWait});
      end
      if (in_order & ~reaches_i & advance == kept_to + 32'd1) assert (fin);
    end
    if (settled & ~synchronised & ~synchronise) assert (~keep & after.rcv_nxt == block_3_q.rcv_nxt);
    if (settled & synchronise) begin
      assert (s.flags.syn & after.rcv_nxt == s.seq + 32'd1 & ~keep & block_3_q.state == SynSent);
    end
    // is_sound, in parts, which is faster.
    if (settled) begin
      assert (send_is_sound(after, SendBytes));
      if (~is_live(after.state)) begin
        assert (after.timer == TimerNone);
      end else begin
        assert (is_live(block_3_q.state));
        assert (sends_what_is_written(after, requests_3_q, SendBytes));
        assert (state_is_sound(after));
        assert (receive_is_sound(after, wishes_after, ReceiveBytes));
        assert (window_is_sound(after));
        assert (mss_is_sound(after));
      end
    end
    // The session makes progress (is_live in tcp_invariant_pkg).
    if (settled) begin
      assert (can_progress(after, wishes_after));
      assert (queued_3_q | wake | has_nothing_to_send(after, wishes_after));
      if (after.timer != TimerNone & after.timer != block_3_q.timer) assert (set_timer);
      if (set_timer) assert (after.timer != TimerNone);
      if (clear_timer & ~set_timer) assert (after.timer == TimerNone);
    end
    // Only bytes sent and not yet acknowledged become acknowledged; SND.UNA never decreases.
    if (settled & synchronised) begin
      assert (after.una - block_3_q.una <= flight);
      assert (after.max == block_3_q.max);
      assert (new_ack == (after.una != block_3_q.una));
      assert (after.nxt - after.una <= after.max - after.una);
      assert (lowers | after.nxt - block_3_q.una >= block_3_q.nxt - block_3_q.una);
      if (after.una != block_3_q.una) assert (is_new & s.flags.ack & after.una == s.ack);
    end
    // RFC 5961: only a reset at the next byte ends a session at once.
    if (settled & synchronised & changes.failed) assert (s.flags.rst & (begins_at == '0));
    // RFC 6191: a SYN ends TIME-WAIT, once the application has freed the session.
    if (settled & reopens) begin
      assert (block_3_q.state == TimeWait & after.state == Ended & changes == '0);
      assert (s.flags.syn & ~s.flags.ack & ~s.flags.rst & ~keep & ~refuse);
      assert (requests_3_q.freed & requests_3_q.close_position == requests_3_q.send_end);
    end
    if (settled & synchronised & s.flags.rst & after.state != block_3_q.state) begin
      assert (begins_at == '0);
    end
    // RFC 5927, 4.1 and 5.2: an error is processed only if it concerns data in flight. It only
    // reduces the segment size or ends a requested connection.
    if (settled & report_3_q) begin
      assert ($onehot({lowers, unreachable, unused_error}));
      if (acked_3 >= flight) assert (unused_error);
      assert (~keep & ~refuse & ~unacceptable & ~sample & (congestion.kind == CongestionNone));
      assert (after.una == block_3_q.una & after.rcv_nxt == block_3_q.rcv_nxt);
      assert (after.wnd_edge == block_3_q.wnd_edge & after.max == block_3_q.max);
      if (~lowers) assert (after.mss == block_3_q.mss & after.nxt == block_3_q.nxt);
      if (lowers) assert (after.mss < block_3_q.mss & after.nxt == block_3_q.una & wake);
      if (block_3_q.state != SynSent) assert (after.state == block_3_q.state & changes == '0);
      if (after.state != block_3_q.state) assert (s.flags.urg & after.state == Ended);
    end else if (settled) begin
      assert (~lowers & ~unreachable & ~unused_error);
    end
    // RFC 7323, 5.3: a stale segment is ignored, unless it answers our SYN.
    if (settled & synchronised & stale & ~s.flags.syn) begin
      assert (~keep & (advance == '0) & (after.una == block_3_q.una));
      assert (after.wnd_edge == block_3_q.wnd_edge);
    end
  end

  always_comb begin
    if (settled) begin
      assert (answers_are_due(block_3_q, after, changes, requests_3_q, SendBytes));
    end
    // For a new session
    if (settled & ~block_only) begin
      assert (mss >= 14'(LeastPeerMss) - StampBytes & mss <= 14'd8960);
      if (s.flags.syn) assert (window_edge == s.ack + 32'(s.window));
      if (s.window == '0) assert (window_edge == s.ack);
    end
    // RFC 7323, 5.3 and 5.5: an old timestamp is valid for 24 days.
    if (settled & stale & s.options.has_timestamps) begin
      assert (8'(coarse_3_q - block_3_q.ts_recent_time) < 8'd30);
    end
    // RFC 9293, 3.8.4: every keepalive with an acceptable acknowledgement is answered.
    if (settled & synchronised & ~stale & ~s.flags.rst & ~s.flags.syn & ~report_3_q &
        (s.length == '0) & ~s.flags.fin & (&begins_at) & ~block_only & (acked_3 <= flight)) begin
      assert (after.ack_now & wake);
    end
    // RFC 9293, 3.10.7.4, first: a retransmitted SYN is answered again, and has no other effect.
    if (settled & (block_3_q.state == SynReceived) & s.flags.syn & ~s.flags.ack & ~s.flags.rst &
        ~report_3_q & (&begins_at)) begin
      assert (after.retransmit & (after.state == SynReceived) & ~keep);
    end
    // A further SACK block may begin recovery and has no other effect; it has none if its sequence
    // number is not near the window.
    if (settled & block_only) begin
      if (acks | begins) begin
        assert (begins_at <= window | begins_at + ReceiveBytes < ReceiveBytes);
        assert (~block_3_q.timestamps | s.options.has_timestamps);
        if (block_3_q.timestamps & $signed(s.options.ts_value - block_3_q.ts_recent) < -4096) begin
          assert (8'(coarse_3_q - block_3_q.ts_recent_time) >= 8'd30);
        end
      end
      assert (~keep & ~unacceptable & ~stale & ~refuse & ~synchronise & changes == '0);
      assert (after.state == block_3_q.state & after.ack_now == block_3_q.ack_now);
      assert (after.una == block_3_q.una & after.rcv_nxt == block_3_q.rcv_nxt);
      assert (after.wnd_edge == block_3_q.wnd_edge & after.wl1 == block_3_q.wl1);
      assert (after.ts_recent == block_3_q.ts_recent & after.timer == block_3_q.timer);
    end
    // RFC 6298, 3 and 5.7: a longer timeout is kept until a segment has been timed.
    if (settled & after.backoff != block_3_q.backoff) begin
      assert (after.backoff == '0);
      assert (sample | changes.opened | (block_3_q.timer == TimerPersist));
    end
  end

  always_comb begin
    cover (settled & keep & in_order & (Whole | skip != '0) & (kept_to == window));
    cover (settled & block_only & acks);
    cover (settled & reopens);
    cover (Whole | settled & keep & ahead & (kept_to == window) & (window > s.seq));
    cover (settled & synchronised & unacceptable & (window == '0));
    cover (settled & synchronised & is_new & (after.una < block_3_q.una));
    cover (settled & synchronised & changes.failed);
    cover (Whole | settled & in_order & reaches_i & (advance == window));
    cover (settled & stale);
    cover (settled & report_3_q & lowers);
    cover (settled & report_3_q & (block_3_q.state == SynSent) & (after.state == Ended));
  end

endmodule
