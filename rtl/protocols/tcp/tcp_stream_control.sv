// SPDX-License-Identifier: Apache-2.0
// Control of tcp_stream: serves one session or piece of the kernel at a time. It requests chunks of
// received bytes and notices for the kernel, lets pieces begin, and sends the requests to the
// engine. Pieces and sessions alternate.
//
// Throughput: about 10 cycles per chunk or piece.
`include "bombus_assert.svh"

module tcp_stream_control
  import tcp_pkg::*;
  import tcp_session_book_pkg::session_event_t;
  import tcp_session_book_pkg::session_report_t;
  import tcp_stream_pkg::connect_t;
  import tcp_stream_pkg::piece_t;
  import tcp_stream_pkg::port_t;
  import tcp_stream_pkg::to_peer_t;
#(
    parameter type chunk_t = logic,  // as in tcp_stream
    parameter int unsigned NumSessions = 16,
    parameter int unsigned TcpPort = 7,  // this and the following too
    parameter bit Listens = 1,
    parameter int unsigned ChunkBytes = 2048,
    parameter int unsigned PatienceUs = 30000000,
    parameter int unsigned MaxConnects = 16,
    localparam type index_t = logic [$clog2(NumSessions)-1:0]
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,

    // Events from the engine, and the session served (tcp_session_book).
    input session_event_t event_i,
    input index_t event_index_i,
    output index_t index_o,
    input session_report_t report_i,
    output logic awaits_read_o,
    output logic awaits_write_o,
    output logic frees_o,

    // Receive path: requested chunks and notices, and chunks whose bytes have been stored.
    output chunk_t chunk_o,
    output logic   chunk_valid_o,
    input  logic   chunk_ready_i,
    input  index_t release_session_i,
    input  seq_t   release_end_i,
    input  logic   release_valid_i,
    output logic   release_ready_o,

    // Transmit path (tcp_stream_transmit).
    input piece_t piece_i,
    output logic offer_o,
    output logic open_o,
    output seq_t space_o,
    output seq_t start_o,
    input logic begins_i,
    input logic sends_i,
    output logic is_request_o,
    input connect_t kernel_request_i,
    input logic kernel_request_valid_i,
    output logic kernel_request_ready_o,
    input logic sending_i,  // a piece is being sent

    // To the engine (tcp_application_output).
    output tcp_read_meta_t read_o,
    output logic read_valid_o,
    input logic read_ready_i,
    output tcp_request_meta_t request_o,
    output logic request_valid_o,
    input logic request_ready_i,

    output logic foreign_o,  // a request for another port is discarded
    output logic impatient_o,  // the connection of a blocked piece is reset
    output logic blocked_o,  // the front piece has no space
    output logic timer_o,  // its time without space is measured
    output logic busy_o
);

  if (TcpPort > 65535) begin : gen_bad_port
    $error("tcp_stream: TcpPort must be 0 to 65535");
  end
  if (ChunkBytes < 2 || ChunkBytes > 8192) begin : gen_bad_chunk
    $error("tcp_stream_control: ChunkBytes must be 2 to 8192");
  end
  if (PatienceUs >= 2 ** 31) begin : gen_bad_patience
    $error("tcp_stream: PatienceUs must be below 2**31");
  end
  if (MaxConnects < 1 || MaxConnects > MaxSessions) begin : gen_bad_connects
    $error("tcp_stream: MaxConnects must be 1 to 16384");
  end

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

  index_t at_q;  // the session served
  assign index_o = at_q;
  wire any_event = event_i.taken | event_i.no_session;
  // The engine has chosen the port of a connection that was requested here.
  wire answers = event_i.no_session |
      ((event_i.meta.port != event_i.meta.tuple.own_port) & (event_i.opens | event_i.fails));

  // ---- The session served ----

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
  logic sends_q;  // at_q is the session of the front piece
  logic scanned_q;  // a session has been examined since the last piece
  session_report_t report_q;
  progress_t progress;
  seq_t read_q, write_q;  // of progress, a cycle later
  seq_t available_q, space_q;  // computed from the report
  logic closed_q;
  logic [13:0] count, count_q;
  logic blocked_q;  // the front piece has no space
  logic waits_q;  // and has had none since since_q
  logic [31:0] since_q;
  logic impatient_q;
  to_peer_t flags_q;  // flags of the piece
  logic is_request_q;  // the piece is a request: connect, listen or unlisten
  logic requested_q;  // it has been sent, or ignored
  logic [15:0] no_sessions_q;  // connection attempts that got no session
  wire index_t piece_index = piece_i.message.session[$bits(index_t)-1:0];

  // An event that arrives after this read queues the session again.
  assign progress = progress_q[at_q];
  wire failed = report_i.failed | progress.aborted;
  always_ff @(posedge clk_i) begin
    report_q <= report_i;
    report_q.failed <= failed;
    read_q <= progress.read;
    write_q <= progress.write;
    available_q <= failed ? '0 : difference(report_i.read_end, progress.read, report_i.closed);
    space_q <= report_i.write_end - progress.write;
    closed_q <= progress.closed;
  end
  assign count   = available_q > 32'(ChunkBytes) ? 14'(ChunkBytes) : available_q[13:0];

  assign offer_o = step_q == Send;
  assign open_o  = report_q.live & ~report_q.over & ~closed_q;
  assign space_o = space_q;
  assign start_o = write_q;

  // ---- Order of service: released chunks, failed connects, pieces and sessions in turn ----

  wire releases = (step_q == Look) & release_valid_i;
  wire misses = (step_q == Look) & ~releases & (no_sessions_q != '0) & chunk_ready_i;
  assign impatient_o = (step_q == Look) & ~releases & ~misses & impatient_q & blocked_q;
  wire takes_piece = (step_q == Look) & ~releases & ~misses & ~impatient_o & piece_i.valid &
      ~blocked_q & scanned_q;
  wire scans = (step_q == Look) & ~releases & ~misses & ~impatient_o & ~takes_piece;

  // A notice for the kernel is due.
  wire notifies = ~progress.notified_opened |
      (report_q.closed & ~progress.notified_closed & ~report_q.failed) |
      (report_q.over & ~progress.notified_over);
  wire has_chunk = report_q.live & (notifies | (available_q != '0));
  wire acknowledged = (step_q == End) & ~is_request_q & flags_q.done;

  index_t scan_index;
  logic queued, scan_busy;
  tcp_session_scan #(
      .NumSessions(NumSessions),
      .NumCauses  (2)
  ) u_scan (
      .clk_i,
      .rst_i,
      .queue_i({(step_q == Choose) & has_chunk | acknowledged, event_i.taken}),
      .queue_index_i({at_q, event_index_i}),
      .index_o(scan_index),
      .queued_o(queued),
      .take_i(scans),
      .next_i(scans),
      .busy_o(scan_busy)
  );

  // ---- Requests of the kernel ----

  // A connect fails at once if the engine cannot hold it.
  typedef logic [$clog2(MaxConnects+1)-1:0] connects_t;
  connects_t connects_q;
  logic full_q, answers_q;
  port_t port;
  assign port = kernel_request_i[$bits(port_t)-1:0];
  wire asks = (step_q == Ask) & kernel_request_valid_i & request_ready_i & ~requested_q;
  wire connects = asks & flags_q.connect & ~full_q;
  wire answered = answers_q & (connects_q != '0);
  wire fails_full = asks & flags_q.connect & full_q;
  wire foreign = ~flags_q.connect & (TcpPort != 0) & (port != port_t'(TcpPort));
  assign is_request_o = is_request_q;
  assign kernel_request_ready_o = (step_q == Ask) & (requested_q | request_ready_i);
  assign foreign_o = asks & foreign;
  always_ff @(posedge clk_i) begin
    no_sessions_q <= no_sessions_q + 16'(event_i.no_session) + 16'(fails_full) -
        16'(step_q == Miss);
    answers_q <= answers & ~rst_i;
    connects_q <= connects_q + connects_t'(connects) - connects_t'(answered);
    full_q <= connects_q == connects_t'(MaxConnects);
    if (rst_i) begin
      no_sessions_q <= '0;
      connects_q <= '0;
    end
  end

  // ---- Reads and requests to the engine ----

  always_comb begin
    request_o = '0;
    request_o.session = session_t'(at_q);
    unique case (step_q)
      Listen: begin
        request_o.request  = RequestListen;
        request_o.argument = 32'(TcpPort);
      end
      Release: begin
        request_o.request  = RequestRelease;
        request_o.session  = session_t'(release_session_i);
        request_o.argument = release_end_i;
      end
      AwaitRead: begin
        request_o.request  = RequestReadable;
        request_o.argument = read_q + 32'd1;
        request_o.toggle   = ~progress.read_toggle;
      end
      AwaitWrite: begin
        request_o.request  = RequestWritable;
        request_o.argument = write_q + 32'(piece_i.length);
        request_o.toggle   = ~progress.write_toggle;
      end
      Close: begin
        request_o.request  = RequestClose;
        request_o.argument = write_q;
      end
      Abort:   request_o.request = RequestAbort;
      Ask: begin
        if (kernel_request_valid_i & ~requested_q & ~foreign & ~(flags_q.connect & full_q)) begin
          request_o.request = flags_q.connect ? RequestConnect :
              flags_q.listen ? RequestListen : RequestUnlisten;
        end
        request_o.argument = flags_q.connect ? kernel_request_i.ip : 32'(port);
        request_o.peer_port = kernel_request_i.peer_port;
        request_o.port = 16'(TcpPort);
      end
      Free: begin
        request_o.request  = RequestFree;
        request_o.argument = write_q;
      end
      default: ;
    endcase
    request_valid_o = request_o.request != RequestNone;
    read_o = '{port: 16'(TcpPort), session: session_t'(at_q), start: read_q, length: count_q};
    read_valid_o = step_q == Read;
  end
  assign release_ready_o = (step_q == Release) & request_ready_i;
  assign awaits_read_o = (step_q == AwaitRead) & request_ready_i;
  assign awaits_write_o = (step_q == AwaitWrite) & request_ready_i;
  assign frees_o = (step_q == Free) & request_ready_i;

  // Choose has checked the credits.
  assign chunk_valid_o = (step_q == Notice) | (step_q == Miss) | (read_valid_o & read_ready_i);
  always_comb begin
    chunk_o = '0;
    chunk_o.session = at_q;
    chunk_o.ends_at = read_q + 32'(count_q);
    chunk_o.notice = step_q == Notice;
    chunk_o.opened = ~progress.notified_opened;
    chunk_o.closed = progress.notified_opened & ~progress.notified_closed & report_q.closed &
        ~report_q.failed;
    chunk_o.ended = progress.notified_opened & ~chunk_o.closed;
    chunk_o.failed = chunk_o.ended & report_q.failed;
    if (step_q == Miss) chunk_o = '{notice: 1'b1, failed: 1'b1, default: '0};
  end

  // ---- Steps ----

  always_ff @(posedge clk_i) begin
    if (event_i.opens | event_i.fails) begin
      progress_q[event_index_i] <= '{
          read: event_i.meta.read_end,
          write: event_i.meta.write_end,
          notified_opened: event_i.fails,
          default: '0
      };
    end
    unique case (step_q)
      Listen: if (request_ready_i) step_q <= Look;
      Look: begin
        if (releases) step_q <= Release;
        else if (misses) step_q <= Miss;
        else if (impatient_o) begin
          at_q <= piece_index;
          flags_q <= '{reset: 1'b1, default: '0};
          is_request_q <= 1'b0;
          blocked_q <= 1'b0;
          step_q <= End;
        end else if (takes_piece) begin
          at_q <= piece_index;
          sends_q <= 1'b1;
          scanned_q <= 1'b0;
          step_q <= Weigh;
        end else begin
          scanned_q <= 1'b1;
          if (queued) begin
            at_q <= scan_index;
            sends_q <= 1'b0;
            step_q <= Weigh;
          end
        end
      end
      Weigh: step_q <= sends_q ? Send : Choose;
      Choose: begin
        count_q <= count;
        step_q  <= Look;
        if (has_chunk) begin
          if (chunk_ready_i)
            step_q <= progress.notified_opened & (available_q != '0) ? Read : Notice;
        end else if (report_q.live & report_q.over) begin
          if (progress.done) step_q <= Free;
        end else if (report_q.live & ~report_q.closed & ~report_q.awaits_read) begin
          step_q <= AwaitRead;
        end
      end
      Read: begin
        if (read_ready_i) begin
          progress_q[at_q].read <= chunk_o.ends_at;
          step_q <= Look;
        end
      end
      Notice: begin
        if (chunk_o.opened) progress_q[at_q].notified_opened <= 1'b1;
        if (chunk_o.closed) progress_q[at_q].notified_closed <= 1'b1;
        if (chunk_o.ended) progress_q[at_q].notified_over <= 1'b1;
        step_q <= Look;
      end
      AwaitRead: begin
        if (request_ready_i) begin
          progress_q[at_q].read_toggle <= ~progress.read_toggle;
          step_q <= Look;
        end
      end
      Send: begin
        flags_q <= piece_i.message;
        is_request_q <= piece_i.is_request;
        if (begins_i) begin
          if (sends_i) progress_q[at_q].write <= write_q + 32'(piece_i.length);
          waits_q <= 1'b0;
          step_q  <= End;
        end else begin
          step_q <= report_i.awaits_write ? Look : AwaitWrite;
          if (report_i.awaits_write) blocked_q <= 1'b1;
          waits_q <= 1'b1;
          if (~waits_q) since_q <= time_us_i;
        end
      end
      AwaitWrite: begin
        if (request_ready_i) begin
          progress_q[at_q].write_toggle <= ~progress.write_toggle;
          blocked_q <= 1'b1;
          step_q <= Look;
        end
      end
      Ask: begin
        if (kernel_request_valid_i & request_ready_i) requested_q <= 1'b1;
        if (requested_q & ~sending_i) step_q <= Look;
      end
      Miss: step_q <= Look;
      End: begin
        step_q <= Look;
        requested_q <= 1'b0;
        if (is_request_q) step_q <= Ask;
        if (acknowledged) progress_q[at_q].done <= 1'b1;
        if (report_i.live & ~report_i.over &
            (flags_q.reset | (flags_q.close & ~progress.closed))) begin
          progress_q[at_q].closed <= 1'b1;
          progress_q[at_q].aborted <= flags_q.reset;
          step_q <= flags_q.reset ? Abort : Close;
        end
      end
      default: if (request_ready_i) step_q <= Look;  // Release, Close, Abort, Free
    endcase
    // An event in the cycle in which the piece becomes blocked must unblock it.
    if (any_event & (event_index_i == piece_index)) blocked_q <= 1'b0;
    impatient_q <= (PatienceUs != 0) & waits_q & (time_us_i - since_q >= PatienceUs);
    if (rst_i) begin
      blocked_q <= 1'b0;
      step_q <= Listens && TcpPort != 0 ? Listen : Look;
      is_request_q <= 1'b0;
      scanned_q <= 1'b1;
      waits_q <= 1'b0;
      impatient_q <= 1'b0;
    end
  end

  assign blocked_o = blocked_q;
  assign timer_o = waits_q & (PatienceUs != 0);
  assign busy_o = scan_busy | (step_q != Look) | (no_sessions_q != '0);

  `BOMBUS_ASSERT(ConnectsBounded, 32'(connects_q) <= MaxConnects)

endmodule
