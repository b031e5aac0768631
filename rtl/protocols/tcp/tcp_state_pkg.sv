// SPDX-License-Identifier: Apache-2.0
// Types of the TCP engine: the state of a session, and the interfaces between its parts.
package tcp_state_pkg;
  import tcp_pkg::*;

  // RFC 9293, 3.3.2. LISTEN is not a state of sessions: tcp_listening stores the listening ports.
  typedef enum logic [3:0] {
    Closed,
    SynSent,
    SynReceived,
    Established,
    FinWait1,
    FinWait2,
    CloseWait,
    Closing,
    LastAck,
    TimeWait,
    Ended  // the connection is over, but its application has not freed it
  } state_e;

  // Purpose of the session's timer.
  typedef enum logic [2:0] {
    TimerNone,
    TimerRetransmit,  // RFC 6298
    TimerPersist,  // RFC 9293, 3.8.6.1
    TimerTimeWait,  // also bounds FIN-WAIT-2
    TimerKeepalive  // RFC 9293, 3.8.4
  } timer_e;

  parameter int unsigned MaxGuesses = 3;  // wrong acknowledgements of a SYN,ACK

  // Keepalive: an idle wait is divided into this many parts, each of which counts as a try.
  parameter int unsigned KeepaliveWaits = 7;
  parameter int unsigned KeepaliveProbes = 8;

  // The transmission control block: read and written as one word (RFC 9293, 3.3.1).
  typedef struct packed {
    state_e     state;
    logic       active;      // opened at the request of an application
    logic [7:0] challenged;  // time of the last challenge ACK

    // Send
    seq_t una;
    seq_t nxt;  // returns to una when everything is retransmitted
    seq_t max;  // the highest value of nxt so far
    seq_t wnd_edge;  // end of the peer's window
    seq_t wl1;
    bombus_pkg::length_t mss;  // payload bytes of a full segment
    // leading bit of half of the largest window that the peer has advertised
    logic [3:0] most_window;
    logic scaled;  // both ends have sent a window scale
    logic [3:0] peer_scale;
    logic timestamps;
    logic sack;
    logic blocked;  // more bytes, or a FIN, are waiting than the windows allow
    logic probe;  // send a byte beyond the window; with TimerKeepalive, an empty segment
    // Time of the last new acknowledgement, or of the first byte after idle; in 65,536 us
    logic [15:0] since;
    logic fin_sent;  // max is after the FIN

    // Loss recovery (RFC 6582)
    logic [1:0] dup_acks;    // in SYN-RECEIVED: wrong acknowledgements
    logic       recovering;
    logic       retransmit;  // retransmit the segment at una
    seq_t       recover;

    // Receive
    seq_t        rcv_nxt;
    seq_t        adv_edge;        // end of the last advertised window
    logic [31:0] ts_recent;
    logic [7:0]  ts_recent_time;  // time of ts_recent, in 2**36 us (19 hours)
    logic        ack_now;
    logic        ack_later;
    // A FIN arrived with the end of the handshake, or beyond a gap: the departure that finds
    // rcv_nxt at its sequence number processes it (RFC 9293, 3.10.7.4: SHLD-31)
    logic        fin_waits;
    seq_t        fin_at;

    // ECN (RFC 3168, 6.1)
    logic ecn;  // both ends use ECN
    logic no_ect;  // but one has also sent a SYN without ECN: no packet is marked
    logic congested;  // to be signalled to the peer (ECE)
    logic reduced;  // the congestion window was reduced: to be signalled to the peer (CWR)
    seq_t marked;  // value of max at that time

    // Bytes received twice, to be reported by D-SACK (RFC 2883)
    logic dsack;
    seq_t dsack_left;
    seq_t dsack_right;

    // Round trip: the segment being timed (RFC 6298, 3)
    logic        timing;
    seq_t        timed_seq;
    logic [31:0] timed_at;

    timer_e     timer;
    logic [3:0] backoff;  // doublings of the timeout (RFC 6298, 5.5)
    logic [3:0] tries;    // timeouts since the last new acknowledgement, or keepalive waits

    // Application requests already answered
    logic read_served;
    logic write_served;
  } tcb_t;

  // The latest requests of the application, read along with the block.
  typedef struct packed {
    seq_t send_end;  // end of the bytes written
    seq_t release_edge;  // end of the free space in the receive buffer
    logic closing;  // no bytes follow close_position: FIN
    seq_t close_position;
    logic freed;  // the session was freed, with bytes written up to close_position
    logic aborted;  // reset both directions: RST
    logic reads_no_more;  // bytes that are not released are answered by RST
    // Differs from read_served: send an event when bytes up to read_position have arrived
    logic read_toggle;
    seq_t read_position;
    logic write_toggle;
    seq_t write_position;  // send an event when there is space up to this position
    tcp_pkg::settings_t settings;
  } session_requests_t;

  // The ranges of a session in one slot, for registers: bytes that the peer has reported by SACK,
  // and bytes received beyond a gap.
  typedef struct packed {
    logic is_reported;
    logic beyond;  // the bytes before it are still to be retransmitted
    sack_block_t reported;
    seq_t resent;  // retransmitted up to this sequence number
    logic is_received;
    sack_block_t received;
  } session_ranges_t;

  // A request of an application for one session.
  typedef struct packed {
    request_e operation;
    session_t session;
    seq_t position;
    logic toggle;
  } session_request_t;

  // Timers of a session to set or clear: its own and that of the delayed acknowledgement.
  typedef struct packed {
    logic set;
    logic clear;
    logic set_delay;
    logic clear_delay;
    session_t session;
    logic [31:0] deadline;
    logic [31:0] delay_deadline;
  } timer_orders_t;

  // An expired timer.
  typedef struct packed {
    logic delay;  // that of the delayed acknowledgement
    session_t session;
  } expiry_t;

  // Access of registers to a session.
  typedef struct packed {
    logic valid;
    session_t session;
    logic [3:0] slot;  // of its ranges
  } inspection_t;

  // Events of tcp_core, to be counted.
  typedef struct packed {
    logic guessed;       // a wrong acknowledgement of a SYN,ACK
    logic evicted_idle;  // a connection was ended to make room
    logic evicted;       // a session with an overdue handshake was ended to make room
    logic unused_error;  // an error without effect
    logic unreachable;
    logic lowered_mss;
    logic hole;          // a gap between SACK ranges was retransmitted
    logic bad_request;
    logic aborted;
    logic repeated;
    logic timed_out;
    logic out_of_order;
    logic stale;
    logic unacceptable;
  } core_events_t;

  // The fields of a session that registers show.
  typedef struct packed {
    tcb_t block;
    session_requests_t requests;
    logic [31:0] congestion_window;
    logic [25:0] timeout_us;
    session_ranges_t ranges;
  } inspected_t;

  // For an application: changes, and the positions up to which it may read and write.
  typedef struct packed {
    session_t            session;
    changes_t            changes;
    cause_e              cause;
    bombus_pkg::length_t mss;
    seq_t                read_end;
    seq_t                write_end;
  } report_t;

  // One of: a received segment that belongs to a session or opens one (opens); a connection
  // requested by an application (opens and connects), without a segment; an error reported by the
  // path to the peer (reports) for the segment at segment.ack. An error has rst set; the segment
  // was too big if segment.options has an MSS, and the connection was refused if urg is set.
  typedef struct packed {
    logic     opens;
    logic     connects;
    logic     reports;
    session_t session;
    seq_t     last;      // end of the payload: seq + length
    seq_t     first;     // with opens: our initial sequence number
    segment_t segment;
  } arrival_t;

  // Treatment of the payload of a segment.
  typedef struct packed {
    session_t session;
    logic keep;
    seq_t start;
    bombus_pkg::length_t skip;
  } verdict_t;

  // A segment to send.
  typedef struct packed {
    session_t session;
    flags_t flags;
    logic ect;  // routers may mark it (RFC 3168, 5)
    seq_t seq;
    seq_t ack;
    logic [15:0] window;
    bombus_pkg::length_t length;
    logic has_timestamps;
    logic [31:0] ts_echo;
    logic has_scale;
    logic sack_permitted;
    logic [2:0] num_sacks;
    sack_block_t [MaxSackBlocks-1:0] sacks;
  } departure_t;

  // For congestion control.
  typedef enum logic [3:0] {
    CongestionNone,
    CongestionOpened,  // the handshake is done
    CongestionAcked,  // new data, outside recovery
    CongestionLost,  // recovery begins
    CongestionDupAck,  // another duplicate acknowledgement in recovery
    CongestionPartial,  // new data in recovery, partial acknowledgement
    CongestionRecovered,
    CongestionTimeout,
    CongestionMarked,  // the peer reports congestion (RFC 3168)
    CongestionRestart  // bytes are sent after a pause longer than a timeout (RFC 5681, 4.1)
  } congestion_e;

  typedef struct packed {
    congestion_e kind;
    logic late;  // opened after a retransmitted SYN
    logic repairs;  // bytes sent before a timeout are not acknowledged yet
    bombus_pkg::length_t mss;  // MSS, with CongestionOpened and CongestionRestart
    logic selective;  // the amount in flight is known from SACK, so the window is not inflated
  } congestion_event_t;

  // Payload bytes of a full segment according to the peer's SYN (RFC 9293, 3.7.1), minus the
  // timestamps of each segment (RFC 6691).
  parameter int unsigned DefaultMss = 536;
  parameter int unsigned LeastMss = 64;  // our MSS
  parameter int unsigned LeastPeerMss = 28;  // MSS for the minimum MTU (RFC 791)
  parameter bombus_pkg::length_t StampBytes = 14'd12;
  function automatic bombus_pkg::length_t bounded_mss(options_t options, int unsigned own);
    if (~options.has_mss) return 14'(own < DefaultMss ? own : DefaultMss);
    if (options.mss > 16'(own)) return 14'(own);
    if (options.mss < 16'(LeastPeerMss)) return 14'(LeastPeerMss);
    return 14'(options.mss);
  endfunction

  // The leading bit of a window, within the range needed to compare a short segment with it.
  function automatic logic [3:0] leading_bit(logic [31:0] window);
    logic [3:0] bit_;
    bit_ = '0;
    for (int unsigned b = 1; b < 14; b++) if (window[b]) bit_ = 4'(b);
    return window[31:14] != '0 ? 4'd14 : bit_;
  endfunction

  // Time in units of 131 ms, which wraps around after 34 s, for the rate limit of challenge ACKs.
  function automatic logic [7:0] challenge_time(logic [31:0] time_us);
    return time_us[24:17];
  endfunction

  // Differences of sequence numbers: -2**31 to 2**31 - 1 (RFC 9293, 3.4).
  typedef logic signed [31:0] distance_t;

  // Kinds of events of tcp_core.
  typedef enum logic [1:0] {
    ActionNone,
    ActionArrival,
    ActionExpiry,
    ActionDeparture
  } action_e;

endpackage
