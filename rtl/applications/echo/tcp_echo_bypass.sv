// SPDX-License-Identifier: Apache-2.0
// TCP echo (RFC 862) for an engine with Bypass: received bytes go to the send buffer at once, and
// nothing is stored here.
//
// Bytes that have come are released when the peer has acknowledged their echo: the window of a
// session, WindowBytes (receive_bytes of the engine), is thus never more than there is space for in
// its send buffer, which must have as many bytes at least.
//
// Latency: 1 cycle. Throughput: one beat per cycle, no gap between messages.
module tcp_echo_bypass
  import bombus_pkg::*;
  import tcp_pkg::*;
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

  if (NumSessions < 2 || NumSessions > MaxSessions || NumSessions != 2 ** IndexWidth) begin : gen_bad
    $error("tcp_echo_bypass: NumSessions must be a power of two, 2 to 16384");
  end
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

  localparam seq_t Part = WindowBytes / 4;  // at most this much is released at once
  typedef logic [IndexWidth-1:0] index_t;

  // ---- State of each session; positions count the peer's bytes ----

  typedef struct packed {
    logic live;
    logic closed;  // by the peer
    logic over;
    logic asked;   // a notification is requested and still outstanding
    seq_t space;   // end of the send space minus WindowBytes, a position in our own stream
  } told_t;
  typedef struct packed {
    seq_t released;
    logic wish;
    logic closed;    // the end of our stream has been announced
  } own_t;
  told_t told_q[NumSessions];
  own_t own_q[NumSessions];
  seq_t offsets[NumSessions];  // from the peer's bytes to their echo
  seq_t ends[NumSessions];  // of the bytes received
  logic [NumSessions-1:0] queued_q;

  tcp_event_meta_t event_meta;
  tcp_data_meta_t data_meta;
  assign event_meta = tcp_event_meta_t'(in_i.meta);
  assign data_meta  = tcp_data_meta_t'(in_i.meta);
  logic first_q, room;
  wire is_event = first_q & (32'(in_i.kind) == KindTcpEvent);
  wire taken = in_valid_i & in_ready_o;
  wire told = taken & is_event;
  wire comes = taken & first_q & ~is_event;
  wire opens = told & event_meta.changes.opened;
  wire index_t event_index = event_meta.session[IndexWidth-1:0];
  wire index_t data_index = data_meta.session[IndexWidth-1:0];
  assign in_ready_o = is_event | room;

  // ---- Bytes ----

  beat_t copy;
  always_comb begin
    copy = in_i;
    copy.kind = $bits(copy.kind)'(KindTcpData);
    copy.meta = $bits(copy.meta)
        '(tcp_data_meta_t'{session: data_meta.session, start: data_meta.start + offsets[data_index],
                           default: '0});
  end
  stream_register #(
      .data_t(beat_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(copy),
      .in_valid_i(in_valid_i & ~is_event),
      .in_ready_o(room),
      .out_o,
      .out_valid_o,
      .out_ready_i
  );

  // ---- Serve one session at a time ----

  typedef enum logic [3:0] {
    Listen,
    Look,
    Weigh,
    Compare,
    Choose,
    Release,
    Wish,
    Close,
    Free
  } step_e;
  step_e  step_q;
  index_t at_q;
  told_t  known_q;
  own_t   own_at_q;
  seq_t offset_q, end_q, space_q;
  seq_t open_q, held_q;  // bytes to release: limited by space, by data received
  seq_t count_q;  // bytes to release, or to wait for
  wire releases = ~open_q[31] & (open_q != '0) & (held_q != '0);

  logic request_room;
  tcp_request_meta_t request;
  always_comb begin
    request = '{request: RequestNone, session: session_t'(at_q), default: '0};
    unique case (step_q)
      Listen: begin
        request.request = RequestListen;
        request.place   = 32'(TcpPort);
      end
      Release: begin
        request.request = RequestRelease;
        request.place   = own_at_q.released + count_q;
      end
      Wish: begin
        request.request = RequestWritable;
        request.place = space_q + count_q;
        request.wish = ~own_at_q.wish;
      end
      Close, Free: begin
        request.request = step_q == Close ? RequestClose : RequestFree;
        request.place   = end_q + offset_q;
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (taken) first_q <= in_i.last;
    if (opens) offsets[event_index] <= event_meta.write_end - event_meta.read_end;
    if (opens) ends[event_index] <= event_meta.read_end;
    else if (comes) ends[data_index] <= data_meta.start + 32'(in_i.length);
    if (comes) queued_q[data_index] <= 1'b1;
    if (told) begin
      queued_q[event_index] <= 1'b1;
      told_q[event_index].space <= event_meta.write_end - 32'(WindowBytes);
      if (event_meta.changes.writable) told_q[event_index].asked <= 1'b0;
      if (event_meta.changes.opened) begin
        told_q[event_index].live <= 1'b1;
        told_q[event_index].asked <= 1'b0;
        told_q[event_index].closed <= 1'b0;
        told_q[event_index].over <= 1'b0;
        own_q[event_index] <= '{released: event_meta.read_end, default: '0};
      end
      if (event_meta.changes.peer_closed) told_q[event_index].closed <= 1'b1;
      if (event_meta.changes.closed) told_q[event_index].over <= 1'b1;
    end
    unique case (step_q)
      Listen: if (request_room) step_q <= Look;
      Look: begin
        known_q <= told_q[at_q];
        own_at_q <= own_q[at_q];
        offset_q <= offsets[at_q];
        end_q <= ends[at_q];
        if (queued_q[at_q]) begin
          // Anything that arrives later queues the session again.
          if (~((told & (event_index == at_q)) | (comes & (data_index == at_q)))) begin
            queued_q[at_q] <= 1'b0;
          end
          step_q <= Weigh;
        end else begin
          at_q <= at_q + 1'b1;
        end
      end
      Weigh: begin
        open_q  <= known_q.space - offset_q;
        held_q  <= end_q - own_at_q.released;
        space_q <= own_at_q.released + offset_q;
        step_q  <= Compare;
      end
      Compare: begin
        open_q  <= open_q - own_at_q.released;
        space_q <= space_q + 32'(WindowBytes);
        count_q <= held_q < Part ? held_q : Part;
        step_q  <= Choose;
      end
      Choose: begin
        if (~known_q.live) step_q <= Look;
        else if (known_q.over) step_q <= Free;
        else if (releases) begin
          count_q <= open_q < held_q ? open_q : held_q;
          step_q  <= Release;
        end else if (known_q.closed & ~own_at_q.closed) step_q <= Close;
        else step_q <= (held_q != '0) & ~known_q.asked & ~known_q.closed ? Wish : Look;
      end
      Release: begin
        if (request_room) begin
          own_q[at_q].released <= request.place;
          own_at_q.released <= request.place;
          step_q <= Weigh;
        end
      end
      Wish: begin
        if (request_room) begin
          own_q[at_q].wish <= ~own_at_q.wish;
          told_q[at_q].asked <= 1'b1;
          step_q <= Look;
        end
      end
      Close: begin
        if (request_room) begin
          own_q[at_q].closed <= 1'b1;
          own_at_q.closed <= 1'b1;
          step_q <= Weigh;
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
    event_o[EventTold] <= told & ~rst_i;
    event_o[EventRequest] <= request_valid_o & request_ready_i & ~rst_i;
  end

  assign busy_o = (|queued_q) | (step_q != Look) | out_valid_o | request_valid_o;

endmodule
