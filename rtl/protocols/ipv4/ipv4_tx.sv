// SPDX-License-Identifier: Apache-2.0
// IPv4 transmit (RFC 791, RFC 1122 3.3.1): prepends the header and selects the next hop
// (mac_route): the destination itself or a gateway. The source address is that of the message's MAC
// port; a message without a port gets one here.
//
// Don't Fragment is set (so the ID has no meaning, RFC 6864), TTL is 64 (RFC 1700), and the source
// is the host; in a routed_packet the sender sets these. Dropped and counted: packets to a
// destination without route and gateway, and packets too long for a frame.
//
// Latency: 2 cycles; 3 with several MAC ports or a routing table. Throughput: one beat per cycle.
module ipv4_tx
  import bombus_pkg::*;
  import ipv4_pkg::*;
#(
    parameter type beat_t = logic,
    parameter bit CutsReady = 0,  // at its first step, as stream_stage
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

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic            [0:0] out_next_o,
    output logic            [1:0] drop_o,
    output message_number_t [1:0] drop_message_o,
    output logic                  busy_o
);

  localparam string Entry = "ipv4_tx";
  localparam string Takes = "packet routed_packet";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowAddress;
  typedef enum logic [0:0] {NextEthTx} next_e;
  typedef enum int unsigned {
    DropNoGateway,
    DropTooLong,
    NumDrops
  } drop_e;

  localparam logic [15:0] DontFragment = 16'h4000;
  localparam logic [7:0] TimeToLive = 8'd64;
  localparam int unsigned EthernetBytes = 14;
  localparam int unsigned TagBytes = 4;

  // The header fields set by the sender. In a design without routed packets, all but the packet's
  // own metadata is constant.
  function automatic routed_packet_meta_t routed_of(beat_t beat);
    routed_packet_meta_t routed;
    routed = '0;
    if (32'(beat.kind) == KindRoutedPacket) routed = routed_packet_meta_t'(beat.meta);
    routed.packet = packet_meta_t'(beat.meta);
    return routed;
  endfunction
  function automatic logic [15:0] fragment_of(routed_packet_meta_t routed);
    return routed.may_fragment ? '0 : DontFragment;
  endfunction
  function automatic logic [7:0] ttl_of(routed_packet_meta_t routed);
    return routed.ttl == '0 ? TimeToLive : routed.ttl;
  endfunction

  // ---- The route ----

  beat_t found;
  logic found_valid, found_ready, route_busy, on_link, via_table;
  logic [31:0] table_gateway;
  mac_route #(
      .beat_t(beat_t),
      .NumMacPorts(NumMacPorts),
      .NumRoutes(NumRoutes)
  ) u_route (
      .out_o(found),
      .out_valid_o(found_valid),
      .out_ready_i(found_ready),
      .on_link_o(on_link),
      .via_table_o(via_table),
      .gateway_o(table_gateway),
      .busy_o(route_busy),
      .*
  );

  // ---- First step: most of the checksum, and the verdict ----

  routed_packet_meta_t in_routed;
  packet_meta_t in_meta;
  assign in_routed = routed_of(found);
  assign in_meta   = in_routed.packet;

  typedef struct packed {
    beat_t beat;
    logic [15:0] length;
    ones_pkg::split_t sum;
    logic on_link;
    logic too_long;
    logic unreachable;
    logic via_table;
    logic [31:0] gateway;  // from the table
  } stage_t;
  stage_t stage_d, stage;
  logic stage_valid, stage_ready;

  // The sum of the constant part of a packet's header, and values derived from the addresses of its
  // MAC port.
  typedef struct packed {
    logic has_gateway;
    logic [31:0] ip;
  } of_port_t;
  localparam ones_pkg::word_t SumConstant = 16'(HeaderBytes) + DontFragment;
  ones_pkg::word_t sum_host;
  logic [NumMacPorts-1:0] has_gateway_q;
  of_port_t [NumMacPorts-1:0] of_ports;
  of_port_t of_port;
  host_sum #(
      .NumMacPorts(NumMacPorts),
      .Constant(SumConstant)
  ) u_sum_host (
      .clk_i,
      .host_i,
      .port_i(in_meta.mac_port),
      .sum_o (sum_host)
  );
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumMacPorts; p++) begin
      has_gateway_q[p] <= host_i[p].gateway != '0;
    end
  end
  always_comb begin
    for (int unsigned p = 0; p < NumMacPorts; p++) begin
      of_ports[p] = '{has_gateway: has_gateway_q[p], ip: host_i[p].ip};
    end
  end
  by_mac_port #(
      .data_t(of_port_t),
      .NumMacPorts(NumMacPorts)
  ) u_of_port (
      .all_i (of_ports),
      .port_i(in_meta.mac_port),
      .one_o (of_port)
  );

  // The header words not covered by sum_host, except for the length of the header itself. For a
  // routed packet these are source address, Don't Fragment and ID.
  wire by_host = in_routed.source == '0 && !in_routed.may_fragment;
  wire [31:0] in_source = in_routed.source == '0 ? of_port.ip : in_routed.source;
  ones_pkg::saved_t sum_packet;
  assign sum_packet = ones_pkg::save(
      {
        in_meta.ip,
        {ttl_of(in_routed), in_meta.l4.ip_tx.protocol},
        {Version, HeaderWords, in_meta.tos},
        {2'b0, found.length},
        by_host ? sum_host : in_source[31:16]
      }
  );
  wire [2:0][15:0] routed_words = {
    by_host ? 32'b0 : {in_source[15:0], fragment_of(in_routed) | 16'(HeaderBytes)}, in_routed.id
  };
  ones_pkg::saved_t sum;
  assign sum = KindRoutedPacket == KindNone ? sum_packet : ones_pkg::save(
      {sum_packet, routed_words}
  );
  wire length_t max_length = 14'(MaxFrameBytes - EthernetBytes - HeaderBytes) -
      (in_meta.vlan.valid ? 14'(TagBytes) : '0);

  always_comb begin
    stage_d.beat = found;
    stage_d.length = {2'b0, found.length} + 16'(HeaderBytes);
    stage_d.sum = ones_pkg::split_saved(sum);
    stage_d.on_link = on_link;
    stage_d.too_long = found.length > max_length;
    stage_d.via_table = via_table;
    stage_d.unreachable = ~on_link & ~via_table & ~of_port.has_gateway;
    stage_d.gateway = table_gateway;
  end

  // Cuts ready here and not after the layer: in a tile, the chains of ready before and after the
  // cut are then about equally long.
  logic   stage_last;
  stage_t stage_body;
  stream_stage #(
      .head_t(logic),
      .body_t(stage_t),
      .DataBits($bits(in_i.data)),
      .CutsReady(CutsReady)
  ) u_stage (
      .clk_i,
      .rst_i,
      .in_head_i  (found.last),
      .in_body_i  (stage_d),
      .in_valid_i (found_valid),
      .in_ready_o (found_ready),
      .out_head_o (stage_last),
      .out_body_o (stage_body),
      .out_valid_o(stage_valid),
      .out_ready_i(stage_ready)
  );
  always_comb begin
    stage = stage_body;
    stage.beat.last = stage_last;
  end

  // ---- Second step: the header ----

  routed_packet_meta_t routed;
  packet_meta_t meta;
  assign routed = routed_of(stage.beat);
  assign meta   = routed.packet;
  host_t host;
  by_mac_port #(
      .NumMacPorts(NumMacPorts)
  ) u_host (
      .all_i (host_i),
      .port_i(meta.mac_port),
      .one_o (host)
  );
  // The ID of a packet is 0: by RFC 6864, 4.1, a packet that is never fragmented may carry any ID.
  wire [15:0] csum = ~ones_pkg::join_up(stage.sum, 1'b0);
  header_t header;
  assign header = '{
          version: Version,
          ihl: HeaderWords,
          tos: meta.tos,
          length: swap16(stage.length),
          id: swap16(routed.id),
          fragment: swap16(fragment_of(routed)),
          ttl: ttl_of(routed),
          protocol: meta.l4.ip_tx.protocol,
          csum: swap16(csum),
          src: swap32(routed.source == '0 ? host.ip : routed.source),
          dst: swap32(meta.ip)
      };

  beat_t packet, sent;
  logic packet_valid, packet_ready, packet_first;
  prepend #(
      .beat_t(beat_t),
      .HeaderBytes(HeaderBytes)
  ) u_prepend (
      .clk_i,
      .rst_i,
      .in_i(stage.beat),
      .in_valid_i(stage_valid),
      .in_ready_o(stage_ready),
      .header_i(header),
      .skip_i(1'b0),
      .out_o(packet),
      .out_valid_o(packet_valid),
      .out_ready_i(packet_ready),
      .out_first_o(packet_first)
  );

  packet_meta_t sent_meta;
  logic [NumDrops-1:0] reasons;
  always_comb begin
    reasons = '0;
    if (stage.too_long) reasons[DropTooLong] = 1'b1;
    else if (stage.unreachable) reasons[DropNoGateway] = 1'b1;
    sent_meta = meta;
    sent_meta.ip = stage.on_link ? meta.ip : stage.via_table ? stage.gateway : host.gateway;
    if (meta.l4.ip_tx.csum_pos != '0) begin
      sent_meta.l4.ip_tx.csum_pos = meta.l4.ip_tx.csum_pos + csum_pos_t'(HeaderBytes / 2);
    end
    sent = packet;
    sent.kind = $bits(sent.kind)'(KindPacket);
    sent.length = stage.length[13:0];
    sent.meta = $bits(sent.meta)'(sent_meta);
  end

  drop_output #(
      .beat_t  (beat_t),
      .NumDrops(NumDrops)
  ) u_out (
      .in_i(sent),
      .in_valid_i(packet_valid),
      .in_ready_o(packet_ready),
      .in_first_i(packet_first),
      .in_next_i(NextEthTx),
      .in_drop_i(reasons),
      .*
  );

  assign busy_o = route_busy | stage_valid | out_valid_o;

endmodule
