// SPDX-License-Identifier: Apache-2.0
// TCP echo (RFC 862) for an engine with Bypass: received bytes are forwarded to the send buffer
// without storage here.
//
// Received bytes are released when the peer has acknowledged their echo. The window of a session,
// WindowBytes (receive_bytes of the engine), thus never exceeds the space in its send buffer, which
// must have at least as many bytes.
//
// Latency: 1 cycle. Throughput: one beat per cycle, no gap between messages.
`include "bombus_assert.svh"

module tcp_echo_bypass
  import bombus_pkg::*;
  import tcp_pkg::*;
  import tcp_session_book_pkg::session_event_t;
  import tcp_session_book_pkg::session_report_t;
#(
    parameter type beat_t = logic,
    parameter type request_beat_t = beat_t,
    parameter int unsigned NumSessions = 16,
    parameter int unsigned TcpPort = 7,
    parameter int unsigned WindowBytes = 65536,
    parameter int unsigned KindTcpData = 1,  // filled in by Bombus
    parameter int unsigned KindTcpEvent = 2,  // filled in by Bombus
    parameter int unsigned KindTcpRequest = 4,  // filled in by Bombus
    localparam int unsigned IndexWidth = $clog2(NumSessions)
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic out_valid_o,
    input logic out_ready_i,
    output request_beat_t request_o,
    output logic request_valid_o,
    input logic request_ready_i,

    output logic [1:0] event_o,
    output logic busy_o
);

  if (TcpPort < 1 || TcpPort > 65535) begin : gen_bad_port
    $error("tcp_echo_bypass: TcpPort must be 1 to 65535");
  end
  if (WindowBytes < 1024 || WindowBytes > 2 ** 29 || WindowBytes != 2 ** $clog2(
          WindowBytes
      )) begin : gen_bad_window
    $error("tcp_echo_bypass: WindowBytes must be a power of two, 1024 to 2**29");
  end

  localparam string Entry = "tcp_echo_bypass";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  localparam string Takes = "tcp_event tcp_data";
  localparam string Sends = "tcp_data";
  localparam string RequestSends = "tcp_request";
  localparam bit InWaitsForRequest = 1'b0;
  localparam bit Replicable = 1'b0;
  localparam string Agrees = {
    "1=tcp.bypass num_sessions>=tcp.num_sessions ",
    "window_bytes=tcp.receive_bytes window_bytes<=tcp.send_bytes"
  };
  typedef enum logic [0:0] {NextTcpSendBufferData} next_e;
  typedef enum logic [0:0] {RequestNextTcpRequest} request_next_e;
  typedef enum int unsigned {
    EventTold,
    EventRequest,
    NumEvents
  } event_e;

  localparam seq_t Part = WindowBytes / 4;  // the most that is released at once
  typedef logic [IndexWidth-1:0] index_t;

  // ---- Events, data and the state of each session; sequence numbers are those of the peer ----

  typedef struct packed {
    seq_t released;
    logic toggle;    // toggles with each request for a notification
    logic closed;    // the end of the sent stream has been announced
  } progress_t;
  progress_t progress_q[NumSessions];
  seq_t offsets[NumSessions];  // from the peer's sequence numbers to those of the echo
  seq_t ends[NumSessions];  // of the bytes received

  logic first, data_valid, room;
  index_t event_index, index;  // index: the session examined or served
  session_event_t  session_event;
  tcp_data_meta_t  data_meta;
  session_report_t report;
  logic awaits_write, frees;
  tcp_session_book #(
      .beat_t(beat_t),
      .NumSessions(NumSessions),
      .WriteOffset(WindowBytes),
      .KindTcpEvent(KindTcpEvent)
  ) u_book (
      .first_o(first),
      .data_valid_o(data_valid),
      .data_ready_i(room),
      .event_o(session_event),
      .event_index_o(event_index),
      .index_i(index),
      .report_o(report),
      .changed_index_i(index),
      .awaits_read_i(1'b0),
      .awaits_write_i(awaits_write),
      .awaits_write_index_i(index),
      .frees_i(frees),
      .*
  );
  assign data_meta = tcp_data_meta_t'(in_i.meta);
  wire index_t data_index = data_meta.session[IndexWidth-1:0];
  wire data_begins = data_valid & room & first;

  // ---- Bytes ----

  tcp_data_output #(
      .beat_t(beat_t),
      .KindTcpData(KindTcpData)
  ) u_out (
      .in_valid_i(data_valid),
      .in_ready_o(room),
      .session_i(data_meta.session),
      .start_i(data_meta.start + offsets[data_index]),
      .*
  );

  // ---- Serve one session at a time ----

  typedef enum logic [3:0] {
    Listen,
    Look,
    Weigh,
    Compare,
    Choose,
    Release,
    Await,
    Close,
    Free
  } step_e;
  step_e step_q;
  session_report_t report_q;
  progress_t at_progress_q;
  seq_t offset_q, end_q, space_q;
  seq_t open_q, held_q;  // bytes to release: limited by space, by data received
  seq_t count_q;  // bytes to release, or to wait for
  wire  releases = ~open_q[31] & (open_q != '0) & (held_q != '0);

  // The scan stays at the session that is served: it may have been queued again.
  logic queued, scan_busy;
  wire scans = step_q == Look;
  tcp_session_scan #(
      .NumSessions(NumSessions),
      .NumCauses  (2)
  ) u_scan (
      .clk_i,
      .rst_i,
      .queue_i({data_begins, session_event.taken}),
      .queue_index_i({data_index, event_index}),
      .index_o(index),
      .queued_o(queued),
      .take_i(scans),
      .next_i(scans & ~queued),
      .busy_o(scan_busy)
  );

  logic request_room;
  tcp_request_meta_t request;
  always_comb begin
    request = '{request: RequestNone, session: session_t'(index), default: '0};
    unique case (step_q)
      Listen: begin
        request.request  = RequestListen;
        request.argument = 32'(TcpPort);
      end
      Release: begin
        request.request  = RequestRelease;
        request.argument = at_progress_q.released + count_q;
      end
      Await: begin
        request.request  = RequestWritable;
        request.argument = space_q + count_q;
        request.toggle   = ~at_progress_q.toggle;
      end
      Close, Free: begin
        request.request  = step_q == Close ? RequestClose : RequestFree;
        request.argument = end_q + offset_q;
      end
      default: ;
    endcase
  end

  assign awaits_write = (step_q == Await) & request_room;
  assign frees = (step_q == Free) & request_room;

  always_ff @(posedge clk_i) begin
    if (session_event.opens)
      offsets[event_index] <= session_event.meta.write_end - session_event.meta.read_end;
    if (session_event.opens) ends[event_index] <= session_event.meta.read_end;
    else if (data_begins) ends[data_index] <= data_meta.start + 32'(in_i.length);
    if (session_event.opens)
      progress_q[event_index] <= '{released: session_event.meta.read_end, default: '0};
    unique case (step_q)
      Listen:  if (request_room) step_q <= Look;
      Look: begin
        report_q <= report;
        at_progress_q <= progress_q[index];
        offset_q <= offsets[index];
        end_q <= ends[index];
        if (queued) step_q <= Weigh;
      end
      Weigh: begin
        open_q  <= report_q.write_end - offset_q;
        held_q  <= end_q - at_progress_q.released;
        space_q <= at_progress_q.released + offset_q;
        step_q  <= Compare;
      end
      Compare: begin
        open_q  <= open_q - at_progress_q.released;
        space_q <= space_q + 32'(WindowBytes);
        count_q <= held_q < Part ? held_q : Part;
        step_q  <= Choose;
      end
      Choose: begin
        if (~report_q.live) step_q <= Look;
        else if (report_q.over) step_q <= Free;
        else if (releases) begin
          count_q <= open_q < held_q ? open_q : held_q;
          step_q  <= Release;
        end else if (report_q.closed & ~at_progress_q.closed) step_q <= Close;
        else step_q <= (held_q != '0) & ~report_q.awaits_write & ~report_q.closed ? Await : Look;
      end
      Release: begin
        if (request_room) begin
          progress_q[index].released <= request.argument;
          at_progress_q.released <= request.argument;
          step_q <= Weigh;
        end
      end
      Await: begin
        if (request_room) begin
          progress_q[index].toggle <= ~at_progress_q.toggle;
          step_q <= Look;
        end
      end
      Close: begin
        if (request_room) begin
          progress_q[index].closed <= 1'b1;
          at_progress_q.closed <= 1'b1;
          step_q <= Weigh;
        end
      end
      default: if (request_room) step_q <= Look;  // Free
    endcase
    if (rst_i) step_q <= Listen;
  end

  message_register #(
      .beat_t(request_beat_t),
      .meta_t(tcp_request_meta_t),
      .Kind  (KindTcpRequest)
  ) u_request (
      .clk_i,
      .rst_i,
      .meta_i(request),
      .valid_i(request.request != RequestNone),
      .ready_o(request_room),
      .out_o(request_o),
      .out_valid_o(request_valid_o),
      .out_ready_i(request_ready_i)
  );

  always_ff @(posedge clk_i) begin
    event_o[EventTold] <= session_event.taken & ~rst_i;
    event_o[EventRequest] <= request_valid_o & request_ready_i & ~rst_i;
  end

  assign busy_o = scan_busy | (step_q != Look) | out_valid_o | request_valid_o;

  `BOMBUS_ASSERT(LegalStep, step_q inside {[Listen : Free]})

endmodule
