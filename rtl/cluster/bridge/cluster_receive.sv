// SPDX-License-Identifier: Apache-2.0
// Receives the messages of one channel of the network between boards, and sends them by a next hop.
//
// The counterpart of cluster_send, in the same row of layers. Messages of several boards are put
// together apart from each other (bridge_unpack). The design file names their kinds (`sends`) and
// the input that they are for (`next: {received: ...}`).
//
// Latency: 4 cycles from the chain, and the header. Throughput: one beat per cycle.
`include "cluster_types.svh"

module cluster_receive
  import cluster_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 512,
    parameter int unsigned LinkWidth = 128,
    parameter channel_t Channel = '0,
    parameter int unsigned NumBoards = 2,  // of the cluster
    parameter bit Managed = 1'b1,  // the parameters of cluster_endpoint
    parameter int unsigned MaxWords = 240,
    parameter int unsigned BufferSize = 8,
    parameter int unsigned FlowOffset = 1,
    parameter int unsigned FlowStride = 4,
    parameter int unsigned InitBudget = 2,
    parameter int unsigned GrantPeriod = 0,
    parameter logic [7:0] Target = '0,
    parameter int unsigned NumSources = 1,
    parameter logic [31:0][7:0] Sources = '0,  // the boards that send
    parameter int unsigned MaxBytes = bombus_pkg::MaxFrameBytes,  // of a message
    parameter int unsigned NumKinds = 1,
    parameter logic [NumKinds-1:0][31:0] Identities = '0,
    localparam int unsigned PacketBits = $bits(header_t) + 1 + LinkWidth
) (
    input logic clk_i,
    input logic rst_i,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    `CLUSTER_CHAIN_PORTS(PacketBits)

    output logic [9:0] drop_o,
    output logic [2:0] event_o,
    output logic busy_o
);

  localparam string Entry = "";
  localparam string Sends = "given";
  localparam string MayStayOpen = "chain";
  localparam string Status = "chain";
  typedef enum logic [0:0] {NextReceived} next_e;
  typedef enum logic [3:0] {
    DropUnknownKind,
    DropUnknownBoard,
    DropBadPacket,
    DropBroken,
    DropBadSource,
    DropBadDestination,
    DropTooLong,
    DropNoBudget,
    DropBadControl,
    DropUnknownChannel,
    NumDrops
  } drop_e;
  typedef enum logic [1:0] {
    EventGrant,
    EventReturn,
    EventOpen,
    NumEvents
  } event_e;

  if (NumSources < 1 || NumSources > 32) begin : gen_bad_sources
    $error("cluster_receive: NumSources must be 1 to 32");
  end

  `CLUSTER_BEAT_T(packet_t, LinkWidth)

  packet_t received;
  logic endpoint_holds;
  logic received_valid, received_ready, unused_ready, unpack_busy;
  bridge_endpoint #(
      .packet_t(packet_t),
      .LinkWidth(LinkWidth),
      .Channel(Channel),
      .NumBoards(NumBoards),
      .Managed(Managed),
      .MaxWords(MaxWords),
      .BufferSize(BufferSize),
      .FlowOffset(FlowOffset),
      .FlowStride(FlowStride),
      .InitBudget(InitBudget),
      .GrantPeriod(GrantPeriod)
  ) u_endpoint (
      .clk_i,
      .rst_i,
      `CLUSTER_CHAIN_CONNECTIONS,
      .send_i('0),
      .send_valid_i(1'b0),
      .send_ready_o(unused_ready),
      .receive_o(received),
      .receive_valid_o(received_valid),
      .receive_ready_i(received_ready),
      .drop_o(drop_o[DropUnknownChannel:DropBadSource]),
      .event_o,
      .holds_o(endpoint_holds)
  );

  bridge_unpack #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .packet_t(packet_t),
      .MaxWords(MaxWords),
      .MaxBytes(MaxBytes),
      .Target(Target[3:0]),
      .NumSources(NumSources),
      .Sources(Sources[NumSources-1:0]),
      .NumKinds(NumKinds),
      .Identities(Identities)
  ) u_unpack (
      .clk_i,
      .rst_i,
      .in_i(received),
      .in_valid_i(received_valid),
      .in_ready_o(received_ready),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .drop_o(drop_o[DropBroken:DropUnknownKind]),
      .busy_o(unpack_busy)
  );
  assign busy_o = unpack_busy | received_valid | endpoint_holds;

endmodule
