// SPDX-License-Identifier: Apache-2.0
// Types of the TCP engine: the state of a session, and the interfaces between its parts.
package tcp_state_pkg;
  import tcp_pkg::*;

  // RFC 9293, 3.3.2. LISTEN is no session's: listening ports are bound next hops.
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
    Ended  // the connection is over, and its application has not let go of it
  } state_e;

  // What the session's timer is running for.
  typedef enum logic [2:0] {
    TimerNone,
    TimerRetransmit,  // RFC 6298
    TimerPersist,  // RFC 9293, 3.8.6.1
    TimerTimeWait,
    TimerKeepalive  // RFC 9293, 3.8.4
  } timer_e;

  // Keepalive: a wait for nothing is cut into so many, of which each counts as a try.
  parameter int unsigned KeepaliveWaits = 7;
  parameter int unsigned KeepaliveProbes = 8;

  // The transmission control block: read and written as a whole (RFC 9293, 3.3.1).
  typedef struct packed {
    state_e     state;
    logic       active;      // an application has asked for the connection
    logic [1:0] challenged;  // when the last challenge was answered

    // Send
    seq_t        una;
    seq_t        nxt;          // falls back to una when all is sent again
    seq_t        max;          // the highest that nxt has been
    seq_t        wnd_edge;     // the peer's window reaches to here
    seq_t        wl1;
    logic [13:0] mss;          // payload bytes of a full segment
    logic [3:0]  most_window;  // its leading bit, of the longest window that the peer has shown
    logic        scaled;       // both have sent a window scale
    logic [3:0]  peer_scale;
    logic        timestamps;
    logic        sack;
    logic        blocked;      // there is more to send than the windows allow
    logic        probe;        // send a byte beyond the window; with TimerKeepalive, none
    logic [15:0] since;        // when something new was acknowledged, or all had been; 65,536 us
    logic        fin_sent;     // max is behind the FIN

    // Loss recovery (RFC 6582)
    logic [1:0] dup_acks;
    logic       recovering;
    logic       again;       // send the segment at una once more
    seq_t       recover;

    // Receive
    seq_t        rcv_nxt;
    seq_t        adv_edge;   // what the last segment has advertised reaches to here
    logic [31:0] ts_recent;
    logic        ack_now;
    logic        ack_later;
    logic        fin_waits;  // has come with the end of the handshake: taken in the next turn

    // ECN (RFC 3168, 6.1)
    logic ecn;        // both ends take part
    logic congested;  // tell the peer (ECE)
    logic reduced;    // the window has become less: tell the peer (CWR)
    seq_t marked;     // max, when it did

    // Bytes that have come twice, to be told by SACK (RFC 2883)
    logic twice;
    seq_t twice_left;
    seq_t twice_right;

    // Round trip: a segment that is being timed (RFC 6298, 3)
    logic        timing;
    seq_t        timed_seq;
    logic [31:0] timed_at;

    timer_e     timer;
    logic [3:0] backoff;  // doublings of the timeout (RFC 6298, 5.5)
    logic [3:0] tries;    // timeouts since something new was acknowledged, or waits for anything

    // Which wishes of the application have been answered
    logic read_served;
    logic write_served;
  } tcb_t;

  // What the application has said last, read beside the block.
  typedef struct packed {
    seq_t send_end;      // its bytes reach to here
    seq_t release_edge;  // the receive buffer takes bytes up to here
    logic closing;       // no bytes will follow close_at: FIN
    seq_t close_at;
    logic freed;         // has let go, having written up to close_at
    logic aborted;       // no more of either: RST
    logic read_wish;     // differs from read_served: tell when bytes up to read_at are there
    seq_t read_at;
    logic write_wish;
    seq_t write_at;      // tell when there is space up to here
  } wishes_t;

  // What registers show of a session.
  typedef struct packed {
    tcb_t block;
    wishes_t wishes;
    logic [31:0] congestion_window;
    logic [25:0] timeout_us;
  } inspected_t;

  // For an application: what has changed, and the places up to which it may read and write.
  typedef struct packed {
    session_t session;
    changes_t changes;
    seq_t     read_end;
    seq_t     write_end;
  } report_t;

  // A received segment that belongs to a session, or begins one (opens); or a connection that an
  // application asks for (opens and connects), without a segment; or an error that the path to the
  // peer reports (reports): of the segment at segment.ack, which is too big where segment.options
  // has an MSS, and which refuses the connection where urg is set. rst is set, too.
  typedef struct packed {
    logic     opens;
    logic     connects;
    logic     reports;
    session_t session;
    seq_t     last;      // end of the payload: seq + length
    seq_t     first;     // of the own stream, where opens: the initial sequence number
    segment_t segment;
  } arrival_t;

  // What becomes of the payload of a segment.
  typedef struct packed {
    session_t session;
    logic keep;
    seq_t start;
    logic [13:0] skip;
  } verdict_t;

  // A segment to be sent.
  typedef struct packed {
    session_t session;
    flags_t flags;
    logic ect;  // routers may mark it (RFC 3168, 5)
    seq_t seq;
    seq_t ack;
    logic [15:0] window;
    logic [13:0] length;
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
    CongestionDupAck,  // a further one in recovery
    CongestionPartial,  // new data in recovery, not all of it
    CongestionRecovered,
    CongestionTimeout,
    CongestionMarked  // the peer tells of it (RFC 3168)
  } congestion_e;

  typedef struct packed {
    congestion_e kind;
    logic late;  // opened after a SYN that was sent again
    logic [13:0] mss;  // where it is opened
    logic selective;  // what is on its way is known by SACK: the window need not guess
  } congestion_event_t;

  // Payload bytes of a full segment by what the peer's SYN says (RFC 9293, 3.7.1), to be lessened
  // by the timestamps that each will carry (RFC 6691).
  parameter int unsigned DefaultMss = 536;
  parameter int unsigned LeastMss = 64;  // own
  parameter int unsigned LeastPeerMss = 28;  // of the least MTU (RFC 791)
  parameter logic [13:0] StampBytes = 14'd12;
  function automatic logic [13:0] bounded_mss(options_t options, int unsigned own);
    if (~options.has_mss) return 14'(own < DefaultMss ? own : DefaultMss);
    if (options.mss > 16'(own)) return 14'(own);
    if (options.mss < 16'(LeastPeerMss)) return 14'(LeastPeerMss);
    return 14'(options.mss);
  endfunction

  // The leading bit of a window, as far as it says which part of it a short segment is.
  function automatic logic [3:0] leading_bit(logic [31:0] window);
    logic [3:0] bit_;
    bit_ = '0;
    for (int unsigned b = 1; b < 14; b++) if (window[b]) bit_ = 4'(b);
    return window[31:14] != '0 ? 4'd14 : bit_;
  endfunction

  // Differences of sequence numbers: -2**31 to 2**31 - 1 (RFC 9293, 3.4).
  typedef logic signed [31:0] distance_t;

endpackage
