// SPDX-License-Identifier: Apache-2.0
// Ethernet receive: strips the header and selects the next hop by EtherType.
//
// Frames to the address of their MAC port are accepted; broadcasts only if they are ARP (RFC 1122,
// 3.3.6: an IP packet to a single host is not sent as a broadcast). Dropped and counted: frames
// without a whole header, for other hosts, from a group address, with an unknown EtherType (802.3
// lengths included), or with a tag within a tag. The outer VLAN tag is already in the metadata
// (mac_rx).
//
// Latency: 2 cycles (at 128 bits and more). Throughput: one beat per cycle. IEEE 802.3 clause 3,
// IEEE 802.1Q clause 9.
`include "bombus_assert.svh"

module eth_rx
  import bombus_pkg::*;
  import ethernet_pkg::*;
#(
    parameter type beat_t = logic,
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter int unsigned NumMacPorts = 1,
    // EtherTypes, filled in by Bombus, and the bound next hop of each
    parameter int unsigned NumBound = 1,
    parameter int unsigned NumBoundHops = 1,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0,
    localparam int unsigned NextWidth = NumBoundHops > 1 ? $clog2(NumBoundHops) : 1
) (
    input logic clk_i,
    input logic rst_i,
    input host_t [NumMacPorts-1:0] host_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                           out_o,
    output logic                            out_valid_o,
    input  logic                            out_ready_i,
    output logic            [NextWidth-1:0] out_next_o,
    output logic            [          5:0] drop_o,
    output message_number_t [          5:0] drop_message_o,
    output logic                            busy_o
);

  localparam string Entry = "eth_rx";
  localparam string Binds = "ether_type";
  typedef enum int unsigned {NextBound} next_e;
  typedef enum int unsigned {
    DropRunt,
    DropNotForUs,
    DropBroadcast,
    DropBadSource,
    DropUnknownType,
    DropNestedTag,
    NumDrops
  } drop_e;

  beat_t frame;
  logic frame_valid, frame_ready, frame_first;
  header_t header;
  strip #(
      .beat_t(beat_t),
      .HeaderBytes(HeaderBytes)
  ) u_header (
      .keep_i(1'b0),
      .out_o(frame),
      .out_valid_o(frame_valid),
      .out_ready_i(frame_ready),
      .out_first_o(frame_first),
      .header_o(header),
      .*
  );

  wire [15:0] ether_type = swap16(header.ether_type);
  logic known_type;
  logic [NextWidth-1:0] next;
  bound_hop #(
      .NumBound (NumBound),
      .HopWidth (NextWidth),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_bound (
      .key_i  (ether_type),
      .found_o(known_type),
      .hop_o  (next)
  );
  wire   is_arp = ether_type == EtherTypeArp;
  wire   is_vlan = ether_type == EtherTypeVlan;
  host_t host;
  by_mac_port #(
      .NumMacPorts(NumMacPorts)
  ) u_host (
      .all_i (host_i),
      .port_i(frame.meta.mac_port),
      .one_o (host)
  );
  wire for_us = swap48(header.dst) == host.mac;
  wire broadcast = &header.dst;

  logic [NumDrops-1:0] reasons;
  always_comb begin
    reasons = '0;
    // A tag that is still in the frame is truncated or follows another tag.
    if (frame.length < 14'(HeaderBytes) | (is_vlan & ~frame.meta.vlan.valid)) begin
      reasons[DropRunt] = 1'b1;
    end else if (header.src[0]) reasons[DropBadSource] = 1'b1;
    else if (~for_us & ~broadcast) reasons[DropNotForUs] = 1'b1;
    else if (is_vlan) reasons[DropNestedTag] = 1'b1;
    else if (~known_type) reasons[DropUnknownType] = 1'b1;
    else if (broadcast & ~is_arp) reasons[DropBroadcast] = 1'b1;
  end

  beat_t sent;
  always_comb begin
    sent = frame;
    sent.length = frame.length - 14'(HeaderBytes);
  end

  drop_output #(
      .beat_t(beat_t),
      .NumDrops(NumDrops),
      .NextWidth(NextWidth),
      .CutsReady(CutsReady)
  ) u_out (
      .in_i(sent),
      .in_valid_i(frame_valid),
      .in_ready_o(frame_ready),
      .in_first_i(frame_first),
      .in_next_i(next),
      .in_drop_i(reasons),
      .*
  );

  assign busy_o = frame_valid | out_valid_o;

  `BOMBUS_ASSERT(DropsForOneReason, $onehot0(reasons))

endmodule
