// SPDX-License-Identifier: Apache-2.0
// TCP echo (RFC 862): returns received bytes, and closes when the peer does.
//
// Sessions are served one at a time, round robin: up to ChunkBytes of received bytes are read from
// the receive buffer and forwarded to the send buffer as they arrive.
`include "bombus_assert.svh"

module tcp_echo
  import bombus_pkg::*;
  import tcp_pkg::*;
  import tcp_session_book_pkg::session_event_t;
  import tcp_session_book_pkg::session_report_t;
#(
    parameter type beat_t = logic,
    parameter type read_beat_t = beat_t,
    parameter type request_beat_t = beat_t,
    parameter int unsigned NumSessions = 16,
    parameter int unsigned TcpPort = 7,
    parameter int unsigned ChunkBytes = 4096,
    parameter int unsigned KindTcpData = 1,  // filled in by Bombus
    parameter int unsigned KindTcpEvent = 2,  // filled in by Bombus
    parameter int unsigned KindTcpRead = 3,  // filled in by Bombus
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
    output read_beat_t read_o,
    output logic read_valid_o,
    input logic read_ready_i,
    output request_beat_t request_o,
    output logic request_valid_o,
    input logic request_ready_i,

    output logic [2:0] event_o,
    output logic busy_o
);

  if (TcpPort < 1 || TcpPort > 65535) begin : gen_bad_port
    $error("tcp_echo: TcpPort must be 1 to 65535");
  end
  if (ChunkBytes < 1 || ChunkBytes > 8960) begin : gen_bad_chunk
    $error("tcp_echo: ChunkBytes must be 1 to 8960");
  end

  localparam string Entry = "tcp_echo";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  localparam string Takes = "tcp_event tcp_data";
  localparam string Sends = "tcp_data";
  localparam string ReadSends = "tcp_read";
  localparam string RequestSends = "tcp_request";
  localparam bit InWaitsForRead = 1'b0;
  localparam bit InWaitsForRequest = 1'b0;
  localparam bit Replicable = 1'b0;
  localparam string Agrees = "num_sessions>=tcp.num_sessions 0=tcp.bypass";
  typedef enum logic [0:0] {NextTcpSendBufferData} next_e;
  typedef enum logic [0:0] {ReadNextTcpReceiveBufferRead} read_next_e;
  typedef enum logic [0:0] {RequestNextTcpRequest} request_next_e;

  typedef enum int unsigned {
    EventTold,
    EventRead,
    EventRequest,
    NumEvents
  } event_e;

  typedef logic [IndexWidth-1:0] index_t;

  // ---- Events, data and the state of each session ----

  typedef struct packed {
    seq_t read;          // next byte to be read
    seq_t write;         // its sequence number in the sent stream
    logic read_toggle;   // toggles with each request for a notification
    logic write_toggle;
    logic closed;        // the end of the sent stream has been announced
  } progress_t;
  progress_t progress_q[NumSessions];

  logic data_valid, data_ready;
  index_t event_index, index;  // index: the session examined or served
  session_event_t  session_event;
  session_report_t report;
  logic awaits_read, awaits_write, frees;
  logic unused_first;
  tcp_session_book #(
      .beat_t(beat_t),
      .NumSessions(NumSessions),
      .KindTcpEvent(KindTcpEvent)
  ) u_book (
      .first_o(unused_first),
      .data_valid_o(data_valid),
      .data_ready_i(data_ready),
      .event_o(session_event),
      .event_index_o(event_index),
      .index_i(index),
      .report_o(report),
      .changed_index_i(index),
      .awaits_read_i(awaits_read),
      .awaits_write_i(awaits_write),
      .awaits_write_index_i(index),
      .frees_i(frees),
      .*
  );

  // ---- Serve one session at a time ----

  typedef enum logic [3:0] {
    Listen,
    Look,
    Weigh,  // bytes available, and space to send them
    Choose,
    Read,
    Copy,
    Release,
    AwaitRead,
    AwaitWrite,
    Close,
    Free
  } step_e;
  step_e step_q;
  session_report_t report_q;
  progress_t at_progress_q;
  seq_t available_q, space_q, count;  // computed from report_q
  length_t count_q;

  // The scan stays at the session that is served: it may have been queued again.
  logic queued, scan_busy;
  wire scans = step_q == Look;
  tcp_session_scan #(
      .NumSessions(NumSessions)
  ) u_scan (
      .clk_i,
      .rst_i,
      .queue_i(session_event.taken),
      .queue_index_i(event_index),
      .index_o(index),
      .queued_o(queued),
      .take_i(scans),
      .next_i(scans & ~queued),
      .busy_o(scan_busy)
  );

  always_ff @(posedge clk_i) begin
    available_q <= difference(report_q.read_end, at_progress_q.read, report_q.closed);
    space_q <= report_q.write_end - at_progress_q.write;
  end
  function automatic seq_t bounded(seq_t size);
    return size > 32'(ChunkBytes) ? 32'(ChunkBytes) : size;
  endfunction
  assign count = available_q < space_q ? bounded(available_q) : bounded(space_q);
  wire seq_t read_next = at_progress_q.read + 32'(count_q);
  wire seq_t write_next = at_progress_q.write + 32'(count_q);

  logic copy_ready;
  wire copying = (step_q == Copy) & data_valid;
  assign data_ready = (step_q == Copy) & copy_ready;

  logic send_request, send_read, request_room, read_room;
  tcp_request_meta_t request;
  tcp_read_meta_t read;
  always_comb begin
    request = '{request: RequestNone, session: session_t'(index), default: '0};
    unique case (step_q)
      Listen: begin
        request.request  = RequestListen;
        request.argument = 32'(TcpPort);
      end
      Release: begin
        request.request  = RequestRelease;
        request.argument = at_progress_q.read;
      end
      AwaitRead: begin
        request.request  = RequestReadable;
        request.argument = at_progress_q.read + 32'd1;
        request.toggle   = ~at_progress_q.read_toggle;
      end
      AwaitWrite: begin
        request.request  = RequestWritable;
        request.argument = at_progress_q.write + 32'd1;
        request.toggle   = ~at_progress_q.write_toggle;
      end
      Close, Free: begin
        request.request  = step_q == Close ? RequestClose : RequestFree;
        request.argument = at_progress_q.write;
      end
      default: ;
    endcase
    send_request = request.request != RequestNone;
    read = '{
        port: 16'(TcpPort),
        session: session_t'(index),
        start: at_progress_q.read,
        length: count_q
    };
    send_read = step_q == Read;
  end
  assign awaits_read = (step_q == AwaitRead) & request_room;
  assign awaits_write = (step_q == AwaitWrite) & request_room;
  assign frees = (step_q == Free) & request_room;

  always_ff @(posedge clk_i) begin
    if (session_event.opens) begin
      progress_q[event_index] <= '{
          read: session_event.meta.read_end,
          write: session_event.meta.write_end,
          default: '0
      };
    end
    unique case (step_q)
      Listen: if (request_room) step_q <= Look;
      Look: begin
        report_q <= report;
        at_progress_q <= progress_q[index];
        if (queued) step_q <= Weigh;
      end
      Weigh: step_q <= Choose;
      Choose: begin
        count_q <= count[13:0];
        if (~report_q.live) step_q <= Look;
        else if (report_q.over) step_q <= Free;
        else if (available_q != '0 && space_q != '0) step_q <= Read;
        else if (available_q != '0) step_q <= report_q.awaits_write ? Look : AwaitWrite;
        else if (report_q.closed) step_q <= at_progress_q.closed ? Look : Close;
        else step_q <= report_q.awaits_read ? Look : AwaitRead;
      end
      Read: if (read_room) step_q <= Copy;
      Copy: begin
        if (copying & copy_ready & in_i.last) begin
          progress_q[index].read <= read_next;
          progress_q[index].write <= write_next;
          at_progress_q.read <= read_next;
          at_progress_q.write <= write_next;
          step_q <= Release;
        end
      end
      Release: if (request_room) step_q <= Weigh;
      AwaitRead: begin
        if (request_room) begin
          progress_q[index].read_toggle <= ~at_progress_q.read_toggle;
          step_q <= Look;
        end
      end
      AwaitWrite: begin
        if (request_room) begin
          progress_q[index].write_toggle <= ~at_progress_q.write_toggle;
          step_q <= Look;
        end
      end
      Close: begin
        if (request_room) begin
          progress_q[index].closed <= 1'b1;
          step_q <= Look;
        end
      end
      default: if (request_room) step_q <= Look;  // Free
    endcase
    if (rst_i) step_q <= Listen;
  end

  // ---- Output ----

  tcp_data_output #(
      .beat_t(beat_t),
      .KindTcpData(KindTcpData)
  ) u_out (
      .in_valid_i(copying),
      .in_ready_o(copy_ready),
      .session_i(session_t'(index)),
      .start_i(at_progress_q.write),
      .*
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
    event_o[EventTold] <= session_event.taken & ~rst_i;
    event_o[EventRead] <= read_valid_o & read_ready_i & ~rst_i;
    event_o[EventRequest] <= request_valid_o & request_ready_i & ~rst_i;
  end

  assign busy_o = scan_busy | (step_q != Look) | out_valid_o | read_valid_o | request_valid_o;

  `BOMBUS_ASSERT(LegalStep, step_q inside {[Listen : Free]})
  `BOMBUS_ASSERT(DataFollowsRead, !data_valid || step_q == Copy)

endmodule
