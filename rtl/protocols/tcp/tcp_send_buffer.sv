// SPDX-License-Identifier: Apache-2.0
// TCP send buffer: stores the bytes that applications send until they are acknowledged, and builds
// packets from headers of the engine and bytes of its memory.
//
// data: bytes of a stream to be stored (tcp_data). segment: a TCP header (tcp_segment), forwarded
// and followed by payload_length bytes of the stream from start on. A segment accepted after the
// last beat of a write contains the written bytes. The engine is notified when bytes have been
// stored (tcp_request, RequestSend), so that it sends no byte earlier, and when payload has started
// to leave (RequestSent), so that it sends only a few headers ahead. The ring of a session holds
// its latest RingBytes; applications and the engine agree on which bytes of a stream are valid.
//
// Messages that fit no ring are dropped and counted. Data stall only for requests.
//
// Latency: 12 cycles, 3 for a header without payload. Throughput: one beat per cycle in each
// direction, no gap between messages. For data widths of 64 to 512 bits.
`include "bombus_assert.svh"

module tcp_send_buffer
  import bombus_pkg::*;
  import tcp_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type request_beat_t = beat_t,
    parameter bit CutsReady = 0,  // of its output_stage
    parameter int unsigned NumSessions = 16,
    parameter int unsigned RingBytes = 65536,  // of a session, a power of two, at least 256
    parameter int unsigned KindTcpRequest = 1  // filled in by Bombus
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t data_i,
    input  logic  data_valid_i,
    output logic  data_ready_o,
    input  beat_t segment_i,
    input  logic  segment_valid_i,
    output logic  segment_ready_o,

    output beat_t               out_o,
    output logic                out_valid_o,
    input  logic                out_ready_i,
    output request_beat_t       request_o,
    output logic                request_valid_o,
    input  logic                request_ready_i,
    output logic          [3:0] drop_o,
    output logic          [0:0] event_o,
    output logic                busy_o
);

  localparam string Entry = "";
  localparam string DataTakes = "tcp_data";
  localparam string SegmentTakes = "tcp_segment";
  localparam string RequestSends = "tcp_request";
  localparam bit DataWaitsForOut = 1'b0;
  localparam bit SegmentWaitsForRequest = 1'b0;
  localparam bit Replicable = 1'b0;
  localparam string Agrees = "num_sessions>=tcp.num_sessions ring_bytes>=tcp.send_bytes";
  typedef enum logic [0:0] {NextIpv4Tx} next_e;
  typedef enum logic [0:0] {RequestNextTcpRequest} request_next_e;
  typedef enum int unsigned {
    DropBadDataSession,
    DropBadDataLength,
    DropBadSegmentSession,
    DropBadSegmentLength,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventSent,
    NumEvents
  } event_e;

  localparam int unsigned DataBytes = $bits(data_i.data) / 8;
  localparam int unsigned ByteWidth = $clog2(DataBytes);
  localparam int unsigned SessionWidth = NumSessions > 1 ? $clog2(NumSessions) : 1;
  localparam int unsigned PositionWidth = $clog2(RingBytes);
  // Maximum header bytes in a beat, in 32-bit words.
  localparam int unsigned MaxWords = (DataBytes < MaxHeaderBytes ? DataBytes : MaxHeaderBytes) / 4;
  localparam int unsigned BeatWords = DataBytes / 4;
  typedef logic [ByteWidth:0] count_t;

  // ---- The engine is notified of bytes one cycle after they are written ----

  typedef struct packed {
    session_t session;
    seq_t last;
  } kept_t;
  tcp_data_meta_t data_meta;
  assign data_meta = tcp_data_meta_t'(data_i.meta);
  logic first_data, keeps, notice_valid, unused_notice_head, unused_notice_room;
  kept_t kept_q, notice;
  first_beat u_first_data (
      .clk_i,
      .rst_i,
      .taken_i(data_valid_i & data_ready_o),
      .last_i (data_i.last),
      .first_o(first_data)
  );
  always_ff @(posedge clk_i) begin
    if (data_valid_i & data_ready_o & first_data) begin
      kept_q <= '{session: data_meta.session, last: data_meta.start + 32'(data_i.length)};
    end
  end
  // Waiting notifications; one more may be in flight, and another one arrive. A dropped message
  // causes none.
  logic [4:0] notices_q;
  logic notice_taken;
  wire notice_sent = notice_valid & notice_taken;
  assign data_ready_o = notices_q < 5'd14;
  always_ff @(posedge clk_i) begin
    if (rst_i) notices_q <= '0;
    else if (keeps != notice_sent) notices_q <= keeps ? notices_q + 5'd1 : notices_q - 5'd1;
  end
  head_fifo #(
      .head_t(logic),
      .body_t(kept_t),
      .Depth (16)
  ) u_notices (
      .clk_i,
      .rst_i,
      .in_head_i  (1'b0),
      .in_body_i  (kept_q),
      .in_valid_i (keeps),
      .in_ready_o (unused_notice_room),
      .out_head_o (unused_notice_head),
      .out_body_o (notice),
      .out_valid_o(notice_valid),
      .out_ready_i(notice_taken)
  );

  // The amount sent since reset is reported as one number, so that nothing has to be queued.
  load_t started_q, reported_q;
  logic alternate_q, request_room;
  wire load_pending = started_q != reported_q;
  wire reports_load = load_pending & ~(notice_valid & alternate_q);
  assign notice_taken = request_room & ~reports_load;
  always_ff @(posedge clk_i) begin
    event_o[EventSent] <= reports_load & request_room & ~rst_i;
    if (rst_i) begin
      reported_q  <= '0;
      alternate_q <= 1'b0;
    end else if (request_room) begin
      alternate_q <= reports_load;
      if (reports_load) reported_q <= started_q;
    end
  end
  tcp_request_meta_t request_meta;
  request_beat_t request;
  always_comb begin
    request_meta = '{
        request: RequestSend,
        session: notice.session,
        argument: notice.last,
        default: '0
    };
    if (reports_load)
      request_meta = '{request: RequestSent, argument: 32'(started_q), default: '0};
    request = '0;
    request.kind = $bits(request.kind)'(KindTcpRequest);
    request.last = 1'b1;
    request.meta = $bits(request.meta)'(request_meta);
  end
  stream_register #(
      .data_t(request_beat_t)
  ) u_request (
      .clk_i,
      .rst_i,
      .in_i(request),
      .in_valid_i(notice_valid | load_pending),
      .in_ready_o(request_room),
      .out_o(request_o),
      .out_valid_o(request_valid_o),
      .out_ready_i(request_ready_i)
  );

  // ---- Headers: fields of the first beat ----

  typedef struct packed {
    packet_meta_t meta;
    length_t length;  // of the packet
    load_t load;
    logic [MaxWords*32-1:0] data;
  } header_t;
  typedef struct packed {
    logic   ends;   // last beat of a packet without payload
    logic   joins;  // the last beat of the header has room for payload, which is already in place
    logic   fills;  // the last beat of the header is full, and payload follows in the next
    count_t bytes;
  } head_t;

  // One stage after the input
  typedef struct packed {
    header_t header;
    count_t bytes;
    logic last;
    logic whole;  // the beat has no room for payload
    logic has_payload;  // valid with first
    logic first;
    logic drop;
    logic [SessionWidth-1:0] session;
    logic [PositionWidth-1:0] position;  // of the first beat with payload
    logic [14:0] read_length;  // from that position on
  } stage_t;
  stage_t found, stage;
  logic first, dropping_q, stage_valid, stage_ready;
  tcp_segment_meta_t meta;
  assign meta = tcp_segment_meta_t'(segment_i.meta);
  wire [14:0] length = 15'(segment_i.length) + 15'(meta.payload_length);
  // Bytes of the header that share a beat with payload
  wire [ByteWidth-1:0] shared = segment_i.length[ByteWidth-1:0];
  wire bad_session = 32'(meta.session) >= NumSessions;
  wire bad_header = (segment_i.length < 14'(HeaderBytes)) |
      (segment_i.length > 14'(MaxHeaderBytes)) | (segment_i.length[1:0] != '0);
  wire bad_length = bad_header | length[14] | (32'(meta.payload_length) > RingBytes);
  wire drop = first ? bad_session | bad_length : dropping_q;

  always_comb begin
    found.header.meta = meta.packet;
    found.header.length = length[13:0];
    found.header.load = load_of(meta.payload_length);
    found.header.data = segment_i.data[MaxWords*32-1:0];
    found.last = segment_i.last;
    found.bytes = segment_i.last ? segment_i.bytes : count_t'(DataBytes);
    found.whole = segment_i.bytes == count_t'(DataBytes);
    found.has_payload = meta.payload_length != '0;
    found.first = first;
    found.drop = drop;
    found.session = SessionWidth'(meta.session);
    found.position = PositionWidth'(meta.start) - PositionWidth'(shared);
    found.read_length = 15'(meta.payload_length) + 15'(shared);
  end

  wire taken = segment_valid_i & segment_ready_o;
  first_beat u_first_segment (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (segment_i.last),
      .first_o(first)
  );
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      drop_o[DropBadSegmentSession] <= 1'b0;
      drop_o[DropBadSegmentLength]  <= 1'b0;
    end else begin
      drop_o[DropBadSegmentSession] <= taken & first & bad_session;
      drop_o[DropBadSegmentLength]  <= taken & first & ~bad_session & bad_length;
    end
  end
  always_ff @(posedge clk_i) begin
    if (taken) dropping_q <= drop;
  end

  stream_register #(
      .data_t(stage_t)
  ) u_stage (
      .clk_i,
      .rst_i,
      .in_i(found),
      .in_valid_i(segment_valid_i),
      .in_ready_o(segment_ready_o),
      .out_o(stage),
      .out_valid_o(stage_valid),
      .out_ready_i(stage_ready)
  );

  // ---- Header and payload are separate: the header waits while the payload is read ----

  logic has_payload_q, header_room, payload_read_room, payload_read_valid, read_room, rings_busy;
  wire has_payload = stage.first ? stage.has_payload : has_payload_q;
  wire needs_read = stage.first & stage.has_payload;
  assign stage_ready = stage.drop | (header_room & (~needs_read | payload_read_room));
  always_ff @(posedge clk_i) begin
    if (stage_valid & stage.first) has_payload_q <= stage.has_payload;
  end

  head_t stage_head, head;
  header_t header;
  assign stage_head.ends  = stage.last & ~has_payload;
  assign stage_head.joins = stage.last & has_payload & ~stage.whole;
  assign stage_head.fills = stage.last & has_payload & stage.whole;
  assign stage_head.bytes = stage.bytes;
  logic header_valid, header_taken;
  head_fifo #(
      .head_t(head_t),
      .body_t(header_t),
      .Depth (32)
  ) u_headers (
      .clk_i,
      .rst_i,
      .in_head_i  (stage_head),
      .in_body_i  (stage.header),
      .in_valid_i (stage_valid & ~stage.drop & (~needs_read | payload_read_room)),
      .in_ready_o (header_room),
      .out_head_o (head),
      .out_body_o (header),
      .out_valid_o(header_valid),
      .out_ready_i(header_taken)
  );

  // Headers are queued ahead of the output, so that it continues while the input of the tile is
  // busy with a long message of an application.
  typedef struct packed {
    logic [SessionWidth-1:0] session;
    logic [PositionWidth-1:0] position;
    logic [14:0] length;
  } payload_read_t;
  payload_read_t payload_read;
  logic unused_payload_read_head;
  head_fifo #(
      .head_t(logic),
      .body_t(payload_read_t),
      .Depth (32)
  ) u_payload_reads (
      .clk_i,
      .rst_i,
      .in_head_i  (1'b0),
      .in_body_i  ('{session: stage.session, position: stage.position, length: stage.read_length}),
      .in_valid_i (stage_valid & ~stage.drop & needs_read & header_room),
      .in_ready_o (payload_read_room),
      .out_head_o (unused_payload_read_head),
      .out_body_o (payload_read),
      .out_valid_o(payload_read_valid),
      .out_ready_i(read_room)
  );

  logic [DataBytes*8-1:0] payload;
  count_t payload_bytes;
  logic payload_last, payload_valid, payload_taken;
  tcp_rings #(
      .beat_t(beat_t),
      .NumSessions(NumSessions),
      .RingBytes(RingBytes)
  ) u_rings (
      .clk_i,
      .rst_i,
      .data_i,
      .data_valid_i(data_valid_i & data_ready_o),
      .kept_o(keeps),
      .bad_session_o(drop_o[DropBadDataSession]),
      .bad_length_o(drop_o[DropBadDataLength]),
      .request_session_i(payload_read.session),
      .request_position_i(payload_read.position),
      .request_length_i(payload_read.length),
      .request_valid_i(payload_read_valid),
      .request_ready_o(read_room),
      .out_data_o(payload),
      .out_bytes_o(payload_bytes),
      .out_last_o(payload_last),
      .out_valid_o(payload_valid),
      .out_ready_i(payload_taken),
      .busy_o(rings_busy)
  );

  // ---- The packet ----

  beat_t packet;
  logic  in_payload_q;  // the header has been sent
  logic  starts_q;  // the next beat is the first of a packet
  wire   of_payload = in_payload_q | head.joins;
  logic  out_ready;
  wire   packet_valid = (in_payload_q | header_valid) & (~of_payload | payload_valid);
  wire   sent = packet_valid & out_ready;
  assign header_taken  = sent & ~in_payload_q;
  assign payload_taken = sent & of_payload;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      in_payload_q <= 1'b0;
      starts_q <= 1'b1;
    end else if (sent) begin
      in_payload_q <= of_payload ? ~payload_last : head.fills;
      starts_q <= packet.last;
    end
  end

  // Payload that has started to leave or was dropped: reported to the engine.
  load_t begun_q, lost_q;
  always_ff @(posedge clk_i) begin
    begun_q <= sent & starts_q & ~rst_i ? header.load : '0;
    lost_q  <= stage_valid & stage.first & stage.drop & ~rst_i ? stage.header.load : '0;
    if (rst_i) started_q <= '0;
    else started_q <= started_q + begun_q + lost_q;
  end

  always_comb begin
    packet = '0;
    packet.meta = $bits(packet.meta)'(header.meta);
    packet.length = header.length;
    packet.kind = $bits(packet.kind)'(KindPacket);
    packet.last = of_payload ? payload_last : head.ends;
    packet.bytes = of_payload ? payload_bytes : head.bytes;
    for (int unsigned w = 0; w < BeatWords; w++) begin
      if (in_payload_q | (head.joins & (count_t'(4 * w) >= head.bytes)) | (w >= MaxWords)) begin
        packet.data[32*w+:32] = payload[32*w+:32];
      end else begin
        packet.data[32*w+:32] = header.data[32*(w%MaxWords)+:32];
      end
    end
    // A beat with only header bytes contains no bytes of the memory.
    if (MaxWords < BeatWords && !of_payload) packet.data[DataBytes*8-1-:32] = '0;
  end

  logic unused_next;
  output_stage #(
      .beat_t(beat_t),
      .CutsReady(CutsReady)
  ) u_out (
      .in_i(packet),
      .in_valid_i(packet_valid),
      .in_ready_o(out_ready),
      .in_next_i(1'b0),
      .out_next_o(unused_next),
      .*
  );

  assign busy_o = notice_valid | load_pending | (begun_q != '0) | (lost_q != '0) |
      request_valid_o | rings_busy | stage_valid | header_valid | payload_read_valid | out_valid_o;

  `BOMBUS_ASSERT(NoticesHaveRoom, !keeps || unused_notice_room)

endmodule
