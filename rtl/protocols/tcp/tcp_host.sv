// SPDX-License-Identifier: Apache-2.0
// TCP application outside the design: forwards messages for its port to an AXI-Stream that the
// design file raises to the top, and sends the messages that it receives from another. In
// simulation these streams lead to the program that drives the simulator (`bombus.sockets` in
// Python), on a board to the DMA of a host.
//
// docs/protocols/tcp/tcp.md defines the messages. tuser holds, with the first beat and from bit 0
// on, the kind of the message (8 bits: its index in HostOutSends or HostInTakes), its length (16
// bits) and the metadata of the kind. With TcpPort 0 the layer takes messages for ports that no
// other application has. Messages of unknown kinds are counted and discarded.
//
// Latency: 1 cycle. Throughput: one beat per cycle each way.
module tcp_host
  import bombus_pkg::*;
  import tcp_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type read_beat_t = beat_t,
    parameter type request_beat_t = beat_t,
    parameter int unsigned DataWidth = 512,  // filled in by Bombus
    parameter int unsigned TcpPort = 0,
    parameter int unsigned KindTcpData = 1,  // filled in by Bombus
    parameter int unsigned KindTcpEvent = 2,  // filled in by Bombus
    parameter int unsigned KindTcpRead = 3,  // filled in by Bombus
    parameter int unsigned KindTcpRequest = 4,  // filled in by Bombus
    localparam int unsigned KeepWidth = DataWidth / 8,
    localparam int unsigned EventWidth = $bits(tcp_event_meta_t),
    localparam int unsigned DataMetaWidth = $bits(tcp_data_meta_t),
    localparam int unsigned ReadWidth = $bits(tcp_read_meta_t),
    localparam int unsigned RequestWidth = $bits(tcp_request_meta_t),
    localparam int unsigned OutWidth = EventWidth > DataMetaWidth ? EventWidth : DataMetaWidth,
    localparam int unsigned FromHostWidth = ReadWidth > RequestWidth ? ReadWidth : RequestWidth,
    localparam int unsigned InWidth = FromHostWidth > DataMetaWidth ? FromHostWidth : DataMetaWidth
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

    output logic [DataWidth-1:0] host_out_tdata_o,
    output logic [KeepWidth-1:0] host_out_tkeep_o,
    output logic host_out_tvalid_o,
    input logic host_out_tready_i,
    output logic host_out_tlast_o,
    output logic [OutWidth+23:0] host_out_tuser_o,
    input logic [DataWidth-1:0] host_in_tdata_i,
    input logic [KeepWidth-1:0] host_in_tkeep_i,
    input logic host_in_tvalid_i,
    output logic host_in_tready_o,
    input logic host_in_tlast_i,
    input logic [InWidth+23:0] host_in_tuser_i,

    output logic [4:0] event_o,
    output logic       busy_o
);

  localparam string Entry = "tcp_host";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  localparam string Takes = "tcp_event tcp_data";
  localparam string Sends = "tcp_data";
  localparam string ReadSends = "tcp_read";
  localparam string RequestSends = "tcp_request";
  localparam string Agrees = "0=tcp.bypass";
  localparam string HostOutSends = "tcp_event tcp_data";
  localparam string HostInTakes = "tcp_data tcp_read tcp_request";
  localparam bit InWaitsForOut = 1'b0;
  localparam bit InWaitsForRead = 1'b0;
  localparam bit InWaitsForRequest = 1'b0;
  localparam bit Replicable = 1'b0;
  typedef enum logic [0:0] {NextTcpSendBufferData} next_e;
  typedef enum logic [0:0] {ReadNextTcpReceiveBufferRead} read_next_e;
  typedef enum logic [0:0] {RequestNextTcpRequest} request_next_e;
  typedef enum int unsigned {
    EventTaken,
    EventData,
    EventRead,
    EventRequest,
    EventUnknownKind,
    NumEvents
  } event_e;

  if (TcpPort > 65535) begin : gen_bad_port
    $error("tcp_host: TcpPort must be 0 to 65535");
  end

  // ---- To the host ----

  typedef struct packed {
    logic [OutWidth-1:0] meta;
    logic [15:0] length;
    logic [7:0] kind;
  } out_user_t;
  out_user_t out_user;
  assign out_user = '{
          meta: OutWidth'(in_i.meta),
          length: 16'(in_i.length),
          kind: 32'(in_i.kind) == KindTcpEvent ? 8'd0 : 8'd1
      };
  to_axi_stream #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .UserWidth($bits(out_user_t))
  ) u_to_host (
      .user_i  (out_user),
      .tdata_o (host_out_tdata_o),
      .tkeep_o (host_out_tkeep_o),
      .tvalid_o(host_out_tvalid_o),
      .tready_i(host_out_tready_i),
      .tlast_o (host_out_tlast_o),
      .tuser_o (host_out_tuser_o),
      .*
  );

  // ---- From the host ----

  typedef struct packed {
    logic [InWidth-1:0] meta;
    logic [15:0] length;
    logic [7:0] kind;
  } in_user_t;
  in_user_t in_user;
  assign in_user = host_in_tuser_i;

  logic first;
  logic [7:0] kind_q;
  wire tcp_request_meta_t host_request = in_user.meta[RequestWidth-1:0];
  wire is_for_applications = host_request.request inside {
      RequestRelease, RequestReadable, RequestWritable, RequestClose, RequestAbort, RequestFree,
      RequestListen, RequestUnlisten, RequestSet, RequestConnect, RequestCloseBoth};
  wire [7:0] first_kind = in_user.kind == 8'd2 & ~is_for_applications ? 8'd3 : in_user.kind;
  wire [7:0] kind = first ? first_kind : kind_q;
  logic data_ready, read_ready, request_ready;
  always_comb begin
    unique case (kind)
      8'd0: host_in_tready_o = data_ready;
      8'd1: host_in_tready_o = read_ready;
      8'd2: host_in_tready_o = request_ready;
      default: host_in_tready_o = 1'b1;
    endcase
  end
  wire taken = host_in_tvalid_i & host_in_tready_o;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (host_in_tlast_i),
      .first_o(first)
  );
  always_ff @(posedge clk_i) begin
    if (taken) kind_q <= kind;
  end

  from_axi_stream #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .MetaWidth(DataMetaWidth),
      .Kind(KindTcpData)
  ) u_from_host (
      .tdata_i (host_in_tdata_i),
      .tkeep_i (host_in_tkeep_i),
      .tvalid_i(host_in_tvalid_i & (kind == 8'd0)),
      .tready_o(data_ready),
      .tlast_i (host_in_tlast_i),
      .meta_i  (in_user.meta[DataMetaWidth-1:0]),
      .length_i(in_user.length[13:0]),
      .*
  );
  // Messages without data need only their first beat.
  tcp_application_output #(
      .read_beat_t(read_beat_t),
      .request_beat_t(request_beat_t),
      .KindTcpRead(KindTcpRead),
      .KindTcpRequest(KindTcpRequest)
  ) u_output (
      .read_meta_i(in_user.meta[ReadWidth-1:0]),
      .read_valid_i(host_in_tvalid_i & first & (kind == 8'd1)),
      .read_ready_o(read_ready),
      .request_meta_i(host_request),
      .request_valid_i(host_in_tvalid_i & first & (kind == 8'd2)),
      .request_ready_o(request_ready),
      .*
  );

  always_ff @(posedge clk_i) begin
    event_o[EventTaken] <= in_valid_i & in_ready_o & in_i.last & ~rst_i;
    event_o[EventData] <= out_valid_o & out_ready_i & out_o.last & ~rst_i;
    event_o[EventRead] <= read_valid_o & read_ready_i & ~rst_i;
    event_o[EventRequest] <= request_valid_o & request_ready_i & ~rst_i;
    event_o[EventUnknownKind] <= taken & first & (kind > 8'd2) & ~rst_i;
  end

  assign busy_o = ~first | host_out_tvalid_o | out_valid_o | read_valid_o | request_valid_o;

endmodule
