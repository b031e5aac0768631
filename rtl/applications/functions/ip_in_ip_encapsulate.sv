// SPDX-License-Identifier: Apache-2.0
// Entrance of IP-in-IP tunnels (RFC 2003), between two ipv4_tx: packets of MAC port InnerPort,
// which has no MAC, go into a tunnel, those of other ports to eth_tx.
//
// The other end is found by the next hop of the inner packet, in a table that software changes
// under traffic (address_map); Remote is that of next hops in no entry. The second ipv4_tx prepends
// the outer header: source of OuterPort, DSCP and ECN of the inner header (RFC 6040, 4.1), TTL 64,
// DF of the inner header, and, if it is clear, an ID of its own (RFC 6864). The inner packet is
// unchanged: it starts here, so its TTL is not decremented. The seed of a checksum stays valid.
//
// A packet longer than Mtu cannot pass, since nothing here makes fragments. If it must not be
// fragmented, its transport layer gets the ICMP error "fragmentation needed" with Mtu, as kind
// icmp_error, if it handles these (quoted_protocol). Otherwise it is dropped and counted, like a
// packet without a tunnel, and one whose tunnel would lead to its own next hop or the host.
//
// Latency: 3 cycles. Throughput: one beat per cycle.
module ip_in_ip_encapsulate
  import bombus_pkg::*;
  import ip_in_ip_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type tunnel_t = logic,  // from ip_in_ip_encapsulate.rdl
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter int unsigned NumMacPorts = 2,
    parameter int unsigned InnerPort = 1,  // of the inner packets
    parameter int unsigned OuterPort = 0,  // of the outer packets
    parameter int unsigned Mtu = 1480,  // bytes of the longest inner packet
    parameter logic [31:0] Remote = '0,  // 0: none
    parameter int unsigned NumEntries = 1024,  // a power of two
    // Protocols with a layer that handles errors, filled in by Bombus, and the next hop of each
    parameter int unsigned NumBound = 1,
    parameter int unsigned NumBoundHops = 1,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0,
    parameter int unsigned KindRoutedPacket = 5,  // filled in by Bombus
    parameter int unsigned KindIcmpError = 6,  // filled in by Bombus
    localparam int unsigned IndexWidth = $clog2(NumEntries),
    localparam int unsigned NextWidth = $clog2(NumBoundHops + 2)
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
    output logic            [          2:0] drop_o,
    output message_number_t [          2:0] drop_message_o,
    output logic            [          2:0] event_o,
    output logic                            busy_o,

    input  logic                     tunnel_request_i,
    input  logic    [IndexWidth-1:0] tunnel_index_i,
    input  logic                     tunnel_write_i,
    input  tunnel_t                  tunnel_wdata_i,
    output tunnel_t                  tunnel_rdata_o,
    output logic                     tunnel_done_o
);

  localparam string Entry = "eth_tx";  // stands between ipv4_tx and eth_tx
  localparam bit PortWithoutMac = 1'b1;
  localparam string OtherHosts = "remote";
  localparam bit Forwards = 1'b1;
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowAddress;
  localparam string Binds = "quoted_protocol";
  localparam int unsigned BindsWidth = 8;
  localparam string Sends = "icmp_error";
  localparam string NextEthTxSends = "packet";
  localparam string NextIpv4TxSends = "routed_packet";
  typedef enum int unsigned {
    NextEthTx,
    NextIpv4Tx,
    NextBound    // layers that handle ICMP errors
  } next_e;
  typedef enum int unsigned {
    DropNoTunnel,
    DropLoop,
    DropTooLong,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventEncapsulated,
    EventTooBig,  // its transport layer gets an error
    EventRefused,  // a write of an entry
    NumEvents
  } event_e;

  if (InnerPort >= NumMacPorts || OuterPort >= NumMacPorts) begin : gen_bad_port
    $error("ip_in_ip_encapsulate: InnerPort and OuterPort must be MAC ports of the design");
  end
  if (OuterPort == InnerPort) begin : gen_same_port
    $error("ip_in_ip_encapsulate: InnerPort and OuterPort must differ");
  end
  if (Mtu < 68 || Mtu > MaxFrameBytes - 34) begin : gen_bad_mtu
    $error("ip_in_ip_encapsulate: Mtu must be 68 to %0d", MaxFrameBytes - 34);
  end

  localparam int unsigned DataBytes = $bits(in_i.data) / 8;

  // ---- Look-up ----

  typedef struct packed {
    logic is_inner;
    logic too_long;
    logic dont_fragment;
    packet_meta_t meta;
  } found_t;
  found_t found, found_q;
  packet_meta_t in_meta, read_meta;
  beat_t read, beat;
  assign in_meta = packet_meta_t'(in_i.meta);
  assign read_meta = packet_meta_t'(read.meta);
  assign found = '{
          is_inner: read_meta.mac_port == mac_port_t'(InnerPort),
          too_long: read.length > length_t'(Mtu),
          dont_fragment: read.data[54],
          meta: read_meta
      };
  logic stage_valid, stage_ready, first, refused, looks_up, unused_hit;
  logic [31:0] outer_ip_q;  // 0: none
  message_number_t message;
  map_lookup #(
      .beat_t(beat_t),
      .kept_t(found_t),
      .Default(Remote),
      .NumEntries(NumEntries)
  ) u_lookup (
      .clk_i,
      .rst_i,
      .in_i,
      .from_i(in_meta.ip),
      .in_valid_i,
      .in_ready_o,
      .read_o(read),
      .kept_i(found),
      .out_o(beat),
      .out_first_o(first),
      .out_message_o(message),
      .kept_o(found_q),
      .hit_o(unused_hit),
      .to_o(outer_ip_q),
      .out_valid_o(stage_valid),
      .out_ready_i(stage_ready),
      .busy_o(looks_up),
      .request_i(tunnel_request_i),
      .write_i(tunnel_write_i),
      .index_i(tunnel_index_i),
      .wdata_valid_i(tunnel_wdata_i.valid),
      .wdata_from_i(tunnel_wdata_i.inner_ip),
      .wdata_to_i(tunnel_wdata_i.outer_ip),
      .done_o(tunnel_done_o),
      .rdata_valid_o(tunnel_rdata_o.valid),
      .rdata_from_o(tunnel_rdata_o.inner_ip),
      .rdata_to_o(tunnel_rdata_o.outer_ip),
      .refused_o(refused)
  );

  // ---- What transport layers need of a packet that is too long: bytes 9 and 16 to 27 ----

  localparam int unsigned QuotedBytes = 28;
  localparam int unsigned QuotedBeats = (QuotedBytes + DataBytes - 1) / DataBytes;
  localparam int unsigned KeptBits = QuotedBeats * DataBytes * 8;
  logic [KeptBits-1:0] quoted, kept_q;
  logic [$clog2(QuotedBeats+1)-1:0] beat_q;
  wire [$clog2(QuotedBeats+1)-1:0] here = first ? '0 : beat_q;
  wire is_quote = 32'(here) == QuotedBeats - 1;  // the last beat of the quotation
  always_comb begin
    quoted = kept_q;
    for (int unsigned b = 0; b < QuotedBeats; b++) begin
      if (32'(here) == b) quoted[DataBytes*8*b+:DataBytes*8] = beat.data;
    end
  end
  always_ff @(posedge clk_i) begin
    if (stage_valid & stage_ready) begin
      kept_q <= quoted;
      if (32'(here) < QuotedBeats) beat_q <= here + 1'b1;
    end
  end

  logic is_bound;
  logic [NextWidth-1:0] bound;
  bound_hop #(
      .NumBound (NumBound),
      .HopWidth (NextWidth),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_bound (
      .key_i  ({8'b0, quoted[72+:8]}),
      .found_o(is_bound),
      .hop_o  (bound)
  );
  icmp_pkg::icmp_error_meta_t error_meta;
  assign error_meta = '{
          mac_port: mac_port_t'(InnerPort),
          kind: icmp_pkg::TypeUnreachable,
          code: icmp_pkg::CodeTooBig,
          mtu: 16'(Mtu),
          ip: swap32(quoted[128+:32]),
          own_port: swap16(quoted[160+:16]),
          peer_port: swap16(quoted[176+:16])
      };

  // ---- The outer packet ----

  logic [15:0] id_q;
  ipv4_pkg::routed_packet_meta_t routed;
  always_comb begin
    routed = '0;
    routed.may_fragment = ~found_q.dont_fragment;
    routed.id = found_q.dont_fragment ? '0 : id_q;
    routed.packet = found_q.meta;
    routed.packet.mac_port = mac_port_t'(OuterPort);
    routed.packet.ip = outer_ip_q;
    routed.packet.l4.ip_tx.protocol = ProtocolIpInIp;
  end

  wire is_loop = outer_ip_q == found_q.meta.ip | outer_ip_q == host_i[OuterPort].ip;
  wire is_error = found_q.is_inner & found_q.too_long;
  logic [NumDrops-1:0] reasons;
  always_comb begin
    reasons = '0;
    if (found_q.is_inner) begin
      if (found_q.too_long) reasons[DropTooLong] = ~(found_q.dont_fragment & is_bound);
      else if (outer_ip_q == '0) reasons[DropNoTunnel] = 1'b1;
      else if (is_loop) reasons[DropLoop] = 1'b1;
    end
  end

  beat_t sent;
  logic [NextWidth-1:0] next;
  always_comb begin
    sent = beat;
    sent.kind = $bits(sent.kind)'(KindPacket);
    next = NextWidth'(NextEthTx);
    if (is_error) begin
      sent.kind = $bits(sent.kind)'(KindIcmpError);
      sent.meta = $bits(sent.meta)'(error_meta);
      sent.data = $bits(sent.data)'(quoted[192+:32]);
      sent.length = length_t'(4);
      sent.bytes = $bits(sent.bytes)'(4);
      sent.last = 1'b1;
      next = bound + NextWidth'(NextBound);
    end else if (found_q.is_inner) begin
      sent.kind = $bits(sent.kind)'(KindRoutedPacket);
      sent.meta = $bits(sent.meta)'(routed);
      next = NextWidth'(NextIpv4Tx);
    end
  end

  // ---- Output ----

  // Of a packet that is too long, one beat becomes a message; the others end here.
  wire  discard = is_error & ~is_quote;
  wire  out_first = is_error ? is_quote : first;
  logic sent_ready;
  assign stage_ready = sent_ready | discard;
  drop_register #(
      .beat_t(beat_t),
      .NumDrops(NumDrops),
      .NextWidth(NextWidth),
      .CutsReady(CutsReady)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(sent),
      .in_valid_i(stage_valid & ~discard),
      .in_ready_o(sent_ready),
      .in_first_i(out_first),
      .in_next_i(next),
      .in_drop_i(reasons),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  wire passes = stage_valid & sent_ready & ~discard & out_first & found_q.is_inner & ~|reasons;
  always_ff @(posedge clk_i) begin
    drop_message_o <= {NumDrops{message}};
    event_o[EventEncapsulated] <= passes & ~is_error & ~rst_i;
    event_o[EventTooBig] <= passes & is_error & ~rst_i;
    event_o[EventRefused] <= refused & ~rst_i;
    if (rst_i) id_q <= '0;
    else if (passes & ~is_error & ~found_q.dont_fragment) id_q <= id_q + 1'b1;
  end
  assign busy_o = looks_up | out_valid_o;

endmodule
