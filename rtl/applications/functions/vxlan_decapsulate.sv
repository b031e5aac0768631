// SPDX-License-Identifier: Apache-2.0
// End of VXLAN tunnels (RFC 7348): passes inner frames to another eth_rx, as frames that have
// arrived on MAC port InnerPort. This port has no MAC; its addresses are those of the inner
// network.
//
// It stands before udp_rx. Datagrams to other ports than Port pass unchanged. The sum of an inner
// frame is that of the datagram less the headers, so the inner layers verify checksums as usual.
// Padding after an inner IPv4 packet is cut off, as mac_rx does; it must be zero (RFC 894).
//
// Dropped and counted: datagrams of bad length, those without a whole inner Ethernet header, bad
// checksums (zero: none), headers without VNI, reserved bits (as in Linux, since extensions of
// VXLAN use them; RFC 7348 ignores them), other VNIs, inner VLAN tags (RFC 7348, 6.1), and outer
// packets marked "congestion experienced", since the mark is not passed on.
//
// Latency: 3 cycles at 512 bits; narrower data adds the beats of 34 bytes. Throughput: one beat per
// cycle.
module vxlan_decapsulate
  import bombus_pkg::*;
  import vxlan_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type regs_t = logic,  // from vxlan_decapsulate.rdl
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter int unsigned NumMacPorts = 2,
    parameter int unsigned InnerPort = 1,  // of the inner frames
    parameter int unsigned Vni = 1,  // after reset
    parameter logic [15:0] Port = DefaultPort  // UDP port of the tunnels
) (
    input logic clk_i,
    input logic rst_i,
    input host_t [NumMacPorts-1:0] host_i,
    input regs_t regs_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic            [0:0] out_next_o,
    output logic            [7:0] drop_o,
    output message_number_t [7:0] drop_message_o,
    output logic            [0:0] event_o,
    output logic                  busy_o
);

  localparam string Entry = "";  // takes the messages of the layer named by `before`
  localparam bit StandsBefore = 1'b1;
  localparam string Precedes = "udp_rx";
  localparam string Needs = {
    "inner_port=vxlan_encapsulate.inner_port vni=vxlan_encapsulate.vni ",
    "port=vxlan_encapsulate.port"
  };
  localparam bit PortWithoutMac = 1'b1;
  localparam bit Forwards = 1'b1;
  typedef enum logic [0:0] {
    NextServed,
    NextEthRx
  } next_e;
  typedef enum int unsigned {
    DropBadLength,
    DropTruncated,
    DropBadChecksum,
    DropNoVni,
    DropReserved,
    DropUnknownVni,
    DropTagged,
    DropCongested,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventDecapsulated,
    NumEvents
  } event_e;

  if (InnerPort >= NumMacPorts) begin : gen_bad_port
    $error("vxlan_decapsulate: InnerPort must be a MAC port of the design");
  end
  if (Port == '0) begin : gen_bad_udp_port
    $error("vxlan_decapsulate: Port must not be 0");
  end
  if (Vni >= 2 ** 24) begin : gen_bad_vni
    $error("vxlan_decapsulate: Vni must be below 2^24");
  end

  localparam int unsigned DataBytes = $bits(in_i.data) / 8;
  localparam int unsigned CountWidth = $bits(in_i.bytes);
  localparam logic [1:0] CongestionExperienced = 2'b11;  // RFC 3168, 5

  // ---- The headers of a datagram ----

  // UDP, VXLAN, inner Ethernet, and the inner IPv4 header up to its length.
  typedef struct packed {
    logic [15:0] total_length;
    logic [15:0] ip_start;
    ethernet_pkg::header_t ethernet;
    header_t vxlan;
    udp_pkg::header_t udp;
  } view_t;
  localparam int unsigned ViewBytes = $bits(view_t) / 8;
  localparam int unsigned SummedBytes = HeaderBytes + ethernet_pkg::HeaderBytes;

  typedef struct packed {
    logic is_inner;  // of a tunnel
    logic [NumDrops-1:0] reasons;
    length_t length;  // of the inner frame without padding
    ones_pkg::saved_t sum;  // of the inner frame from byte 14 on
  } result_t;

  beat_t head, queued;
  view_t view;
  result_t result_d, result;
  logic queued_valid, queued_ready, queued_first, queue_busy, unused_here;
  view_queue #(
      .beat_t(beat_t),
      .result_t(result_t),
      .ViewBytes(ViewBytes)
  ) u_view (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .head_o(head),
      .view_o(view),
      .view_here_o(unused_here),
      .result_i(result_d),
      .out_o(queued),
      .result_o(result),
      .out_valid_o(queued_valid),
      .out_ready_i(queued_ready),
      .out_first_o(queued_first),
      .busy_o(queue_busy)
  );

  // The constant part of the pseudo-header.
  ones_pkg::word_t sum_host;
  host_sum #(
      .NumMacPorts(NumMacPorts),
      .Constant(16'(ProtocolUdp))
  ) u_sum_host (
      .clk_i,
      .host_i,
      .port_i(head.meta.mac_port),
      .sum_o (sum_host)
  );
  wire length_t length = head.length;
  wire is_sum_right = ones_pkg::is_ones(
      ones_pkg::save({sum_host, head.meta.csum, head.meta.ip, {2'b0, length}, 16'b0})
  );

  // The sum of the datagram less the words before byte 14 of the inner frame.
  localparam int unsigned NumWords = SummedBytes / 2;
  ones_pkg::word_t [17:0] terms;
  ones_pkg::word_t [ 8:0] halved;
  always_comb begin
    terms = '0;
    terms[NumWords] = head.meta.csum;
    for (int unsigned w = 0; w < NumWords; w++) terms[w] = ~swap16(16'(view >> (16 * w)));
    for (int unsigned g = 0; g < 3; g++) halved[3*g+:3] = ones_pkg::save(terms[6*g+:6]);
  end
  assign result_d.sum = ones_pkg::save({ones_pkg::save(halved[5:0]), halved[8:6]});

  wire length_t frame_length = length - length_t'(HeaderBytes);
  wire [15:0] total_length = swap16(view.total_length);
  wire length_t packet_length = length_t'(total_length) + length_t'(ethernet_pkg::HeaderBytes);
  wire [15:0] ether_type = swap16(view.ethernet.ether_type);
  wire is_padded = ether_type == EtherTypeIpv4 & total_length >= 16'(ipv4_pkg::HeaderBytes) &
      total_length < 16'(MaxFrameBytes) & packet_length < frame_length;
  assign result_d.length = is_padded ? packet_length : frame_length;
  assign result_d.is_inner = at_least(
      length, length_t'(udp_pkg::HeaderBytes)
  ) & swap16(
      view.udp.dst_port
  ) == Port;
  always_comb begin
    result_d.reasons = '0;
    if (swap16(view.udp.length) != {2'b0, length}) result_d.reasons[DropBadLength] = 1'b1;
    else if (~at_least(length, length_t'(SummedBytes))) result_d.reasons[DropTruncated] = 1'b1;
    else if (view.udp.csum != '0 & ~is_sum_right) result_d.reasons[DropBadChecksum] = 1'b1;
    else if ((view.vxlan.flags & FlagVni) == '0) result_d.reasons[DropNoVni] = 1'b1;
    else if (view.vxlan.flags != FlagVni | view.vxlan.reserved_before != '0 |
             view.vxlan.reserved_after != '0) begin
      result_d.reasons[DropReserved] = 1'b1;
    end else if (swap24(view.vxlan.vni) != regs_i.network.vni) begin
      result_d.reasons[DropUnknownVni] = 1'b1;
    end else if (ether_type == EtherTypeVlan) result_d.reasons[DropTagged] = 1'b1;
    else if (head.meta.tos[1:0] == CongestionExperienced) result_d.reasons[DropCongested] = 1'b1;
    if (~result_d.is_inner) result_d.reasons = '0;
  end

  // ---- The inner frame ----

  beat_t body;
  logic body_valid, body_ready, body_first;
  logic [HeaderBytes*8-1:0] unused_header;
  strip #(
      .beat_t(beat_t),
      .HeaderBytes(HeaderBytes)
  ) u_strip (
      .clk_i,
      .rst_i,
      .in_i(queued),
      .in_valid_i(queued_valid),
      .in_ready_o(queued_ready),
      .keep_i(~result.is_inner),
      .out_o(body),
      .out_valid_o(body_valid),
      .out_ready_i(body_ready),
      .out_first_o(body_first),
      .header_o(unused_header)
  );
  // When u_strip accepts the first beat of a message, it has sent all of the previous one.
  result_t result_q;
  always_ff @(posedge clk_i) begin
    if (queued_valid & queued_ready & queued_first) result_q <= result;
  end

  // Beats after the inner packet are discarded.
  localparam int unsigned OffsetWidth = $clog2(DataBytes);
  localparam int unsigned IndexWidth = $bits(length_t) - OffsetWidth;
  logic [IndexWidth-1:0] index_q;  // of the beat in the inner frame
  wire [IndexWidth-1:0] index = body_first ? '0 : index_q;
  wire length_t last_byte = result_q.length - 1'b1;
  wire [IndexWidth-1:0] end_index = last_byte[$bits(length_t)-1:OffsetWidth];
  wire cuts = result_q.is_inner & index == end_index;
  wire discard = result_q.is_inner & index > end_index;
  wire [CountWidth-1:0] end_bytes = CountWidth'(last_byte[OffsetWidth-1:0]) + 1'b1;
  always_ff @(posedge clk_i) begin
    if (body_valid & body_ready) index_q <= index + 1'b1;
  end

  beat_t sent;
  packet_meta_t inner_meta;
  always_comb begin
    inner_meta = '0;
    inner_meta.mac_port = mac_port_t'(InnerPort);
    inner_meta.csum = ones_pkg::join_up(ones_pkg::split_saved(result_q.sum), 1'b0);
    sent = body;
    if (result_q.is_inner) begin
      sent.meta   = $bits(sent.meta)'(inner_meta);
      sent.length = result_q.length;
      if (cuts) begin
        sent.last  = 1'b1;
        sent.bytes = end_bytes;
        for (int unsigned b = 0; b < DataBytes; b++) begin
          if (CountWidth'(b) >= end_bytes) sent.data[8*b+:8] = '0;
        end
      end
    end
  end

  message_number_t message, unused_begun;
  logic unused_first;
  message_number u_message (
      .clk_i,
      .rst_i,
      .taken_i(body_valid & body_ready),
      .last_i (body.last),
      .first_o(unused_first),
      .here_o (message),
      .begun_o(unused_begun)
  );

  logic sent_ready;
  assign body_ready = sent_ready | discard;
  drop_register #(
      .beat_t(beat_t),
      .NumDrops(NumDrops),
      .CutsReady(CutsReady)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(sent),
      .in_valid_i(body_valid & ~discard),
      .in_ready_o(sent_ready),
      .in_first_i(body_first),
      .in_next_i(result_q.is_inner ? NextEthRx : NextServed),
      .in_drop_i(result_q.reasons),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  always_ff @(posedge clk_i) begin
    drop_message_o <= {NumDrops{message}};
    event_o[EventDecapsulated] <= body_valid & sent_ready & body_first & result_q.is_inner &
        ~|result_q.reasons & ~rst_i;
  end
  assign busy_o = queue_busy | body_valid | out_valid_o;

endmodule
