// SPDX-License-Identifier: Apache-2.0
// TCP for a kernel with plain AXI-Streams: the bytes of all sessions with the session number beside
// them (tcp_stream_pkg). It is a layer of its own, whose ports kernel_* the design file raises to
// the top, or a module within the layer of a kernel (docs/protocols/tcp/applications.md).
//
// kernel_rx: received bytes in messages of up to ChunkBytes, and notices without bytes that a
// session has begun, that its peer has closed and that it has ended, in order. kernel_tx: bytes to
// be sent, in messages of any length, which are forwarded in pieces of ChunkBytes or to the end of
// the message. Bytes for a session that has ended are discarded and counted.
//
// The kernel also opens connections and selects the ports that accept others: TcpPort, or any port
// with TcpPort 0. The engine does not check the owner of a port, so such a kernel must not use the
// ports of other applications.
//
// Up to ReadsAhead chunks are read from the receive buffer ahead of the kernel. A message whose
// session has no space in the send buffer stalls the messages after it, but after PatienceUs its
// connection is reset (0: never). A piece is sent only when all of it has space, so ChunkBytes is
// at most SendBytes of the engine (Agrees).
//
// Latency: about 40 cycles from an event to the kernel, and those of the mesh. Throughput: one beat
// per cycle each way, less about 10 cycles per chunk.
module tcp_stream
  import bombus_pkg::*;
  import tcp_pkg::*;
  import tcp_session_book_pkg::session_event_t;
  import tcp_session_book_pkg::session_report_t;
  import tcp_stream_pkg::connect_t;
  import tcp_stream_pkg::from_peer_t;
  import tcp_stream_pkg::piece_t;
  import tcp_stream_pkg::to_peer_t;
