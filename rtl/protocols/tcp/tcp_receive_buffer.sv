// SPDX-License-Identifier: Apache-2.0
// TCP receive buffer: stores received bytes until applications read them.
//
// data: bytes of a stream to be stored (tcp_data). read: a request for bytes (tcp_read), answered
// with these bytes (tcp_data), sent to the application that is bound to the port of the request. A
// tcp_event on data is forwarded to the application of its port after all preceding bytes have been
// stored. A read accepted after the last beat of a write returns the written bytes. Writes never
// stall. A read longer than a ring or of a session that does not exist is counted, and answered
// without bytes; it is dropped only if no application is bound to its port.
//
// Latency: 11 cycles. Throughput: one beat per cycle in each direction, no gap between messages.
// For data widths of 64 to 512 bits.
`include "bombus_assert.svh"

module tcp_receive_buffer
  import bombus_pkg::*;
  import tcp_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type read_beat_t = beat_t,
    parameter bit CutsReady = 0,  // of its output_stage
    parameter int unsigned NumSessions = 16,
    parameter int unsigned RingBytes = 65536,  // of a session, a power of two, at least 256
    parameter int unsigned KindTcpData = 1,  // filled in by Bombus
    parameter int unsigned KindTcpEvent = 2,  // filled in by Bombus
    // Ports of applications, and the bound next hop of each; filled in by Bombus
    parameter int unsigned NumBound = 1,
    parameter int unsigned NumBoundHops = 1,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0,
    localparam int unsigned NextWidth = NumBoundHops > 1 ? $clog2(NumBoundHops) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input beat_t data_i,
    input logic data_valid_i,
    output logic data_ready_o,
    input read_beat_t read_i,
    input logic read_valid_i,
    output logic read_ready_o,

    output beat_t                 answer_o,
    output logic                  answer_valid_o,
    input  logic                  answer_ready_i,
    output logic  [NextWidth-1:0] answer_next_o,
    output logic  [          3:0] drop_o,
    output logic  [          1:0] event_o,
    output logic                  busy_o
);

  localparam string Entry = "";
  localparam string DataTakes = "tcp_data tcp_event";
  localparam string ReadTakes = "tcp_read";
  localparam string AnswerSends = "tcp_data tcp_event";
  localparam string AnswerBinds = "tcp_port";
  localparam bit AnswerBindsZero = 1'b1;  // an application that receives all other ports
  localparam bit Replicable = 1'b0;
  localparam string Agrees =
      "num_sessions>=tcp.num_sessions ring_bytes>=tcp.receive_bytes 0=tcp.bypass";
  typedef enum int unsigned {AnswerNextBound} answer_next_e;
  typedef enum int unsigned {
    DropBadDataSession,
    DropBadDataLength,
    DropBadReadPort,
    DropBadEventPort,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventBadRead,
    EventKept,
    NumEvents
  } event_e;

  localparam int unsigned DataBytes = $bits(data_i.data) / 8;
  localparam int unsigned SessionWidth = NumSessions > 1 ? $clog2(NumSessions) : 1;
  localparam int unsigned PositionWidth = $clog2(RingBytes);
  typedef logic [$clog2(DataBytes):0] count_t;

  // ---- Events follow the bytes that they report ----

  typedef struct packed {
    tcp_event_meta_t meta;
    logic [NextWidth-1:0] next;
  } event_t;
  logic is_event;  // the beat is an event
  tcp_event_meta_t event_meta;
  logic [NextWidth-1:0] event_next;
  event_t event_out;
  logic first_data, event_bound, event_room, event_valid, event_taken, unused_event_head;
  assign is_event   = first_data & (32'(data_i.kind) == KindTcpEvent);
  assign event_meta = tcp_event_meta_t'(data_i.meta);
  bound_hop #(
      .NumBound(NumBound),
      .HopWidth(NextWidth),
      .ZeroTakesRest(1'b1),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_event_bound (
      .key_i  (event_meta.port),
      .found_o(event_bound),
      .hop_o  (event_next)
  );
  assign data_ready_o = event_room;
  first_beat u_first_data (
      .clk_i,
      .rst_i,
      .taken_i(data_valid_i & data_ready_o),
      .last_i (data_i.last),
      .first_o(first_data)
  );
  head_fifo #(
      .head_t(logic),
      .body_t(event_t),
      .Depth (16)
  ) u_events (
      .clk_i,
      .rst_i,
      .in_head_i  (1'b0),
      .in_body_i  ('{meta: event_meta, next: event_next}),
      .in_valid_i (data_valid_i & is_event & event_bound),
      .in_ready_o (event_room),
      .out_head_o (unused_event_head),
      .out_body_o (event_out),
      .out_valid_o(event_valid),
      .out_ready_i(event_taken)
  );

  // ---- Reads ----

  typedef struct packed {
    session_t session;
    seq_t start;
    length_t length;
  } answer_t;
  typedef struct packed {
    answer_t answer;
    logic [NextWidth-1:0] next;
    logic drop;
  } stage_t;
  stage_t found, stage;
  logic stage_valid, stage_ready, bound;
  tcp_read_meta_t meta;
  assign meta = tcp_read_meta_t'(read_i.meta);
  wire bad = (32'(meta.session) >= NumSessions) | (32'(meta.length) > RingBytes);

  bound_hop #(
      .NumBound(NumBound),
      .HopWidth(NextWidth),
      .ZeroTakesRest(1'b1),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_bound (
      .key_i  (meta.port),
      .found_o(bound),
      .hop_o  (found.next)
  );
  assign found.answer.session = meta.session;
  assign found.answer.start = meta.start;
  assign found.answer.length = bad ? '0 : meta.length;
  assign found.drop = ~bound;

  // A read is a single beat without data; further beats are ignored.
  logic first, kept;  // kept: data were stored
  wire taken = read_valid_i & read_ready_o;
  first_beat u_first_read (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (read_i.last),
      .first_o(first)
  );
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      drop_o[DropBadReadPort] <= 1'b0;
      drop_o[DropBadEventPort] <= 1'b0;
      event_o <= '0;
    end else begin
      drop_o[DropBadReadPort] <= taken & first & ~bound;
      drop_o[DropBadEventPort] <= data_valid_i & data_ready_o & is_event & ~event_bound;
      event_o[EventKept] <= kept;
      event_o[EventBadRead] <= taken & first & bound & bad;
    end
  end

  stream_register #(
      .data_t(stage_t)
  ) u_stage (
      .clk_i,
      .rst_i,
      .in_i(found),
      .in_valid_i(read_valid_i & first),
      .in_ready_o(read_ready_o),
      .out_o(stage),
      .out_valid_o(stage_valid),
      .out_ready_i(stage_ready)
  );

  // ---- Metadata of responses wait for their bytes ----

  typedef struct packed {
    answer_t answer;
    logic [NextWidth-1:0] next;
  } waiting_t;
  waiting_t waiting;
  logic waiting_room, waiting_valid, waiting_taken, read_room, rings_busy, unused_head;
  assign stage_ready = stage.drop | (waiting_room & read_room);
  head_fifo #(
      .head_t(logic),
      .body_t(waiting_t),
      .Depth (32)
  ) u_waiting (
      .clk_i,
      .rst_i,
      .in_head_i  (1'b0),
      .in_body_i  ('{answer: stage.answer, next: stage.next}),
      .in_valid_i (stage_valid & ~stage.drop & read_room),
      .in_ready_o (waiting_room),
      .out_head_o (unused_head),
      .out_body_o (waiting),
      .out_valid_o(waiting_valid),
      .out_ready_i(waiting_taken)
  );

  logic [DataBytes*8-1:0] bytes;
  count_t num_bytes;
  logic bytes_last, bytes_valid, bytes_ready, answer_ready;
  logic answers;  // bytes are sent, not an event
  tcp_rings #(
      .beat_t(beat_t),
      .NumSessions(NumSessions),
      .RingBytes(RingBytes)
  ) u_rings (
      .clk_i,
      .rst_i,
      .data_i,
      .data_valid_i(data_valid_i & data_ready_o & ~is_event),
      .kept_o(kept),
      .bad_session_o(drop_o[DropBadDataSession]),
      .bad_length_o(drop_o[DropBadDataLength]),
      .request_session_i(SessionWidth'(stage.answer.session)),
      .request_position_i(PositionWidth'(stage.answer.start)),
      .request_length_i(15'(stage.answer.length)),
      .request_valid_i(stage_valid & ~stage.drop & waiting_room),
      .request_ready_o(read_room),
      .out_data_o(bytes),
      .out_bytes_o(num_bytes),
      .out_last_o(bytes_last),
      .out_valid_o(bytes_valid),
      .out_ready_i(bytes_ready),
      .busy_o(rings_busy)
  );
  logic in_answer_q;  // inside a message of several beats
  assign answers = bytes_valid & (in_answer_q | ~event_valid);
  assign bytes_ready = answer_ready & answers;
  assign waiting_taken = bytes_last & bytes_ready;
  assign event_taken = answer_ready & ~answers & ~in_answer_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) in_answer_q <= 1'b0;
    else if (bytes_ready) in_answer_q <= ~bytes_last;
  end

  // ---- Response ----

  beat_t answer;
  always_comb begin
    answer = '0;
    answer.meta = $bits(answer.meta)'(tcp_data_meta_t'{session: waiting.answer.session,
                                                       start: waiting.answer.start, default: '0});
    answer.length = waiting.answer.length;
    answer.kind = $bits(answer.kind)'(KindTcpData);
    answer.last = bytes_last;
    answer.bytes = num_bytes;
    answer.data = bytes;
    if (~answers) begin
      answer = '0;
      answer.meta = $bits(answer.meta)'(event_out.meta);
      answer.kind = $bits(answer.kind)'(KindTcpEvent);
      answer.last = 1'b1;
    end
  end

  output_stage #(
      .beat_t(beat_t),
      .NextWidth(NextWidth),
      .CutsReady(CutsReady)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(answer),
      .in_valid_i(bytes_valid | (event_valid & ~in_answer_q)),
      .in_ready_o(answer_ready),
      .in_next_i(answers ? waiting.next : event_out.next),
      .out_o(answer_o),
      .out_valid_o(answer_valid_o),
      .out_ready_i(answer_ready_i),
      .out_next_o(answer_next_o)
  );

  assign busy_o = rings_busy | event_valid | stage_valid | waiting_valid | answer_valid_o;

  `BOMBUS_ASSERT(BytesHaveMetadata, !bytes_valid || waiting_valid)

endmodule
