// SPDX-License-Identifier: Apache-2.0
// TCP echo whose side of a connection its peer ends: for tests of the states that a server of a
// peer that closes first never sees.
//
// A message of data that begins with "#end" is echoed and closes the own side after it; later
// bytes are read and discarded. "#cls" closes both sides. "#rst" is echoed and resets the
// connection. One of "#o", address and port (lowest byte first) is echoed and opens a connection to
// there, which is echoed on, too; "#del" closes it before it is open. "#set" and a digit sets the
// user timeout to as many times 2**20 us. Commands fit into the first beat, whatever its width.
module tcp_puppet
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

    output logic [4:0] event_o,
    output logic busy_o
);

  localparam string Entry = "tcp_puppet";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  localparam string Takes = "tcp_event tcp_data";
  localparam string Sends = "tcp_data";
  localparam string ReadSends = "tcp_read";
  localparam string RequestSends = "tcp_request";
  localparam bit InWaitsForRead = 1'b0;
  localparam bit InWaitsForRequest = 1'b0;
  localparam bit Replicable = 1'b0;
  typedef enum logic [0:0] {NextTcpSendBufferData} next_e;
  typedef enum logic [0:0] {ReadNextTcpReceiveBufferRead} read_next_e;
  typedef enum logic [0:0] {RequestNextTcpRequest} request_next_e;
  typedef enum int unsigned {
    EventTold,
    EventRead,
    EventRequest,
    EventIgnored,
    EventCommand,
    NumEvents
  } event_e;

  typedef logic [IndexWidth-1:0] index_t;
  localparam logic [31:0] WordEnd = "dne#";  // first byte lowest
  localparam logic [31:0] WordReset = "tsr#";
  localparam logic [31:0] WordClose = "slc#";
  localparam logic [31:0] WordDelete = "led#";
  localparam logic [31:0] WordSet = "tes#";
  localparam logic [15:0] WordOpen = "o#";

  beat_t echoed;
  logic echoed_valid, echoed_ready;
  request_beat_t asked;
  logic asked_valid, asked_ready;
  logic echo_busy;
  tcp_echo #(
      .beat_t(beat_t),
      .read_beat_t(read_beat_t),
      .request_beat_t(request_beat_t),
      .NumSessions(NumSessions),
      .TcpPort(TcpPort),
      .ChunkBytes(ChunkBytes),
      .KindTcpData(KindTcpData),
      .KindTcpEvent(KindTcpEvent),
      .KindTcpRead(KindTcpRead),
      .KindTcpRequest(KindTcpRequest)
  ) u_echo (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .out_o(echoed),
      .out_valid_o(echoed_valid),
      .out_ready_i(echoed_ready),
      .read_o,
      .read_valid_o,
      .read_ready_i,
      .request_o(asked),
      .request_valid_o(asked_valid),
      .request_ready_i(asked_ready),
      .event_o(event_o[EventRequest:EventTold]),
      .busy_o(echo_busy)
  );

  // ---- End of each session, if set by a command ----

  typedef struct packed {
    logic has;
    seq_t position;
  } end_t;
  end_t ends_q[NumSessions];

  // A new session has none.
  tcp_event_meta_t event_meta;
  assign event_meta = tcp_event_meta_t'(in_i.meta);
  logic in_first_q;
  wire opens = in_valid_i & in_ready_o & in_first_q & (32'(in_i.kind) == KindTcpEvent) &
      event_meta.changes.opened;

  // ---- Echo, and the command at its start ----

  tcp_data_meta_t meta;
  assign meta = tcp_data_meta_t'(echoed.meta);
  logic first_q, ignoring_q, command_q, released_q;
  session_t connecting_q;  // the requested connection
  tcp_request_meta_t command_meta_q;
  wire index_t index = meta.session[IndexWidth-1:0];
  wire ignores = first_q ? ends_q[index].has : ignoring_q;
  wire [31:0] word = echoed.data[31:0];
  wire opens_own = (word[15:0] == WordOpen) & (echoed.length == 14'd8);
  wire commands = first_q & ~ignores & (echoed.length >= 14'd4) &
      ((word inside {WordEnd, WordReset, WordClose, WordDelete, WordSet}) | opens_own);
  // After the last beat of the message; its bytes must be released before both sides are closed.
  wire commanding = command_q & first_q & (released_q | command_meta_q.request != RequestCloseBoth);
  wire passed = echoed_valid & echoed_ready;

  assign out_o = echoed;
  assign out_valid_o = echoed_valid & ~ignores & ~commanding;
  assign echoed_ready = (ignores | out_ready_i) & ~commanding;

  // ---- Requests: those of the command, then those of the echo, which is not aware of them ----

  tcp_request_meta_t asked_meta, request_meta;
  assign asked_meta = tcp_request_meta_t'(asked.meta);
  wire index_t asked_index = asked_meta.session[IndexWidth-1:0];
  wire ended = ends_q[asked_index].has & (asked_meta.request inside {RequestClose, RequestFree});
  always_comb begin
    request_meta = asked_meta;
    if (ended) request_meta.argument = ends_q[asked_index].position;
    if (commanding) request_meta = command_meta_q;
    request_o = '0;
    request_o.last = 1'b1;
    request_o.kind = $bits(request_o.kind)'(KindTcpRequest);
    request_o.meta = $bits(request_o.meta)'(request_meta);
  end
  assign request_valid_o = commanding | asked_valid;
  assign asked_ready = request_ready_i & ~commanding;

  request_e request;
  seq_t argument;
  session_t session;
  always_comb begin
    request  = RequestAbort;
    session  = meta.session;
    argument = meta.start + 32'(echoed.length);
    if (opens_own) begin
      request  = RequestConnect;
      argument = echoed.data[47:16];
    end else if (word == WordEnd) request = RequestClose;
    else if (word == WordClose) request = RequestCloseBoth;
    else if (word == WordDelete) begin
      request = RequestClose;
      session = connecting_q;
    end else if (word == WordSet) begin
      request  = RequestSet;
      argument = {8'b0, echoed.data[35:32], 20'b0};
    end
  end
  wire ends = word inside {WordEnd, WordClose};

  always_ff @(posedge clk_i) begin
    if (in_valid_i & in_ready_o) in_first_q <= in_i.last;
    if (in_valid_i & in_ready_o & in_first_q & (32'(in_i.kind) == KindTcpEvent) &
        event_meta.changes.connecting) begin
      connecting_q <= event_meta.session;
    end
    if (passed & commands) released_q <= 1'b0;
    else if (asked_valid & asked_ready & (asked_meta.request == RequestRelease)) released_q <= 1'b1;
    if (passed) begin
      first_q <= echoed.last;
      ignoring_q <= ignores;
    end
    if (passed & commands) begin
      command_meta_q <= '{
          request: request,
          session: session,
          argument: argument,
          peer_port: echoed.data[63:48],
          port: 16'(TcpPort),
          default: '0
      };
      if (ends) ends_q[index] <= '{has: 1'b1, position: meta.start + 32'(echoed.length)};
    end
    if (opens) ends_q[event_meta.session[IndexWidth-1:0]].has <= 1'b0;
    if (rst_i) begin
      in_first_q <= 1'b1;
      first_q <= 1'b1;
      command_q <= 1'b0;
      for (int unsigned n = 0; n < NumSessions; n++) ends_q[n].has <= 1'b0;
    end else if (passed & commands) begin
      command_q <= 1'b1;
    end else if (commanding & request_ready_i) begin
      command_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    event_o[EventIgnored] <= passed & echoed.last & ignores & ~rst_i;
    event_o[EventCommand] <= commanding & request_ready_i & ~rst_i;
  end
  assign busy_o = echo_busy | command_q;

endmodule
