// SPDX-License-Identifier: Apache-2.0
// tcp_core with two sessions and arbitrary events: an event reads the result of the previous event
// of its session, no two events of a session are in the pipeline at once, and none changes another
// session. Outputs carry the number of their session and acknowledge its rcv_nxt; a new session is
// sound (tcp_invariant_pkg). Proved for all time, by induction.
//
// The outputs of tcp_arrival, tcp_departure and others are arbitrary; the assumptions about them
// are asserted in tcp_arrival_formal and tcp_departure_formal.
module tcp_core_formal
  import tcp_pkg::*;
  import tcp_state_pkg::*;
  import tcp_invariant_pkg::*;
#(
    parameter int unsigned SendBytes = 65536,
    parameter int unsigned ReceiveBytes = 65536,
    localparam int unsigned NumSessions = 2
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,
    input long_time_t long_time_i,
    input logic [$bits(arrival_t)-1:0] arrival_i,
    input logic arrival_valid_i,
    input logic [3:0] request_i,
    input session_t request_session_i,
    input seq_t request_position_i,
    input logic request_toggle_i,
    input logic report_room_i,
    input logic departure_room_i,
    input session_t expired_i,
    input logic expired_class_i,
    input logic expired_valid_i,
    input logic inspect_i,
    input session_t inspect_session_i,
    input logic [3:0] inspect_slot_i,
    input logic evict_i,
    input logic starved_i,
    input logic may_reopen_i
);

  arrival_t arrival;
  assign arrival = arrival_i;
  logic arrival_ready, verdict_valid, refused_valid, request_ready, report_valid, departure_valid;
  logic expired_ready, inspected_valid, free_valid, half_done, busy;
  verdict_t verdict;
  segment_t refused;
  report_t report;
  departure_t departure;
  session_t free_session, subject;
  seq_t reopened_first;
  logic reopened_valid;
  timer_orders_t timers;
  inspected_t inspected;
  core_events_t events;
  session_request_t request;
  assign request = '{
          operation: request_e'(request_i),
          session: request_session_i,
          position: request_position_i,
          toggle: request_toggle_i
      };
  tcp_core #(
      .NumSessions(NumSessions),
      .SendBytes(SendBytes),
      .ReceiveBytes(ReceiveBytes),
      .Nagle(1),
      .NumGaps(1),
      .NumSacks(1),
      .Ecn(1),
      .KeepaliveS(1),
      .UserTimeoutS(1),
      .Errors(1),
      .HalfOpenUs(1),
      .EvictIdleS(1)
  ) u_core (
      .clk_i,
      .rst_i,
      .time_us_i,
      .long_time_i,
      .arrival_i(arrival),
      .arrival_valid_i,
      .arrival_ready_o(arrival_ready),
      .verdict_o(verdict),
      .verdict_valid_o(verdict_valid),
      .refused_o(refused),
      .refused_valid_o(refused_valid),
      .reopened_first_o(reopened_first),
      .reopened_valid_o(reopened_valid),
      .may_reopen_i,
      .request_i(request),
      .request_ready_o(request_ready),
      .report_o(report),
      .report_valid_o(report_valid),
      .report_room_i,
      .departure_o(departure),
      .departure_valid_o(departure_valid),
      .departure_room_i,
      .timers_o(timers),
      .expired_i('{delay: expired_class_i, session: expired_i}),
      .expired_valid_i,
      .expired_ready_o(expired_ready),
      .inspect_i('{valid: inspect_i, session: inspect_session_i, slot: inspect_slot_i}),
      .inspected_o(inspected),
      .inspected_valid_o(inspected_valid),
      .free_o(free_session),
      .free_valid_o(free_valid),
      .evict_i,
      .starved_i,
      .half_done_o(half_done),
      .event_o(events),
      .subject_o(subject),
      .busy_o(busy)
  );

  // ---- Observed state: an event in cycles 0 to 3, and its result ----

  typedef logic [$clog2(NumSessions)-1:0] index_t;
  wire action_e starts = u_core.u_scheduler.kind;
  wire [3:0] runs = {
    u_core.write, u_core.kind_2_q != ActionNone, u_core.kind_1_q != ActionNone, starts != ActionNone
  };
  index_t [3:0] of;
  assign of = {u_core.index_3_q, u_core.index_2_q, u_core.index_1_q, u_core.index};
  tcb_t [3:1] found;
  assign found = {u_core.block_3_q, u_core.block_2_q, u_core.block_1_q};
  wire tcb_t written = u_core.block;
  wire clearing = u_core.clearing_q;
  tcb_t [NumSessions-1:0] blocks;
  for (genvar s = 0; s < NumSessions; s++) begin : gen_block
    assign blocks[s] = u_core.u_blocks.gen_distributed.ram[s];
  end

  // tcp_lookup: a requested connection has no segment, any other begins with a SYN.
  function automatic logic begins_soundly(arrival_t opening);
    return (opening.connects ? opening.segment.window == '0 : opening.segment.flags.syn) &&
        opening.segment.options.scale <= 4'd14 && ~(opening.connects && opening.segment.sack_only);
  endfunction

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb begin
    assume (rst_i == ~started_q);
    assume (32'(arrival.session) < NumSessions);
    assume (~arrival.opens | begins_soundly(arrival));
  end

  // ---- Assumptions about the submodules ----

  wire arrival_t arrival_3 = u_core.arrival_3_q;
  wire tcb_t arrived = u_core.arrived;
  always_comb begin
    // tcp_arrival_formal
    assume (u_core.new_ack ? arrived.una == arrival_3.segment.ack : arrived.una == found[3].una);
    if (arrival_3.segment.flags.syn) begin
      assume (u_core.window_edge == arrival_3.segment.ack + 32'(arrival_3.segment.window));
    end
    if (~arrival_3.segment.sack_only | arrival_3.segment.flags.syn) begin
      if (arrival_3.segment.window == '0) assume (u_core.window_edge == arrival_3.segment.ack);
      assume (u_core.syn_mss >= 14'(LeastPeerMss) - StampBytes & u_core.syn_mss <= 14'd8960);
    end
    assume (~u_core.keep | is_live(found[3].state));
    // tcp_departure_formal
    if (u_core.send) begin
      assume (is_live(found[3].state));
      assume (u_core.departure.flags.ack == (found[3].state != SynSent));
      assume (~u_core.departure.flags.rst);
    end
    assume (u_core.departure.ack == (found[3].state == SynSent ? '0 : found[3].rcv_nxt));
    assume (u_core.departed.una == found[3].una & u_core.departed.rcv_nxt == found[3].rcv_nxt);
  end

  // ---- Reference model: the last result written of each session ----

  tcb_t [NumSessions-1:0] newest_q;
  logic [NumSessions-1:0] written_q;
  index_t was_of_q;
  tcb_t was_found_q;
  logic opened_q;
  seq_t send_start_q, receive_start_q;
  wire seq_t send_start = arrival_3.segment.ack + 32'd1;  // first byte of a new session
  wire seq_t receive_start = arrival_3.segment.seq + 32'd1;
  session_requests_t first_requests;
  always_comb begin
    first_requests = '{
        send_end: send_start,
        release_edge: receive_start + ReceiveBytes,
        default: '0
    };
  end
  always_ff @(posedge clk_i) begin
    was_of_q <= of[3];
    was_found_q <= found[3];
    opened_q <= runs[3] & u_core.opens & ~rst_i;
    send_start_q <= send_start;
    receive_start_q <= receive_start;
    if (rst_i) begin
      written_q <= '0;
    end else if (runs[3]) begin
      newest_q[of[3]]  <= written;
      written_q[of[3]] <= 1'b1;
    end
  end

  always_comb begin
    if (started_q & ~clearing) begin
      for (int unsigned s = 0; s < NumSessions; s++) begin
        if (written_q[s])
          assert (blocks[s] == newest_q[s]);
          else assert (blocks[s].state == Closed & blocks[s].timer == TimerNone);
      end
    end
    if (started_q & clearing) begin
      assert (runs == '0 & written_q == '0);
      for (int unsigned s = 0; s < NumSessions; s++) begin
        if (s < 32'(u_core.clear_q)) begin
          assert (blocks[s].state == Closed & blocks[s].timer == TimerNone);
        end
      end
    end
    if (started_q) begin
      // Events of a session do not overlap
      for (int unsigned i = 0; i < 4; i++) begin
        for (int unsigned j = 0; j < i; j++) begin
          if (runs[i] & runs[j]) assert (of[i] != of[j]);
        end
      end
      // ... and each reads the result of the previous one.
      for (int unsigned i = 1; i < 4; i++) begin
        if (runs[i]) assert (found[i] == blocks[of[i]]);
      end
      // An event is processed for the session that it was offered for.
      if (u_core.kind_1_q == ActionArrival) assert (index_t'(u_core.arrival_1_q.session) == of[1]);
      if (u_core.kind_2_q == ActionArrival) assert (index_t'(u_core.arrival_2_q.session) == of[2]);
      if (u_core.opens | u_core.arrives) assert (index_t'(arrival_3.session) == of[3]);
      if (u_core.kind_1_q == ActionArrival & u_core.arrival_1_q.opens) begin
        assert (begins_soundly(u_core.arrival_1_q));
      end
      if (u_core.kind_2_q == ActionArrival & u_core.arrival_2_q.opens) begin
        assert (begins_soundly(u_core.arrival_2_q));
      end
      if (u_core.opens) assert (begins_soundly(arrival_3));
      assert (arrival_ready == (starts == ActionArrival));
      if (arrival_ready) assert (arrival_valid_i & index_t'(arrival.session) == of[0]);
      assert ((u_core.opens | u_core.arrives | u_core.departs | u_core.expires) == runs[3]);
      assert ($onehot0({u_core.opens, u_core.arrives, u_core.departs, u_core.expires}));
      if (u_core.evict_3_q) assert (u_core.expires);
      if (u_core.aborts) assert (u_core.departs & is_live(found[3].state));
      if (runs[3]) begin
        assert (u_core.una_end_q == found[3].una + (in_handshake(found[3].state) ? 1 : SendBytes));
      end
      if (u_core.arrives) begin
        assert (u_core.ack_end_q ==
                arrival_3.segment.ack + (in_handshake(found[3].state) ? 0 : SendBytes));
      end
      // The requests of a new session are initialised before they are read.
      if (runs[0] & u_core.renews_q) assert (of[0] != u_core.index_4_q);
    end
  end

  // ---- Outputs ----

  wire tcb_t last = newest_q[was_of_q];
  always_comb begin
    if (started_q) begin
      if (verdict_valid) assert (index_t'(verdict.session) == was_of_q);
      if (free_valid) assert (index_t'(free_session) == was_of_q & last.state == Closed);
      // The acknowledgement is the position up to which the session has received, including SYN and
      // FIN.
      if (departure_valid) begin
        assert (32'(departure.session) < NumSessions);
        assert (index_t'(departure.session) == was_of_q);
        assert (is_live(was_found_q.state));
        if (departure.flags.ack) assert (departure.ack == last.rcv_nxt);
        if (departure.flags.rst)
          assert (departure.length == '0 & last.state inside {Ended, Closed});
      end
      // An application may write up to the space freed by the peer's acknowledgements.
      if (report_valid) begin
        assert (index_t'(report.session) == was_of_q);
        if (~in_handshake(was_found_q.state) & ~report.changes.connecting) begin
          assert (report.write_end == last.una + SendBytes);
        end
        if (report.changes.writable) assert (report.write_end - last.una <= SendBytes);
      end
      // A new session is sound, and so are its requests, which are written one cycle later.
      if (u_core.opens) begin
        assert (written.una == arrival_3.segment.ack & written.rcv_nxt == receive_start);
        assert (~written.read_served & ~written.write_served);
        assert (is_sound(written, first_requests, SendBytes, ReceiveBytes));
        assert (can_progress(written, first_requests) & u_core.wake);
      end
      if (opened_q) begin
        assert (u_core.opens_q & u_core.index_4_q == was_of_q);
        assert (u_core.send_start_q == send_start_q & u_core.receive_start_q == receive_start_q);
      end
    end
  end

  // ---- Verdicts: one for each received segment, in order ----

  function automatic logic has_payload(arrival_t segment);
    return ~(segment.opens & segment.connects) & ~segment.reports & ~segment.segment.sack_only;
  endfunction
  logic [3:0] payloads_q;  // segments with a payload, possibly empty, one to four cycles ago
  typedef struct packed {
    logic opens;
    session_t session;
    seq_t seq;
  } payload_t;
  function automatic payload_t payload_of(arrival_t segment);
    return '{opens: segment.opens, session: segment.session, seq: segment.segment.seq};
  endfunction
  payload_t [3:0] payload_q;
  logic [3:0] room_q;
  wire [2:0] carries = {
    (u_core.arrives | u_core.opens) & has_payload(arrival_3),
    u_core.kind_2_q == ActionArrival & has_payload(u_core.arrival_2_q),
    u_core.kind_1_q == ActionArrival & has_payload(u_core.arrival_1_q)
  };
  always_ff @(posedge clk_i) begin
    payloads_q <= rst_i ? '0 : {payloads_q[2:0], arrival_ready & has_payload(arrival)};
    payload_q <= {payload_q[2:0], payload_of(arrival)};
    room_q <= rst_i ? '0 : {room_q[2:0], report_room_i};
  end
  always_comb begin
    if (started_q) begin
      assert (verdict_valid == payloads_q[3]);
      if (verdict_valid) begin
        assert (verdict.session == session_t'(index_t'(payload_q[3].session)));
        assert (verdict.start == payload_q[3].seq);
        if (payload_q[3].opens) assert (~verdict.keep);
      end
      // tcp_deliver_formal: an outcome is written four cycles after there was room for it.
      if (verdict_valid | report_valid) assert (room_q[3]);
      assert (carries == payloads_q[2:0]);
      if (payloads_q[0]) assert (payload_of(u_core.arrival_1_q) == payload_q[0]);
      if (payloads_q[1]) assert (payload_of(u_core.arrival_2_q) == payload_q[1]);
      if (payloads_q[2]) assert (payload_of(arrival_3) == payload_q[2]);
      if (u_core.opens) assert (arrival_3.opens);
      if (u_core.arrives) assert (~arrival_3.opens);
      for (int unsigned i = 1; i < 4; i++) if (runs[i]) assert (room_q[i-1]);
    end
  end

  always_comb if (started_q) cover (report_valid & (&written_q));

endmodule
