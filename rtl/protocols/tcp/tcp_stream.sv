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
//
// Longer than 450 lines: the steps of a session, its requests and notices, and the piece of the
// kernel depend on each other in each cycle.
`include "bombus_assert.svh"

module tcp_stream
  import bombus_pkg::*;
  import tcp_pkg::*;
  import tcp_session_book_pkg::session_report_t;
  import tcp_stream_pkg::connect_t;
  import tcp_stream_pkg::from_peer_t;
  import tcp_stream_pkg::port_t;
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

  if (TcpPort > 65535) begin : gen_bad_port
    $error("tcp_stream: TcpPort must be 0 to 65535");
  end
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
  if (PatienceUs >= 2 ** 31) begin : gen_bad_patience
    $error("tcp_stream: PatienceUs must be below 2**31");
  end
  if (MaxConnects < 1 || MaxConnects > MaxSessions) begin : gen_bad_connects
    $error("tcp_stream: MaxConnects must be 1 to 16384");
  end

  typedef logic [IndexWidth-1:0] index_t;
  localparam int unsigned LengthWidth = $clog2(ChunkBytes + 1);

  // ---- Events, data and the state of each session ----

  typedef struct packed {
    seq_t read;             // next byte to be read
    seq_t write;            // its sequence number in the sent stream
    logic read_toggle;      // toggles with each request for a notification
    logic write_toggle;
    logic notified_opened;  // a notice for the kernel is queued or sent
    logic notified_closed;
    logic notified_over;
    logic closed;           // by the kernel
    logic aborted;          // by this layer or the kernel: the engine reports a clean end
    logic done;
  } progress_t;
  progress_t progress_q[NumSessions];
  logic [NumSessions-1:0] queued_q;

  index_t at_q, kernel_index;
  logic data_valid, data_ready, event_taken, no_session, opens, fails;
  index_t event_index;
  tcp_event_meta_t event_meta;
  session_report_t report, kernel_report;
  logic awaits_read, awaits_write, frees;
  logic unused_first;
  tcp_session_book #(
      .beat_t(beat_t),
      .NumSessions(NumSessions),
      .NumReports(2),
      .Connects(1),
      .KindTcpEvent(KindTcpEvent)
  ) u_book (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .first_o(unused_first),
      .data_valid_o(data_valid),
      .data_ready_i(data_ready),
      .event_o(event_taken),
      .no_session_o(no_session),
      .event_index_o(event_index),
      .event_meta_o(event_meta),
      .opens_o(opens),
      .fails_o(fails),
      .index_i({kernel_index, at_q}),
      .report_o({kernel_report, report}),
      .changed_index_i(at_q),
      .awaits_read_i(awaits_read),
      .awaits_write_i(awaits_write),
      .awaits_write_index_i(at_q),
      .frees_i(frees)
  );
  wire any_event = event_taken | no_session;
  // The engine has chosen the port of a connection that was requested here.
  wire answers = no_session | ((event_meta.port != event_meta.tuple.own_port) & (opens | fails));

  // ---- To the kernel: chunks in request order, and notices ----

  typedef struct packed {
    logic   notice;
    logic   failed;
    logic   ended;
    logic   closed;
    logic   opened;
    index_t session;
    seq_t   ends_at;  // end of the chunk
  } pending_t;
  pending_t pending;
  logic pend, may_pend, receive_busy;
  index_t release_session;
  seq_t   release_end;
  logic release_valid, release_taken;
  tcp_stream_receive #(
      .beat_t(beat_t),
      .chunk_t(pending_t),
      .index_t(index_t),
      .DataWidth(DataWidth),
      .ChunkBytes(ChunkBytes),
      .ReadsAhead(ReadsAhead)
  ) u_receive (
      .clk_i,
      .rst_i,
      .chunk_i(pending),
      .push_i(pend),
      .may_push_o(may_pend),
      .data_i(in_i),
      .data_valid_i(data_valid),
      .data_ready_o(data_ready),
      .release_session_o(release_session),
      .release_end_o(release_end),
      .release_valid_o(release_valid),
      .release_ready_i(release_taken),
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

  // ---- From the kernel ----

  to_peer_t piece;
  logic [LengthWidth-1:0] piece_length;
  logic piece_valid, piece_last, begins, discards, sending, gather_busy;
  logic [DataWidth-1:0] send_data;
  logic [$clog2(KeepWidth):0] send_bytes;
  logic send_last, send_valid, send_ready;
  axi_gather #(
      .DataWidth(DataWidth),
      .UserWidth(ToWidth),
      .MaxBytes (ChunkBytes)
  ) u_tx (
      .clk_i,
      .rst_i,
      .tdata_i(kernel_tx_tdata_i),
      .tkeep_i(kernel_tx_tkeep_i),
      .tvalid_i(kernel_tx_tvalid_i),
      .tready_o(kernel_tx_tready_o),
      .tlast_i(kernel_tx_tlast_i),
      .tuser_i(kernel_tx_tuser_i),
      .piece_valid_o(piece_valid),
      .piece_user_o(piece),
      .piece_length_o(piece_length),
      .piece_last_o(piece_last),
      .begin_i(begins),
      .discard_i(discards),
      .sending_o(sending),
      .data_o(send_data),
      .bytes_o(send_bytes),
      .last_o(send_last),
      .valid_o(send_valid),
      .ready_i(send_ready),
      .busy_o(gather_busy)
  );
  wire index_t piece_index = piece.session[IndexWidth-1:0];

  // ---- Serve one session at a time ----

  typedef enum logic [3:0] {
    Listen,
    Look,
    Weigh,  // read the session's state
    Choose,
    Read,
    Notice,
    Release,
    AwaitRead,
    Send,
    AwaitWrite,
    End,
    Close,
    Abort,
    Ask,
    Miss,
    Free
  } step_e;
  step_e step_q;
  index_t next_session_q;  // the next session to examine
  logic sends_q;  // at_q is the session of the front piece
  logic scanned_q;  // a session has been examined since the last piece
  session_report_t report_q;
  progress_t progress;
  seq_t read_q, write_q;  // of progress, a cycle later
  seq_t available_q, space_q;  // computed from the report
  logic [13:0] count, count_q;
  logic blocked_q;  // the front piece has no space
  logic waits_q;  // and has had none since since_q
  logic [31:0] since_q;
  logic impatient_q;
  to_peer_t flags_q;  // flags of the piece
  logic is_request_q;  // the piece is a request: connect, listen or unlisten
  logic requested_q;  // it has been sent, or ignored
  logic [15:0] no_sessions_q;  // connection attempts that got no session
  connect_t connect;
  port_t port;
  logic [13:0] sent_length_q;
  session_t sent_session_q;
  seq_t sent_start_q;

  // An event that arrives after this read queues the session again.
  assign progress = progress_q[at_q];
  wire failed = report.failed | progress.aborted;
  always_ff @(posedge clk_i) begin
    report_q <= report;
    report_q.failed <= failed;
    read_q <= progress.read;
    write_q <= progress.write;
    available_q <= failed ? '0 : difference(report.read_end, progress.read, report.closed);
    space_q <= report.write_end - progress.write;
  end
  assign count = available_q > 32'(ChunkBytes) ? 14'(ChunkBytes) : available_q[13:0];

  // Properties of the front piece, which does not change until it is sent.
  logic stray_q, some_q, asks_q, rest_q, closed_q;
  logic continues_q;  // the front piece continues a message
  wire  is_request = piece.connect | piece.listen | piece.unlisten;
  wire  is_short = 32'(piece_length) < (piece.connect ? $bits(connect_t) : $bits(port_t)) / 8;
  always_ff @(posedge clk_i) begin
    stray_q <= 32'(piece.session) >= NumSessions;
    some_q  <= piece_length != '0;
    asks_q  <= is_request & ~continues_q & ~is_short;
    rest_q  <= is_request & (continues_q | is_short);
    if (begins) continues_q <= ~piece_last;
    if (rst_i) continues_q <= 1'b0;
    closed_q <= progress.closed;
  end
  wire sends = asks_q | (report_q.live & ~report_q.over & ~closed_q & ~stray_q & ~rest_q & some_q);
  wire fits = asks_q | (space_q >= 32'(piece_length));
  assign connect = send_data[$bits(connect_t)-1:0];
  assign port = send_data[$bits(port_t)-1:0];
  logic send_request, send_read, request_room, read_room;
  // A request fails at once if the engine cannot hold it.
  typedef logic [$clog2(MaxConnects+1)-1:0] connects_t;
  connects_t connects_q;
  logic full_q, answers_q;
  wire asks = (step_q == Ask) & send_valid & request_room & ~requested_q;
  wire connects = asks & flags_q.connect & ~full_q;
  wire answered = answers_q & (connects_q != '0);
  wire fails_full = asks & flags_q.connect & full_q;
  wire foreign = ~flags_q.connect & (TcpPort != 0) & (port != port_t'(TcpPort));
  assign begins   = (step_q == Send) & ~sending & (~sends | fits);
  assign discards = ~sends;

  tcp_request_meta_t request;
  tcp_read_meta_t read;
  always_comb begin
    request = '0;
    request.session = session_t'(at_q);
    unique case (step_q)
      Listen: begin
        request.request  = RequestListen;
        request.argument = 32'(TcpPort);
      end
      Release: begin
        request.request  = RequestRelease;
        request.session  = session_t'(release_session);
        request.argument = release_end;
      end
      AwaitRead: begin
        request.request  = RequestReadable;
        request.argument = read_q + 32'd1;
        request.toggle   = ~progress.read_toggle;
      end
      AwaitWrite: begin
        request.request  = RequestWritable;
        request.argument = write_q + 32'(piece_length);
        request.toggle   = ~progress.write_toggle;
      end
      Close: begin
        request.request  = RequestClose;
        request.argument = write_q;
      end
      Abort:   request.request = RequestAbort;
      Ask: begin
        if (send_valid & ~requested_q & ~foreign & ~(flags_q.connect & full_q)) begin
          request.request = flags_q.connect ? RequestConnect :
              flags_q.listen ? RequestListen : RequestUnlisten;
        end
        request.argument = flags_q.connect ? connect.ip : 32'(port);
        request.peer_port = connect.peer_port;
        request.port = 16'(TcpPort);
      end
      Free: begin
        request.request  = RequestFree;
        request.argument = write_q;
      end
      default: ;
    endcase
    send_request = request.request != RequestNone;
    read = '{port: 16'(TcpPort), session: session_t'(at_q), start: read_q, length: count_q};
    send_read = step_q == Read;
  end
  assign release_taken = (step_q == Release) & request_room;
  assign awaits_read = (step_q == AwaitRead) & request_room;
  assign awaits_write = (step_q == AwaitWrite) & request_room;
  assign frees = (step_q == Free) & request_room;

  // Choose has checked the credits.
  assign pend = (step_q == Notice) | (step_q == Miss) | ((step_q == Read) & read_room);
  always_comb begin
    pending = '0;
    pending.session = at_q;
    pending.ends_at = read_q + 32'(count_q);
    pending.notice = step_q == Notice;
    pending.opened = ~progress.notified_opened;
    pending.closed = progress.notified_opened & ~progress.notified_closed & report_q.closed &
        ~report_q.failed;
    pending.ended = progress.notified_opened & ~pending.closed;
    pending.failed = pending.ended & report_q.failed;
    if (step_q == Miss) begin
      pending = '0;
      pending.notice = 1'b1;
      pending.failed = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (event_taken) queued_q[event_index] <= 1'b1;
    if (opens | fails) begin
      progress_q[event_index] <= '{
          read: event_meta.read_end,
          write: event_meta.write_end,
          notified_opened: fails,
          default: '0
      };
    end
    unique case (step_q)
      Listen: if (request_room) step_q <= Look;
      Look: begin
        if (release_valid) begin
          step_q <= Release;
        end else if ((no_sessions_q != '0) & may_pend) begin
          step_q <= Miss;
        end else if (impatient_q & blocked_q) begin
          at_q <= piece_index;
          flags_q <= '{reset: 1'b1, default: '0};
          is_request_q <= 1'b0;
          blocked_q <= 1'b0;
          step_q <= End;
        end else if (piece_valid & ~sending & ~blocked_q & scanned_q) begin
          at_q <= piece_index;
          sends_q <= 1'b1;
          scanned_q <= 1'b0;
          step_q <= Weigh;
        end else begin
          // Pieces and sessions alternate.
          scanned_q <= 1'b1;
          next_session_q <= next_session_q + 1'b1;
          if (queued_q[next_session_q]) begin
            if (~(any_event & (event_index == next_session_q))) queued_q[next_session_q] <= 1'b0;
            at_q <= next_session_q;
            sends_q <= 1'b0;
            step_q <= Weigh;
          end
        end
      end
      Weigh: step_q <= sends_q ? Send : Choose;
      Choose: begin
        count_q <= count;
        step_q  <= Look;
        if (~report_q.live) begin
        end else if (~progress.notified_opened | (available_q != '0) |
                     (report_q.closed & ~progress.notified_closed & ~report_q.failed) |
                     (report_q.over & ~progress.notified_over)) begin
          queued_q[at_q] <= 1'b1;
          if (may_pend) step_q <= progress.notified_opened & (available_q != '0) ? Read : Notice;
        end else if (report_q.over) begin
          if (progress.done) step_q <= Free;
        end else if (~report_q.closed & ~report_q.awaits_read) begin
          step_q <= AwaitRead;
        end
      end
      Read: begin
        if (read_room) begin
          progress_q[at_q].read <= pending.ends_at;
          step_q <= Look;
        end
      end
      Notice: begin
        if (pending.opened) progress_q[at_q].notified_opened <= 1'b1;
        if (pending.closed) progress_q[at_q].notified_closed <= 1'b1;
        if (pending.ended) progress_q[at_q].notified_over <= 1'b1;
        step_q <= Look;
      end
      Release: if (request_room) step_q <= Look;
      AwaitRead: begin
        if (request_room) begin
          progress_q[at_q].read_toggle <= ~progress.read_toggle;
          step_q <= Look;
        end
      end
      Send: begin
        flags_q <= piece;
        if (~piece_last | asks_q | rest_q | stray_q)
          {flags_q.done, flags_q.reset, flags_q.close} <= '0;
        is_request_q <= asks_q;
        if (begins) begin
          if (sends & ~asks_q) progress_q[at_q].write <= write_q + 32'(piece_length);
          waits_q <= 1'b0;
          step_q  <= End;
        end else begin
          step_q <= report.awaits_write ? Look : AwaitWrite;
          if (report.awaits_write) blocked_q <= 1'b1;
          waits_q <= 1'b1;
          if (~waits_q) since_q <= time_us_i;
        end
      end
      AwaitWrite: begin
        if (request_room) begin
          progress_q[at_q].write_toggle <= ~progress.write_toggle;
          blocked_q <= 1'b1;
          step_q <= Look;
        end
      end
      Ask: begin
        if (send_valid & request_room) requested_q <= 1'b1;
        if (requested_q & ~sending) step_q <= Look;
      end
      Miss: step_q <= Look;
      End: begin
        step_q <= Look;
        requested_q <= 1'b0;
        if (is_request_q) step_q <= Ask;
        else if (flags_q.done) begin
          progress_q[at_q].done <= 1'b1;
          queued_q[at_q] <= 1'b1;
        end
        if (report.live & ~report.over & (flags_q.reset | (flags_q.close & ~progress.closed))) begin
          progress_q[at_q].closed <= 1'b1;
          progress_q[at_q].aborted <= flags_q.reset;
          step_q <= flags_q.reset ? Abort : Close;
        end
      end
      Close, Abort: if (request_room) step_q <= Look;
      default: if (request_room) step_q <= Look;  // Free
    endcase
    // An event in the cycle in which the piece becomes blocked must unblock it.
    if (any_event & (event_index == piece_index)) blocked_q <= 1'b0;
    no_sessions_q <= no_sessions_q + 16'(no_session) + 16'(fails_full) - 16'(step_q == Miss);
    answers_q <= answers & ~rst_i;
    connects_q <= connects_q + connects_t'(connects) - connects_t'(answered);
    full_q <= connects_q == connects_t'(MaxConnects);
    impatient_q <= (PatienceUs != 0) & waits_q & (time_us_i - since_q >= PatienceUs);
    if (begins & sends) begin
      sent_session_q <= session_t'(at_q);
      sent_start_q   <= write_q;
      sent_length_q  <= 14'(piece_length);
    end
    if (rst_i) begin
      queued_q <= '0;
      blocked_q <= 1'b0;
      step_q <= Listens && TcpPort != 0 ? Listen : Look;
      no_sessions_q <= '0;
      connects_q <= '0;
      is_request_q <= 1'b0;
      scanned_q <= 1'b1;
      next_session_q <= '0;
      waits_q <= 1'b0;
      impatient_q <= 1'b0;
    end
  end

  // ---- Output ----

  beat_t data;
  always_comb begin
    data = '0;
    data.data = send_data;
    data.bytes = send_bytes;
    data.last = send_last;
    data.length = sent_length_q;
    data.kind = $bits(data.kind)'(KindTcpData);
    data.meta = $bits(data.meta)
        '(tcp_data_meta_t'{session: sent_session_q, start: sent_start_q, default: '0});
  end

  logic out_room;
  assign send_ready = is_request_q ? (step_q == Ask) & (requested_q | request_room) : out_room;
  stream_register #(
      .data_t(beat_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(data),
      .in_valid_i(send_valid & ~is_request_q),
      .in_ready_o(out_room),
      .out_o,
      .out_valid_o,
      .out_ready_i
  );
  tcp_application_output #(
      .read_beat_t(read_beat_t),
      .request_beat_t(request_beat_t),
      .KindTcpRead(KindTcpRead),
      .KindTcpRequest(KindTcpRequest)
  ) u_output (
      .clk_i,
      .rst_i,
      .read_meta_i(read),
      .read_valid_i(send_read),
      .read_ready_o(read_room),
      .request_meta_i(request),
      .request_valid_i(send_request),
      .request_ready_o(request_room),
      .read_o,
      .read_valid_o,
      .read_ready_i,
      .request_o,
      .request_valid_o,
      .request_ready_i
  );

  always_ff @(posedge clk_i) begin
    event_o[EventTold] <= any_event & ~rst_i;
    event_o[EventReceived] <= data_valid & data_ready & in_i.last & ~rst_i;
    event_o[EventSent] <= out_valid_o & out_ready_i & out_o.last & ~rst_i;
    event_o[EventRead] <= read_valid_o & read_ready_i & ~rst_i;
    event_o[EventRequest] <= request_valid_o & request_ready_i & ~rst_i;
    event_o[EventForgotten] <= ((begins & ~sends & (some_q | rest_q) & ~(rest_q & continues_q)) |
        (asks & foreign)) & ~rst_i;
    event_o[EventImpatient] <= (step_q == Look) & impatient_q & blocked_q & ~release_valid &
        ~((no_sessions_q != '0) & may_pend) & ~rst_i;
  end

  assign busy_o = (|queued_q) | (step_q != Look) | receive_busy | (gather_busy & ~blocked_q) |
      out_valid_o | read_valid_o |
      request_valid_o | (no_sessions_q != '0);
  assign timer_o = waits_q & (PatienceUs != 0);

  `BOMBUS_ASSERT(ConnectsBounded, 32'(connects_q) <= MaxConnects)

endmodule
