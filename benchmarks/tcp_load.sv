// SPDX-License-Identifier: Apache-2.0
// TCP application that accepts all bytes, compares them with a pattern, and sends the same pattern
// endlessly to peers with odd ports: a load to measure the TCP engine with. It writes single bytes
// to those whose port has bit 1 set. It reads and writes at the same time.
//
// The byte at position s of a stream is s[7:0] ^ s[15:8] ^ s[23:16]. Sessions take turns. Reads are
// sent before the bytes of earlier ones have arrived, so that the buffer never waits. Everything
// that arrives is accepted. With Bypass, bytes arrive without reads.
//
// Throughput: one beat per cycle each way; a read every five cycles, a write every four.
`include "bombus_types.svh"

module tcp_load
  import bombus_pkg::*;
  import tcp_pkg::*;
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

  if (NumSessions < 2 || NumSessions > MaxSessions || NumSessions != 2 ** IndexWidth) begin : gen_bad
    $error("tcp_load: NumSessions must be a power of two, 2 to 16384");
  end

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
    seq_t place;
    for (int unsigned n = 0; n < DataBytes; n++) begin
      place = start + seq_t'(n);
      pattern[n] = place[7:0] ^ place[15:8] ^ place[23:16];
    end
  endfunction

  // ---- Input: events, and bytes to be compared and released ----

  typedef struct packed {
    logic live;
    logic writes;
    logic single;  // bytes one by one
    logic closed;  // by the peer: no data follows read_end
    logic over;
    logic asked_read;  // a notification is requested and still outstanding
    logic asked_write;
    seq_t read_end;
    seq_t write_end;
  } told_t;
  typedef struct packed {
    seq_t read;    // next byte to be read
    logic wish;
    logic closed;  // the end of our stream has been announced
  } reading_t;
  typedef struct packed {
    seq_t write;  // next byte to be written
    logic wish;
  } writing_t;
  told_t told_q[NumSessions];
  reading_t reading_q[NumSessions];
  writing_t writing_q[NumSessions];

  tcp_event_meta_t event_meta;
  tcp_data_meta_t data_meta;
  assign event_meta = tcp_event_meta_t'(in_i.meta);
  assign data_meta  = tcp_data_meta_t'(in_i.meta);
  logic first_q;
  wire is_event = first_q & (32'(in_i.kind) == KindTcpEvent);
  wire taken = in_valid_i & in_ready_o;
  wire told = taken & is_event;
  wire index_t event_index = event_meta.session[IndexWidth-1:0];
  assign in_ready_o = 1'b1;

  // The queues learn of an event a cycle later, since they want its session a cycle ahead.
  index_t queue_index_q;
  logic   queue_event_q;
  always_ff @(posedge clk_i) begin
    queue_index_q <= event_index;
    queue_event_q <= told & ~rst_i;
  end

  // Position up to which each session has been read; sessions with unreported progress take turns.
  seq_t taken_to[NumSessions];
  index_t data_index_q, released;
  seq_t data_end_q;
  wire index_t data_index = first_q ? data_meta.session[IndexWidth-1:0] : data_index_q;
  wire seq_t data_end = first_q ? data_meta.start + seq_t'(in_i.length) : data_end_q;
  wire data_ends = taken & ~is_event & in_i.last;
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
  wire seq_t start = first_q ? data_meta.start : next_q;
  always_ff @(posedge clk_i) begin
    if (taken) first_q <= in_i.last;
    if (taken) next_q <= start + seq_t'(DataBytes);
    beat_q <= in_i;
    expected_q <= pattern(start);
    compare_q <= taken & ~is_event;
    if (compare_q) wrong_q <= wrong & ~beat_q.last;
    event_o[EventTold] <= told;
    event_o[EventRead] <= read_valid_o & read_ready_i;
    event_o[EventWritten] <= out_o.last & out_valid_o & out_ready_i;
    event_o[EventRequest] <= request_valid_o & request_ready_i;
    event_o[EventRight] <= compare_q & beat_q.last & ~wrong;
    event_o[EventWrong] <= compare_q & beat_q.last & wrong;
    if (rst_i) begin
      first_q   <= 1'b1;
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
    Count,  // what can be read
    Decide,
    Read,
    WishRead,
    Again,
    Close,
    Free
  } step_e;
  step_e step, step_q;
  index_t at_q, queued;
  logic queued_valid, queued_take, queue_busy, again_taken;
  // An event that comes after the lookup puts the session into the queue again.
  told_t at_told_q;
  reading_t at_own_q;
  seq_t there_q;
  logic [14:0] read_count_q;
  logic more_q;
  wire more = there_q > 32'(ReadBytes);
  wire reads = ~Bypass & (there_q != '0);
  wire wants_read = ~Bypass & ~at_told_q.asked_read & ~at_told_q.closed;

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
  seq_t end_place_q;  // a cycle old: writes_here holds for longer after a write
  // The last requests of a session are sent after the data written to it.
  wire  asks = (step_q inside {Listen, WishRead}) | ((step_q inside {Close, Free}) & ~writes_here);
  wire  done = asks & request_room & ~released_valid & ~write_asks;
  always_comb begin
    step = step_q;
    unique case (step_q)
      Listen: if (done) step = Next;
      Choose: step = Count;
      Count: step = Decide;
      Decide: begin
        step = Next;
        if (at_told_q.live) begin
          if (at_told_q.over) step = Free;
          else if (reads) step = Read;
          else if (wants_read) step = WishRead;
          else if (at_told_q.closed & ~at_own_q.closed) step = Close;
        end
      end
      Read: if (read_room) step = more_q ? Again : wants_read ? WishRead : Next;
      WishRead, Close, Free: if (done) step = Next;
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
    WishWrite,
    WriteAgain
  } write_step_e;
  write_step_e write_step, write_step_q;
  index_t write_at_q, write_queued;
  logic write_queued_valid, write_queued_take, write_queue_busy, write_again_taken;
  told_t write_told_q;
  writing_t write_own_q;
  seq_t space_q;
  wire [14:0] write_count = write_told_q.single ? 15'd1 : 15'(WriteBytes);
  wire writes = write_told_q.live & write_told_q.writes & ~write_told_q.closed & ~write_told_q.over;
  // Of the message being written: position of the next beat, and bytes from there on.
  seq_t place_q;
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
  assign write_asks  = write_step_q == WishWrite;
  wire write_done = request_room & ~released_valid;
  always_comb begin
    write_step = write_step_q;
    unique case (write_step_q)
      WriteCount: write_step = WriteDecide;
      WriteDecide: begin
        write_step = WriteNext;
        if (writes) begin
          if (space_q >= 32'(WriteBytes)) write_step = Write;
          else if (~write_told_q.asked_write) write_step = WishWrite;
        end
      end
      Write: if (write_room & write_ends) write_step = WriteAgain;
      WishWrite: if (write_done) write_step = WriteNext;
      WriteAgain: if (write_again_taken) write_step = WriteNext;
      default: ;
    endcase
    write_queued_take = (write_step == WriteNext) & ~rst_i;
    if (write_queued_take & write_queued_valid) write_step = WriteCount;
  end

  always_ff @(posedge clk_i) begin
    step_q <= step;
    write_step_q <= write_step;
    if (queued_take & queued_valid) at_q <= queued;
    // What was written last is known: WriteAgain comes between.
    if (write_queued_take & write_queued_valid) begin
      write_at_q   <= write_queued;
      write_told_q <= told_q[write_queued];
      write_own_q  <= writing_q[write_queued];
    end
    if (step_q == Choose) begin
      at_told_q <= told_q[at_q];
      at_own_q  <= reading_q[at_q];
    end
    there_q <= at_told_q.read_end - at_own_q.read - 32'(at_told_q.closed);
    more_q <= more;
    read_count_q <= more ? 15'(ReadBytes) : there_q[14:0];
    space_q <= write_told_q.write_end - write_own_q.write;
    end_place_q <= writing_q[at_q].write;
    if (write_step_q == WriteDecide) begin
      place_q <= write_own_q.write;
      left_q  <= write_count;
    end else if (write_step_q == Write && write_room) begin
      place_q <= place_q + 32'(DataBytes);
      left_q  <= left_q - 15'(DataBytes);
    end
    if (step_q == Read && read_room) begin
      at_own_q.read <= at_own_q.read + 32'(read_count_q);
      reading_q[at_q].read <= at_own_q.read + 32'(read_count_q);
    end
    if (write_step_q == Write && write_room && write_ends) begin
      writing_q[write_at_q].write <= write_own_q.write + 32'(write_count);
    end
    if (step_q == WishRead && done) begin
      reading_q[at_q].wish <= ~at_own_q.wish;
      told_q[at_q].asked_read <= 1'b1;
    end
    if (write_step_q == WishWrite && write_done) begin
      writing_q[write_at_q].wish <= ~write_own_q.wish;
      told_q[write_at_q].asked_write <= 1'b1;
    end
    if (step_q == Close && done) reading_q[at_q].closed <= 1'b1;
    if (step_q == Free && done) told_q[at_q].live <= 1'b0;
    if (told) begin
      told_q[event_index].read_end  <= event_meta.read_end;
      told_q[event_index].write_end <= event_meta.write_end;
      if (event_meta.changes.readable) told_q[event_index].asked_read <= 1'b0;
      if (event_meta.changes.writable) told_q[event_index].asked_write <= 1'b0;
      if (event_meta.changes.opened) begin
        told_q[event_index].live <= 1'b1;
        told_q[event_index].writes <= event_meta.tuple.peer_port[0];
        told_q[event_index].single <= event_meta.tuple.peer_port[1];
        told_q[event_index].asked_read <= 1'b0;
        told_q[event_index].asked_write <= 1'b0;
        told_q[event_index].closed <= 1'b0;
        told_q[event_index].over <= 1'b0;
        reading_q[event_index] <= '{read: event_meta.read_end, default: '0};
        writing_q[event_index] <= '{write: event_meta.write_end, default: '0};
      end
      if (event_meta.changes.peer_closed) told_q[event_index].closed <= 1'b1;
      if (event_meta.changes.closed) told_q[event_index].over <= 1'b1;
    end
    if (rst_i) begin
      step_q <= Listen;
      write_step_q <= WriteNext;
      for (int unsigned n = 0; n < NumSessions; n++) told_q[n].live <= 1'b0;
    end
  end

  // ---- Output ----

  tcp_request_meta_t request;
  tcp_read_meta_t read;
  always_comb begin
    request = '{request: RequestNone, session: session_t'(at_q), default: '0};
    unique case (step_q)
      Listen: begin
        request.request = RequestListen;
        request.place   = 32'(TcpPort);
      end
      WishRead: begin
        request.request = RequestReadable;
        request.place = at_own_q.read + 32'd1;
        request.wish = ~at_own_q.wish;
      end
      Close, Free: begin
        request.request = step_q == Close ? RequestClose : RequestFree;
        request.place   = end_place_q;
      end
      default: ;
    endcase
    if (write_asks) begin
      request = '{
          request: RequestWritable,
          session: session_t'(write_at_q),
          place: write_own_q.write + 32'(WriteBytes),
          wish: ~write_own_q.wish,
          default: '0
      };
    end
    if (released_valid) begin
      request = '{
          request: RequestRelease,
          session: session_t'(released),
          place: taken_to[released],
          default: '0
      };
    end
    read = '{
        port: 16'(TcpPort),
        session: session_t'(at_q),
        start: at_own_q.read,
        length: read_count_q[13:0]
    };
  end
  wire send_request = asks | write_asks | released_valid;
  assign released_taken = request_room;

  beat_t  data;
  bytes_t data_bytes;
  always_comb begin
    data_bytes = pattern(place_q);
    for (int unsigned n = 0; n < DataBytes; n++) if (n >= 32'(left_q)) data_bytes[n] = '0;
    data = '0;
    data.kind = $bits(data.kind)'(KindTcpData);
    data.meta = $bits(data.meta)
        '(tcp_data_meta_t'{session: session_t'(write_at_q), start: write_own_q.write, default: '0});
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
  message_register #(
      .beat_t(read_beat_t),
      .meta_t(tcp_read_meta_t),
      .Kind  (KindTcpRead)
  ) u_read (
      .clk_i,
      .rst_i,
      .meta_i(read),
      .valid_i(step_q == Read),
      .ready_o(read_room),
      .out_o(read_o),
      .out_valid_o(read_valid_o),
      .out_ready_i(read_ready_i)
  );
  message_register #(
      .beat_t(request_beat_t),
      .meta_t(tcp_request_meta_t),
      .Kind  (KindTcpRequest)
  ) u_request (
      .clk_i,
      .rst_i,
      .meta_i(request),
      .valid_i(send_request),
      .ready_o(request_room),
      .out_o(request_o),
      .out_valid_o(request_valid_o),
      .out_ready_i(request_ready_i)
  );

  assign busy_o = queue_event_q | queue_busy | (step_q != Next) | write_queue_busy |
      (write_step_q != WriteNext) | compare_q | releases_busy | out_valid_o | read_valid_o |
      request_valid_o;

endmodule
