// SPDX-License-Identifier: Apache-2.0
// TCP echo (RFC 862): returns received bytes, and closes when the peer does.
//
// One session at a time is served, in turn: what is there of it, up to ChunkBytes, is read
// from the receive buffer, and goes to the send buffer as it comes.
module tcp_echo
  import bombus_pkg::*;
  import tcp_pkg::*;
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

  if (NumSessions < 2 || NumSessions > MaxSessions || NumSessions != 2 ** IndexWidth) begin : gen_bad
    $error("tcp_echo: NumSessions must be a power of two, 2 to 16384");
  end
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

  // ---- State of each session ----

  typedef struct packed {
    logic live;
    logic closed;  // by the peer: no data follows read_end
    logic over;
    logic asked_read;  // a notification is requested and still outstanding
    logic asked_write;
    seq_t read_end;
    seq_t write_end;
  } told_t;
  typedef struct packed {
    seq_t read;        // next byte to be read
    seq_t write;       // its position in our own stream
    logic wish_read;
    logic wish_write;
    logic closed;      // the end of our stream has been announced
  } own_t;
  told_t told_q[NumSessions];
  own_t own_q[NumSessions];

  tcp_event_meta_t event_meta;
  assign event_meta = tcp_event_meta_t'(in_i.meta);
  logic first_q;
  wire is_event = first_q & (32'(in_i.kind) == KindTcpEvent);
  wire taken = in_valid_i & in_ready_o;
  wire index_t event_index = event_meta.session[IndexWidth-1:0];

  // ---- Serve one session at a time ----

  typedef enum logic [3:0] {
    Listen,
    Look,
    Weigh,  // bytes available, and space to send them
    Choose,
    Read,
    Copy,
    Release,
    WishRead,
    WishWrite,
    Close,
    Free
  } step_e;
  step_e step_q;
  index_t at_q;
  told_t known_q;
  own_t own_at_q;
  logic [NumSessions-1:0] queued_q;
  seq_t there_q, space_q, count;  // computed from known_q
  logic [13:0] count_q;

  // An event that arrives after this read queues the session again.
  always_ff @(posedge clk_i) begin
    there_q <= difference(known_q.read_end, own_at_q.read, known_q.closed);
    space_q <= known_q.write_end - own_at_q.write;
  end
  function automatic seq_t bounded(seq_t size);
    return size > 32'(ChunkBytes) ? 32'(ChunkBytes) : size;
  endfunction
  assign count = there_q < space_q ? bounded(there_q) : bounded(space_q);
  wire seq_t read_next = own_at_q.read + 32'(count_q);
  wire seq_t write_next = own_at_q.write + 32'(count_q);

  logic copying, copy_ready;
  assign copying = (step_q == Copy) & in_valid_i & ~is_event;
  assign in_ready_o = is_event ? 1'b1 : (step_q == Copy) & copy_ready;

  logic send_request, send_read, request_room, read_room;
  tcp_request_meta_t request;
  tcp_read_meta_t read;
  always_comb begin
    request = '{request: RequestNone, session: session_t'(at_q), default: '0};
    unique case (step_q)
      Listen: begin
        request.request = RequestListen;
        request.place   = 32'(TcpPort);
      end
      Release: begin
        request.request = RequestRelease;
        request.place   = own_at_q.read;
      end
      WishRead: begin
        request.request = RequestReadable;
        request.place = own_at_q.read + 32'd1;
        request.wish = ~own_at_q.wish_read;
      end
      WishWrite: begin
        request.request = RequestWritable;
        request.place = own_at_q.write + 32'd1;
        request.wish = ~own_at_q.wish_write;
      end
      Close, Free: begin
        request.request = step_q == Close ? RequestClose : RequestFree;
        request.place   = own_at_q.write;
      end
      default: ;
    endcase
    send_request = request.request != RequestNone;
    read = '{
        port: 16'(TcpPort),
        session: session_t'(at_q),
        start: own_at_q.read,
        length: count_q
    };
    send_read = step_q == Read;
  end

  always_ff @(posedge clk_i) begin
    if (taken) first_q <= in_i.last;
    if (taken & is_event) begin
      queued_q[event_index] <= 1'b1;
      told_q[event_index].read_end <= event_meta.read_end;
      told_q[event_index].write_end <= event_meta.write_end;
      if (event_meta.changes.readable) told_q[event_index].asked_read <= 1'b0;
      if (event_meta.changes.writable) told_q[event_index].asked_write <= 1'b0;
      if (event_meta.changes.opened) begin
        told_q[event_index].live <= 1'b1;
        told_q[event_index].asked_read <= 1'b0;
        told_q[event_index].asked_write <= 1'b0;
        told_q[event_index].closed <= 1'b0;
        told_q[event_index].over <= 1'b0;
        own_q[event_index] <= '{
            read: event_meta.read_end,
            write: event_meta.write_end,
            default: '0
        };
      end
      if (event_meta.changes.peer_closed) told_q[event_index].closed <= 1'b1;
      if (event_meta.changes.closed) told_q[event_index].over <= 1'b1;
    end
    unique case (step_q)
      Listen: if (request_room) step_q <= Look;
      Look: begin
        known_q  <= told_q[at_q];
        own_at_q <= own_q[at_q];
        if (queued_q[at_q]) begin
          if (~(taken & is_event & (event_index == at_q))) queued_q[at_q] <= 1'b0;
          step_q <= Weigh;
        end else begin
          at_q <= at_q + 1'b1;
        end
      end
      Weigh: step_q <= Choose;
      Choose: begin
        count_q <= count[13:0];
        if (~known_q.live) step_q <= Look;
        else if (known_q.over) step_q <= Free;
        else if (there_q != '0 && space_q != '0) step_q <= Read;
        else if (there_q != '0) step_q <= known_q.asked_write ? Look : WishWrite;
        else if (known_q.closed) step_q <= own_at_q.closed ? Look : Close;
        else step_q <= known_q.asked_read ? Look : WishRead;
      end
      Read: if (read_room) step_q <= Copy;
      Copy: begin
        if (copying & copy_ready & in_i.last) begin
          own_q[at_q].read <= read_next;
          own_q[at_q].write <= write_next;
          own_at_q.read <= read_next;
          own_at_q.write <= write_next;
          step_q <= Release;
        end
      end
      Release: if (request_room) step_q <= Weigh;
      WishRead: begin
        if (request_room) begin
          own_q[at_q].wish_read <= ~own_at_q.wish_read;
          told_q[at_q].asked_read <= 1'b1;
          step_q <= Look;
        end
      end
      WishWrite: begin
        if (request_room) begin
          own_q[at_q].wish_write <= ~own_at_q.wish_write;
          told_q[at_q].asked_write <= 1'b1;
          step_q <= Look;
        end
      end
      Close: begin
        if (request_room) begin
          own_q[at_q].closed <= 1'b1;
          step_q <= Look;
        end
      end
      default: begin  // Free
        if (request_room) begin
          told_q[at_q].live <= 1'b0;
          step_q <= Look;
        end
      end
    endcase
    if (rst_i) begin
      first_q <= 1'b1;
      queued_q <= '0;
      step_q <= Listen;
      at_q <= '0;
      for (int unsigned n = 0; n < NumSessions; n++) told_q[n].live <= 1'b0;
    end
  end

  // ---- Output ----

  beat_t copy;
  always_comb begin
    copy = in_i;
    copy.kind = $bits(copy.kind)'(KindTcpData);
    copy.meta = $bits(copy.meta)
        '(tcp_data_meta_t'{session: session_t'(at_q), start: own_at_q.write, default: '0});
  end

  stream_register #(
      .data_t(beat_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(copy),
      .in_valid_i(copying),
      .in_ready_o(copy_ready),
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
      .valid_i(send_read),
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

  always_ff @(posedge clk_i) begin
    event_o[EventTold] <= taken & is_event & ~rst_i;
    event_o[EventRead] <= read_valid_o & read_ready_i & ~rst_i;
    event_o[EventRequest] <= request_valid_o & request_ready_i & ~rst_i;
  end

  assign busy_o = (|queued_q) | (step_q != Look) | out_valid_o | read_valid_o | request_valid_o;

endmodule