#(
    parameter type beat_t = logic,
    parameter type read_beat_t = beat_t,
    parameter type request_beat_t = beat_t,
    parameter int unsigned DataWidth = 512,  // filled in by Bombus
    parameter int unsigned NumSessions = 16,
    parameter int unsigned TcpPort = 7,  // 0: any
    parameter bit Listens = 1,  // on TcpPort from the start; 0: on request of the kernel
    parameter int unsigned ChunkBytes = 2048,
    parameter int unsigned ReadsAhead = 4,
    parameter int unsigned PatienceUs = 30000000,
    parameter int unsigned MaxConnects = 16,  // requested connections without a response
    parameter int unsigned KindTcpData = 1,  // filled in by Bombus
    parameter int unsigned KindTcpEvent = 2,  // filled in by Bombus
    parameter int unsigned KindTcpRead = 3,  // filled in by Bombus
    parameter int unsigned KindTcpRequest = 4,  // filled in by Bombus
    localparam int unsigned KeepWidth = DataWidth / 8,
    localparam int unsigned IndexWidth = $clog2(NumSessions),
    localparam int unsigned FromWidth = $bits(from_peer_t),
    localparam int unsigned ToWidth = $bits(to_peer_t)
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic out_valid_o,
    input logic out_ready_i,
    output read_beat_t read_o,
    output logic read_valid_o,
    input logic read_ready_i,
    output request_beat_t request_o,
    output logic request_valid_o,
    input logic request_ready_i,

    output logic [DataWidth-1:0] kernel_rx_tdata_o,
    output logic [KeepWidth-1:0] kernel_rx_tkeep_o,
    output logic kernel_rx_tvalid_o,
    input logic kernel_rx_tready_i,
    output logic kernel_rx_tlast_o,
    output logic [FromWidth-1:0] kernel_rx_tuser_o,
    input logic [DataWidth-1:0] kernel_tx_tdata_i,
    input logic [KeepWidth-1:0] kernel_tx_tkeep_i,
    input logic kernel_tx_tvalid_i,
    output logic kernel_tx_tready_o,
    input logic kernel_tx_tlast_i,
    input logic [ToWidth-1:0] kernel_tx_tuser_i,

    output logic [6:0] event_o,
    output logic busy_o,
    output logic timer_o
);

  localparam string Entry = "tcp_stream";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  localparam string Takes = "tcp_event tcp_data";
  localparam string Sends = "tcp_data";
  localparam string ReadSends = "tcp_read";
  localparam string RequestSends = "tcp_request";
  localparam bit InWaitsForOut = 1'b0;
  localparam bit InWaitsForRead = 1'b0;
  localparam bit InWaitsForRequest = 1'b0;
  localparam bit Replicable = 1'b0;
  // The engine can hold one request per session, over all applications.
  localparam string Agrees = {
    "0=tcp.bypass num_sessions>=tcp.num_sessions ",
    "chunk_bytes<=tcp.send_bytes max_connects<=tcp.num_sessions"
  };
  typedef enum logic [0:0] {NextTcpSendBufferData} next_e;
  typedef enum logic [0:0] {ReadNextTcpReceiveBufferRead} read_next_e;
  typedef enum logic [0:0] {RequestNextTcpRequest} request_next_e;
  typedef enum int unsigned {
    EventTold,
    EventReceived,
    EventSent,
    EventRead,
    EventRequest,
    EventForgotten,
    EventImpatient,
    NumEvents
  } event_e;

  if (ChunkBytes < 2 * KeepWidth || ChunkBytes > 8192 || ChunkBytes != 2 ** $clog2(
          ChunkBytes
      )) begin : gen_bad_chunk
    $error("tcp_stream: ChunkBytes must be a power of two, two beats to 8192");
  end
  if (ReadsAhead < 2 || ReadsAhead > 16 || ReadsAhead != 2 ** $clog2(
          ReadsAhead
      )) begin : gen_bad_reads
    $error("tcp_stream: ReadsAhead must be 2, 4, 8 or 16");
  end

  typedef logic [IndexWidth-1:0] index_t;

  // ---- Events, data and the state of each session ----

  index_t index, kernel_index, event_index;
  logic data_valid, data_ready;
  session_event_t session_event;
  session_report_t report, kernel_report;
  logic awaits_read, awaits_write, frees, unused_first;
  tcp_session_book #(
      .beat_t(beat_t),
      .NumSessions(NumSessions),
      .NumReports(2),
      .Connects(1),
      .KindTcpEvent(KindTcpEvent)
  ) u_book (
      .first_o(unused_first),
      .data_valid_o(data_valid),
      .data_ready_i(data_ready),
      .event_o(session_event),
      .event_index_o(event_index),
      .index_i({kernel_index, index}),
      .report_o({kernel_report, report}),
      .changed_index_i(index),
      .awaits_read_i(awaits_read),
      .awaits_write_i(awaits_write),
      .awaits_write_index_i(index),
      .frees_i(frees),
      .*
  );

  // ---- To the kernel: chunks in request order, and notices ----

  typedef struct packed {
    logic   notice;
    logic   failed;
    logic   ended;
    logic   closed;
    logic   opened;
    index_t session;
    seq_t   ends_at;  // end of the chunk
  } chunk_t;
  chunk_t chunk;
  logic chunk_valid, chunk_ready, receive_busy;
  index_t release_session;
  seq_t   release_end;
  logic release_valid, release_ready;
  tcp_stream_receive #(
      .beat_t(beat_t),
      .chunk_t(chunk_t),
      .index_t(index_t),
      .DataWidth(DataWidth),
      .ChunkBytes(ChunkBytes),
      .ReadsAhead(ReadsAhead)
  ) u_receive (
      .clk_i,
      .rst_i,
      .chunk_i(chunk),
      .push_i(chunk_valid),
      .may_push_o(chunk_ready),
      .data_i(in_i),
      .data_valid_i(data_valid),
      .data_ready_o(data_ready),
      .release_session_o(release_session),
      .release_end_o(release_end),
      .release_valid_o(release_valid),
      .release_ready_i(release_ready),
      .session_o(kernel_index),
      .tuple_i(kernel_report.tuple),
      .tdata_o(kernel_rx_tdata_o),
      .tkeep_o(kernel_rx_tkeep_o),
      .tvalid_o(kernel_rx_tvalid_o),
      .tready_i(kernel_rx_tready_i),
      .tlast_o(kernel_rx_tlast_o),
      .tuser_o(kernel_rx_tuser_o),
      .busy_o(receive_busy)
  );

  // ---- From the kernel: pieces and requests ----

  piece_t piece;
  logic offer, open, begins, sends, discarded, sending, transmit_busy;
  seq_t space, start;
  connect_t kernel_request;
  logic is_request, kernel_request_valid, kernel_request_ready;
  tcp_stream_transmit #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .NumSessions(NumSessions),
      .ChunkBytes(ChunkBytes),
      .KindTcpData(KindTcpData)
  ) u_transmit (
      .tdata_i(kernel_tx_tdata_i),
      .tkeep_i(kernel_tx_tkeep_i),
      .tvalid_i(kernel_tx_tvalid_i),
      .tready_o(kernel_tx_tready_o),
      .tlast_i(kernel_tx_tlast_i),
      .tuser_i(kernel_tx_tuser_i),
      .piece_o(piece),
      .offer_i(offer),
      .session_i(session_t'(index)),
      .open_i(open),
      .space_i(space),
      .start_i(start),
      .begins_o(begins),
      .sends_o(sends),
      .discarded_o(discarded),
      .is_request_i(is_request),
      .request_o(kernel_request),
      .request_valid_o(kernel_request_valid),
      .request_ready_i(kernel_request_ready),
      .sending_o(sending),
      .busy_o(transmit_busy),
      .*
  );

  // ---- Service of sessions and pieces ----

  tcp_read_meta_t read;
  tcp_request_meta_t request;
  logic send_read, read_room, send_request, request_room;
  logic foreign, impatient, blocked, control_busy;
  tcp_stream_control #(
      .chunk_t(chunk_t),
      .NumSessions(NumSessions),
      .TcpPort(TcpPort),
      .Listens(Listens),
      .ChunkBytes(ChunkBytes),
      .PatienceUs(PatienceUs),
      .MaxConnects(MaxConnects)
  ) u_control (
      .clk_i,
      .rst_i,
      .time_us_i,
      .event_i(session_event),
      .event_index_i(event_index),
      .index_o(index),
      .report_i(report),
      .awaits_read_o(awaits_read),
      .awaits_write_o(awaits_write),
      .frees_o(frees),
      .chunk_o(chunk),
      .chunk_valid_o(chunk_valid),
      .chunk_ready_i(chunk_ready),
      .release_session_i(release_session),
      .release_end_i(release_end),
      .release_valid_i(release_valid),
      .release_ready_o(release_ready),
      .piece_i(piece),
      .offer_o(offer),
      .open_o(open),
      .space_o(space),
      .start_o(start),
      .begins_i(begins),
      .sends_i(sends),
      .is_request_o(is_request),
      .kernel_request_i(kernel_request),
      .kernel_request_valid_i(kernel_request_valid),
      .kernel_request_ready_o(kernel_request_ready),
      .sending_i(sending),
      .read_o(read),
      .read_valid_o(send_read),
      .read_ready_i(read_room),
      .request_o(request),
      .request_valid_o(send_request),
      .request_ready_i(request_room),
      .foreign_o(foreign),
      .impatient_o(impatient),
      .blocked_o(blocked),
      .timer_o,
      .busy_o(control_busy)
  );
  tcp_application_output #(
      .read_beat_t(read_beat_t),
      .request_beat_t(request_beat_t),
      .KindTcpRead(KindTcpRead),
      .KindTcpRequest(KindTcpRequest)
  ) u_output (
      .read_meta_i(read),
      .read_valid_i(send_read),
      .read_ready_o(read_room),
      .request_meta_i(request),
      .request_valid_i(send_request),
      .request_ready_o(request_room),
      .*
  );

  always_ff @(posedge clk_i) begin
    event_o[EventTold] <= (session_event.taken | session_event.no_session) & ~rst_i;
    event_o[EventReceived] <= data_valid & data_ready & in_i.last & ~rst_i;
    event_o[EventSent] <= out_valid_o & out_ready_i & out_o.last & ~rst_i;
    event_o[EventRead] <= read_valid_o & read_ready_i & ~rst_i;
    event_o[EventRequest] <= request_valid_o & request_ready_i & ~rst_i;
    event_o[EventForgotten] <= (discarded | foreign) & ~rst_i;
    event_o[EventImpatient] <= impatient & ~rst_i;
  end

  assign busy_o = control_busy | receive_busy | (transmit_busy & ~blocked) | out_valid_o |
      read_valid_o | request_valid_o;

endmodule
