// SPDX-License-Identifier: Apache-2.0
// UDP transmit (RFC 768): prepends the header to a datagram.
//
// The checksum field is sent as zero; meta.csum holds the sum of the pseudo-header and csum_pos the
// field's position; the MAC egress buffer, which receives the whole frame anyway, fills in the
// field. A datagram may arrive as a routed_packet, and is forwarded as one: its source address is
// part of the pseudo-header.
//
// A datagram that the design originates gets its MAC port here (mac_route), since the port's
// address is in the sum.
//
// Latency: 2 cycles; 3 with several MAC ports or a routing table. Throughput: one beat per cycle.
module udp_tx
  import bombus_pkg::*;
  import udp_pkg::*;
#(
    parameter type beat_t = logic,
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter int unsigned NumMacPorts = 1,
    parameter int unsigned NumRoutes = 0,
    parameter int unsigned KindRoutedPacket = KindNone,  // filled in by Bombus
    localparam int unsigned Entries = NumRoutes > 0 ? NumRoutes : 1
) (
    input logic clk_i,
    input logic rst_i,
    input host_t [NumMacPorts-1:0] host_i,
    input route_t [Entries-1:0] route_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic out_valid_o,
    input logic out_ready_i,
    output logic [0:0] out_next_o,
    output logic busy_o
);

  localparam string Entry = "udp_tx";
  localparam string Takes = "packet routed_packet";
  localparam string Sends = "taken";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  typedef enum logic [0:0] {NextIpv4Tx} next_e;

  beat_t found;
  logic found_valid, found_ready, route_busy, unused_on_link;
  logic unused_via_table;
  logic [31:0] unused_gateway;
  mac_route #(
      .beat_t(beat_t),
      .NumMacPorts(NumMacPorts),
      .NumRoutes(NumRoutes)
  ) u_route (
      .out_o(found),
      .out_valid_o(found_valid),
      .out_ready_i(found_ready),
      .on_link_o(unused_on_link),
      .via_table_o(unused_via_table),
      .gateway_o(unused_gateway),
      .busy_o(route_busy),
      .*
  );

  packet_meta_t found_meta;
  assign found_meta = packet_meta_t'(found.meta);
  wire [15:0] length = {2'b0, found.length} + 16'(HeaderBytes);
  header_t header;
  assign header = '{
          src_port: swap16(found_meta.l4.ports.src_port),
          dst_port: swap16(found_meta.l4.ports.dst_port),
          length: swap16(length),
          csum: '0
      };

  beat_t framed, sent;
  logic sent_ready;
  logic framed_valid, framed_ready, unused_first;
  prepend #(
      .beat_t(beat_t),
      .HeaderBytes(HeaderBytes)
  ) u_prepend (
      .clk_i,
      .rst_i,
      .in_i(found),
      .in_valid_i(found_valid),
      .in_ready_o(found_ready),
      .header_i(header),
      .skip_i(1'b0),
      .out_o(framed),
      .out_valid_o(framed_valid),
      .out_ready_i(framed_ready),
      .out_first_o(unused_first)
  );

  // The sum of the pseudo-header takes two steps.
  typedef struct packed {
    beat_t beat;
    ones_pkg::split_t sum;
  } stage_t;
  stage_t stage_d, stage;
  logic stage_valid;
  packet_meta_t framed_meta, sent_meta;
  ones_pkg::word_t sum_host;
  assign framed_meta = packet_meta_t'(framed.meta);
  host_sum #(
      .NumMacPorts(NumMacPorts)
  ) u_sum_host (
      .clk_i,
      .host_i,
      .port_i(framed_meta.mac_port),
      .sum_o (sum_host)
  );

  // The source address if the sender sets it, otherwise zero.
  function automatic logic [31:0] source_of(beat_t beat);
    ipv4_pkg::routed_packet_meta_t routed;
    routed = ipv4_pkg::routed_packet_meta_t'(beat.meta);
    return 32'(beat.kind) == KindRoutedPacket ? routed.source : '0;
  endfunction
  wire [31:0] source = source_of(framed);
  wire [31:0] source_words = source == '0 ? {16'b0, sum_host} : source;
  // The header's own length and the protocol number are constants.
  localparam ones_pkg::word_t SumConstant = 16'(HeaderBytes + 32'(ProtocolUdp));

  packet_meta_t staged_meta;
  always_comb begin
    staged_meta = framed_meta;
    staged_meta.l4.ip_tx = '{
        protocol: ProtocolUdp,
        csum_pos: csum_pos_t'(CsumWord),
        reserved: '0
    };
    stage_d.beat = framed;
    stage_d.beat.length = length[13:0];
    stage_d.beat.meta[$bits(packet_meta_t)-1:0] = staged_meta;
    stage_d.sum = ones_pkg::split_saved(
        ones_pkg::save({framed_meta.ip, source_words, {2'b0, framed.length}, SumConstant}));
  end

  stream_register #(
      .data_t(stage_t)
  ) u_stage (
      .clk_i,
      .rst_i,
      .in_i(stage_d),
      .in_valid_i(framed_valid),
      .in_ready_o(framed_ready),
      .out_o(stage),
      .out_valid_o(stage_valid),
      .out_ready_i(sent_ready)
  );

  always_comb begin
    sent_meta = packet_meta_t'(stage.beat.meta);
    sent_meta.csum = ones_pkg::join_up(stage.sum, 1'b0);
    sent = stage.beat;
    sent.meta[$bits(packet_meta_t)-1:0] = sent_meta;
  end

  output_stage #(
      .beat_t(beat_t),
      .CutsReady(CutsReady)
  ) u_out (
      .in_i(sent),
      .in_valid_i(stage_valid),
      .in_ready_o(sent_ready),
      .in_next_i(NextIpv4Tx),
      .*
  );

  assign busy_o = route_busy | stage_valid | out_valid_o;

endmodule
