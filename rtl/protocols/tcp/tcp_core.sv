// SPDX-License-Identifier: Apache-2.0
// State of all TCP sessions, and the events that change it: received segments, expired timers, and
// departures (RFC 9293, 3.10).
//
// One event starts per cycle, and two of the same session are at least four cycles apart, so that
// each reads the result of the previous one. Cycle 0 selects the event and reads the memories,
// cycles 1 to 3 process it (tcp_arrival, tcp_departure), and the last of them writes the result.
//
// One file: it connects the memories and the stages of the pipeline, which exchange more signals
// than a port list would make clearer; the logic of the stages is in modules of their own.
`include "bombus_assert.svh"

module tcp_core
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned SendBytes = 65536,  // send buffer per session
    parameter int unsigned ReceiveBytes = 65536,  // receive buffer per session
    parameter int unsigned OwnMss = 1460,
    parameter bit Nagle = 0,
    parameter int unsigned NumGaps = 4,  // received ranges beyond gaps; 0: they are dropped
    parameter int unsigned NumSacks = 4,  // such ranges of the peer; 0: NewReno (RFC 6582)
    parameter int unsigned DelayAckUs = 1000,  // RFC 9293, 3.8.6.3: less than 500000
    parameter int unsigned TimeWaitUs = 1000000,
    parameter int unsigned FinWaitUs = 60000000,  // in FIN-WAIT-2; 0: no bound
    parameter int unsigned LeastTimeoutUs = 200000,
    parameter int unsigned MaxBackoff = 10,  // consecutive timeouts that end a session
    parameter bit DuplicateSack = 1,  // RFC 2883
    parameter bit Timestamps = 1,  // RFC 7323, 3
    parameter bit Ecn = 0,  // RFC 3168
    parameter bit Cubic = 0,  // RFC 9438; otherwise NewReno
    // idle time before a keepalive (RFC 9293, 3.8.4); 0: no keepalives
    parameter int unsigned KeepaliveS = 0,
    parameter int unsigned KeepaliveProbeS = 75,
    // time without an acknowledgement; 0: only MaxBackoff applies
    parameter int unsigned UserTimeoutS = 0,
    parameter bit Errors = 0,  // paths report errors
    // payload is sent to applications directly: it is accepted in order and whole
    parameter bit Bypass = 0,
    parameter int unsigned HalfOpenUs = 0,  // age at which a handshake may be replaced; 0: never
    // idle time after which a connection may be ended to make room; 0: never
    parameter int unsigned EvictIdleS = 0,
    parameter int unsigned SynAckRetries = 2,  // retransmissions of a SYN,ACK
    localparam int unsigned IndexWidth = $clog2(NumSessions)
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,
    input long_time_t long_time_i,  // tcp_clock

    // Segments of sessions, without their payload
    input  arrival_t arrival_i,
    input  logic     arrival_valid_i,
    output logic     arrival_ready_o,
    output verdict_t verdict_o,
    output logic     verdict_valid_o,
    output segment_t refused_o,         // to be answered with a reset
    output logic     refused_valid_o,
    // refused_o is a SYN that has ended TIME-WAIT: to be offered again, with sack_only and this
    // initial sequence number as its acknowledgement, once the session is removed
    output seq_t     reopened_first_o,
    output logic     reopened_valid_o,
    input  logic     may_reopen_i,

    // Applications
    input  session_request_t request_i,
    output logic             request_ready_o,
    output report_t          report_o,
    output logic             report_valid_o,
    input  logic             report_room_i,    // room for six more reports

    // Segments to send
    output departure_t departure_o,
    output logic       departure_valid_o,
    input  logic       departure_room_i,   // room for six more segments

    output timer_orders_t timers_o,
    input expiry_t expired_i,
    input logic expired_valid_i,
    output logic expired_ready_o,

    // Registers inspect a session: no event starts in this cycle. The response has the latency of a
    // report.
    input inspection_t inspect_i,
    output inspected_t inspected_o,
    output logic inspected_valid_o,

    output session_t free_o,       // the session has ended
    output logic     free_valid_o,

    input logic evict_i,  // no session was free for a SYN, or none will be for the next one
    input logic starved_i,  // no session was free for a SYN
    // The handshake of a connection opened by a peer has completed, or the connection has ended
    // before.
    output logic half_done_o,

    output core_events_t event_o,
    output session_t subject_o,  // session of the outputs of the next cycle
    output logic busy_o
);

  localparam bit Sack = NumGaps > 0 || NumSacks > 0;
  localparam bit Selective = NumSacks > 0;
  localparam bit ReportsDuplicates = DuplicateSack && NumGaps > 0;
  localparam bit Keepalive = KeepaliveS != 0;
  localparam logic [15:0] UserTimeout = 16'(UserTimeoutS * 15625 / 1024);  // 65,536 us
  localparam int unsigned OwnScale = ReceiveBytes > 65535 ? $clog2(ReceiveBytes) - 15 : 0;

  typedef logic [IndexWidth-1:0] index_t;

  if (!is_num_sessions(NumSessions, 2)) begin : gen_bad
    $error("tcp_core: NumSessions must be a power of two, 2 to 16384");
  end
  if (SendBytes < 1024 || SendBytes > 2 ** 30 || SendBytes != 2 ** $clog2(
          SendBytes
      )) begin : gen_bad_send
    $error("tcp_core: SendBytes must be a power of two, 1024 to 2**30");
  end
  if (ReceiveBytes < 1024 || ReceiveBytes > 2 ** 29 || ReceiveBytes != 2 ** $clog2(
          ReceiveBytes
      )) begin : gen_bad_receive
    $error("tcp_core: ReceiveBytes must be a power of two, 1024 to 2**29");
  end
  if (OwnMss < LeastMss || OwnMss > 8960) begin : gen_bad_mss
    $error("tcp_core: OwnMss must be 64 to 8960");
  end
  if (Bypass && NumGaps > 0) begin : gen_bad_bypass
    $error("tcp_core: with Bypass, NumGaps must be 0");
  end
  if (NumGaps > 16) begin : gen_bad_gaps
    $error("tcp_core: NumGaps must be 0 to 16");
  end
  if (NumSacks > 16) begin : gen_bad_sacks
    $error("tcp_core: NumSacks must be 0 to 16");
  end
  if (DelayAckUs < 1 || DelayAckUs >= 500000) begin : gen_bad_delay
    $error("tcp_core: DelayAckUs must be 1 to 499999 (RFC 9293, 3.8.6.3)");
  end
  if (TimeWaitUs < 1 || TimeWaitUs > 240000000) begin : gen_bad_time_wait
    $error("tcp_core: TimeWaitUs must be 1 to 240000000");
  end
  if (UserTimeoutS > 4000) begin : gen_bad_user_timeout
    $error("tcp_core: UserTimeoutS must be 0 to 4000");
  end
  if (HalfOpenUs > 60000000) begin : gen_bad_half_open
    $error("tcp_core: HalfOpenUs must be 0 to 60000000");
  end
  if (EvictIdleS > 1000000) begin : gen_bad_idle
    $error("tcp_core: EvictIdleS must be 0 to 1000000");
  end
  if (SynAckRetries > 5) begin : gen_bad_syn_ack
    $error("tcp_core: SynAckRetries must be 0 to 5");
  end
  if (MaxBackoff < 1 || MaxBackoff > 12) begin : gen_bad_backoff
    $error("tcp_core: MaxBackoff must be 1 to 12");
  end

  // ---- Cycle 0: select an event whose session is not in the pipeline ----

  action_e kind_1_q, kind_2_q;
  // Kind of the event in cycle 3, decoded a cycle before: most of the logic there depends on it.
  logic opens, arrives, departs, expires, write;
  logic written_q;
  index_t index, index_1_q, index_2_q, index_3_q, index_4_q;
  logic class_2_q, class_3_q;
  arrival_t arrival_1_q, arrival_2_q, arrival_3_q;
  logic [25:0] timeout_3, timeout_4_q;
  logic   clearing_q;
  index_t clear_q;

  index_t queued;
  logic queued_valid, queued_ready, queue_busy;
  logic opens_q, synchronises_q, renews_q, orders_4;
  logic follows, evict_3_q, evicts, evicts_idle, idle_valid;
  index_t idle;
  tcp_scheduler #(
      .NumSessions(NumSessions),
      .Evicts(HalfOpenUs != 0),
      .EvictsIdle(EvictIdleS != 0)
  ) u_scheduler (
      .clk_i,
      .rst_i,
      .arrival_i(arrival_i.session[IndexWidth-1:0]),
      .arrival_valid_i,
      .arrival_ready_o,
      .queued_i(queued),
      .queued_valid_i(queued_valid),
      .queued_ready_o(queued_ready),
      .expired_i(expired_i.session[IndexWidth-1:0]),
      .expired_class_i(expired_i.delay),
      .expired_valid_i,
      .expired_ready_o,
      .report_room_i,
      .departure_room_i,
      .stall_i(clearing_q),
      .inspect_i(inspect_i.valid),
      .inspect_session_i(inspect_i.session[IndexWidth-1:0]),
      .evict_i,
      .idle_i(idle),
      .idle_valid_i(idle_valid),
      .index_o(index),
      .follows_o(follows),
      .kind_1_o(kind_1_q),
      .index_1_o(index_1_q),
      .kind_2_o(kind_2_q),
      .index_2_o(index_2_q),
      .class_2_o(class_2_q),
      .write_3_o(write),
      .index_3_o(index_3_q),
      .evict_3_o(evict_3_q),
      .evicts_3_i(evicts),
      .index_4_o(index_4_q),
      .renews_4_i(renews_q),
      .orders_4_i(orders_4)
  );

  // A departure of a session whose FIN has waited only processes it, as if the
  // delayed-acknowledgement timer had expired.
  logic takes_fin_2, fin_due_2_q, fin_due_3_q;
  always_ff @(posedge clk_i) begin
    class_3_q   <= class_2_q | takes_fin_2;
    arrival_1_q <= arrival_i;
    // As if our initial sequence number were acknowledged; a SYN that is offered again has it.
    if (arrival_i.opens & ~arrival_i.segment.sack_only) arrival_1_q.segment.ack <= arrival_i.first;
    arrival_2_q <= arrival_1_q;
    arrival_3_q <= arrival_2_q;
    timeout_4_q <= timeout_3;
    opens <= (kind_2_q == ActionArrival) & arrival_2_q.opens & ~rst_i;
    arrives <= (kind_2_q == ActionArrival) & ~arrival_2_q.opens & ~rst_i;
    departs <= (kind_2_q == ActionDeparture) & ~takes_fin_2 & ~rst_i;
    expires <= ((kind_2_q == ActionExpiry) | takes_fin_2) & ~rst_i;
    written_q <= write & ~rst_i;
  end

  wire [7:0] coarse_time = long_time_i[36+:8];  // in units of 19 hours

  // ---- Memories ----

  tcb_t stored_block, block_1_q, block_2_q, block_3_q, block, block_4_q, cleared;
  session_requests_t requests_1, requests_2_q, requests_3_q;
  logic [31:0] congestion_window_1;
  always_comb begin
    cleared = '0;
    cleared.state = Closed;
  end

  // Constant fields of unused features are optimised away.
  function automatic tcb_t used(tcb_t stored);
    used = stored;
    if (!Timestamps) {used.timestamps, used.ts_recent, used.ts_recent_time} = '0;
    if (!Ecn) {used.ecn, used.no_ect, used.congested, used.reduced, used.marked} = '0;
    if (!ReportsDuplicates) {used.dsack, used.dsack_left, used.dsack_right} = '0;
  endfunction

  assign takes_fin_2 = kind_2_q == ActionDeparture & block_2_q.fin_waits & fin_due_2_q;

  sized_memory #(
      .data_t(tcb_t),
      .Depth(NumSessions),
      .LutDepth(SessionLutDepth)
  ) u_blocks (
      .clk_i,
      .write_addr_i(clearing_q ? clear_q : index_3_q),
      .data_i(clearing_q ? cleared : block),
      .write_i(clearing_q | write),
      .read_addr_i(index),
      .data_o(stored_block)
  );
  assign block_1_q = used(stored_block);
  always_ff @(posedge clk_i) begin
    block_2_q <= block_1_q;
    block_3_q <= block_2_q;
    block_4_q <= block;
    requests_2_q <= requests_1;
    requests_3_q <= requests_2_q;
    fin_due_2_q <= block_1_q.rcv_nxt == block_1_q.fin_at;
    fin_due_3_q <= fin_due_2_q;
    if (rst_i) begin
      clear_q <= '0;
      clearing_q <= 1'b1;
    end else begin
      clear_q <= clear_q + 1'b1;
      if (&clear_q) clearing_q <= 1'b0;
    end
  end

  wire reports = Errors & arrival_3_q.reports;
  logic synchronise, wake, wake_q;
  wire synchronises = arrives & synchronise;
  seq_t send_start_q, receive_start_q;  // first bytes of both directions
  always_ff @(posedge clk_i) begin
    opens_q <= opens & ~rst_i;
    synchronises_q <= synchronises & ~rst_i;
    renews_q <= (opens | synchronises) & ~rst_i;
    wake_q <= write & wake & ~rst_i;
    send_start_q <= arrival_3_q.segment.ack + 32'd1;
    receive_start_q <= arrival_3_q.segment.seq + 32'd1;
  end
  // The session number of a request may be invalid.
  wire is_session = 32'(request_i.session) < NumSessions;
  wire is_request = ~(request_i.operation inside {RequestNone, RequestListen, RequestUnlisten,
                                        RequestConnect, RequestSent});
  wire requested = is_request & is_session;
  logic wake_ready;
  assign request_ready_o = ~renews_q & wake_ready & ~clearing_q;
  wire taken = requested & request_ready_o;

  tcp_session_requests #(
      .NumSessions(NumSessions),
      .RingBytes  (ReceiveBytes)
  ) u_requests (
      .clk_i,
      .request_i(taken ? request_i.operation : RequestNone),
      .session_i(request_i.session[IndexWidth-1:0]),
      .position_i(request_i.position),
      .toggle_i(request_i.toggle),
      .open_i(opens_q),
      .synchronise_i(synchronises_q),
      .open_session_i(index_4_q),
      .open_send_i(send_start_q),
      .open_receive_i(receive_start_q),
      .index_i(index),
      .requests_o(requests_1)
  );

  // ---- Registers ----

  logic [2:0] inspects_q;
  logic [31:0] congestion_window_2_q, congestion_window_3_q;
  session_ranges_t ranges;
  // The memories may still contain ranges of a session that has ended.
  wire is_over = block_3_q.state inside {Closed, Ended};
  always_ff @(posedge clk_i) begin
    inspects_q <= rst_i ? '0 : {inspects_q[1:0], inspect_i.valid};
    congestion_window_2_q <= congestion_window_1;
    congestion_window_3_q <= congestion_window_2_q;
    inspected_valid_o <= inspects_q[2] & ~rst_i;
    inspected_o <= '{
        block: block_3_q,
        requests: requests_3_q,
        congestion_window: congestion_window_3_q,
        timeout_us: timeout_3,
        ranges: is_over ? '0 : ranges
    };
  end

  // ---- Arrivals ----

  tcb_t arrived, opened;
  logic keep, refuse, reopens, arrival_wake, arrival_set, arrival_clear, delay_ack;
  logic unacceptable, stale, out_of_order, lowers, unreachable, unused_error, guessed;
  bombus_pkg::length_t skip, syn_mss;
  logic new_ack;
  seq_t window_edge;
  changes_t arrival_changes;
  congestion_event_t arrival_congestion;
  logic [31:0] acked_2;
  logic sample;
  logic [31:0] sample_us_2;
  logic room, some_2, some, duplicate, reaches, ahead, in_order, ends_stream;
  logic [2:0] num_sacks;
  sack_block_t [MaxSackBlocks-1:0] sacks;
  seq_t reach;
  if (NumGaps > 0) begin : gen_reassembly
    tcp_reassembly #(
        .NumSessions(NumSessions),
        .NumGaps(NumGaps),
        .RingBytes(ReceiveBytes)
    ) u_reassembly (
        .clk_i,
        .index_i(index),
        .rcv_nxt_i(block_1_q.rcv_nxt),
        .left_i(arrival_1_q.segment.seq),
        .right_i(arrival_1_q.last),
        .some_2_o(some_2),
        .index_3_i(index_3_q),
        .rcv_nxt_3_i(block_3_q.rcv_nxt),
        .left_3_i(arrival_3_q.segment.seq),
        .right_3_i(arrival_3_q.last),
        .write_i(opens | arrives),
        .clear_i(opens | ends_stream),
        .ahead_i(ahead),
        .in_order_i(in_order),
        .room_o(room),
        .some_o(some),
        .duplicate_o(duplicate),
        .reaches_o(reaches),
        .reach_o(reach),
        .num_sacks_o(num_sacks),
        .sacks_o(sacks),
        .slot_i(inspect_i.slot),
        .shown_valid_o(ranges.is_received),
        .shown_o(ranges.received)
    );
  end else begin : gen_no_reassembly
    wire unused = &{ahead, in_order, ends_stream, inspect_i.slot};
    assign {room, some_2, some, duplicate, reaches} = '0;
    assign reach = '0;
    assign num_sacks = '0;
    assign sacks = '0;
    assign {ranges.is_received, ranges.received} = '0;
  end

  departure_t departure;
  logic
      resend,
      hole,
      hole_2,
      futile_2,
      tail,
      fresh,
      sack_new,
      sack_old,
      sack_lost,
      past_resent,
      allowed,
      acks,
      begins;
  logic occupies, resends, fills, timed_out;
  bombus_pkg::length_t hole_length_2;
  seq_t resent, rescued, last_resent;
  if (NumSacks > 0) begin : gen_scoreboard
    tcp_scoreboard #(
        .NumSessions(NumSessions),
        .NumSacks(NumSacks),
        .RingBytes(SendBytes)
    ) u_scoreboard (
        .clk_i,
        .index_i(index),
        .block_i(block_1_q),
        .arrives_i(kind_1_q == ActionArrival),
        .ack_i(arrival_1_q.segment.ack),
        .has_block_i(arrival_1_q.segment.options.has_sack),
        .sack_i(arrival_1_q.segment.options.sack),
        .congestion_window_i(congestion_window_1),
        .resend_o(resend),
        .hole_o(hole),
        .resent_o(resent),
        .rescue_o(rescued),
        .hole_2_o(hole_2),
        .futile_2_o(futile_2),
        .length_2_o(hole_length_2),
        .index_3_i(index_3_q),
        .block_3_i(block_3_q),
        .clear_i(opens | (arrives & (arrival_changes.opened | lowers)) | timed_out),
        .arrives_3_i(arrives),
        .ack_3_i(arrival_3_q.segment.ack),
        .sack_3_i(arrival_3_q.segment.options.sack),
        .acks_i(arrives & acks),
        .may_ack_i(acks),
        .begins_i(begins),
        .tail_i(tail),
        .departs_i(departs),
        .occupies_i(occupies),
        .fresh_i(departs & fresh),
        .fresh_seq_i(departure.seq),
        .resends_i(departs & resends),
        .fills_i(fills),
        .last_i(last_resent),
        .sack_new_o(sack_new),
        .sack_old_o(sack_old),
        .sack_lost_o(sack_lost),
        .past_resent_o(past_resent),
        .allowed_o(allowed),
        .slot_i(inspect_i.slot),
        .shown_valid_o(ranges.is_reported),
        .shown_o(ranges.reported),
        .shown_beyond_o(ranges.beyond),
        .shown_resent_o(ranges.resent)
    );
  end else begin : gen_no_scoreboard
    wire unused = &{acks, begins, tail, fresh, occupies, resends, fills, last_resent,
                    inspect_i.slot};
    assign {resend, hole, hole_2, futile_2} = '0;
    assign {sack_new, sack_old, sack_lost, past_resent, allowed} = '0;
    assign hole_length_2 = '0;
    assign {resent, rescued} = '0;
    assign {ranges.is_reported, ranges.beyond, ranges.reported, ranges.resent} = '0;
  end

  tcp_arrival #(
      .RingBytes(SendBytes),
      .ReceiveBytes(ReceiveBytes),
      .OwnMss(OwnMss),
      .Sack(Sack),
      .DuplicateSack(ReportsDuplicates),
      .Timestamps(Timestamps),
      .Ecn(Ecn),
      .Keepalive(Keepalive),
      .Errors(Errors),
      .Selective(Selective),
      .Whole(Bypass)
  ) u_arrival (
      .clk_i,
      .time_us_i,
      .coarse_time_i(coarse_time),
      .block_i(block_1_q),
      .requests_i(requests_1),
      .segment_i(arrival_1_q.segment),
      .end_i(arrival_1_q.last),
      .block_2_i(block_2_q),
      .segment_2_i(arrival_2_q.segment),
      .reports_2_i(arrival_2_q.reports),
      .requests_2_i(requests_2_q),
      .acked_2_o(acked_2),
      .block_3_i(block_3_q),
      .segment_3_i(arrival_3_q.segment),
      .room_i(room),
      .some_i(some),
      .duplicate_i(duplicate),
      .reaches_i(reaches),
      .reach_i(reach),
      .ahead_o(ahead),
      .in_order_o(in_order),
      .ends_stream_o(ends_stream),
      .sack_new_i(sack_new),
      .sack_old_i(sack_old),
      .sack_lost_i(sack_lost),
      .past_resent_i(past_resent),
      .acks_o(acks),
      .begins_o(begins),
      .tail_o(tail),
      .block_o(arrived),
      .new_ack_o(new_ack),
      .window_edge_o(window_edge),
      .mss_o(syn_mss),
      .keep_o(keep),
      .skip_o(skip),
      .refuse_o(refuse),
      .may_reopen_i(may_reopen_i & ~reopened_valid_o),
      .reopens_o(reopens),
      .synchronise_o(synchronise),
      .changes_o(arrival_changes),
      .wake_o(arrival_wake),
      .set_timer_o(arrival_set),
      .clear_timer_o(arrival_clear),
      .delay_ack_o(delay_ack),
      .congestion_o(arrival_congestion),
      .sample_o(sample),
      .sample_us_2_o(sample_us_2),
      .unacceptable_o(unacceptable),
      .stale_o(stale),
      .out_of_order_o(out_of_order),
      .lowers_o(lowers),
      .unreachable_o(unreachable),
      .unused_o(unused_error),
      .guessed_o(guessed)
  );

  // A SYN to a listening port (RFC 9293, 3.10.7.2), or a requested connection, without a segment
  // (3.9.1.1): window scale and timestamps are offered.
  wire options_t options = arrival_3_q.segment.options;
  wire connects = arrival_3_q.connects;
  always_comb begin
    opened = cleared;
    opened.state = connects ? SynSent : SynReceived;
    opened.active = connects;
    opened.challenged = challenge_time(time_us_i) - 8'd1;
    opened.una = arrival_3_q.segment.ack;
    opened.nxt = arrival_3_q.segment.ack;
    opened.max = arrival_3_q.segment.ack;
    opened.recover = arrival_3_q.segment.ack;
    opened.wnd_edge = window_edge;
    opened.wl1 = arrival_3_q.segment.seq;
    opened.mss = syn_mss;
    opened.scaled = options.has_scale | connects;
    opened.peer_scale = options.scale;
    opened.timestamps = options.has_timestamps | connects;
    opened.sack = Sack & (options.sack_permitted | connects);
    opened.ecn = Ecn & ~connects & arrival_3_q.segment.flags.ece & arrival_3_q.segment.flags.cwr;
    opened.marked = arrival_3_q.segment.ack;
    opened.ts_recent = options.ts_value;
    opened.ts_recent_time = coarse_time;
    opened.rcv_nxt = arrival_3_q.segment.seq + 32'd1;
    opened.adv_edge = arrival_3_q.segment.seq + 32'd1;
  end

  // ---- Departures ----

  tcb_t departed;
  seq_t bare;
  logic unread_2, send, departure_wake, departure_set, repeats, restarts, sent_ack;
  changes_t departure_changes;
  tcp_departure #(
      .RingBytes(SendBytes),
      .ReceiveBytes(ReceiveBytes),
      .OwnScale(OwnScale),
      .Nagle(Nagle),
      .Selective(Selective),
      .Ecn(Ecn),
      .Keepalive(Keepalive),
      .FinWait(FinWaitUs != 0)
  ) u_departure (
      .clk_i,
      .time_us_i,
      .block_i(block_1_q),
      .requests_i(requests_1),
      .resend_i(resend),
      .hole_i(hole),
      .resent_i(resent),
      .rescue_i(rescued),
      .congestion_window_i(congestion_window_1),
      .block_2_i(block_2_q),
      .requests_2_i(requests_2_q),
      .hole_2_i(hole_2),
      .futile_2_i(futile_2),
      .hole_length_2_i(hole_length_2),
      .gaps_2_i(some_2),
      .block_3_i(block_3_q),
      .requests_3_i(requests_3_q),
      .allowed_3_i(allowed),
      .num_sacks_3_i(num_sacks),
      .sacks_3_i(sacks),
      .unread_2_o(unread_2),
      .block_o(departed),
      .segment_o(departure),
      .send_o(send),
      .changes_o(departure_changes),
      .wake_o(departure_wake),
      .set_timer_o(departure_set),
      .occupies_o(occupies),
      .repeats_o(repeats),
      .resends_o(resends),
      .fills_o(fills),
      .fresh_o(fresh),
      .last_o(last_resent),
      .restarts_o(restarts),
      .bare_o(bare),
      .sent_ack_o(sent_ack)
  );

  // ---- Expiries ----

  // The session has not been reported to the application, and will not be.
  wire  unreported = block_3_q.state == SynReceived & ~block_3_q.active;
  tcb_t expired;
  logic gave_up, runs_out, takes_fin, closes, expiry_set, overdue_3_q, last_3_q;
  // The retry limit of a SYN is lower: 183 s for a connection requested by an application (RFC
  // 9293, 3.8.3: at least three minutes), otherwise 7 s with two retries, since the address of a
  // SYN may be forged: few SYN,ACKs go to a host that has not asked for them.
  localparam int unsigned SynBackoff = MaxBackoff < 7 ? MaxBackoff : 7;
  localparam int unsigned PassiveBackoff = MaxBackoff < SynAckRetries ? MaxBackoff : SynAckRetries;
  wire handshake_2 = block_2_q.state inside {SynSent, SynReceived};
  // RFC 9293, 3.9.1.2: that of the session replaces that of the engine, and MaxBackoff.
  logic [15:0] limit_3_q;
  logic has_limit_3_q;
  wire has_timeout_2 = requests_2_q.settings.user_timeout != '0;
  wire [15:0] limit_2 = has_timeout_2 ? requests_2_q.settings.user_timeout : UserTimeout;
  wire has_limit_2 = has_timeout_2 | (UserTimeoutS != 0);
  tcp_expiry #(
      .MaxBackoff(MaxBackoff),
      .Keepalive(Keepalive),
      .Ecn(Ecn)
  ) u_expiry (
      .block_i(block_3_q),
      .no_keepalive_i(requests_3_q.settings.no_keepalive),
      .last_i(last_3_q),
      .overdue_i(overdue_3_q),
      .delay_i(class_3_q),
      .fin_due_i(fin_due_3_q),
      .block_o(expired),
      .takes_fin_o(takes_fin),
      .closes_o(closes),
      .repeats_o(runs_out),
      .gives_up_o(gave_up),
      .set_timer_o(expiry_set)
  );
  always_ff @(posedge clk_i) begin
    last_3_q <= (block_2_q.tries ==
        4'(~handshake_2 ? MaxBackoff : block_2_q.active ? SynBackoff : PassiveBackoff)) &
        (handshake_2 | ~has_timeout_2);
    overdue_3_q <= has_limit_2 & (16'(time_us_i[31:16] - block_2_q.since) >= limit_2);
    limit_3_q <= limit_2;
    has_limit_3_q <= has_limit_2;
  end
  assign timed_out = expires & runs_out;
  // The age of a handshake is that of its first SYN,ACK, whose time is kept when it is
  // retransmitted. Before it is sent, no timer is set; the timer is also off for a moment at each
  // retransmission.
  logic old_3_q;
  always_ff @(posedge clk_i) begin
    old_3_q <= (block_2_q.timer != TimerNone) & (time_us_i - block_2_q.timed_at > HalfOpenUs);
  end
  assign evicts = evict_3_q & unreported & old_3_q;

  // ---- Idle connections ----

  function automatic logic is_open(state_e state);
    return state inside {Established, FinWait1, FinWait2, CloseWait, Closing, LastAck};
  endfunction
  if (EvictIdleS != 0) begin : gen_idle
    logic idle_3_q, active_4_q, evicted_4_q;
    always_ff @(posedge clk_i) begin
      idle_3_q <= idle_valid & (idle == index_2_q);
      active_4_q <= opens | (arrives & (keep | new_ack));
      evicted_4_q <= evicts_idle & ~rst_i;
    end
    assign evicts_idle = evict_3_q & idle_3_q & is_open(block_3_q.state);
    tcp_idle #(
        .NumSessions(NumSessions),
        .LeastIdleS (EvictIdleS)
    ) u_idle (
        .clk_i,
        .rst_i,
        .long_time_i,
        .write_i(written_q | clearing_q),
        .index_i(clearing_q ? clear_q : index_4_q),
        .open_i(~clearing_q & is_open(block_4_q.state)),
        .active_i(~clearing_q & active_4_q),
        .evicted_i(evicted_4_q),
        .free_i(free_valid_o),
        .search_i(starved_i),
        .idle_o(idle),
        .idle_valid_o(idle_valid)
    );
  end else begin : gen_no_idle
    wire unused_starved = starved_i;
    assign evicts_idle = 1'b0;
    assign idle_valid = 1'b0;
    assign idle = '0;
  end

  // ---- Cycle 3: select the result and write it ----

  changes_t changes;
  // The session was reported to its application, or requested by it, and has further events.
  wire known = ~unreported & ~(block_3_q.state inside {Closed, Ended, TimeWait});
  cause_e cause;
  logic aborts, unread_3_q, free;
  // A close before the connection is open ends it (RFC 9293, 3.10.4), and bytes that no one reads
  // reset it (3.6.1: SHLD-3; RFC 2525, 2.17).
  wire unread = requests_2_q.reads_no_more & unread_2;
  always_ff @(posedge clk_i) begin
    aborts <= (kind_2_q == ActionDeparture) & ~takes_fin_2 & (requests_2_q.aborted | unread |
        (requests_2_q.closing & (block_2_q.state == SynSent))) &
        ~(block_2_q.state inside {Closed, Ended, TimeWait}) & ~rst_i;
    unread_3_q <= unread & ~requests_2_q.aborted & (block_2_q.state != SynSent);
  end
  always_comb begin
    block = departed;
    changes = departure_changes;
    wake = departure_wake;
    if (aborts) begin
      block = block_3_q;
      block.state = Ended;
      block.timer = TimerNone;
      changes = '0;
      changes.closed = 1'b1;
      changes.failed = unread_3_q;
      wake = 1'b0;
    end else if (opens | arrives) begin
      block = opens ? opened : arrived;
      changes = opens ? '0 : arrival_changes;
      changes.reported = ~opens & unreachable & ~arrival_changes.closed & known;
      changes.connecting = opens & connects;
      wake = opens | arrival_wake;
    end else if (expires & evict_3_q) begin
      block = block_3_q;
      changes = '0;
      wake = 1'b0;
      changes.closed = evicts_idle;
      changes.failed = evicts_idle;
      if (evicts | evicts_idle) begin
        block.state = Ended;
        block.timer = TimerNone;
      end
    end else if (expires) begin
      block = expired;
      changes = '0;
      changes.closed = (gave_up & ~unreported) | closes;
      changes.failed = gave_up & ~unreported;
      changes.peer_closed = takes_fin;
      wake = 1'b1;
    end
    // A session that was never reported to an application is not freed by it.
    cause = CauseNone;
    if (changes.failed) cause = evicts_idle ? CauseEvicted : expires ? CauseTimeout : CauseReset;
    if (changes.reported) begin
      cause = arrival_3_q.segment.flags.urg ? CauseRefused : CauseUnreachable;
    end
    free = write & (block.state == Ended) & (unreported |
        (requests_3_q.freed & (requests_3_q.close_position == requests_3_q.send_end)));
    if (free) block.state = Closed;
  end

  tcp_transmit_queue #(
      .NumSessions(NumSessions)
  ) u_queue (
      .clk_i,
      .rst_i,
      .first_next_i(index_3_q),
      .first_i(index_4_q),
      .first_valid_i(wake_q),
      .second_i(request_i.session[IndexWidth-1:0]),
      .second_valid_i(requested & ~renews_q),
      .second_ready_o(wake_ready),
      .out_o(queued),
      .out_valid_o(queued_valid),
      .out_ready_i(queued_ready),
      .busy_o(queue_busy)
  );

  // ---- Effects, a cycle later ----

  // No segment has been timed for longer than a timeout: either a pause, or all bytes sent since
  // have been retransmitted; then the congestion window gets smaller than RFC 5681, 4.1 requires.
  logic [31:0] since_timed_3_q;
  always_ff @(posedge clk_i) since_timed_3_q <= time_us_i - block_2_q.timed_at;
  wire paused = since_timed_3_q > 32'(timeout_3);

  congestion_event_t congestion;
  always_comb begin
    // Only the kind depends on the event: the sums of tcp_congestion depend on the other fields.
    congestion = arrival_congestion;
    if (departs) congestion.mss = block_3_q.mss;
    congestion.late &= arrives;
    if (timed_out) congestion.kind = CongestionTimeout;
    else if (departs & restarts & paused) congestion.kind = CongestionRestart;
    else if (~arrives) congestion.kind = CongestionNone;
  end
  tcp_congestion #(
      .NumSessions(NumSessions),
      .MaxWindow(2 * SendBytes),
      .Cubic(Cubic)
  ) u_congestion (
      .clk_i,
      .rst_i,
      .time_us_i,
      .index_i  (index),
      .follows_i(follows),
      .block_i  (block_1_q),
      .window_o (congestion_window_1),
      .acked_2_i(acked_2),
      .index_3_i(index_3_q),
      .event_i  (congestion)
  );

  wire opened_late = arrives & (arrival_congestion.kind == CongestionOpened) &
      arrival_congestion.late;
  logic sampled_5;
  logic [25:0] sampled_us_5;
  tcp_round_trip #(
      .NumSessions(NumSessions),
      .LeastUs(LeastTimeoutUs)
  ) u_round_trip (
      .clk_i,
      .rst_i,
      .index_1_i(index_1_q),
      .sample_us_2_i(sample_us_2),
      .index_2_i(index_2_q),
      .index_3_i(index_3_q),
      .open_3_i(opens | opened_late),
      .late_3_i(opened_late),
      .sample_3_i(arrives & sample),
      .timeout_us_3_o(timeout_3),
      .sampled_5_o(sampled_5),
      .sampled_us_5_o(sampled_us_5)
  );

  wire set = (arrives & arrival_set) | (departs & ~aborts & departure_set) | (expires & expiry_set);
  wire clear = (arrives & arrival_clear) | aborts | evicts | evicts_idle | (expires & ~class_3_q);
  logic set_q, clears_q, set_delay_q, clear_delay_q, deadlines_busy;
  logic [15:0] limit_4_q;
  logic has_limit_4_q;
  always_ff @(posedge clk_i) begin
    limit_4_q <= limit_3_q;
    has_limit_4_q <= has_limit_3_q;
  end
  wire [15:0] last_4 = block_4_q.since + limit_4_q;
  assign orders_4 = set_q | clears_q | set_delay_q | clear_delay_q;
  always_ff @(posedge clk_i) begin
    set_q <= set & ~free & ~rst_i;
    clears_q <= (clear | free) & ~set & ~rst_i;
    set_delay_q <= arrives & delay_ack & ~block.ack_now & ~rst_i;
    clear_delay_q <= departs & sent_ack & ~rst_i;
  end
  tcp_deadlines #(
      .DelayAckUs(DelayAckUs),
      .TimeWaitUs(TimeWaitUs),
      .FinWaitUs(FinWaitUs),
      .KeepaliveS(KeepaliveS),
      .KeepaliveProbeS(KeepaliveProbeS)
  ) u_deadlines (
      .clk_i,
      .rst_i,
      .time_us_i,
      .set_i(set_q),
      .clear_i(clears_q),
      .set_delay_i(set_delay_q),
      .clear_delay_i(clear_delay_q),
      .session_i(session_t'(index_4_q)),
      .state_i(block_4_q.state),
      .timer_i(block_4_q.timer),
      .backoff_i(block_4_q.backoff),
      .tries_i(block_4_q.tries),
      .timeout_us_i(timeout_4_q),
      .last_i(last_4),
      .has_last_i(has_limit_4_q),
      .sampled_i(sampled_5),
      .sampled_us_i(sampled_us_5),
      .orders_o(timers_o),
      .busy_o(deadlines_busy)
  );

  seq_t reopened_first_3_q;
  // End of the space for applications, by the new una; until the session is open, the first byte.
  // If una is not yet set, it is opened by an acknowledgement.
  seq_t una_end_q, ack_end_q;
  always_ff @(posedge clk_i) begin
    una_end_q <= block_2_q.una + (handshake_2 ? seq_t'(1) : seq_t'(SendBytes));
    ack_end_q <= arrival_2_q.segment.ack + (handshake_2 ? '0 : seq_t'(SendBytes));
  end

  always_ff @(posedge clk_i) begin
    verdict_valid_o <= (arrives | (opens & ~connects)) & ~reports & ~arrival_3_q.segment.sack_only &
        ~rst_i;
    verdict_o <= '{
        session: session_t'(index_3_q),
        keep: arrives & keep,
        start: arrival_3_q.segment.seq,
        skip: skip
    };
    refused_valid_o <= arrives & refuse & ~arrival_3_q.segment.sack_only & ~rst_i;
    refused_o <= arrival_3_q.segment;
    // Beyond all sequence numbers of the connection (RFC 9293, 3.6.1: MAY-2)
    reopened_first_3_q <= block_2_q.max + 32'd65537;
    reopened_first_o <= reopened_first_3_q;
    reopened_valid_o <= arrives & reopens & ~rst_i;
    report_valid_o <= write & (changes != '0) & ~rst_i;
    report_o <= '{
        session: session_t'(index_3_q),
        changes: changes,
        cause: cause,
        mss: block.mss,
        read_end: changes.opened & ~synchronises ? block_3_q.rcv_nxt : block.rcv_nxt,
        write_end: arrives & new_ack ? ack_end_q : una_end_q
    };
    departure_valid_o <= ((departs & (aborts ? block_3_q.state != SynSent : send)) | evicts_idle) &
        ~rst_i;
    departure_o <= departure;
    departure_o.session <= session_t'(index_3_q);
    if (aborts | evicts_idle) begin
      departure_o.length <= '0;
      departure_o.ect <= 1'b0;
      departure_o.seq <= bare;
      departure_o.flags <= '{rst: 1'b1, ack: 1'b1, default: 1'b0};
    end
    free_o <= session_t'(index_3_q);
    free_valid_o <= free & ~rst_i;
    half_done_o <= write & ~opens & unreported & (block.state != SynReceived) & ~rst_i;
    event_o <= '{
        guessed: arrives & guessed,
        evicted_idle: evicts_idle & ~rst_i,
        evicted: evicts & ~rst_i,
        unused_error: arrives & unused_error,
        unreachable: arrives & unreachable,
        lowered_mss: arrives & lowers,
        hole: departs & ~aborts & resends,
        bad_request: is_request & ~is_session & request_ready_o & ~rst_i,
        aborted: aborts | (expires & gave_up),
        repeated: departs & ~aborts & repeats,
        timed_out: timed_out,
        out_of_order: arrives & out_of_order,
        stale: arrives & stale,
        unacceptable: arrives & unacceptable
    };
  end

  assign subject_o = session_t'(index_3_q);
  assign busy_o = (kind_1_q != ActionNone) | (kind_2_q != ActionNone) | write | written_q |
      queue_busy | clearing_q | deadlines_busy;

  `BOMBUS_ASSERT(ExpiredTimerIsSet,
                 !(expires && !class_3_q && !evict_3_q) || block_3_q.timer != TimerNone)
  `BOMBUS_ASSERT(OneAction, $onehot0({opens, arrives, departs, expires}))

endmodule
