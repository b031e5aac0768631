// SPDX-License-Identifier: Apache-2.0
// Forwards the new payload of received segments, followed by the events for applications: both on
// one stream, so that no event precedes its bytes. The only exception is `opened`, which is sent
// before the bytes of its segment.
//
// Payloads arrive in the order of their segments. Each is sent or dropped according to `order`
// (whether its segment has a session) and to the outcome of the segment in tcp_core.
//
// Latency: 2 cycles. Throughput: one beat per cycle; an event takes one beat.
`include "bombus_assert.svh"

module tcp_deliver
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned KindTcpData = 1,
    parameter int unsigned KindTcpEvent = 2
) (
    input logic clk_i,
    input logic rst_i,

    input beat_t payload_i,
    input logic [5:0] payload_header_i,  // header bytes in front of the payload
    input logic payload_valid_i,
    output logic payload_ready_o,

    input  logic order_i,        // the segment has a session
    input  logic order_valid_i,
    output logic order_ready_o,

    input logic verdict_valid_i,
    input verdict_t verdict_i,
    input logic report_valid_i,  // together with the verdict: for the same segment
    input report_t report_i,
    input tuple_t tuple_i,  // tuple of that session
    input logic [15:0] port_i,  // port of the session's application
    output logic room_o,  // room for eight more

    // A requested connection for which no session is free: reported after at most one outcome
    input  logic   [15:0] missed_port_i,
    input  tuple_t        missed_tuple_i,
    input  logic          missed_in_use_i,  // ... or its port is in use
    input  logic          missed_valid_i,
    output logic          missed_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,
    output logic  busy_o
);

  typedef struct packed {
    logic arrival;
    logic keep;
    logic has_event;
    logic opens;
  } order_t;  // the fields that determine ready
  typedef struct packed {
    verdict_t verdict;
    report_t report;
    tuple_t tuple;
    logic [15:0] port;
  } outcome_t;
  order_t first;
  outcome_t outcome_in, outcome;
  logic outcome_valid, outcome_take, unused_ready;
  assign outcome_in = '{verdict: verdict_i, report: report_i, tuple: tuple_i, port: port_i};
  head_fifo #(
      .head_t(order_t),
      .body_t(outcome_t),
      .Depth (32)
  ) u_outcomes (
      .clk_i,
      .rst_i,
      .in_head_i(
      '{
          arrival: verdict_valid_i,
          keep: verdict_i.keep,
          has_event: report_valid_i,
          opens: verdict_valid_i & report_valid_i & report_i.changes.opened
      }
      ),
      .in_body_i(outcome_in),
      .in_valid_i(verdict_valid_i | report_valid_i),
      .in_ready_o(unused_ready),
      .out_head_o(first),
      .out_body_o(outcome),
      .out_valid_o(outcome_valid),
      .out_ready_i(outcome_take)
  );
  logic [5:0] waiting_q;  // entries; removals are counted one cycle late
  logic leaves_q;
  always_ff @(posedge clk_i) begin
    leaves_q <= outcome_take & ~rst_i;
    if (rst_i) waiting_q <= '0;
    else waiting_q <= waiting_q + 6'(verdict_valid_i | report_valid_i) - 6'(leaves_q);
    room_o <= waiting_q < 6'd20;
  end

  // ---- Select the next message ----

  logic event_pending_q;  // the payload was sent, the event not yet
  logic opened_q;  // the event `opened` was sent, the payload not yet
  logic missed_first_q;  // between two outcomes: a missed connection is reported
  logic ready;
  wire has_outcome = outcome_valid & ~missed_first_q;
  wire opens = first.opens;
  wire loses = order_valid_i & ~order_i;  // drop the payload of a segment without a session
  wire  passes = order_valid_i & order_i & has_outcome & first.arrival & ~event_pending_q &
      (~opens | opened_q);
  wire keeps = passes & first.keep;
  wire has_event = has_outcome & first.has_event &
      (event_pending_q | ~first.arrival | (opens & ~opened_q));
  wire sends_missed = missed_valid_i & ~has_outcome;
  assign missed_ready_o = sends_missed & ready;
  wire taken = payload_valid_i & payload_ready_o;
  wire ends = taken & payload_i.last;
  assign payload_ready_o = loses | (passes & (~keeps | ready));
  assign order_ready_o = ends;
  assign outcome_take = has_outcome &
      (first.arrival & ~event_pending_q ? ends & order_i & (opens ? opened_q : ~first.has_event) :
       has_event ? ready : 1'b1);

  always_ff @(posedge clk_i) begin
    if (rst_i | outcome_take) event_pending_q <= 1'b0;
    else if (ends & order_i & first.has_event) event_pending_q <= 1'b1;
    if (rst_i | outcome_take) opened_q <= 1'b0;
    else if (has_event & opens & ready) opened_q <= 1'b1;
    if (rst_i | missed_ready_o) missed_first_q <= 1'b0;
    else if (outcome_take) missed_first_q <= missed_valid_i;
  end

  tcp_data_meta_t data_meta;
  tcp_event_meta_t event_meta;
  beat_t beat;
  always_comb begin
    data_meta = '{
        port: outcome.port,
        session: outcome.verdict.session,
        start: outcome.verdict.start - 32'(payload_header_i),
        skip: outcome.verdict.skip + 14'(payload_header_i)
    };
    event_meta = '{
        session: outcome.report.session,
        changes: outcome.report.changes,
        cause: outcome.report.cause,
        mss: outcome.report.mss,
        read_end: outcome.report.read_end,
        write_end: outcome.report.write_end,
        port: outcome.port,
        tuple: outcome.tuple
    };
    if (sends_missed) begin
      event_meta = '0;
      event_meta.changes.failed = 1'b1;
      event_meta.cause = missed_in_use_i ? CausePortInUse : CauseNoSession;
      event_meta.port = missed_port_i;
      event_meta.tuple = missed_tuple_i;
    end
    beat = payload_i;
    beat.kind = $bits(beat.kind)'(KindTcpData);
    beat.meta = $bits(beat.meta)'(data_meta);
    if (has_event | sends_missed) begin
      beat = '0;
      beat.kind = $bits(beat.kind)'(KindTcpEvent);
      beat.meta = $bits(beat.meta)'(event_meta);
      beat.last = 1'b1;
    end
  end

  stream_register #(
      .data_t(beat_t)
  ) u_out (
      .in_i(beat),
      .in_valid_i(has_event | sends_missed | (payload_valid_i & keeps)),
      .in_ready_o(ready),
      .*
  );

  assign busy_o = outcome_valid | missed_valid_i | order_valid_i | out_valid_o;

  `BOMBUS_ASSERT(OutcomesHaveRoom, !(verdict_valid_i || report_valid_i) || unused_ready)

endmodule
