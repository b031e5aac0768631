// SPDX-License-Identifier: Apache-2.0
// The state of the TCP engine, with its timers controlled by the test. Control: microseconds that
// pass in a cycle; bit 16: segments to be sent have to wait.
//
// Streams in: arrivals, requests (session_request_t), expired timers (expiry_t), SYNs that find no
// room, SYNs for which no session is free. Streams out: verdicts, refused segments, reports, departures, timer orders
// (timer_orders_t), free sessions. Status: time.
`include "bench.svh"

module bench
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned SendBytes = 65536,
    parameter int unsigned ReceiveBytes = 65536,
    parameter bit Nagle = 0,
    parameter int unsigned NumGaps = 4,
    parameter int unsigned NumSacks = 4,
    parameter bit Bypass = 0,
    parameter int unsigned HalfOpenUs = 0,
    parameter int unsigned EvictIdleS = 0,
    parameter int unsigned SynAckRetries = 2,
    parameter int unsigned KeepaliveS = 0,
    localparam int unsigned ItemBits = $bits(arrival_t)
) (
    `BENCH_PORTS(5, ItemBits, 6, ItemBits, 17, 32)
);

  `BENCH_SHAPE

  timebase u_timebase (
      .clk_i,
      .rst_i,
      .tick_us_i(control_i[15:0]),
      .time_us_o(status_o)
  );

  session_request_t request;
  timer_orders_t order;
  core_events_t events;
  verdict_t verdict;
  segment_t refused;
  report_t report;
  departure_t departure;
  session_t free, unused_subject;
  seq_t unused_first;
  logic busy, half_done, unused_reopened;
  always_comb begin
    request = $bits(session_request_t)'(in_i[1]);
    if (~in_valid_i[1]) request.operation = RequestNone;
  end

  long_time_t long_time;
  tcp_clock u_clock (
      .clk_i,
      .rst_i,
      .time_us_i  (status_o),
      .long_time_o(long_time)
  );
  tcp_core #(
      .NumSessions(NumSessions),
      .SendBytes(SendBytes),
      .ReceiveBytes(ReceiveBytes),
      .Nagle(Nagle),
      .NumGaps(NumGaps),
      .NumSacks(NumSacks),
      .Errors(1),
      .Bypass(Bypass),
      .HalfOpenUs(HalfOpenUs),
      .EvictIdleS(EvictIdleS),
      .SynAckRetries(SynAckRetries),
      .KeepaliveS(KeepaliveS)
  ) u_core (
      .clk_i,
      .rst_i,
      .time_us_i(status_o),
      .long_time_i(long_time),
      .inspect_i('0),
      .inspected_o(),
      .inspected_valid_o(),
      .arrival_i($bits(arrival_t)'(in_i[0])),
      .arrival_valid_i(in_valid_i[0]),
      .arrival_ready_o(in_ready_o[0]),
      .verdict_o(verdict),
      .verdict_valid_o(out_valid_o[0]),
      .refused_o(refused),
      .refused_valid_o(out_valid_o[1]),
      .reopened_first_o(unused_first),
      .reopened_valid_o(unused_reopened),
      .may_reopen_i(1'b0),
      .request_i(request),
      .request_ready_o(in_ready_o[1]),
      .report_o(report),
      .report_valid_o(out_valid_o[2]),
      .report_room_i(1'b1),
      .departure_o(departure),
      .departure_valid_o(out_valid_o[3]),
      .departure_room_i(~control_i[16]),
      .timers_o(order),
      .expired_i($bits(expiry_t)'(in_i[2])),
      .expired_valid_i(in_valid_i[2]),
      .expired_ready_o(in_ready_o[2]),
      .free_o(free),
      .free_valid_o(out_valid_o[5]),
      .evict_i(in_valid_i[3]),
      .starved_i(in_valid_i[4]),
      .half_done_o(half_done),
      .event_o(events),
      .subject_o(unused_subject),
      .busy_o(busy)
  );
  assign in_ready_o[4:3] = '1;
  assign event_o[7:0] = 8'(events);
  assign event_o[8] = half_done;
  assign event_o[11:9] = {events.unused_error, events.unreachable, events.lowered_mss};
  assign event_o[12] = events.evicted;
  assign event_o[13] = busy;
  assign event_o[15:14] = {events.guessed, events.evicted_idle};
  assign event_o[63:16] = '0;
  assign out_valid_o[4] = order.set | order.clear | order.set_delay | order.clear_delay;
  assign out_o[0] = $bits(out_o[0])'(verdict);
  assign out_o[1] = $bits(out_o[0])'(refused);
  assign out_o[2] = $bits(out_o[0])'(report);
  assign out_o[3] = $bits(out_o[0])'(departure);
  assign out_o[4] = $bits(out_o[0])'(order);
  assign out_o[5] = $bits(out_o[0])'(free);

endmodule
