// SPDX-License-Identifier: Apache-2.0
// The place of a layer in the chain of endpoints: a stage of the chain and the endpoint of a
// channel.
//
// The upper ports of the chain (chain_down_i, chain_up_o) lead to the node, the lower ones to the
// next layer, if there is one (chain_there_i).
`include "cluster_types.svh"

module bridge_endpoint
  import cluster_pkg::*;
#(
    parameter type packet_t = logic,  // CLUSTER_BEAT_T
    parameter int unsigned LinkWidth = 128,
    parameter channel_t Channel = '0,
    parameter int unsigned NumBoards = 2,
    parameter bit Managed = 1'b1,
    parameter int unsigned MaxWords = 240,
    parameter int unsigned BufferSize = 8,
    parameter int unsigned FlowOffset = 1,
    parameter int unsigned FlowStride = 4,
    parameter int unsigned InitBudget = 2,
    parameter int unsigned GrantPeriod = 0,
    localparam int unsigned NumDrops = 32'(cluster_endpoint_pkg::NumDrops) + 1,
    localparam int unsigned NumEvents = 32'(cluster_endpoint_pkg::NumEvents)
) (
    input logic clk_i,
    input logic rst_i,

    `CLUSTER_CHAIN_PORTS($bits(packet_t))

    input  packet_t send_i,
    input  logic    send_valid_i,
    output logic    send_ready_o,

    output packet_t receive_o,
    output logic receive_valid_o,
    input logic receive_ready_i,

    output logic [NumDrops-1:0] drop_o,  // of the endpoint; the last one: an unknown channel
    output logic [NumEvents-1:0] event_o,
    output logic holds_o
);

  packet_t arrived, leaving;
  logic arrived_valid, arrived_ready, leaving_valid, leaving_ready, stage_holds, endpoint_holds;
  cluster_chain_stage #(
      .beat_t (packet_t),
      .Channel(Channel)
  ) u_stage (
      .clk_i,
      .rst_i,
      .last_i(~chain_there_i),
      .down_i(chain_down_i),
      .down_valid_i(chain_down_offer_i),
      .down_ready_o(chain_down_take_o),
      .down_o(chain_down_o),
      .down_valid_o(chain_down_offer_o),
      .down_ready_i(chain_down_take_i),
      .up_i(chain_up_i),
      .up_valid_i(chain_up_offer_i),
      .up_ready_o(chain_up_take_o),
      .up_o(chain_up_o),
      .up_valid_o(chain_up_offer_o),
      .up_ready_i(chain_up_take_i),
      .receive_o(arrived),
      .receive_valid_o(arrived_valid),
      .receive_ready_i(arrived_ready),
      .send_i(leaving),
      .send_valid_i(leaving_valid),
      .send_ready_o(leaving_ready),
      .drop_o(drop_o[NumDrops-1]),
      .holds_o(stage_holds)
  );
  cluster_endpoint #(
      .beat_t(packet_t),
      .DataWidth(LinkWidth),
      .Managed(Managed),
      .BufferSize(BufferSize),
      .FlowOffset(FlowOffset),
      .FlowStride(FlowStride),
      .InitBudget(InitBudget),
      .GrantPeriod(GrantPeriod),
      .NumBoards(NumBoards),
      .MaxWords(MaxWords)
  ) u_endpoint (
      .clk_i,
      .rst_i,
      .in_i(arrived),
      .in_valid_i(arrived_valid),
      .in_ready_o(arrived_ready),
      .out_o(leaving),
      .out_valid_o(leaving_valid),
      .out_ready_i(leaving_ready),
      .send_i,
      .send_valid_i,
      .send_ready_o,
      .receive_o,
      .receive_valid_o,
      .receive_ready_i,
      .drop_o(drop_o[NumDrops-2:0]),
      .event_o,
      .holds_o(endpoint_holds)
  );
  assign chain_there_o = 1'b1;
  assign holds_o = stage_holds | endpoint_holds;

endmodule
