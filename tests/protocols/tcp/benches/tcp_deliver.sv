// SPDX-License-Identifier: Apache-2.0
// The path of payload and events from the engine to applications without a receive buffer:
// tcp_deliver and tcp_bypass. Streams in: beats of payload, whether a segment has a session, its
// outcome (has payload, verdict, has an event, report, port), ports of connections without a
// session (bit 16: without a local port). Out: next hop and beat. Events: the drop.
// Applications have the ports 80 and 443.
`include "bombus_types.svh"
`include "bench.svh"

module bench
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    parameter  int unsigned DataWidth = 64,
    localparam int unsigned BeatBits  = bench_pkg::beat_bits(DataWidth, $bits(tcp_event_meta_t))
) (
    `BENCH_PORTS(4, BeatBits, 1, BeatBits + 1, 1, 1)
);

  `BENCH_SHAPE
  `BOMBUS_BEAT_T(beat_t, DataWidth, tcp_event_meta_t)

  typedef struct packed {
    logic arrival;
    verdict_t verdict;
    logic tells;
    report_t report;
    logic [15:0] port;
  } outcome_t;
  outcome_t outcome;
  assign outcome = $bits(outcome_t)'(in_i[2]);
  wire judged = in_valid_i[2] & in_ready_o[2];

  beat_t delivered, passed;
  logic delivered_valid, delivered_ready, next, deliver_busy, bypass_busy;
  tcp_deliver #(
      .beat_t(beat_t),
      .KindTcpData(2),
      .KindTcpEvent(3)
  ) u_deliver (
      .clk_i,
      .rst_i,
      .payload_i(beat_t'(in_i[0])),
      .payload_header_i('0),
      .payload_valid_i(in_valid_i[0]),
      .payload_ready_o(in_ready_o[0]),
      .order_i(in_i[1][0]),
      .order_valid_i(in_valid_i[1]),
      .order_ready_o(in_ready_o[1]),
      .verdict_valid_i(judged & outcome.arrival),
      .verdict_i(outcome.verdict),
      .report_valid_i(judged & outcome.tells),
      .report_i(outcome.report),
      .tuple_i('0),
      .port_i(outcome.port),
      .room_o(in_ready_o[2]),
      .missed_port_i(in_i[3][15:0]),
      .missed_in_use_i(in_i[3][16]),
      .missed_valid_i(in_valid_i[3]),
      .missed_ready_o(in_ready_o[3]),
      .out_o(delivered),
      .out_valid_o(delivered_valid),
      .out_ready_i(delivered_ready),
      .busy_o(deliver_busy)
  );

  tcp_bypass #(
      .beat_t(beat_t),
      .KindTcpData(2),
      .NumBound(2),
      .NumBoundHops(2),
      .BoundKeys({16'd443, 16'd80}),
      .BoundHops({8'd1, 8'd0})
  ) u_bypass (
      .clk_i,
      .rst_i,
      .in_i(delivered),
      .in_valid_i(delivered_valid),
      .in_ready_o(delivered_ready),
      .out_o(passed),
      .out_valid_o(out_valid_o[0]),
      .out_ready_i(out_ready_i[0]),
      .out_next_o(next),
      .drop_o(event_o[0]),
      .busy_o(bypass_busy)
  );
  assign out_o[0] = $bits(out_o[0])'({next, passed});
  assign event_o[63:1] = '0;
  assign status_o = deliver_busy | bypass_busy;

endmodule
