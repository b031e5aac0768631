// SPDX-License-Identifier: Apache-2.0
// Node of the network between boards: the links to the neighbours, and the router. Endpoint users
// such as cluster_send follow it in its tile as a row, each joined to the one before (chain_*).
//
// Source: "A Transport-Layer Network for Distributed FPGA Platforms", figure 1. The links are
// cluster_link, the router is cluster_router: its table and the board's ID are registers. The ports
// link<N>_* are raised to the top; those from NumLinks on stay open. chain_*_offer and chain_*_take
// are valid and ready of packets as CLUSTER_BEAT_T; down leads to the endpoints.
//
// A packet passes in 1 cycle and the latency of two links.
`include "cluster_types.svh"

module cluster_node
  import cluster_pkg::*;
#(
    parameter type regs_t = logic,
    parameter type status_t = logic,
    parameter type route_t = logic [2:0],
    parameter int unsigned LinkWidth = 128,  // bits
    parameter int unsigned NumLinks = 2,
    parameter int unsigned NumBoards = 32,
    parameter int unsigned ClassBits = 1,
    parameter int unsigned Board = 0,  // the ID after reset
    parameter int unsigned BufferBeats = LinkWidth < 128 ? 400 : 200,  // of a link
    parameter int unsigned RetryBeats = 512,
    parameter bit Check = 1'b1,  // CRC and retry in the links
    localparam int unsigned NumEntries = 2 ** (ClassBits + $clog2(NumBoards)),
    localparam int unsigned PacketBits = $bits(header_t) + 1 + LinkWidth
) (
    input  logic    clk_i,
    input  logic    rst_i,
    input  regs_t   regs_i,
    output status_t status_o,

    input logic route_request_i,  // held until route_done_o
    input logic route_write_i,
    input logic [$clog2(NumEntries)-1:0] route_index_i,
    input route_t route_wdata_i,
    output route_t route_rdata_o,
    output logic route_done_o,

    output logic [LinkWidth-1:0] link0_tx_data_o,
    output logic link0_tx_valid_o,
    input logic link0_tx_ready_i,
    input logic [LinkWidth-1:0] link0_rx_data_i,
    input logic link0_rx_valid_i,
    input logic link0_up_i,
    output logic [LinkWidth-1:0] link1_tx_data_o,
    output logic link1_tx_valid_o,
    input logic link1_tx_ready_i,
    input logic [LinkWidth-1:0] link1_rx_data_i,
    input logic link1_rx_valid_i,
    input logic link1_up_i,
    output logic [LinkWidth-1:0] link2_tx_data_o,
    output logic link2_tx_valid_o,
    input logic link2_tx_ready_i,
    input logic [LinkWidth-1:0] link2_rx_data_i,
    input logic link2_rx_valid_i,
    input logic link2_up_i,
    output logic [LinkWidth-1:0] link3_tx_data_o,
    output logic link3_tx_valid_o,
    input logic link3_tx_ready_i,
    input logic [LinkWidth-1:0] link3_rx_data_i,
    input logic link3_rx_valid_i,
    input logic link3_up_i,

    output logic [PacketBits-1:0] chain_down_o,
    output logic chain_down_offer_o,
    input logic chain_down_take_i,
    input logic [PacketBits-1:0] chain_up_i,
    input logic chain_up_offer_i,
    output logic chain_up_take_o,
    input logic chain_there_i,  // a layer with an endpoint follows

    output logic [9:0] drop_o,
    output logic [29:0] event_o,
    output logic busy_o
);

  localparam string Entry = "";
  localparam string MayStayOpen = "chain link0 link1 link2 link3";
  localparam string Status = "chain link0 link1 link2 link3";
  localparam bit Replicable = 0;
  typedef enum logic [3:0] {
    DropNoRouteLink0,
    DropNoRouteLink1,
    DropNoRouteLink2,
    DropNoRouteLink3,
    DropNoRouteLocal,
    DropClosedLink0,   // came by link 0, and had to leave by a link that is down
    DropClosedLink1,
    DropClosedLink2,
    DropClosedLink3,
    DropClosedLocal,
    NumDrops
  } drop_e;
  typedef enum logic [4:0] {
    EventLink0PacketOut,
    EventLink0PacketIn,
    EventLink0BeatIn,
    EventLink0CrcError,   // and bad words
    EventLink0Retry,
    EventLink0Lost,
    EventLink0Down,
    EventLink1PacketOut,
    EventLink1PacketIn,
    EventLink1BeatIn,
    EventLink1CrcError,
    EventLink1Retry,
    EventLink1Lost,
    EventLink1Down,
    EventLink2PacketOut,
    EventLink2PacketIn,
    EventLink2BeatIn,
    EventLink2CrcError,
    EventLink2Retry,
    EventLink2Lost,
    EventLink2Down,
    EventLink3PacketOut,
    EventLink3PacketIn,
    EventLink3BeatIn,
    EventLink3CrcError,
    EventLink3Retry,
    EventLink3Lost,
    EventLink3Down,
    EventLocalOut,
    EventLocalIn,
    NumEvents
  } event_e;

  if (NumLinks < 1 || NumLinks > MaxLinks) begin : gen_bad_links
    $error("cluster_node: NumLinks must be 1 to %0d", MaxLinks);
  end
  if (Board >= NumBoards) begin : gen_bad_board
    $error("cluster_node: Board must be less than NumBoards");
  end
  if (LinkWidth != 64 && LinkWidth != 128 && LinkWidth != 256 && LinkWidth != 512)
  begin : gen_bad_width
    $error("cluster_node: LinkWidth must be 64, 128, 256 or 512");
  end

  `CLUSTER_BEAT_T(packet_t, LinkWidth)

  logic [MaxLinks-1:0][LinkWidth-1:0] tx_data, rx_data;
  logic [MaxLinks-1:0] tx_valid, tx_ready, rx_valid, phy_up, up;
  assign {link3_tx_data_o, link2_tx_data_o, link1_tx_data_o, link0_tx_data_o} = tx_data;
  assign {link3_tx_valid_o, link2_tx_valid_o, link1_tx_valid_o, link0_tx_valid_o} = tx_valid;
  assign tx_ready = {link3_tx_ready_i, link2_tx_ready_i, link1_tx_ready_i, link0_tx_ready_i};
  assign rx_data = {link3_rx_data_i, link2_rx_data_i, link1_rx_data_i, link0_rx_data_i};
  assign rx_valid = {link3_rx_valid_i, link2_rx_valid_i, link1_rx_valid_i, link0_rx_valid_i};
  assign phy_up = {link3_up_i, link2_up_i, link1_up_i, link0_up_i};

  packet_t [NumLinks:0] arriving, leaving;
  logic [NumLinks:0]
      arriving_valid, arriving_ready, leaving_valid, leaving_ready, no_route, closed, left;
  logic [MaxLinks-1:0][cluster_link_pkg::NumEvents-1:0] events;
  cluster_link_pkg::link_state_t [MaxLinks-1:0] states;
  cluster_link_pkg::link_control_t [MaxLinks-1:0] controls;
  for (genvar n = 0; n < MaxLinks; n++) begin : gen_link
    if (n < NumLinks) begin : gen_there
      cluster_link #(
          .beat_t(packet_t),
          .DataWidth(LinkWidth),
          .BufferBeats(BufferBeats),
          .RetryBeats(RetryBeats),
          .Check(Check)
      ) u_link (
          .clk_i,
          .rst_i,
          .in_i(leaving[n]),
          .in_valid_i(leaving_valid[n]),
          .in_ready_o(leaving_ready[n]),
          .out_o(arriving[n]),
          .out_valid_o(arriving_valid[n]),
          .out_ready_i(arriving_ready[n]),
          .phy_tx_data_o(tx_data[n]),
          .phy_tx_valid_o(tx_valid[n]),
          .phy_tx_ready_i(tx_ready[n]),
          .phy_rx_data_i(rx_data[n]),
          .phy_rx_valid_i(rx_valid[n]),
          .phy_up_i(phy_up[n]),
          .control_i(controls[n]),
          .up_o(up[n]),
          .state_o(states[n]),
          .event_o(events[n])
      );
    end else begin : gen_open
      assign tx_data[n] = '0;
      assign tx_valid[n] = 1'b0;
      assign up[n] = 1'b0;
      assign states[n] = '0;
      assign events[n] = '0;
      wire unused = ^{tx_ready[n], rx_data[n], rx_valid[n], phy_up[n], controls[n]};
    end
  end

  logic [NumLinks-1:0] gone;
  cluster_outage #(
      .NumLinks(NumLinks)
  ) u_outage (
      .clk_i,
      .rst_i,
      .hold_i(regs_i.hold.cycles),
      .up_i  (up[NumLinks-1:0]),
      .gone_o(gone)
  );

  `define CLUSTER_NODE_CONTROL(n_) \
    controls[n_] = '{ \
        disable_link: regs_i.disable_links.links[n_], \
        drain: regs_i.drain``n_``.run, \
        known: regs_i.drain``n_``.known, \
        expected: regs_i.drain``n_``.expected \
    };
  always_comb begin
    `CLUSTER_NODE_CONTROL(0)
    `CLUSTER_NODE_CONTROL(1)
    `CLUSTER_NODE_CONTROL(2)
    `CLUSTER_NODE_CONTROL(3)
  end
  `undef CLUSTER_NODE_CONTROL

  logic router_holds;
  logic [2:0] route_read;
  cluster_router #(
      .beat_t(packet_t),
      .NumLinks(NumLinks),
      .NumBoards(NumBoards),
      .ClassBits(ClassBits)
  ) u_router (
      .clk_i,
      .rst_i,
      .board_i(regs_i.board.id),
      .in_i(arriving),
      .in_valid_i(arriving_valid),
      .in_ready_o(arriving_ready),
      .out_o(leaving),
      .out_valid_o(leaving_valid),
      .out_ready_i(leaving_ready),
      .out_open_i({1'b1, up[NumLinks-1:0]}),
      .out_gone_i({1'b0, gone}),
      .route_request_i,
      .route_write_i,
      .route_index_i,
      .route_wdata_i(route_wdata_i.port),
      .route_rdata_o(route_read),
      .route_done_o,
      .no_route_o(no_route),
      .closed_o(closed),
      .packet_o(left),
      .holds_o(router_holds)
  );
  assign route_rdata_o = '{port: route_read};
  assign arriving[NumLinks] = packet_t'(chain_up_i);
  // A pause begins between packets.
  logic inside_q;
  wire  is_open = inside_q | ~regs_i.pause.endpoints;
  always_ff @(posedge clk_i) begin
    if (rst_i) inside_q <= 1'b0;
    else if (chain_up_offer_i & chain_up_take_o) inside_q <= ~arriving[NumLinks].last;
  end
  assign arriving_valid[NumLinks] = chain_up_offer_i & is_open;
  assign chain_up_take_o = arriving_ready[NumLinks] & is_open;
  // Without endpoints nothing may wait here.
  assign chain_down_o = leaving[NumLinks];
  assign chain_down_offer_o = leaving_valid[NumLinks];
  assign leaving_ready[NumLinks] = chain_down_take_i | ~chain_there_i;

  `define CLUSTER_NODE_STATE(n_) \
    status_o.link``n_``.up = states[n_].up; \
    status_o.link``n_``.in_step = states[n_].in_step; \
    status_o.link``n_``.session = states[n_].session; \
    status_o.link``n_``.credits = states[n_].credits; \
    status_o.received``n_``.drained = states[n_].drained; \
    status_o.received``n_``.known = states[n_].known; \
    status_o.received``n_``.expected = states[n_].expected;
  always_comb begin
    status_o = '0;
    status_o.links.up = up;
    `CLUSTER_NODE_STATE(0)
    `CLUSTER_NODE_STATE(1)
    `CLUSTER_NODE_STATE(2)
    `CLUSTER_NODE_STATE(3)
  end
  `undef CLUSTER_NODE_STATE
  always_comb begin
    drop_o = '0;
    for (int unsigned n = 0; n < NumLinks; n++) begin
      drop_o[n] = no_route[n];
      drop_o[int'(DropClosedLink0)+n] = closed[n];
    end
    drop_o[DropNoRouteLocal] = no_route[NumLinks];
    drop_o[DropClosedLocal]  = closed[NumLinks];
  end
  localparam int unsigned PerLink = int'(EventLink1PacketOut);
  always_comb begin
    event_o = '0;
    for (int unsigned n = 0; n < MaxLinks; n++) begin
      event_o[n*PerLink+:PerLink] = {
        events[n][cluster_link_pkg::EventDown],
        events[n][cluster_link_pkg::EventLost],
        events[n][cluster_link_pkg::EventRetry],
        // Without Check, two in the same cycle count once.
        events[n][cluster_link_pkg::EventCrcError] | events[n][cluster_link_pkg::EventBadWord],
        events[n][cluster_link_pkg::EventBeatIn],
        events[n][cluster_link_pkg::EventPacketIn],
        events[n][cluster_link_pkg::EventPacketOut]
      };
    end
    event_o[EventLocalOut] = left[NumLinks];
    event_o[EventLocalIn]  = chain_up_offer_i & chain_up_take_o & arriving[NumLinks].last;
  end
  assign busy_o = router_holds | (|arriving_valid);
  wire unused_events = ^events;

endmodule
