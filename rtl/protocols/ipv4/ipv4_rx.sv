// SPDX-License-Identifier: Apache-2.0
// IPv4 receive (RFC 791, RFC 1122 3.2.1): checks the header, strips it with its options, and
// selects the next hop by protocol.
//
// Dropped and counted: truncated packets, other versions, bad lengths and header checksums, packets
// to another address than that of the MAC port at which they arrived (strong host model, RFC 1122
// 3.3.4.2; this includes broadcast and multicast), impossible source addresses, fragments, options
// of bad length, source routes with hops left. Other options are skipped. If no layer handles a
// packet's protocol, the first 8 bytes of its payload are sent to icmp as kind unreachable. The sum
// of a valid header is zero, so meta.csum needs no correction and is the sum of the payload from
// here on.
//
// Packets with options pass through ipv4_options, which is slower; others may overtake them. If
// they arrive too fast, they are dropped and counted.
//
// Latency: 3 cycles (at 256 bits and more). Throughput: one beat per cycle; 32 bits per cycle for
// packets with options. in_ready_o does not depend on out_ready_i.
module ipv4_rx
  import bombus_pkg::*;
  import ipv4_pkg::*;
#(
    parameter type beat_t = logic,
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter int unsigned NumMacPorts = 1,
    // IP protocols, filled in by Bombus, and the bound next hop of each
    parameter int unsigned NumBound = 1,
    parameter int unsigned NumBoundHops = 1,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0,
    parameter int unsigned KindUnreachable = 4,  // filled in by Bombus
    parameter bit IsObserved = 0,  // filled in by Bombus
    localparam int unsigned NextWidth = $clog2(NumBoundHops + 1)
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
    output logic            [          9:0] drop_o,
    output message_number_t [          9:0] drop_message_o,
    output logic            [          1:0] event_o,
    output logic                            busy_o
);

  localparam string Entry = "ipv4_rx";
  localparam logic [15:0] EtherType = EtherTypeIpv4;  // the key that eth_rx binds
  localparam string Binds = "ip_protocol";
  localparam int unsigned BindsWidth = 8;
  localparam string NextIcmpSends = "unreachable";
  typedef enum int unsigned {
    NextIcmp,  // to icmp: errors to answer
    NextBound
  } next_e;
  localparam logic [1:0] RareHops = 2'(1) << NextIcmp;
  typedef enum int unsigned {
    DropTruncated,
    DropBadVersion,
    DropBadLength,
    DropBadChecksum,
    DropNotForUs,
    DropBadSource,
    DropFragment,
    DropBadOption,
    DropSourceRoute,
    DropOptionsBusy,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventOptions,
    EventUnknownProtocol,
    NumEvents
  } event_e;

  localparam int unsigned DataBytes = $bits(in_i.data) / 8;
  localparam int unsigned QuotedBytes = 8;  // bytes of a packet's payload that ICMP errors quote
  typedef logic [$bits(in_i.bytes)-1:0] count_t;

  // ---- Options: a side path that removes them ----

  logic in_first, has_options_q;
  message_number_t message, unused_begun;
  wire has_options = in_first ? in_i.data[3:0] > HeaderWords : has_options_q;
  wire taken = in_valid_i & in_ready_o;
  message_number #(
      .Enabled(IsObserved)
  ) u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (in_i.last),
      .first_o(in_first),
      .here_o (message),
      .begun_o(unused_begun)
  );
  always_ff @(posedge clk_i) begin
    if (taken) has_options_q <= has_options;
  end

  beat_t bare;
  options_t bare_options;
  message_number_t bare_message, lost_message;
  logic bare_valid, options_lost, options_busy;
  logic side_q;  // the side path is selected
  logic strip_ready, kept_valid_q;
  ipv4_options #(
      .beat_t(beat_t)
  ) u_options (
      .clk_i,
      .rst_i,
      .in_i,
      .in_message_i(message),
      .in_valid_i(taken & has_options),
      .out_o(bare),
      .out_message_o(bare_message),
      .out_options_o(bare_options),
      .out_valid_o(bare_valid),
      .out_ready_i(side_q & ~kept_valid_q),
      .drop_o(options_lost),
      .drop_message_o(lost_message),
      .busy_o(options_busy)
  );

  // The side path is selected only between packets, when no plain packet is waiting: in an idle
  // cycle, or while a packet with options arrives, since its other beats are accepted meanwhile. If
  // that packet has as many beats, plain packets lose only one cycle.
  wire select_side = bare_valid & in_first & (in_valid_i ? taken & has_options : 1'b1);
  always_ff @(posedge clk_i) begin
    if (rst_i) side_q <= 1'b0;
    else if (side_q) side_q <= ~(bare_valid & ~kept_valid_q & bare.last);
    else side_q <= select_side;
  end

  typedef struct packed {
    message_number_t message;
    options_t options;
  } carried_t;

  // A beat that the strip does not accept is kept as another input of the multiplexer. So
  // in_ready_o depends only on flip-flops, and a bit still takes one LUT.
  beat_t packet, kept_q;
  always_comb begin
    packet = kept_valid_q ? kept_q : side_q ? bare : in_i;
    // These bits are still unused here: they carry the result for the options, and the number.
    if (~kept_valid_q) begin
      packet.meta.l4 = $bits(l4_t)'(side_q ? carried_t'{message: bare_message, options: bare_options
                                    } : carried_t'{message: message, options: '0});
    end
  end
  wire packet_valid = kept_valid_q | (side_q ? bare_valid : in_valid_i & ~has_options);
  assign in_ready_o = side_q ? ~in_first & has_options_q : ~kept_valid_q;
  always_ff @(posedge clk_i) begin
    if (~kept_valid_q) kept_q <= packet;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) kept_valid_q <= 1'b0;
    else kept_valid_q <= packet_valid & ~strip_ready;
  end

  // ---- Fixed header ----

  beat_t body;
  logic body_valid, body_ready, body_first;
  header_t header;
  strip #(
      .beat_t(beat_t),
      .HeaderBytes(HeaderBytes)
  ) u_strip (
      .clk_i,
      .rst_i,
      .in_i(packet),
      .in_valid_i(packet_valid),
      .in_ready_o(strip_ready),
      .keep_i(1'b0),
      .out_o(body),
      .out_valid_o(body_valid),
      .out_ready_i(body_ready),
      .out_first_o(body_first),
      .header_o(header)
  );

  // ---- Middle stage: all compares are done, the header is summed to three words ----

  // Addresses of the port's subnet that are not of a host: network address and broadcast address. A
  // point-to-point link with two addresses has neither (RFC 3021).
  typedef struct packed {
    logic has_broadcast;
    logic [31:0] network;
    logic [31:0] broadcast;
    logic [31:0] ip;
  } subnet_t;
  subnet_t [NumMacPorts-1:0] subnets;
  logic [NumMacPorts-1:0] has_broadcast_q;
  logic [NumMacPorts-1:0][31:0] network_q, broadcast_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumMacPorts; p++) begin
      has_broadcast_q[p] <= ~&host_i[p].netmask[31:1];
      network_q[p] <= host_i[p].ip & host_i[p].netmask;
      broadcast_q[p] <= host_i[p].ip | ~host_i[p].netmask;
    end
  end
  always_comb begin
    for (int unsigned p = 0; p < NumMacPorts; p++) begin
      subnets[p] = '{
          has_broadcast: has_broadcast_q[p],
          network: network_q[p],
          broadcast: broadcast_q[p],
          ip: host_i[p].ip
      };
    end
  end
  subnet_t subnet;
  by_mac_port #(
      .data_t(subnet_t),
      .NumMacPorts(NumMacPorts)
  ) u_subnet (
      .all_i (subnets),
      .port_i(body.meta.mac_port),
      .one_o (subnet)
  );

  wire [31:0] src = swap32(header.src);
  wire [15:0] total_length = swap16(header.length);
  wire [15:0] fragment = swap16(header.fragment);
  // Multicast, reserved, limited broadcast, loopback, this network, our own address.
  wire bad_source = (src[31:29] == 3'b111) | (src[31:24] == 8'd127) | (src[31:24] == 8'd0) |
      (src == subnet.ip) |
      (subnet.has_broadcast & ((src == subnet.network) | (src == subnet.broadcast)));
  logic known_protocol;
  logic [NextWidth-1:0] bound;
  bound_hop #(
      .NumBound (NumBound),
      .HopWidth (NextWidth),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_bound (
      .key_i  ({8'b0, header.protocol}),
      .found_o(known_protocol),
      .hop_o  (bound)
  );

  // Fields and properties of a header. It is summed in words in wire order with the low byte first,
  // which gives an equivalent one's complement sum.
  typedef struct packed {
    packet_meta_t meta;  // metadata to be sent on
    length_t length;  // payload bytes
    logic [$clog2(QuotedBytes+1)-1:0] quoted;
    carried_t carried;
    logic truncated;
    logic bad_version;
    logic bad_length;
    logic not_for_us;
    logic bad_source;
    logic is_fragment;
    logic refused;  // to icmp, which answers protocol unreachable
    logic [NextWidth-1:0] next;
    ones_pkg::saved_t sum;
  } parsed_t;
  parsed_t parsed_d, parsed_q;
  always_comb begin
    parsed_d.meta = body.meta;
    parsed_d.meta.tos = header.tos;
    parsed_d.meta.dont_fragment = fragment[14];
    parsed_d.meta.ip = src;
    parsed_d.meta.l4.ip_rx = '{
        protocol: header.protocol,
        id: swap16(header.id),
        ttl: header.ttl
    };
    parsed_d.length = body.length - 14'(HeaderBytes);
    parsed_d.quoted = body.length < 14'(HeaderBytes + QuotedBytes) ?
        $bits(parsed_d.quoted)'(parsed_d.length) : $bits(parsed_d.quoted)'(QuotedBytes);
    parsed_d.carried = carried_t'($bits(carried_t)'(body.meta.l4));
    parsed_d.truncated = body.length < 14'(HeaderBytes);
    parsed_d.bad_version = header.version != Version;
    // Options still present mean that the packet ends inside its header.
    parsed_d.bad_length = (header.ihl != HeaderWords) | (total_length < 16'(HeaderBytes)) |
        (total_length != {2'b0, body.length});
    parsed_d.not_for_us = swap32(header.dst) != subnet.ip;
    parsed_d.bad_source = bad_source;
    parsed_d.is_fragment = fragment[13:0] != '0;
    parsed_d.refused = ~known_protocol;
    parsed_d.next = known_protocol ? bound + NextWidth'(NextBound) : NextWidth'(NextIcmp);
    parsed_d.sum =
        ones_pkg::save({ones_pkg::save(header[159:64]), ones_pkg::save({header[63:0], 32'b0})});
  end

  typedef struct packed {
    logic  first;
    beat_t beat;
  } stage_t;
  stage_t stage;
  logic stage_valid, stage_ready;

  // The header is read with the first beat, and kept until the next message's first beat enters the
  // stage.
  always_ff @(posedge clk_i) begin
    if (body_valid & body_first & body_ready) parsed_q <= parsed_d;
  end

  stream_register #(
      .data_t(stage_t)
  ) u_stage (
      .clk_i,
      .rst_i,
      .in_i('{first: body_first, beat: body}),
      .in_valid_i(body_valid),
      .in_ready_o(body_ready),
      .out_o(stage),
      .out_valid_o(stage_valid),
      .out_ready_i(stage_ready)
  );

  // ---- Verdict ----

  logic [NumDrops-1:0] reasons;
  always_comb begin
    reasons = '0;
    if (parsed_q.truncated) reasons[DropTruncated] = 1'b1;
    else if (parsed_q.bad_version) reasons[DropBadVersion] = 1'b1;
    else if (parsed_q.bad_length) reasons[DropBadLength] = 1'b1;
    else if (~ones_pkg::is_ones(parsed_q.sum)) reasons[DropBadChecksum] = 1'b1;
    else if (parsed_q.not_for_us) reasons[DropNotForUs] = 1'b1;
    else if (parsed_q.bad_source) reasons[DropBadSource] = 1'b1;
    else if (parsed_q.is_fragment) reasons[DropFragment] = 1'b1;
    else if (parsed_q.carried.options.malformed) reasons[DropBadOption] = 1'b1;
    else if (parsed_q.carried.options.source_route) reasons[DropSourceRoute] = 1'b1;
  end

  beat_t sent;
  always_comb begin
    sent = stage.beat;
    sent.kind = $bits(sent.kind)'(KindPacket);
    sent.meta = parsed_q.meta;
    sent.length = parsed_q.length;
    if (parsed_q.refused) begin
      sent.kind   = $bits(sent.kind)'(KindUnreachable);
      sent.meta   = icmp_pkg::unreachable_meta(parsed_q.meta, parsed_q.length);
      sent.length = 14'(parsed_q.quoted);
      sent.data   = (DataBytes * 8)'(stage.beat.data[QuotedBytes*8-1:0]);
      sent.bytes  = count_t'(parsed_q.quoted);
      sent.last   = 1'b1;
    end
  end

  // ---- Output ----

  // The beats after the first one of a refused packet are discarded.
  wire  discard = parsed_q.refused & ~stage.first;
  logic sent_ready;
  assign stage_ready = sent_ready | discard;

  logic [NumDrops-1:0] verdict_drop;
  message_number_t message_q;
  always_ff @(posedge clk_i) message_q <= parsed_q.carried.message;
  drop_register #(
      .beat_t(beat_t),
      .NumDrops(NumDrops),
      .NextWidth(NextWidth),
      .CutsReady(CutsReady)
  ) u_out (
      .in_i(sent),
      .in_valid_i(stage_valid & ~discard),
      .in_ready_o(sent_ready),
      .in_first_i(stage.first),
      .in_next_i(parsed_q.next),
      .in_drop_i(reasons),
      .drop_o(verdict_drop),
      .*
  );
  always_comb begin
    drop_o = verdict_drop;
    drop_o[DropOptionsBusy] = options_lost;
    drop_message_o = {NumDrops{message_q}};
    drop_message_o[DropOptionsBusy] = lost_message;
  end

  wire accepted = stage_valid & sent_ready & stage.first & ~|reasons;
  always_ff @(posedge clk_i) begin
    if (rst_i) event_o <= '0;
    else begin
      event_o[EventOptions] <= accepted & parsed_q.carried.options.present;
      event_o[EventUnknownProtocol] <= accepted & parsed_q.refused;
    end
  end

  assign busy_o = kept_valid_q | body_valid | options_busy | stage_valid | out_valid_o;

endmodule
