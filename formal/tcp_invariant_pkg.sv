// SPDX-License-Identifier: Apache-2.0
// Invariant of every session between two events, and of the requests of its application. The proofs
// of events (tcp_arrival_formal, tcp_departure_formal, tcp_expiry_formal) assume it before the
// event and assert it after it; tcp_core_formal asserts it for a new session.
package tcp_invariant_pkg;
  import tcp_pkg::*;
  import tcp_state_pkg::*;

  // No connection, or one that is over: it neither sends nor receives.
  function automatic logic is_live(state_e state);
    return !(state inside {Closed, Ended});
  endfunction

  function automatic logic in_handshake(state_e state);
    return state inside {SynSent, SynReceived};
  endfunction

  // Free space in the receive buffer: RCV.WND. A FIN at the edge of a full window is accepted: then
  // rcv_nxt is one beyond the edge.
  function automatic seq_t space(tcb_t block, session_requests_t requests);
    seq_t distance;
    distance = requests.release_edge - block.rcv_nxt;
    return &distance ? '0 : distance;
  endfunction

  // The bytes from una to max are sent and not acknowledged: at most a ring and a FIN. If ECN was
  // negotiated by the answer to our SYN, marked is still the sequence number of that SYN, una - 1.
  function automatic logic send_is_sound(tcb_t block, int unsigned send_bytes);
    seq_t flight;
    flight = block.max - block.una;
    if (flight > send_bytes + 1 || block.nxt - block.una > flight) return 1'b0;
    if (in_handshake(block.state)) return block.marked - block.una <= flight;
    return !block.ecn || block.marked + 32'd1 - block.una <= flight + 32'd1;
  endfunction

  // Only bytes written by the application have been sent, and the FIN after all of them.
  function automatic logic sends_what_is_written(tcb_t block, session_requests_t requests,
                                                 int unsigned send_bytes);
    seq_t written;
    logic sent;
    written = requests.send_end + 32'(block.fin_sent) - block.una;  // with the FIN
    sent = block.max - block.una <= written && written <= send_bytes + 32'(block.fin_sent);
    if (block.fin_sent) begin
      sent &= block.max == requests.send_end + 32'd1;
      sent &= requests.closing && requests.close_position == requests.send_end;
    end
    // Until the handshake is complete, only our SYN can be sent.
    if (in_handshake(block.state)) sent &= written == 32'd1;
    return sent;
  endfunction

  // The state determines whether our FIN has been sent, and whether it has been acknowledged.
  function automatic logic state_is_sound(tcb_t block);
    return block.fin_sent ==
        (block.state inside {FinWait1, FinWait2, Closing, LastAck, TimeWait}) &&
        (!(block.state inside {FinWait2, TimeWait}) || block.una == block.max);
  endfunction

  // The bytes received fit the buffer: all of it is free until the handshake is complete. A delayed
  // FIN has not been processed yet.
  function automatic logic receive_is_sound(tcb_t block, session_requests_t requests,
                                            int unsigned receive_bytes);
    return requests.release_edge + 32'd1 - block.rcv_nxt <= receive_bytes + 1 &&
        (!in_handshake(block.state) || requests.release_edge - block.rcv_nxt == receive_bytes) &&
        (!block.fin_waits || block.rcv_nxt != requests.release_edge + 32'd1);
  endfunction

  // The window of the peer is less than 2**30 bytes (RFC 7323, 2.3), and no byte beyond its edge
  // has been acknowledged: each new acknowledgement also updates the window.
  function automatic logic window_is_sound(tcb_t block);
    return block.wnd_edge - block.una <= 32'h4000_0000 && block.peer_scale <= 4'd14;
  endfunction

  // ---- Progress: data to be sent or acknowledged wait for an event that will occur ----

  function automatic logic timer_runs(tcb_t block);
    return block.timer inside {TimerRetransmit, TimerPersist};
  endfunction

  function automatic logic all_written(session_requests_t requests);
    return requests.closing && requests.close_position == requests.send_end;
  endfunction

  // Without a retransmission timer, all bytes in flight are retransmitted. The window is probed for
  // bytes or for a FIN.
  function automatic logic can_progress(tcb_t block, session_requests_t requests);
    if (!is_live(block.state)) return 1'b1;
    if (block.state > Ended) return 1'b0;
    if (block.state inside {FinWait1, Closing, LastAck} && block.max == block.una) return 1'b0;
    if (block.recovering && (block.max == block.una ||
                             block.recover - block.una > block.max - block.una))
      return 1'b0;
    if (block.timer == TimerRetransmit) return 1'b1;
    if (block.nxt != block.una || block.recovering || block.timer > TimerKeepalive) return 1'b0;
    if (block.timer == TimerTimeWait) return block.state inside {FinWait2, TimeWait};
    return block.timer != TimerPersist || (requests.send_end + 32'(all_written(
        requests
    )) != block.una && !in_handshake(
        block.state
    ));
  endfunction

  // A session not queued for a departure: bytes in flight or to be retransmitted have a timer. So
  // do bytes never sent, which are also marked as blocked, so that the session is queued when
  // everything else has been acknowledged. In recovery with SACK, each acknowledgement queues it.
  // No acknowledgement is due.
  function automatic logic has_nothing_to_send(tcb_t block, session_requests_t requests);
    logic flies, waits;
    if (!is_live(block.state)) return 1'b1;
    flies = block.max != block.una || block.nxt != block.max;
    waits = !block.fin_sent &&
        (block.max != requests.send_end ||  // in a handshake: our SYN
         (all_written(requests) && block.state inside {Established, CloseWait}));
    if ((flies || waits) && !timer_runs(block)) return 1'b0;
    if (waits && in_handshake(block.state) && block.max == block.una) return 1'b0;
    if (waits && !in_handshake(
            block.state
        ) && !block.blocked && !(block.recovering && block.sack)) begin
      return 1'b0;
    end
    if (block.timer == TimerPersist && !block.blocked) return 1'b0;
    return !block.ack_now || block.state == SynSent;
  endfunction

  // ---- Requests of applications: RequestWritable, RequestReadable ----

  // The space up to write_position is free: the bytes one ring before have been acknowledged.
  function automatic logic has_space(tcb_t block, session_requests_t requests,
                                     int unsigned send_bytes);
    return $signed(block.una + send_bytes - requests.write_position) >= 0;
  endfunction

  function automatic logic is_received(tcb_t block, session_requests_t requests);
    return $signed(block.rcv_nxt - requests.read_position) >= 0;
  endfunction

  function automatic logic peer_has_closed(state_e state);
    return state inside {CloseWait, Closing, LastAck, TimeWait};
  endfunction

  // Assumed: an application requests positions of its connection.
  function automatic logic requests_are_near(tcb_t block, session_requests_t requests);
    return $signed(requests.write_position - block.una) <= 32'sh4000_0000 &&
        $signed(requests.write_position - block.una) >= -32'sh4000_0000 &&
        $signed(requests.read_position - block.rcv_nxt) <= 32'sh4000_0000 &&
        $signed(requests.read_position - block.rcv_nxt) >= -32'sh4000_0000;
  endfunction

  function automatic logic mss_is_sound(tcb_t block);
    return block.mss >= 14'(LeastPeerMss) - StampBytes && block.mss <= 14'd8960;
  endfunction

  function automatic logic is_sound(tcb_t block, session_requests_t requests,
                                    int unsigned send_bytes, int unsigned receive_bytes);
    if (!send_is_sound(block, send_bytes)) return 1'b0;
    if (!is_live(block.state)) return block.timer == TimerNone;
    return sends_what_is_written(
        block, requests, send_bytes
    ) && state_is_sound(
        block
    ) && receive_is_sound(
        block, requests, receive_bytes
    ) && window_is_sound(
        block
    ) && mss_is_sound(
        block
    );
  endfunction

  // Each request of an application for space or bytes is answered once, when they are available.
  function automatic logic answers_are_due(tcb_t was, tcb_t after, changes_t changes,
                                           session_requests_t requests, int unsigned send_bytes);
    logic writable_is_due, readable_is_due;
    writable_is_due = (after.write_served == requests.write_toggle) &
        has_space(after, requests, send_bytes);
    readable_is_due = (after.read_served == requests.read_toggle) &
        (is_received(after, requests) | peer_has_closed(after.state));
    return ((after.write_served != was.write_served) == changes.writable) &&
        ((after.read_served != was.read_served) == changes.readable) &&
        (~changes.writable || writable_is_due) && (~changes.readable || readable_is_due);
  endfunction

endpackage
