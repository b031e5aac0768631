// SPDX-License-Identifier: Apache-2.0
// tcp_lookup with tcp_secret. Items in: segments, ports to listen on, freed sessions, ends of
// handshakes, errors, requests to connect. Item out: own port, the initial sequence number, whether
// an error is reported, whether the session opens, and the session. control_i: time in us, secret.
// status_o: offset of the timestamps of the session that was opened last, busy. Events: a SYN
// without a session, a refused segment, an error that arrives too early, one without a session, a
// SYN without keys, a SYN beyond the limit of its peer, a SYN that no session is free for.
`include "bench.svh"

module bench
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned MaxHalfOpen = 8,
    parameter int unsigned MaxPerPeer = NumSessions,
    parameter bit ActiveOpen = 0
) (
    `BENCH_PORTS(6, $bits(segment_t), 1, 50 + $bits(session_t), 288, 33)
);

  `BENCH_SHAPE

  arrival_t arrival;
  segment_t unused_refused;
  logic unused_order, unused_order_valid, unused_lost, unused_missed, unused_in_use;
  logic [15:0] unused_missed_port, unused_port;
  tuple_t unused_tuple, unused_missed_tuple;
  logic unused_taken;
  bombus_pkg::vlan_t unused_vlan;
  logic no_session, no_secret, peer_limit, refused, starved, unused_short;
  assign out_o[0] = $bits(
          out_o[0]
      )'({
        arrival.segment.dst_port, arrival.first, arrival.reports, arrival.opens, arrival.session
      });
  assign in_ready_o[5:3] = '1;
  logic [1:0] error_lost;
  assign event_o = {57'b0, starved, peer_limit, no_secret, error_lost, refused, no_session};
  session_t opened_q;
  always_ff @(posedge clk_i) begin
    if (out_valid_o[0] & out_ready_i[0] & arrival.opens) opened_q <= arrival.session;
  end
  keys_t keys;
  logic has_keys, uses_keys;
  tcp_secret u_secret (
      .clk_i,
      .rst_i,
      .secret_i(control_i[287:32]),
      .use_i(uses_keys),
      .keys_o(keys),
      .valid_o(has_keys)
  );

  long_time_t long_time;
  tcp_clock u_clock (
      .clk_i,
      .rst_i,
      .time_us_i  (control_i[31:0]),
      .long_time_o(long_time)
  );
  tcp_lookup #(
      .NumSessions(NumSessions),
      .ActiveOpen(ActiveOpen),
      .MaxHalfOpen(MaxHalfOpen),
      .MaxPerPeer(MaxPerPeer),
      .Errors(1)
  ) u_lookup (
      .clk_i,
      .rst_i,
      .long_time_i(long_time),
      .keys_i(keys),
      .has_keys_i(has_keys),
      .uses_keys_o(uses_keys),
      .segment_i(in_i[0][$bits(segment_t)-1:0]),
      .segment_valid_i(in_valid_i[0]),
      .segment_ready_o(in_ready_o[0]),
      .reopened_i('0),
      .reopened_taken_o(unused_taken),
      .arrival_o(arrival),
      .arrival_valid_o(out_valid_o[0]),
      .arrival_ready_i(out_ready_i[0]),
      .order_o(unused_order),
      .order_valid_o(unused_order_valid),
      .order_room_i(1'b1),
      .refused_o(unused_refused),
      .refused_valid_o(refused),
      .no_secret_o(no_secret),
      .peer_limit_o(peer_limit),
      .no_session_o(no_session),
      .short_o(unused_short),
      .starved_o(starved),
      .free_i(in_i[2][$bits(session_t)-1:0]),
      .free_valid_i(in_valid_i[2]),
      .free_ready_o(in_ready_o[2]),
      .listen_i(in_valid_i[1]),
      .listen_open_i(1'b1),
      .listen_port_i(in_i[1][15:0]),
      .listen_ready_o(in_ready_o[1]),
      .connect_i(in_i[5][$bits(tcp_request_meta_t)-1:0]),
      .connect_valid_i(in_valid_i[5]),
      .connect_lost_o(unused_lost),
      .missed_port_o(unused_missed_port),
      .missed_tuple_o(unused_missed_tuple),
      .missed_in_use_o(unused_in_use),
      .missed_valid_o(unused_missed),
      .missed_ready_i(1'b1),
      .error_i(in_i[4][$bits(tcp_error_meta_t)+31:32]),
      .error_seq_i(in_i[4][31:0]),
      .error_valid_i(in_valid_i[4]),
      .error_lost_o(error_lost),
      .half_done_i(in_valid_i[3]),
      .session_i(opened_q),
      .tuple_o(unused_tuple),
      .stamp_offset_o(status_o[32:1]),
      .vlan_o(unused_vlan),
      .port_o(unused_port),
      .busy_o(status_o[0])
  );

endmodule
