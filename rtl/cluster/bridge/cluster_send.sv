// SPDX-License-Identifier: Apache-2.0
// Sends the messages of one next hop to another board, by a channel of the network between boards.
//
// It stands in a row of layers: cluster_node, then those with an endpoint. The chain_* ports lead
// up to the node and down to the next layer of the row. Messages of any kind are cut into packets
// (cluster_bridge_pkg); cluster_receive of the other board puts them together.
//
// With several boards that do the same work, one of them gets each message (bridge_destination).
//
// Latency: 2 cycles to the chain. Throughput: one beat per cycle, and 3 words for each packet.
`include "cluster_types.svh"

module cluster_send
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
    parameter logic [7:0] Target = '0,  // number of the input on the other board
    parameter int unsigned NumDestinations = 1,
    parameter logic [31:0][7:0] Destinations = '0,  // boards
    parameter bit ByFlow = 1'b0,
    parameter int unsigned NumKinds = 1,
    parameter logic [NumKinds-1:0][31:0] Identities = '0,
    localparam int unsigned PacketBits = $bits(header_t) + 1 + LinkWidth
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    `CLUSTER_CHAIN_PORTS(PacketBits)

    output logic [6:0] drop_o,
    output logic [2:0] event_o,
    output logic busy_o
);

  localparam string Entry = "any";
  localparam string Takes = "any";
  localparam string MayStayOpen = "chain";
  localparam string Status = "chain";
  localparam int unsigned MaxBusyCycles = 0;  // as long as the other board needs
  typedef enum logic [2:0] {
    DropBadSource,
    DropBadDestination,
    DropTooLong,
    DropNoBudget,
    DropBadControl,
    DropUnknownChannel,
    DropUnexpected,
    NumDrops
  } drop_e;
  typedef enum logic [1:0] {
    EventGrant,
    EventReturn,
    EventOpen,
    NumEvents
  } event_e;

  `CLUSTER_BEAT_T(packet_t, LinkWidth)

  board_t board;
  logic   first;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(in_valid_i & in_ready_o),
      .last_i (in_i.last),
      .first_o(first)
  );
  bridge_destination #(
      .beat_t(beat_t),
      .NumBoards(NumDestinations),
      .Boards(Destinations),
      .ByFlow(ByFlow)
  ) u_destination (
      .clk_i,
      .rst_i,
      .in_i,
      .begins_i(in_valid_i & in_ready_o & first),
      .board_o (board)
  );

  packet_t packet, packed_packet;
  logic packed_valid, packed_ready, pack_busy;
  bridge_pack #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .packet_t(packet_t),
      .MaxWords(MaxWords),
      .Target(Target[3:0]),
      .NumKinds(NumKinds),
      .Identities(Identities)
  ) u_pack (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .board_i(board),
      .out_o(packet),
      .out_valid_o(packed_valid),
      .out_ready_i(packed_ready),
      .busy_o(pack_busy)
  );
  always_comb begin
    packed_packet = packet;
    packed_packet.header.channel = Channel;
  end

  packet_t received;
  logic endpoint_holds;
  logic received_valid, received_first;
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
      .send_i(packed_packet),
      .send_valid_i(packed_valid),
      .send_ready_o(packed_ready),
      .receive_o(received),
      .receive_valid_o(received_valid),
      .receive_ready_i(1'b1),
      .drop_o(drop_o[DropUnknownChannel:DropBadSource]),
      .event_o,
      .holds_o(endpoint_holds)
  );

  // A channel of its own takes nothing from other boards.
  first_beat u_received (
      .clk_i,
      .rst_i,
      .taken_i(received_valid),
      .last_i (received.last),
      .first_o(received_first)
  );
  always_ff @(posedge clk_i) drop_o[DropUnexpected] <= received_valid & received_first & ~rst_i;
  assign busy_o = in_valid_i | pack_busy | endpoint_holds;

endmodule
