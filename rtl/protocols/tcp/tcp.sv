// SPDX-License-Identifier: Apache-2.0
// TCP engine (RFC 9293) for up to NumSessions connections.
//
// in: packets from ipv4_rx. request: requests of applications and of the send buffer (tcp_request),
// and errors reported by paths (tcp_error), if the design has tcp_errors. out: headers for the send
// buffer (tcp_segment), which appends the payload. data: received payload and events for
// applications (tcp_data, tcp_event), for the receive buffer, or with Bypass for applications, by
// tcp_bypass. docs/protocols/tcp/tcp.md describes how these parts work together.
//
// Latency: 13 cycles from a segment's header to its payload on data. Throughput: one beat per
// cycle; segments of one session, or of sessions whose numbers agree in the low five bits, at most
// every four cycles.
//
// One file: it only connects the parts of the engine.
`include "bombus_assert.svh"
`include "bombus_types.svh"

module tcp
  import bombus_pkg::*;
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type request_beat_t = beat_t,
    parameter type regs_t = logic,  // from tcp.rdl
    parameter type state_t = logic,
    parameter type ranges_t = logic,
    parameter int unsigned NumMacPorts = 1,
    parameter int unsigned NumSessions = 16,
    parameter int unsigned SendBytes = 65536,  // send buffer per session
    parameter int unsigned ReceiveBytes = 65536,  // receive buffer per session
    parameter int unsigned Mss = 1460,
    parameter bit Nagle = 0,
    // Received ranges stored beyond gaps; 0: such data are dropped
    parameter int unsigned NumGaps = 4,
    parameter int unsigned NumSacks = 4,  // ranges reported by the peer; 0: NewReno (RFC 6582)
    parameter bit ActiveOpen = 1,  // 0: server only
    // 0: options are recognised only in the layouts that common systems send
    parameter bit AnyLayout = 1,
    // 0: headers are passed on with the payload, as bytes to skip (512 bits only)
    parameter bit StripHeaders = 1,
    // Connections opened by peers and not yet established
    parameter int unsigned MaxHalfOpen = NumSessions / 2,
    // Time after which they may be replaced; 0: never
    parameter int unsigned HalfOpenUs = 1000000,
    parameter int unsigned SynAckRetries = 2,
    parameter int unsigned MaxPerPeer = NumSessions / 2,  // sessions that one peer may open
    // Idle time after which a connection may be ended for a new one; 0: never
    parameter int unsigned EvictIdleS = 60,
    parameter int unsigned DelayAckUs = 1000,
    parameter int unsigned TimeWaitUs = 1000000,
    // Bound on FIN-WAIT-2 once the application reads no more, as in Linux; 0: none
    parameter int unsigned FinWaitUs = 60000000,
    parameter int unsigned LeastTimeoutUs = 200000,
    parameter int unsigned MaxBackoff = 10,
    // Limit of payload announced to the send buffer and not yet sent: bounds the delay of an
    // acknowledgement.
    parameter int unsigned AheadBytes = 8192,
    parameter bit DuplicateSack = 1,  // RFC 2883
    // RFC 7323, 3; 0: neither offered nor accepted, which saves 12 bytes a segment but also PAWS
    parameter bit Timestamps = 1,
    parameter bit Ecn = 0,  // RFC 3168
    parameter bit Cubic = 0,  // RFC 9438; otherwise NewReno
    parameter int unsigned KeepaliveS = 7200,  // RFC 9293, 3.8.4: before a keepalive; 0: none
    parameter int unsigned KeepaliveProbeS = 75,
    // Time without an acknowledgement; 0: only MaxBackoff applies
    parameter int unsigned UserTimeoutS = 0,
    parameter bit Bypass = 0,  // no receive buffer: data beyond gaps are dropped
    // Value of the register `secret` until it is written; 0: no connections until then
    parameter logic [255:0] Seed = '0,
    parameter int unsigned KindTcpSegment = 1,  // filled in by Bombus
    parameter int unsigned KindTcpData = 2,  // filled in by Bombus
    parameter int unsigned KindTcpEvent = 3,  // filled in by Bombus
    parameter int unsigned KindTcpError = KindNone,  // filled in by Bombus
    parameter int unsigned KindTcpImport = KindNone,  // filled in by Bombus
    parameter bit IsObserved = 0  // filled in by Bombus
) (
    input logic clk_i,
    input logic rst_i,
    input host_t [NumMacPorts-1:0] host_i,
    input logic [31:0] time_us_i,

    input regs_t regs_i,
    input logic state_request_i,  // held until state_done_o
    output state_t state_rdata_o,
    output logic state_done_o,
    input logic ranges_request_i,
    output ranges_t ranges_rdata_o,
    output logic ranges_done_o,

    input beat_t in_i,
    input logic in_valid_i,
    output logic in_ready_o,
    input request_beat_t request_i,
    input logic request_valid_i,
    output logic request_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,
    output beat_t data_o,
    output logic  data_valid_o,
    input  logic  data_ready_i,

    output logic            [ 7:0] drop_o,
    output message_number_t [ 7:0] drop_message_o,
    output logic            [22:0] event_o,
    output logic                   busy_o,
    output logic                   timer_o
);

  localparam string Entry = "tcp";
  localparam logic [7:0] IpProtocol = ProtocolTcp;  // the key that ipv4_rx binds
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowPayload;
  localparam bit Replicable = 1'b0;
  localparam string Takes = "packet tcp_import";
  localparam string RequestTakes = "tcp_request tcp_error";
  localparam bit RequestAlwaysTakes = 1'b1;
  localparam bit InWaitsForOut = 1'b0;
  // The memories of sessions are cleared after reset, one session per cycle.
  localparam int unsigned MaxBusyCycles = 4096 + NumSessions;
  localparam string Sends = "tcp_segment";
  localparam string DataSends = "tcp_data tcp_event";
  typedef enum logic [0:0] {NextTcpSendBufferSegment} next_e;
  typedef enum logic [0:0] {DataNextTcpReceiveBufferData} data_next_e;
  typedef enum int unsigned {
    DropTruncated,
    DropBadOffset,
    DropBadChecksum,
    DropBadPort,
    DropOptionsBusy,
    DropNoSession,
    DropNoSecret,
    DropPeerLimit,

    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventOddOptions,
    EventBadOption,
    EventUnacceptable,
    EventStale,
    EventOutOfOrder,
    EventTimeout,
    EventRepeat,
    EventAborted,
    EventBadRequest,
    EventHole,
    EventRefused,
    EventResetsBusy,
    EventSegmentIn,
    EventSegmentOut,
    EventRequest,
    EventPayload,
    EventTold,
    EventPathMtu,
    EventUnreachable,
    EventUnusedError,
    EventEvicted,
    EventEvictedIdle,
    EventGuessed,
    NumEvents
  } event_e;

  if (AheadBytes < 64 || AheadBytes > 1048576) begin : gen_bad_ahead
    $error("tcp: AheadBytes must be 64 to 1048576");
  end
  if (!is_num_sessions(NumSessions, 16)) begin : gen_bad_sessions
    $error("tcp: NumSessions must be a power of two, 16 to 16384");
  end
  if (Mss < 64 || Mss > 8960) begin : gen_bad_mss
    $error("tcp: Mss must be 64 to 8960");
  end
  // At most the first timeout (RFC 6298, 2.1)
  if (LeastTimeoutUs < 1 || LeastTimeoutUs > 1000000) begin : gen_bad_timeout
    $error("tcp: LeastTimeoutUs must be 1 to 1000000");
  end
  if (Bypass && !StripHeaders) begin : gen_bad_bypass
    $error("tcp: with Bypass, StripHeaders must be 1");
  end

  localparam int unsigned Gaps = Bypass ? 0 : NumGaps;
  // Without gaps to report, SACK must stay off: peers that use it ignore duplicate acknowledgements
  // without blocks.
  localparam int unsigned Sacks = Gaps == 0 ? 0 : NumSacks;
  localparam int unsigned OwnScale = ReceiveBytes > 65535 ? $clog2(ReceiveBytes) - 15 : 0;

  long_time_t long_time;
  tcp_clock u_clock (
      .clk_i,
      .rst_i,
      .time_us_i,
      .long_time_o(long_time)
  );

  keys_t keys;
  logic has_keys, uses_keys;
  tcp_secret #(
      .Seed(Seed)
  ) u_secret (
      .clk_i,
      .rst_i,
      .secret_i(keys_t'(regs_i.secret.bits)),
      .use_i(uses_keys),
      .keys_o(keys),
      .valid_o(has_keys)
  );

  // ---- Receive segments ----

  `BOMBUS_BEAT_T(packet_beat_t, $bits(in_i.data), packet_meta_t, $bits(in_i.kind))

  segment_t segment;
  logic segment_valid, segment_ready;
  packet_beat_t payload;
  logic [5:0] payload_header;
  logic payload_valid, payload_ready, receive_busy;
  tcp_receive #(
      .beat_t(packet_beat_t),
      .NumMacPorts(NumMacPorts),
      .StripHeaders(StripHeaders),
      .AnyLayout(AnyLayout),
      .MoreSacks(Sacks > 0),
      .KindTcpImport(KindTcpImport),
      .IsObserved(IsObserved)
  ) u_receive (
      .clk_i,
      .rst_i,
      .host_i,
      .in_i(packet_beat_t'(in_i)),
      .in_valid_i,
      .in_ready_o,
      .segment_o(segment),
      .segment_valid_o(segment_valid),
      .segment_ready_i(segment_ready),
      .out_o(payload),
      .out_header_o(payload_header),
      .out_valid_o(payload_valid),
      .out_ready_i(payload_ready),
      .drop_o(drop_o[DropOptionsBusy:0]),
      .drop_message_o(drop_message_o[DropOptionsBusy:0]),
      .event_o(event_o[EventBadOption:0]),
      .busy_o(receive_busy)
  );

  localparam bit Errors = KindTcpError != KindNone;
  localparam bit Imports = KindTcpImport != KindNone;
  wire is_error = Errors & (32'(request_i.kind) == KindTcpError);
  tcp_request_meta_t request;
  always_comb begin
    request = tcp_request_meta_t'(request_i.meta);
    if (is_error) request.request = RequestNone;
  end
  logic [1:0] error_lost;
  logic listen_ready, core_ready;
  wire is_listen = request.request inside {RequestListen, RequestUnlisten};
  wire listens = request_valid_i & is_listen;
  wire connects = request_valid_i & (request.request == RequestConnect);
  wire is_sent = request_valid_i & (request.request == RequestSent);
  assign request_ready_o = is_listen ? listen_ready : core_ready | connects | is_sent | is_error;
  session_request_t core_request;
  assign core_request = '{
          operation: request_valid_i ? request.request : RequestNone,
          session: request.session,
          position: request.argument,
          toggle: request.toggle
      };

  segment_t offered, reopened_syn, core_refused;
  logic offered_valid, offered_ready, reopened, reopened_taken, may_reopen, free_valid;
  seq_t reopened_first;
  tcp_reopen u_reopen (
      .clk_i,
      .rst_i,
      .syn_i(core_refused),
      .first_i(reopened_first),
      .valid_i(reopened),
      .room_o(may_reopen),
      .frees_i(free_valid),
      .segment_i(segment),
      .segment_valid_i(segment_valid),
      .segment_ready_o(segment_ready),
      .out_o(offered),
      .out_valid_o(offered_valid),
      .out_ready_i(offered_ready),
      .syn_o(reopened_syn),
      .taken_i(reopened_taken)
  );

  arrival_t arrival;
  logic arrival_valid, arrival_ready, order, order_valid, order_room;
  segment_t unfound, refused;
  // The look-up shows a segment that it drops.
  assign drop_message_o[DropPeerLimit:DropNoSession] = {3{unfound.message}};
  logic unfound_valid, refused_valid, lookup_busy, half_done, short, starved;
  logic [15:0] missed_port, port;
  tuple_t missed_tuple;
  logic missed_in_use, missed_valid, missed_ready, connect_lost;
  session_t free, subject;
  logic free_ready;
  tuple_t tuple;
  vlan_t vlan;
  logic [31:0] stamp_offset;
  tcp_lookup #(
      .NumSessions(NumSessions),
      .NumMacPorts(NumMacPorts),
      .ActiveOpen(ActiveOpen),
      .MaxHalfOpen(MaxHalfOpen),
      .MaxPerPeer(MaxPerPeer),
      .Errors(Errors),
      .Imports(Imports)
  ) u_lookup (
      .clk_i,
      .rst_i,
      .long_time_i(long_time),
      .keys_i(keys),
      .has_keys_i(has_keys),
      .uses_keys_o(uses_keys),
      .segment_i(offered),
      .segment_valid_i(offered_valid),
      .segment_ready_o(offered_ready),
      .reopened_i(reopened_syn),
      .reopened_taken_o(reopened_taken),
      .arrival_o(arrival),
      .arrival_valid_o(arrival_valid),
      .arrival_ready_i(arrival_ready),
      .order_o(order),
      .order_valid_o(order_valid),
      .order_room_i(order_room),
      .refused_o(unfound),
      .refused_valid_o(unfound_valid),
      .no_secret_o(drop_o[DropNoSecret]),
      .peer_limit_o(drop_o[DropPeerLimit]),
      .no_session_o(drop_o[DropNoSession]),
      .short_o(short),
      .starved_o(starved),
      .free_i(free),
      .free_valid_i(free_valid),
      .free_ready_o(free_ready),
      .listen_i(listens),
      .listen_open_i(request.request == RequestListen),
      .listen_port_i(request.argument[15:0]),
      .listen_ready_o(listen_ready),
      .connect_i(request),
      .connect_valid_i(connects),
      .connect_lost_o(connect_lost),
      .missed_port_o(missed_port),
      .missed_tuple_o(missed_tuple),
      .missed_in_use_o(missed_in_use),
      .missed_valid_o(missed_valid),
      .missed_ready_i(missed_ready),
      .error_i(tcp_error_meta_t'(request_i.meta)),
      .error_seq_i(request_i.data[31:0]),
      .error_valid_i(request_valid_i & is_error),
      .error_lost_o(error_lost),
      .half_done_i(half_done),
      .session_i(subject),
      .tuple_o(tuple),
      .stamp_offset_o(stamp_offset),
      .vlan_o(vlan),
      .port_o(port),
      .busy_o(lookup_busy)
  );

  // ---- State ----

  logic inspect_q, inspecting_q, inspected_valid;
  inspected_t inspected;
  verdict_t verdict;
  logic verdict_valid;
  report_t report;
  logic report_valid, report_room;
  departure_t departure;
  logic departure_valid, departure_room, transmit_room;
  logic core_refused_valid, core_busy;
  core_events_t core_event;
  timer_orders_t timer_orders;
  expiry_t expired;
  session_t core_free;
  logic expired_valid, expired_ready, core_free_valid;
  tcp_core #(
      .NumSessions(NumSessions),
      .SendBytes(SendBytes),
      .ReceiveBytes(ReceiveBytes),
      .OwnMss(Mss),
      .Nagle(Nagle),
      .NumGaps(Gaps),
      .NumSacks(Sacks),
      .DelayAckUs(DelayAckUs),
      .TimeWaitUs(TimeWaitUs),
      .FinWaitUs(FinWaitUs),
      .LeastTimeoutUs(LeastTimeoutUs),
      .MaxBackoff(MaxBackoff),
      .DuplicateSack(DuplicateSack),
      .Timestamps(Timestamps),
      .Ecn(Ecn),
      .Cubic(Cubic),
      .KeepaliveS(KeepaliveS),
      .KeepaliveProbeS(KeepaliveProbeS),
      .UserTimeoutS(UserTimeoutS),
      .Errors(Errors),
      .Bypass(Bypass),
      .HalfOpenUs(HalfOpenUs),
      .EvictIdleS(EvictIdleS),
      .SynAckRetries(SynAckRetries)
  ) u_core (
      .clk_i,
      .rst_i,
      .time_us_i,
      .long_time_i(long_time),
      .arrival_i(arrival),
      .arrival_valid_i(arrival_valid),
      .arrival_ready_o(arrival_ready),
      .verdict_o(verdict),
      .verdict_valid_o(verdict_valid),
      .refused_o(core_refused),
      .refused_valid_o(core_refused_valid),
      .reopened_first_o(reopened_first),
      .reopened_valid_o(reopened),
      .may_reopen_i(may_reopen),
      .request_i(core_request),
      .request_ready_o(core_ready),
      .report_o(report),
      .report_valid_o(report_valid),
      .report_room_i(report_room),
      .departure_o(departure),
      .departure_valid_o(departure_valid),
      .departure_room_i(departure_room),
      .timers_o(timer_orders),
      .expired_i(expired),
      .expired_valid_i(expired_valid),
      .expired_ready_o(expired_ready),
      .inspect_i('{valid: inspect_q, session: regs_i.session.index, slot: regs_i.session.slot}),
      .inspected_o(inspected),
      .inspected_valid_o(inspected_valid),
      .free_o(core_free),
      .free_valid_o(core_free_valid),
      .evict_i(short),
      .starved_i(starved),
      .half_done_o(half_done),
      .event_o(core_event),
      .subject_o(subject),
      .busy_o(core_busy)
  );

  assign event_o[EventUnacceptable] = core_event.unacceptable;
  assign event_o[EventStale] = core_event.stale;
  assign event_o[EventOutOfOrder] = core_event.out_of_order;
  assign event_o[EventTimeout] = core_event.timed_out;
  assign event_o[EventRepeat] = core_event.repeated;
  assign event_o[EventAborted] = core_event.aborted;
  assign event_o[EventHole] = core_event.hole;
  assign event_o[EventEvicted] = core_event.evicted;
  assign event_o[EventEvictedIdle] = core_event.evicted_idle;
  assign event_o[EventGuessed] = core_event.guessed;

  // ---- Registers ----

  // One access at a time.
  wire register_access = (state_request_i & ~state_done_o) | (ranges_request_i & ~ranges_done_o);
  always_ff @(posedge clk_i) begin
    inspect_q <= register_access & ~inspecting_q & ~rst_i;
    inspecting_q <= register_access & ~rst_i;
    state_done_o <= inspected_valid & state_request_i & ~rst_i;
    ranges_done_o <= inspected_valid & ranges_request_i & ~rst_i;
    state_rdata_o <= '0;
    ranges_rdata_o <= '0;
    if (32'(regs_i.session.index) < NumSessions) begin
      state_rdata_o.state <= inspected.block.state;
      state_rdata_o.timer <= inspected.block.timer;
      state_rdata_o.backoff <= inspected.block.backoff;
      state_rdata_o.recovering <= inspected.block.recovering;
      state_rdata_o.scaled <= inspected.block.scaled;
      state_rdata_o.timestamps <= inspected.block.timestamps;
      state_rdata_o.sack <= inspected.block.sack;
      state_rdata_o.mss <= inspected.block.mss;
      state_rdata_o.una <= inspected.block.una;
      state_rdata_o.nxt <= inspected.block.nxt;
      {state_rdata_o.max} <= inspected.block.max;  // verible parses no `.max <=`
      state_rdata_o.send_edge <= inspected.block.wnd_edge;
      state_rdata_o.send_end <= inspected.requests.send_end;
      state_rdata_o.rcv_nxt <= inspected.block.rcv_nxt;
      state_rdata_o.receive_edge <= inspected.block.adv_edge;
      state_rdata_o.cwnd <= inspected.congestion_window;
      state_rdata_o.rto <= inspected.timeout_us;
      state_rdata_o.peer_ip <= tuple.ip;
      state_rdata_o.peer_port <= tuple.peer_port;
      state_rdata_o.own_port <= tuple.own_port;
      if (Imports) begin
        state_rdata_o.peer_scale   <= inspected.block.peer_scale;
        state_rdata_o.release_edge <= inspected.requests.release_edge;
      end
      ranges_rdata_o.is_reported <= inspected.ranges.is_reported;
      ranges_rdata_o.beyond <= inspected.ranges.beyond;
      ranges_rdata_o.is_received <= inspected.ranges.is_received;
      ranges_rdata_o.reported_left <= inspected.ranges.reported.left;
      ranges_rdata_o.reported_right <= inspected.ranges.reported.right;
      ranges_rdata_o.resent <= inspected.ranges.resent;
      ranges_rdata_o.received_left <= inspected.ranges.received.left;
      ranges_rdata_o.received_right <= inspected.ranges.received.right;
    end
  end

  // Ended sessions wait to be removed from the table; the FIFO has room for all of them.
  block_fifo #(
      .data_t(session_t),
      .Depth (NumSessions)
  ) u_free (
      .clk_i,
      .rst_i,
      .data_i (core_free),
      .write_i(core_free_valid),
      .data_o (free),
      .valid_o(free_valid),
      .ready_i(free_ready)
  );

  tcp_timers #(
      .NumSessions(NumSessions),
      .NumClasses (2)
  ) u_timers (
      .clk_i,
      .rst_i,
      .time_us_i,
      .session_i(timer_orders.session),
      .set_i({timer_orders.set_delay, timer_orders.set}),
      .clear_i({timer_orders.clear_delay, timer_orders.clear}),
      .deadline_i({timer_orders.delay_deadline, timer_orders.deadline}),
      .expired_o(expired.session),
      .expired_class_o(expired.delay),
      .expired_valid_o(expired_valid),
      .expired_ready_i(expired_ready),
      .armed_o(timer_o)
  );

  // ---- Send payload and events ----

  logic ordered, ordered_valid, ordered_take, unused_order_ready, unused_order_body;
  logic [4:0] ordered_q;  // entries of u_order; removals are counted one cycle late
  logic ordered_leaves_q;
  head_fifo #(
      .head_t(logic),
      .body_t(logic),
      .Depth (32)
  ) u_order (
      .clk_i,
      .rst_i,
      .in_head_i  (order),
      .in_body_i  (1'b0),
      .in_valid_i (order_valid),
      .in_ready_o (unused_order_ready),
      .out_head_o (ordered),
      .out_body_o (unused_order_body),
      .out_valid_o(ordered_valid),
      .out_ready_i(ordered_take)
  );
  always_ff @(posedge clk_i) begin
    ordered_leaves_q <= ordered_valid & ordered_take & ~rst_i;
    if (rst_i) ordered_q <= '0;
    else ordered_q <= ordered_q + 5'(order_valid) - 5'(ordered_leaves_q);
    order_room <= ordered_q < 5'd20;
  end

  logic deliver_busy, transmit_busy;
  tcp_deliver #(
      .beat_t(beat_t),
      .KindTcpData(KindTcpData),
      .KindTcpEvent(KindTcpEvent)
  ) u_deliver (
      .clk_i,
      .rst_i,
      .payload_i(beat_t'(payload)),
      .payload_header_i(payload_header),
      .payload_valid_i(payload_valid),
      .payload_ready_o(payload_ready),
      .order_i(ordered),
      .order_valid_i(ordered_valid),
      .order_ready_o(ordered_take),
      .verdict_valid_i(verdict_valid),
      .verdict_i(verdict),
      .report_valid_i(report_valid),
      .report_i(report),
      .room_o(report_room),
      .tuple_i(tuple),
      .port_i(port),
      .missed_port_i(missed_port),
      .missed_tuple_i(missed_tuple),
      .missed_in_use_i(missed_in_use),
      .missed_valid_i(missed_valid),
      .missed_ready_o(missed_ready),
      .out_o(data_o),
      .out_valid_o(data_valid_o),
      .out_ready_i(data_ready_i),
      .busy_o(deliver_busy)
  );

  // ---- Send headers ----

  // A header carries the latest acknowledgement, so only a few headers are sent ahead of their
  // payload.
  load_t issued_q, started_q, ahead_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      issued_q  <= '0;
      started_q <= '0;
    end else begin
      if (departure_valid) issued_q <= issued_q + load_of(departure.length);
      if (is_sent) started_q <= request.argument[15:0];
    end
    ahead_q <= issued_q - started_q;
    departure_room <= transmit_room & (ahead_q < load_t'(AheadBytes / 64));
  end

  logic refused_lost, refused_both_q;
  assign refused = core_refused_valid ? core_refused : unfound;
  assign refused_valid = core_refused_valid | unfound_valid;
  tcp_transmit #(
      .beat_t(beat_t),
      .NumMacPorts(NumMacPorts),
      .OwnMss(Mss),
      .OwnScale(OwnScale),
      .Sack(Gaps > 0),
      .KindTcpSegment(KindTcpSegment)
  ) u_transmit (
      .long_time_i(long_time),
      .departure_i(departure),
      .departure_valid_i(departure_valid),
      .departure_room_o(transmit_room),
      .refused_i(refused),
      .refused_valid_i(refused_valid),
      .refused_lost_o(refused_lost),
      .tuple_i(tuple),
      .vlan_i(vlan),
      .stamp_offset_i(stamp_offset),
      .busy_o(transmit_busy),
      .*
  );
  // Errors without effect, from three sources.
  logic [3:0] unused_q;
  always_ff @(posedge clk_i) begin
    if (rst_i | ~Errors) unused_q <= '0;
    else
      unused_q <= unused_q + 4'(error_lost[0]) + 4'(error_lost[1]) + 4'(core_event.unused_error) -
          4'(unused_q != '0);
  end
  wire data_ends = data_valid_o & data_ready_i & data_o.last;
  logic data_first, in_event_q;  // the message on data_o is an event
  first_beat u_data_first (
      .clk_i,
      .rst_i,
      .taken_i(data_valid_o & data_ready_i),
      .last_i (data_o.last),
      .first_o(data_first)
  );
  wire is_event = data_first ? 32'(data_o.kind) == KindTcpEvent : in_event_q;
  always_ff @(posedge clk_i) begin
    in_event_q <= is_event;
    refused_both_q <= core_refused_valid & unfound_valid & ~rst_i;
    event_o[EventBadRequest] <= (core_event.bad_request | connect_lost) & ~rst_i;
    event_o[EventRefused] <= refused_valid & ~rst_i;
    event_o[EventResetsBusy] <= (refused_lost | refused_both_q) & ~rst_i;
    event_o[EventSegmentIn] <= order_valid & drop_o[DropPeerLimit:DropNoSession] == '0 & ~rst_i;
    event_o[EventSegmentOut] <= out_valid_o & out_ready_i & out_o.last & ~rst_i;
    event_o[EventRequest] <= request_valid_i & request_ready_o & ~rst_i;
    event_o[EventPayload] <= data_ends & ~is_event & ~rst_i;
    event_o[EventTold] <= data_ends & is_event & ~rst_i;
    event_o[EventPathMtu] <= core_event.lowered_mss & ~rst_i;
    event_o[EventUnreachable] <= core_event.unreachable & ~rst_i;
    event_o[EventUnusedError] <= unused_q != '0 & ~rst_i;
  end
  assign busy_o = receive_busy | ~may_reopen | lookup_busy | core_busy | free_valid | deliver_busy |
      transmit_busy;

  `BOMBUS_ASSERT(OrdersHaveRoom, !order_valid || unused_order_ready)

endmodule
