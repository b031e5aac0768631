// SPDX-License-Identifier: Apache-2.0
// TCP application that accepts all bytes, compares them with a pattern, and sends the same pattern
// endlessly to peers with odd ports: a load for measurements of the TCP engine. It writes single
// bytes to those whose port has bit 1 set. It reads and writes at the same time.
//
// The byte with sequence number s is s[7:0] ^ s[15:8] ^ s[23:16]. Sessions are served round robin.
// Reads are sent before the bytes of earlier ones have arrived, so that the buffer never stalls.
// The input is always ready. With Bypass, bytes arrive without reads.
//
// One file, since reads, writes and the check of received bytes share the state of the sessions.
//
// Throughput: one beat per cycle each way; a read every five cycles, a write every four.
`include "bombus_types.svh"

module tcp_load
  import bombus_pkg::*;
  import tcp_pkg::*;
  import tcp_session_book_pkg::session_event_t;
  import tcp_session_book_pkg::session_report_t;
#(
    parameter type beat_t = logic,
    parameter type read_beat_t = beat_t,
    parameter type request_beat_t = beat_t,
    parameter int unsigned NumSessions = 16,
    parameter int unsigned TcpPort = 9,
    parameter int unsigned ReadBytes = 8192,  // maximum per read
    parameter int unsigned WriteBytes = 8192,
    parameter bit Bypass = 0,  // no receive buffer
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

    output logic [5:0] event_o,
    output logic busy_o
);

  localparam string Entry = "tcp_load";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  localparam string Takes = "tcp_event tcp_data";
  localparam string Sends = "tcp_data";
  localparam string ReadSends = "tcp_read";
  localparam string RequestSends = "tcp_request";
  localparam bit InWaitsForOut = 1'b0;
  localparam bit InWaitsForRead = 1'b0;
  localparam bit InWaitsForRequest = 1'b0;
  localparam bit Replicable = 1'b0;
  typedef enum logic [0:0] {NextTcpSendBufferData} next_e;
  typedef enum logic [0:0] {ReadNextTcpReceiveBufferRead} read_next_e;
  typedef enum logic [0:0] {RequestNextTcpRequest} request_next_e;
  typedef enum int unsigned {
    EventTold,
    EventRight,    // bytes arrived, all correct
    EventWrong,
    EventRead,
    EventWritten,
    EventRequest,
    NumEvents
  } event_e;

  localparam int unsigned DataBytes = $bits(in_i.data) / 8;
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [DataBytes-1:0][7:0] bytes_t;

  function automatic bytes_t pattern(seq_t start);
    seq_t number;
    for (int unsigned n = 0; n < DataBytes; n++) begin
      number = start + seq_t'(n);
      pattern[n] = number[7:0] ^ number[15:8] ^ number[23:16];
    end
  endfunction

  // ---- Input: events, and bytes to be compared and released ----

  typedef struct packed {
    seq_t read;    // next byte to be read
    logic toggle;
    logic closed;  // the end of the sent stream has been announced
  } reading_t;
  typedef struct packed {
    seq_t write;   // next byte to be written
    logic toggle;
  } writing_t;
  reading_t reading_q[NumSessions];
  writing_t writing_q[NumSessions];

  index_t at_q, write_queued, write_at_q;
  session_report_t report, write_report;
  logic first, data_valid, awaits_read, awaits_write, frees;
  index_t event_index;
  session_event_t session_event;
  tcp_data_meta_t data_meta;
  tcp_session_book #(
      .beat_t(beat_t),
      .NumSessions(NumSessions),
      .NumReports(2),
      .KindTcpEvent(KindTcpEvent)
  ) u_book (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .first_o(first),
      .data_valid_o(data_valid),
      .data_ready_i(1'b1),
      .event_o(session_event),
      .event_index_o(event_index),
      .index_i({write_queued, at_q}),
      .report_o({write_report, report}),
      .changed_index_i(at_q),
      .awaits_read_i(awaits_read),
      .awaits_write_i(awaits_write),
      .awaits_write_index_i(write_at_q),
      .frees_i(frees)
  );
  assign data_meta = tcp_data_meta_t'(in_i.meta);
  wire taken = in_valid_i & in_ready_o;

  // The queues see an event a cycle later, since they need its session a cycle ahead.
  index_t queue_index_q;
  logic queue_event_q;
  always_ff @(posedge clk_i) begin
    queue_index_q <= event_index;
    queue_event_q <= session_event.taken & ~rst_i;
  end

  // Sequence number up to which each session has been read, and a queue of sessions with unreported
  // progress.
  seq_t taken_to[NumSessions];
  index_t data_index_q, released;
  seq_t data_end_q;
  wire index_t data_index = first ? data_meta.session[IndexWidth-1:0] : data_index_q;
  wire seq_t data_end = first ? data_meta.start + seq_t'(in_i.length) : data_end_q;
  wire data_ends = data_valid & in_i.last;
  logic released_valid, released_taken, releases_busy, unused_release_room;
  always_ff @(posedge clk_i) begin
    if (taken) data_index_q <= data_index;
    if (taken) data_end_q <= data_end;
    if (data_ends) taken_to[data_index] <= data_end;
  end
  tcp_transmit_queue #(
      .NumSessions(NumSessions)
  ) u_releases (
      .clk_i,
      .rst_i,
      .first_next_i('0),
      .first_i('0),
      .first_valid_i(1'b0),
      .second_i(data_index),
      .second_valid_i(data_ends),
      .second_ready_o(unused_release_room),
      .out_o(released),
      .out_valid_o(released_valid),
      .out_ready_i(released_taken),
      .busy_o(releases_busy)
  );

  beat_t  beat_q;
  bytes_t expected_q;
  seq_t   next_q;
  logic compare_q, wrong_q, wrong;
  always_comb begin
    wrong = wrong_q;
    for (int unsigned n = 0; n < DataBytes; n++) begin
      if ((~beat_q.last | (n < 32'(beat_q.bytes))) & (beat_q.data[8*n+:8] != expected_q[n])) begin
        wrong = 1'b1;
      end
    end
  end
  wire seq_t start = first ? data_meta.start : next_q;
  always_ff @(posedge clk_i) begin
    if (taken) next_q <= start + seq_t'(DataBytes);
    beat_q <= in_i;
    expected_q <= pattern(start);
    compare_q <= data_valid;
    if (compare_q) wrong_q <= wrong & ~beat_q.last;
    event_o[EventTold] <= session_event.taken;
    event_o[EventRead] <= read_valid_o & read_ready_i;
    event_o[EventWritten] <= out_o.last & out_valid_o & out_ready_i;
    event_o[EventRequest] <= request_valid_o & request_ready_i;
    event_o[EventRight] <= compare_q & beat_q.last & ~wrong;
    event_o[EventWrong] <= compare_q & beat_q.last & wrong;
    if (rst_i) begin
      compare_q <= 1'b0;
      wrong_q   <= 1'b0;
      event_o   <= '0;
    end
  end

  // ---- Reading: serve one session at a time ----

  typedef enum logic [3:0] {
    Listen,
    Next,
    Choose,  // look up the state of the session
    Count,  // bytes that can be read
    Decide,
    Read,
    AwaitRead,
    Again,
    Close,
    Free
  } step_e;
  step_e step, step_q;
  index_t queued;
  logic queued_valid, queued_take, queue_busy, again_taken;
  // An event after the lookup puts the session into the queue again.
  session_report_t report_q;
  reading_t at_reading_q;
  seq_t available_q;
  logic [14:0] read_count_q;
  logic more_q;
  wire more = available_q > 32'(ReadBytes);
  wire reads = ~Bypass & (available_q != '0);
  wire wants_read = ~Bypass & ~report_q.awaits_read & ~report_q.closed;

  tcp_transmit_queue #(
      .NumSessions(NumSessions)
  ) u_queue (
      .clk_i,
      .rst_i,
      .first_next_i(event_index),
      .first_i(queue_index_q),
      .first_valid_i(queue_event_q),
      .second_i(at_q),
      .second_valid_i(step_q == Again),
      .second_ready_o(again_taken),
      .out_o(queued),
      .out_valid_o(queued_valid),
      .out_ready_i(queued_take),
      .busy_o(queue_busy)
  );

  logic request_room, read_room, write_room, write_asks, writes_here;
  seq_t write_end_q;  // a cycle old: writes_here holds for longer after a write
  // The last requests of a session are sent after the data written to it.
  wire  asks = (step_q inside {Listen, AwaitRead}) | ((step_q inside {Close, Free}) & ~writes_here);
  wire  done = asks & request_room & ~released_valid & ~write_asks;
  always_comb begin
    step = step_q;
    unique case (step_q)
      Listen: if (done) step = Next;
      Choose: step = Count;
      Count: step = Decide;
      Decide: begin
        step = Next;
        if (report_q.live) begin
          if (report_q.over) step = Free;
          else if (reads) step = Read;
          else if (wants_read) step = AwaitRead;
          else if (report_q.closed & ~at_reading_q.closed) step = Close;
        end
      end
      Read: if (read_room) step = more_q ? Again : wants_read ? AwaitRead : Next;
      AwaitRead, Close, Free: if (done) step = Next;
      Again: if (again_taken) step = Next;
      default: ;
    endcase
    queued_take = (step == Next) & (step_q != Listen) & ~rst_i;
    if (queued_take & queued_valid) step = Choose;
  end

  // ---- Writing: the same ----

  typedef enum logic [2:0] {
    WriteNext,
    WriteCount,
    WriteDecide,
    Write,
    AwaitWrite,
    WriteAgain
  } write_step_e;
  write_step_e write_step, write_step_q;
  logic write_queued_valid, write_queued_take, write_queue_busy, write_again_taken;
  session_report_t write_report_q;
  writing_t at_writing_q;
  seq_t space_q;
  // By the peer's port: single bytes, and whether anything is written.
  wire [14:0] write_count = write_report_q.tuple.peer_port[1] ? 15'd1 : 15'(WriteBytes);
  wire writes = write_report_q.live & write_report_q.tuple.peer_port[0] & ~write_report_q.closed &
      ~write_report_q.over;
  // Of the message being written: sequence number of the next beat, and the remaining bytes.
  seq_t position_q;
  logic [14:0] left_q;
  wire write_ends = left_q <= 15'(DataBytes);

  tcp_transmit_queue #(
      .NumSessions(NumSessions)
  ) u_write_queue (
      .clk_i,
      .rst_i,
      .first_next_i(event_index),
      .first_i(queue_index_q),
      .first_valid_i(queue_event_q),
      .second_i(write_at_q),
      .second_valid_i(write_step_q == WriteAgain),
      .second_ready_o(write_again_taken),
      .out_o(write_queued),
      .out_valid_o(write_queued_valid),
      .out_ready_i(write_queued_take),
      .busy_o(write_queue_busy)
  );

  assign writes_here = (write_step_q != WriteNext) & (write_at_q == at_q);
  assign write_asks  = write_step_q == AwaitWrite;
  wire write_done = request_room & ~released_valid;
  always_comb begin
    write_step = write_step_q;
    unique case (write_step_q)
      WriteCount: write_step = WriteDecide;
      WriteDecide: begin
        write_step = WriteNext;
        if (writes) begin
          if (space_q >= 32'(WriteBytes)) write_step = Write;
          else if (~write_report_q.awaits_write) write_step = AwaitWrite;
        end
      end
      Write: if (write_room & write_ends) write_step = WriteAgain;
      AwaitWrite: if (write_done) write_step = WriteNext;
      WriteAgain: if (write_again_taken) write_step = WriteNext;
      default: ;
    endcase
    write_queued_take = (write_step == WriteNext) & ~rst_i;
    if (write_queued_take & write_queued_valid) write_step = WriteCount;
  end

  assign awaits_read = (step_q == AwaitRead) & done;
  assign awaits_write = (write_step_q == AwaitWrite) & write_done;
  assign frees = (step_q == Free) & done;

  always_ff @(posedge clk_i) begin
    step_q <= step;
    write_step_q <= write_step;
    if (queued_take & queued_valid) at_q <= queued;
    // The state includes the last write, since WriteAgain takes a cycle.
    if (write_queued_take & write_queued_valid) begin
      write_at_q <= write_queued;
      write_report_q <= write_report;
      at_writing_q <= writing_q[write_queued];
    end
    if (step_q == Choose) begin
      report_q <= report;
      at_reading_q <= reading_q[at_q];
    end
    available_q <= report_q.read_end - at_reading_q.read - 32'(report_q.closed);
    more_q <= more;
    read_count_q <= more ? 15'(ReadBytes) : available_q[14:0];
    space_q <= write_report_q.write_end - at_writing_q.write;
    write_end_q <= writing_q[at_q].write;
    if (write_step_q == WriteDecide) begin
      position_q <= at_writing_q.write;
      left_q <= write_count;
    end else if (write_step_q == Write && write_room) begin
      position_q <= position_q + 32'(DataBytes);
      left_q <= left_q - 15'(DataBytes);
    end
    if (step_q == Read && read_room) begin
      at_reading_q.read <= at_reading_q.read + 32'(read_count_q);
      reading_q[at_q].read <= at_reading_q.read + 32'(read_count_q);
    end
    if (write_step_q == Write && write_room && write_ends) begin
      writing_q[write_at_q].write <= at_writing_q.write + 32'(write_count);
    end
    if (step_q == AwaitRead && done) begin
      reading_q[at_q].toggle <= ~at_reading_q.toggle;
    end
    if (write_step_q == AwaitWrite && write_done) begin
      writing_q[write_at_q].toggle <= ~at_writing_q.toggle;
    end
    if (step_q == Close && done) reading_q[at_q].closed <= 1'b1;
    if (session_event.opens) begin
      reading_q[event_index] <= '{read: session_event.meta.read_end, default: '0};
      writing_q[event_index] <= '{write: session_event.meta.write_end, default: '0};
    end
    if (rst_i) begin
      step_q <= Listen;
      write_step_q <= WriteNext;
    end
  end

  // ---- Output ----

  tcp_request_meta_t request;
  tcp_read_meta_t read;
  always_comb begin
    request = '{request: RequestNone, session: session_t'(at_q), default: '0};
    unique case (step_q)
      Listen: begin
        request.request  = RequestListen;
        request.argument = 32'(TcpPort);
      end
      AwaitRead: begin
        request.request  = RequestReadable;
        request.argument = at_reading_q.read + 32'd1;
        request.toggle   = ~at_reading_q.toggle;
      end
      Close, Free: begin
        request.request  = step_q == Close ? RequestClose : RequestFree;
        request.argument = write_end_q;
      end
      default: ;
    endcase
    if (write_asks) begin
      request = '{
          request: RequestWritable,
          session: session_t'(write_at_q),
          argument: at_writing_q.write + 32'(WriteBytes),
          toggle: ~at_writing_q.toggle,
          default: '0
      };
    end
    if (released_valid) begin
      request = '{
          request: RequestRelease,
          session: session_t'(released),
          argument: taken_to[released],
          default: '0
      };
    end
    read = '{
        port: 16'(TcpPort),
        session: session_t'(at_q),
        start: at_reading_q.read,
        length: read_count_q[13:0]
    };
  end
  wire send_request = asks | write_asks | released_valid;
  assign released_taken = request_room;

  beat_t  data;
  bytes_t data_bytes;
  always_comb begin
    data_bytes = pattern(position_q);
    for (int unsigned n = 0; n < DataBytes; n++) if (n >= 32'(left_q)) data_bytes[n] = '0;
    data = '0;
    data.kind = $bits(data.kind)'(KindTcpData);
    data.meta = $bits(data.meta)'(
        tcp_data_meta_t'{session: session_t'(write_at_q), start: at_writing_q.write, default: '0});
    data.length = write_count[13:0];
    data.last = write_ends;
    data.bytes = write_ends ? $bits(data.bytes)'(left_q) : $bits(data.bytes)'(DataBytes);
    data.data = data_bytes;
  end

  stream_register #(
      .data_t(beat_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(data),
      .in_valid_i(write_step_q == Write),
      .in_ready_o(write_room),
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
      .read_valid_i(step_q == Read),
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

  assign busy_o = queue_event_q | queue_busy | (step_q != Next) | write_queue_busy |
      (write_step_q != WriteNext) | compare_q | releases_busy | out_valid_o | read_valid_o |
      request_valid_o;

endmodule
