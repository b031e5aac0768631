// SPDX-License-Identifier: Apache-2.0
// tcp_deliver: the message made from a payload has the bytes of this payload, and the session,
// sequence number and offset of its segment's verdict; no message is made if the segment has no
// session or the verdict is to drop it. The k-th segment with a session has the k-th verdict,
// payloads keep their order, and no message is cut or mixed with another. The event of a segment is
// sent once, after its payload; only `opened` is sent before it. While a missed connection waits,
// at most one outcome ends. Proved for all time, by induction.
//
// The queue of outcomes is replaced by an abstract FIFO (any_fifo), which head_fifo_formal
// justifies. Here it is shown not to overflow.
module tcp_deliver_formal
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    localparam int unsigned KindTcpData = 1,
    localparam int unsigned KindTcpEvent = 2,
    localparam int unsigned Outcomes = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [15:0] data_i,
    input logic [1:0] bytes_i,
    input logic last_i,
    input logic [13:0] length_i,
    input logic [5:0] header_i,
    input logic payload_valid_i,
    input logic order_i,
    input logic order_valid_i,
    input logic [$bits(verdict_t)-1:0] verdict_i,
    input logic verdict_valid_i,
    input logic [$bits(report_t)-1:0] report_i,
    input logic report_valid_i,
    input logic [$bits(tuple_t)-1:0] tuple_i,
    input logic [15:0] port_i,
    input logic [15:0] missed_port_i,
    input logic [$bits(tuple_t)-1:0] missed_tuple_i,
    input logic missed_in_use_i,
    input logic missed_valid_i,
    input logic out_ready_i
);

  typedef struct packed {
    tcp_event_meta_t meta;
    logic [13:0] length;
    logic [2:0] kind;
    logic last;
    logic [1:0] bytes;
    logic [15:0] data;
  } beat_t;
  beat_t payload, out;
  assign payload = '{
          meta: '0,
          length: length_i,
          kind: '0,
          last: last_i,
          bytes: bytes_i,
          data: data_i
      };
  logic payload_ready, order_ready, room, missed_ready, out_valid, busy;
  tcp_deliver #(
      .beat_t(beat_t),
      .KindTcpData(KindTcpData),
      .KindTcpEvent(KindTcpEvent)
  ) u_deliver (
      .clk_i,
      .rst_i,
      .payload_i(payload),
      .payload_header_i(header_i),
      .payload_valid_i,
      .payload_ready_o(payload_ready),
      .order_i,
      .order_valid_i,
      .order_ready_o(order_ready),
      .verdict_valid_i,
      .verdict_i(verdict_t'(verdict_i)),
      .report_valid_i,
      .report_i(report_t'(report_i)),
      .tuple_i(tuple_t'(tuple_i)),
      .port_i,
      .room_o(room),
      .missed_port_i,
      .missed_tuple_i(tuple_t'(missed_tuple_i)),
      .missed_in_use_i,
      .missed_valid_i,
      .missed_ready_o(missed_ready),
      .out_o(out),
      .out_valid_o(out_valid),
      .out_ready_i,
      .busy_o(busy)
  );

  // ---- The first outcome of the queue ----

  typedef struct packed {
    logic arrival;
    logic keep;
    logic has_event;
    logic opens;
    verdict_t verdict;
    report_t report;
    tuple_t tuple;
    logic [15:0] port;
  } outcome_t;
  outcome_t front, front_q;
  assign front = {u_deliver.first, u_deliver.outcome};
  wire has_front = u_deliver.outcome_valid;
  wire pops = has_front & u_deliver.outcome_take;
  logic stays_q, order_stays_q, order_q, missed_stays_q;
  logic outcome_passed_q;  // an outcome has ended since the missed connection was offered
  // Input of the queue
  outcome_t given;
  assign given = {u_deliver.u_outcomes.in_head_i, u_deliver.u_outcomes.in_body_i};
  wire pushes = u_deliver.u_outcomes.in_valid_i;
  function automatic logic is_whole(outcome_t outcome);
    return (outcome.arrival | outcome.has_event) && outcome.keep == outcome.verdict.keep &&
        outcome.opens == (outcome.arrival & outcome.has_event & outcome.report.changes.opened);
  endfunction

  logic started_q = 1'b0;
  logic [5:0] level_q;
  logic [5:0] room_q;  // room_o of the cycles before
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    front_q <= front;
    stays_q <= ~rst_i & has_front & ~pops;
    order_stays_q <= ~rst_i & order_valid_i & ~order_ready;
    order_q <= order_i;
    missed_stays_q <= ~rst_i & missed_valid_i & ~missed_ready;
    outcome_passed_q <= ~rst_i & missed_valid_i & ~missed_ready & (outcome_passed_q | pops);
    room_q <= rst_i ? '0 : {room_q[4:0], room};
    if (rst_i) level_q <= '0;
    else level_q <= level_q + 6'(pushes) - 6'(pops);
  end
  always_comb begin
    assume (rst_i == ~started_q);
    if (started_q) begin
      assume (has_front == (level_q != '0));
      if (has_front) assume (is_whole(front));
      if (stays_q) assume (front == front_q);
      if (order_stays_q) assume (order_valid_i & order_i == order_q);
      if (missed_stays_q) assume (missed_valid_i);
      // tcp_core: an event starts while there is room, and ends within five cycles.
      if (verdict_valid_i | report_valid_i) assume (room_q != '0);
    end
  end

  // ---- Expected output ----

  wire taken = payload_valid_i & payload_ready;
  wire has_session = order_valid_i & order_i;
  wire takes_kept = taken & has_session & front.keep;
  // the payload of the first outcome was sent; its event was sent; inside a message
  logic payload_sent_q, event_sent_q, inside_q;
  tcp_data_meta_t  data_meta;
  tcp_event_meta_t event_meta;
  beat_t expected, expected_q;
  wire enters = u_deliver.u_out.in_valid_i & u_deliver.u_out.in_ready_o;
  wire has_event = enters & ~takes_kept;
  always_comb begin
    data_meta = '{
        port: front.port,
        session: front.verdict.session,
        start: front.verdict.start - 32'(header_i),
        skip: front.verdict.skip + 14'(header_i)
    };
    event_meta = '{
        port: front.port,
        session: front.report.session,
        changes: front.report.changes,
        cause: front.report.cause,
        mss: front.report.mss,
        read_end: front.report.read_end,
        write_end: front.report.write_end,
        tuple: front.tuple
    };
    if (missed_ready) begin
      event_meta = '{
          port: missed_port_i,
          changes: '{failed: 1'b1, default: '0},
          cause: missed_in_use_i ? CausePortInUse : CauseNoSession,
          tuple: tuple_t'(missed_tuple_i),
          default: '0
      };
    end
    expected = '0;
    expected.last = 1'b1;
    expected.kind = 3'(KindTcpEvent);
    expected.meta = event_meta;
    if (takes_kept) begin
      expected = payload;
      expected.kind = 3'(KindTcpData);
      expected.meta = $bits(tcp_event_meta_t)'(data_meta);
    end
  end
  always_ff @(posedge clk_i) begin
    if (enters) expected_q <= expected;
    if (rst_i | pops) {payload_sent_q, event_sent_q} <= '0;
    else begin
      payload_sent_q <= payload_sent_q | (taken & has_session & last_i);
      event_sent_q   <= event_sent_q | (has_event & ~missed_ready);
    end
    if (rst_i) inside_q <= 1'b0;
    else if (takes_kept) inside_q <= ~last_i;
  end

  always_comb begin
    if (started_q) begin
      // Every payload is matched with the order of its segment
      if (taken) assert (order_valid_i);
      assert ((order_valid_i & order_ready) == (taken & last_i));
      // ... and, if it has a session, with an outcome of its own, which is a verdict.
      if (taken & has_session) assert (has_front & front.arrival & ~payload_sent_q);
      if (pops) assert (front.arrival == (payload_sent_q | (taken & has_session & last_i)));
      // It is sent if and only if it is to be kept.
      assert (~takes_kept | enters);
      if (out_valid) assert (out == expected_q);
      // The event is sent once, in order.
      if (pops) assert (front.has_event == (event_sent_q | (has_event & ~missed_ready)));
      if (has_event & ~missed_ready) begin
        assert (has_front & front.has_event & ~event_sent_q);
        assert (front.opens ? ~payload_sent_q : payload_sent_q | ~front.arrival);
      end
      if (taken & has_session & front.opens) assert (event_sent_q);
      if (has_event) assert (~inside_q);
      if (missed_ready) assert (has_event & missed_valid_i);
      if (pops) assert (~outcome_passed_q);
      // The queue accepts all outcomes unchanged.
      if (pushes) assert (32'(level_q) < Outcomes & is_whole(given));
      assert (pushes == (verdict_valid_i | report_valid_i));
      if (pushes) begin
        assert (given.arrival == verdict_valid_i & given.has_event == report_valid_i);
        assert (given.port == port_i);
        if (verdict_valid_i) assert (given.verdict == verdict_t'(verdict_i));
        if (report_valid_i) assert (given.report == report_i & given.tuple == tuple_i);
      end
    end
  end

  // ---- Invariants ----

  always_comb begin
    if (started_q) begin
      assert (u_deliver.event_pending_q == payload_sent_q);
      assert (u_deliver.opened_q == (event_sent_q & front.opens));
      if (payload_sent_q | event_sent_q | inside_q) assert (has_front & stays_q);
      if (payload_sent_q) assert (front.arrival & front.has_event & ~front.opens & ~event_sent_q);
      if (event_sent_q) assert (front.opens);
      if (inside_q) assert (front.arrival & front.keep & ~payload_sent_q & has_session);
      if (inside_q & front.opens) assert (event_sent_q);
      assert (u_deliver.missed_first_q == outcome_passed_q);
      if (outcome_passed_q) assert (missed_stays_q & ~payload_sent_q & ~event_sent_q & ~inside_q);
      assert (u_deliver.waiting_q == level_q + 6'(u_deliver.leaves_q));
      assert (32'(level_q) <= Outcomes);
      if (room) assert (level_q <= 6'd20);
      for (int unsigned n = 0; n < 6; n++) if (room_q[n]) assert (level_q <= 6'(21 + n));
    end
  end

  always_comb begin
    if (started_q) begin
      cover (takes_kept & inside_q & last_i & front.opens);
      cover (payload_sent_q & ~event_sent_q);
      cover (missed_ready & has_front);
    end
  end

endmodule
