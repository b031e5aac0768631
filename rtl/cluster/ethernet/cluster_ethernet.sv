// SPDX-License-Identifier: Apache-2.0
// Ethernet carrier: the links of cluster_node, which stands in the same tile, share a MAC port.
//
// Frames (cluster_ethernet_pkg) may be lost, reordered, repeated and changed on their way; all of
// this looks like lost beats and wrong bits to cluster_link, which delivers each packet once and in
// order. A frame should not be later than about 10,000 cycles (cluster_ethernet_receive).
//
// The MAC port has no other traffic. Its beats are packed into the raised ports wire_*: {error,
// last, keep, data}, as tuser, tlast, tkeep and tdata of a MAC port. error is 0 to the MAC. A frame
// to the MAC has no bubbles; the receiver takes a beat in each cycle.
//
// Latency: WaitCycles + 8 cycles, and the time of a frame.
module cluster_ethernet
  import cluster_pkg::MaxLinks;
  import cluster_ethernet_pkg::*;
#(
    parameter type regs_t = logic,
    parameter int unsigned LinkWidth = 64,  // bits
    parameter int unsigned NumLinks = 1,
    parameter logic [15:0] EtherType = 16'h88B5,  // IEEE 802: local experiments
    parameter logic [31:0] Prefix = 32'h02b0_0bcc,  // of MAC addresses: then link and board
    parameter int unsigned FrameBytes = 1514,  // the longest frame, without FCS
    parameter int unsigned WaitCycles = 8,  // for more beats, before a frame
    parameter int unsigned SilentCycles = 4096,
    localparam int unsigned DataBytes = LinkWidth / 8,
    localparam int unsigned WireBits = LinkWidth + DataBytes + 2
) (
    input logic  clk_i,
    input logic  rst_i,
    input regs_t regs_i,

    input logic [LinkWidth-1:0] link0_tx_data_i,
    input logic link0_tx_valid_i,
    output logic link0_tx_ready_o,
    output logic [LinkWidth-1:0] link0_rx_data_o,
    output logic link0_rx_valid_o,
    output logic link0_up_o,
    input logic [LinkWidth-1:0] link1_tx_data_i,
    input logic link1_tx_valid_i,
    output logic link1_tx_ready_o,
    output logic [LinkWidth-1:0] link1_rx_data_o,
    output logic link1_rx_valid_o,
    output logic link1_up_o,
    input logic [LinkWidth-1:0] link2_tx_data_i,
    input logic link2_tx_valid_i,
    output logic link2_tx_ready_o,
    output logic [LinkWidth-1:0] link2_rx_data_o,
    output logic link2_rx_valid_o,
    output logic link2_up_o,
    input logic [LinkWidth-1:0] link3_tx_data_i,
    input logic link3_tx_valid_i,
    output logic link3_tx_ready_o,
    output logic [LinkWidth-1:0] link3_rx_data_o,
    output logic link3_rx_valid_o,
    output logic link3_up_o,

    output logic [WireBits-1:0] wire_tx_data_o,
    output logic wire_tx_valid_o,
    input logic wire_tx_ready_i,
    input logic [WireBits-1:0] wire_rx_data_i,
    input logic wire_rx_valid_i,
    input logic wire_up_i,

    output logic [3:0] drop_o,
    output logic [2:0] event_o
);

  localparam string Entry = "";
  localparam string MayStayOpen = "link0 link1 link2 link3";
  localparam string Status = "link0 link1 link2 link3";
  localparam bit Replicable = 0;
  typedef enum int unsigned {
    DropForeign,
    DropMalformed,
    DropLate,
    DropCut,
    NumDrops
  } drop_e;
  typedef enum logic [1:0] {
    EventFrameOut,
    EventFrameIn,
    EventGap,
    NumEvents
  } event_e;

  if (NumLinks < 1 || NumLinks > MaxLinks) begin : gen_bad_links
    $error("cluster_ethernet: NumLinks must be 1 to %0d", MaxLinks);
  end
  if (LinkWidth != 64 && LinkWidth != 128 && LinkWidth != 256 && LinkWidth != 512)
  begin : gen_bad_width
    $error("cluster_ethernet: LinkWidth must be 64, 128, 256 or 512");
  end

  typedef struct packed {
    logic                 error;
    logic                 last;
    logic [DataBytes-1:0] keep;
    logic [LinkWidth-1:0] data;
  } wire_t;

  logic [MaxLinks-1:0] enabled, valid;
  address_t [MaxLinks-1:0] here, there;
  end_t [MaxLinks-1:0] ends, peers;
  assign valid = {regs_i.peer3.valid, regs_i.peer2.valid, regs_i.peer1.valid, regs_i.peer0.valid};
  assign peers[0] = '{link: regs_i.peer0.port, board: regs_i.peer0.board};
  assign peers[1] = '{link: regs_i.peer1.port, board: regs_i.peer1.board};
  assign peers[2] = '{link: regs_i.peer2.port, board: regs_i.peer2.board};
  assign peers[3] = '{link: regs_i.peer3.port, board: regs_i.peer3.board};
  always_comb begin
    for (int unsigned n = 0; n < MaxLinks; n++) begin
      enabled[n] = n < NumLinks && wire_up_i && valid[n];
      ends[n] = '{link: 2'(n), board: regs_i.board.id};
      here[n] = address(Prefix, ends[n]);
      there[n] = address(Prefix, peers[n]);
    end
  end

  logic [MaxLinks-1:0][LinkWidth-1:0] tx_data;
  logic [MaxLinks-1:0] tx_valid, tx_ready, rx_valid;
  assign tx_data = {link3_tx_data_i, link2_tx_data_i, link1_tx_data_i, link0_tx_data_i};
  assign tx_valid = {link3_tx_valid_i, link2_tx_valid_i, link1_tx_valid_i, link0_tx_valid_i};
  assign {link3_tx_ready_o, link2_tx_ready_o, link1_tx_ready_o, link0_tx_ready_o} = tx_ready;
  assign {link3_rx_valid_o, link2_rx_valid_o, link1_rx_valid_o, link0_rx_valid_o} = rx_valid;
  assign {link3_up_o, link2_up_o, link1_up_o, link0_up_o} = enabled;
  logic [LinkWidth-1:0] rx_data;
  assign link0_rx_data_o = rx_data;
  assign link1_rx_data_o = rx_data;
  assign link2_rx_data_o = rx_data;
  assign link3_rx_data_o = rx_data;

  wire_t sent, received;
  logic foreign, malformed, late, cut;
  assign drop_o = {cut, late, malformed, foreign};  // as drop_e
  assign sent.error = 1'b0;
  assign wire_tx_data_o = sent;
  assign received = wire_t'(wire_rx_data_i);
  cluster_ethernet_transmit #(
      .DataWidth (LinkWidth),
      .NumLinks  (NumLinks),
      .FrameBytes(FrameBytes),
      .WaitCycles(WaitCycles),
      .EtherType (EtherType)
  ) u_transmit (
      .clk_i,
      .rst_i,
      .enabled_i(enabled),
      .source_i(here),
      .destination_i(there),
      .link_data_i(tx_data),
      .link_valid_i(tx_valid),
      .link_ready_o(tx_ready),
      .tx_data_o(sent.data),
      .tx_keep_o(sent.keep),
      .tx_last_o(sent.last),
      .tx_valid_o(wire_tx_valid_o),
      .tx_ready_i(wire_tx_ready_i),
      .frame_o(event_o[EventFrameOut])
  );

  cluster_ethernet_receive #(
      .DataWidth(LinkWidth),
      .NumLinks(NumLinks),
      .SilentCycles(SilentCycles),
      .EtherType(EtherType)
  ) u_receive (
      .clk_i,
      .rst_i,
      .enabled_i(enabled),
      .local_i(here),
      .peer_i(there),
      .rx_data_i(received.data),
      .rx_last_i(received.last),
      .rx_error_i(received.error),
      .rx_valid_i(wire_rx_valid_i),
      .link_data_o(rx_data),
      .link_valid_o(rx_valid),
      .frame_o(event_o[EventFrameIn]),
      .gap_o(event_o[EventGap]),
      .foreign_o(foreign),
      .malformed_o(malformed),
      .late_o(late),
      .cut_o(cut)
  );

  wire unused = ^{received.keep, regs_i};

endmodule
