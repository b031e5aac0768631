// SPDX-License-Identifier: Apache-2.0
// tcp_lookup without connection requests of applications. Items in: segments, ports to listen on,
// freed sessions, ends of handshakes, errors. Item out: the initial sequence number, whether an
// error is reported, whether the session opens, and the session. control_i: time in us. Events: a
// SYN without a session, a refused segment, an error that arrives too early, one without a session.
`include "bench.svh"

module bench
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned MaxHalfOpen = 8
) (
    `BENCH_PORTS(5, $bits(segment_t), 1, 34 + $bits(session_t), 32, 1)
);

  `BENCH_SHAPE

  arrival_t arrival;
  segment_t unused_refused;
  logic unused_order, unused_order_valid, unused_lost, unused_missed;
  logic [15:0] unused_missed_port, unused_port;
  tuple_t unused_tuple, unused_missed_tuple;
  bombus_pkg::vlan_t unused_vlan;
  logic no_session, refused, unused_short;
  assign out_o[0] = $bits(
          out_o[0]
      )'({
        arrival.first, arrival.reports, arrival.opens, arrival.session
      });
  assign in_ready_o[4:3] = '1;
  logic [1:0] error_lost;
  assign event_o = {60'b0, error_lost, refused, no_session};

  long_time_t long_time;
  tcp_clock u_clock (
      .clk_i,
      .rst_i,
      .time_us_i  (control_i),
      .long_time_o(long_time)
  );
  tcp_lookup #(
      .NumSessions(NumSessions),
      .ActiveOpen(0),
      .MaxHalfOpen(MaxHalfOpen),
      .Errors(1)
  ) u_lookup (
      .clk_i,
      .rst_i,
      .long_time_i(long_time),
      .segment_i(in_i[0][$bits(segment_t)-1:0]),
      .segment_valid_i(in_valid_i[0]),
      .segment_ready_o(in_ready_o[0]),
      .arrival_o(arrival),
      .arrival_valid_o(out_valid_o[0]),
      .arrival_ready_i(out_ready_i[0]),
      .order_o(unused_order),
      .order_valid_o(unused_order_valid),
      .order_room_i(1'b1),
      .refused_o(unused_refused),
      .refused_valid_o(refused),
      .no_session_o(no_session),
      .short_o(unused_short),
      .free_i(in_i[2][$bits(session_t)-1:0]),
      .free_valid_i(in_valid_i[2]),
      .free_ready_o(in_ready_o[2]),
      .listen_i(in_valid_i[1]),
      .listen_open_i(1'b1),
      .listen_port_i(in_i[1][15:0]),
      .listen_ready_o(in_ready_o[1]),
      .connect_i('0),
      .connect_valid_i(1'b0),
      .connect_lost_o(unused_lost),
      .missed_port_o(unused_missed_port),
      .missed_tuple_o(unused_missed_tuple),
      .missed_valid_o(unused_missed),
      .missed_ready_i(1'b1),
      .error_i(in_i[4][$bits(tcp_error_meta_t)+31:32]),
      .error_seq_i(in_i[4][31:0]),
      .error_valid_i(in_valid_i[4]),
      .error_lost_o(error_lost),
      .half_done_i(in_valid_i[3]),
      .session_i('0),
      .tuple_o(unused_tuple),
      .vlan_o(unused_vlan),
      .port_o(unused_port),
      .busy_o(status_o[0])
  );

endmodule
