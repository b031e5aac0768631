// SPDX-License-Identifier: Apache-2.0
// Entrance of VXLAN tunnels (RFC 7348), in place of the mac_tx of MAC port InnerPort: takes the
// frames of the inner eth_tx and sends them, with the headers of UDP and VXLAN, to an outer
// ipv4_tx.
//
// The end is found by VNI and destination MAC address, in a table that software changes under
// traffic (address_map). Broadcasts and frames to addresses in no entry go to each end of a list of
// up to NumReplicas (vxlan_replicator). The UDP source port is a hash of the inner flow (RFC 7348,
// 5), so that routers spread flows. The outer UDP checksum is zero; a seed of the inner one is
// changed to cover the outer headers. DSCP is copied, ECN is zero (RFC 6040, 4.3), DF is set.
//
// Dropped and counted: frames whose IP packet is longer than Mtu, those without any end, and
// datagrams to an end whose address is that of OuterPort.
//
// Latency: 4 cycles at 512 bits; narrower data adds the beats of 38 bytes. Throughput: one beat per
// cycle.
module vxlan_encapsulate
  import bombus_pkg::*;
  import vxlan_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type regs_t = logic,  // from vxlan_encapsulate.rdl
    parameter type remote_t = logic,
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter int unsigned NumMacPorts = 2,
    parameter int unsigned InnerPort = 1,  // of the inner frames
    parameter int unsigned OuterPort = 0,  // of the datagrams
    parameter int unsigned Vni = 1,  // after reset
    parameter int unsigned Mtu = 1450,  // bytes of the longest inner IP packet
    parameter logic [15:0] Port = DefaultPort,  // UDP port of the tunnels
    parameter int unsigned NumEntries = 1024,  // a power of two
    parameter int unsigned NumReplicas = 8,
    localparam int unsigned IndexWidth = $clog2(NumEntries)
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
    output logic            [2:0] drop_o,
    output message_number_t [2:0] drop_message_o,
    output logic            [4:0] event_o,
    output logic                  busy_o,

    input  logic                     remote_request_i,
    input  logic    [IndexWidth-1:0] remote_index_i,
    input  logic                     remote_write_i,
    input  remote_t                  remote_wdata_i,
    output remote_t                  remote_rdata_o,
    output logic                     remote_done_o
);

  localparam string Entry = "vxlan_encapsulate";
  localparam string Needs = {
    "inner_port=vxlan_decapsulate.inner_port vni=vxlan_decapsulate.vni ",
    "port=vxlan_decapsulate.port"
  };
  localparam int unsigned MacPort = InnerPort;  // the key that eth_tx binds
  typedef enum logic [0:0] {NextIpv4Tx} next_e;
  typedef enum int unsigned {
    DropTooLong,
    DropNoEnd,
    DropLoop,  // the end is the host itself
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventEncapsulated,  // a datagram
    EventReplicated,  // a frame for the list, which ends here
    EventCopy,  // of such a frame
    EventUnknown,  // a frame to a MAC address in no entry
    EventRefused,  // a write of an entry
    NumEvents
  } event_e;

  if (InnerPort >= NumMacPorts || OuterPort >= NumMacPorts) begin : gen_bad_port
    $error("vxlan_encapsulate: InnerPort and OuterPort must be MAC ports of the design");
  end
  if (OuterPort == InnerPort) begin : gen_same_port
    $error("vxlan_encapsulate: InnerPort and OuterPort must differ");
  end
  if (Port == '0) begin : gen_bad_udp_port
    $error("vxlan_encapsulate: Port must not be 0");
  end
  if (Vni >= 2 ** 24) begin : gen_bad_vni
    $error("vxlan_encapsulate: Vni must be below 2^24");
  end
  localparam int unsigned MaxMtu =
      MaxFrameBytes - 2 * ethernet_pkg::HeaderBytes - ipv4_pkg::HeaderBytes - HeaderBytes;
  if (Mtu < 68 || Mtu > MaxMtu) begin : gen_bad_mtu
    $error("vxlan_encapsulate: Mtu must be 68 to %0d", MaxMtu);
  end
  if (NumReplicas < 1 || NumReplicas > 64) begin : gen_bad_replicas
    $error("vxlan_encapsulate: NumReplicas must be 1 to 64");
  end

  localparam int unsigned DataBytes = $bits(in_i.data) / 8;
  localparam int unsigned MaxBytes = Mtu + ethernet_pkg::HeaderBytes;  // of a frame

  // ---- The end ----

  typedef struct packed {
    packet_meta_t meta;
    length_t length;
    logic is_group;  // the destination
  } kept_t;
  kept_t kept, kept_d;
  beat_t read, looked;
  logic looked_valid, looked_ready, unused_looked_first, hit, refused, map_busy;
  logic [31:0] to;
  message_number_t message;
  assign kept_d = '{
          meta: packet_meta_t'(read.meta),
          length: read.length,
          is_group: read.data[0]
      };
  map_lookup #(
      .beat_t(beat_t),
      .kept_t(kept_t),
      .FromWidth(72),
      .NumEntries(NumEntries)
  ) u_map (
      .clk_i,
      .rst_i,
      .in_i,
      .from_i({regs_i.network.vni, swap48(in_i.data[47:0])}),
      .in_valid_i,
      .in_ready_o,
      .read_o(read),
      .kept_i(kept_d),
      .out_o(looked),
      .out_first_o(unused_looked_first),
      .out_message_o(message),
      .kept_o(kept),
      .hit_o(hit),
      .to_o(to),
      .out_valid_o(looked_valid),
      .out_ready_i(looked_ready),
      .busy_o(map_busy),
      .request_i(remote_request_i),
      .write_i(remote_write_i),
      .index_i(remote_index_i),
      .wdata_valid_i(remote_wdata_i.valid),
      .wdata_from_i({remote_wdata_i.vni, remote_wdata_i.mac}),
      .wdata_to_i(remote_wdata_i.ip),
      .done_o(remote_done_o),
      .rdata_valid_o(remote_rdata_o.valid),
      .rdata_from_o({remote_rdata_o.vni, remote_rdata_o.mac}),
      .rdata_to_o(remote_rdata_o.ip),
      .refused_o(refused)
  );

  // ---- The inner flow, and the sum ----

  typedef struct packed {
    logic [15:0] dst_port;
    logic [15:0] src_port;
    ipv4_pkg::header_t ip;
    ethernet_pkg::header_t ethernet;
  } view_t;
  localparam int unsigned ViewBytes = $bits(view_t) / 8;

  typedef struct packed {  // of a frame and of its copies
    logic replicate;
    logic too_long;
    message_number_t message;
    length_t length;
    logic [23:0] vni;
    logic [13:0] flow;  // hash
    logic [5:0] dscp;
    csum_pos_t csum_pos;
  } frame_t;
  typedef struct packed {
    frame_t frame;
    logic [31:0] remote;
    logic has_sum;  // without, sum is zero
    ones_pkg::word_t [1:0] sum;  // but for the source port
  } result_t;

  view_t view;
  wire is_ip = swap16(view.ethernet.ether_type) == EtherTypeIpv4;
  wire has_ports = is_ip & view.ip.ihl == ipv4_pkg::HeaderWords &
      (view.ip.protocol inside {ProtocolTcp, ProtocolUdp});
  localparam int unsigned FlowBits = 48 + 8 + 64 + 32;
  logic [13:0] flow;
  keyed_hash #(
      .DataWidth(FlowBits),
      .HashWidth(14)
  ) u_flow (
      .data_i({
        view.ethernet.dst,
        is_ip ? {view.ip.protocol, view.ip.src, view.ip.dst} : 72'b0,
        has_ports ? {view.src_port, view.dst_port} : 32'b0
      }),
      .seed_i('0),
      .hash_o(flow)
  );

  // The seed less the words that the frame's sum will also cover. The IPv4 header sums to zero.
  localparam int unsigned NumWords = ethernet_pkg::HeaderBytes / 2;
  localparam logic [15:0] SumConstant = csum_add(csum_add(Port, {FlagVni, 8'b0}), 16'(HeaderBytes));
  wire [23:0] vni = regs_i.network.vni;
  ones_pkg::word_t [11:0] terms;
  always_comb begin
    terms = '0;
    for (int unsigned w = 0; w < NumWords; w++) terms[w] = ~swap16(16'(view >> (16 * w)));
    terms[NumWords]   = kept.meta.csum;
    terms[NumWords+1] = ~SumConstant;
    terms[NumWords+2] = ~vni[23:8];
    terms[NumWords+3] = ~{vni[7:0], 8'b0};
    terms[NumWords+4] = ~16'(kept.length);
  end

  wire too_long = kept.length > length_t'(MaxBytes);
  wire has_sum = kept.meta.l4.ip_tx.csum_pos != '0;
  ones_pkg::word_t [1:0] sum;
  assign sum = ones_pkg::pair(
      ones_pkg::save({ones_pkg::save(terms[5:0]), ones_pkg::save(terms[11:6])})
  );
  result_t result_d, result;
  assign result_d = '{
          frame: '{
              replicate: (kept.is_group | to == '0) & ~too_long,
              too_long: too_long,
              message: message,
              length: kept.length,
              vni: vni,
              flow : flow,
              dscp: kept.meta.tos[7:2],
              csum_pos: kept.meta.l4.ip_tx.csum_pos
          },
          remote: to,
          has_sum: has_sum,
          sum: sum & {32{has_sum}}
      };

  beat_t viewed, unused_head;
  logic viewed_valid, viewed_ready, view_here, view_busy, viewed_first;
  view_queue #(
      .beat_t(beat_t),
      .result_t(result_t),
      .ViewBytes(ViewBytes)
  ) u_view (
      .clk_i,
      .rst_i,
      .in_i(looked),
      .in_valid_i(looked_valid),
      .in_ready_o(looked_ready),
      .head_o(unused_head),
      .view_o(view),
      .view_here_o(view_here),
      .result_i(result_d),
      .out_o(viewed),
      .result_o(result),
      .out_valid_o(viewed_valid),
      .out_ready_i(viewed_ready),
      .out_first_o(viewed_first),
      .busy_o(view_busy)
  );

  // ---- Copies ----

  logic [NumReplicas-1:0] list_valid;
  logic [NumReplicas-1:0][31:0] list;
  always_comb begin
    for (int unsigned n = 0; n < NumReplicas; n++) begin
      list_valid[n] = regs_i.replicas[n].replica.valid;
      list[n] = regs_i.replicas[n].replica.ip;
    end
  end
  // The sum of a frame is the same in its copies, so the replicator stores it.
  typedef struct packed {
    frame_t frame;
    logic [15:0] csum;
  } head_t;
  function automatic logic [15:0] src_port_of(frame_t frame);
    return {2'b11, frame.flow};  // a dynamic port (RFC 6335)
  endfunction
  head_t head, head_of_copy;
  assign head = '{
          frame: result.frame,
          csum:
          ones_pkg::join_up
          (
              ones_pkg::split_saved
              (
                  {result.sum, ~src_port_of(result.frame) & {16{result.has_sum}}}
              ),
              1'b0
          )
      };
  frame_t of_copy;
  assign of_copy = head_of_copy.frame;
  beat_t copy;
  logic copy_valid, copy_ready, is_copy, replicated, copied, replicator_busy;
  logic [31:0] remote;
  vxlan_replicator #(
      .beat_t(beat_t),
      .head_t(head_t),
      .NumReplicas(NumReplicas),
      .Depth((MaxBytes + DataBytes - 1) / DataBytes)
  ) u_replicator (
      .clk_i,
      .rst_i,
      .list_valid_i(list_valid),
      .list_i(list),
      .in_i(viewed),
      .in_first_i(viewed_first),
      .head_i(head),
      .replicate_i(result.frame.replicate),
      .remote_i(result.remote),
      .in_valid_i(viewed_valid),
      .in_ready_o(viewed_ready),
      .out_o(copy),
      .head_o(head_of_copy),
      .remote_o(remote),
      .out_valid_o(copy_valid),
      .out_ready_i(copy_ready),
      .replicated_o(replicated),
      .is_copy_o(is_copy),
      .copied_o(copied),
      .busy_o(replicator_busy)
  );

  // ---- The datagram ----

  wire [15:0] udp_length = 16'(of_copy.length) + 16'(HeaderBytes);
  header_t vxlan;
  udp_pkg::header_t udp;
  assign vxlan = '{default: '0, flags: FlagVni, vni: swap24(of_copy.vni)};
  assign udp = '{
          src_port: swap16(src_port_of(of_copy)),
          dst_port: swap16(Port),
          length: swap16(udp_length),
          csum: '0
      };
  beat_t datagram, sent;
  logic datagram_valid, datagram_ready, datagram_first;
  prepend #(
      .beat_t(beat_t),
      .HeaderBytes(HeaderBytes)
  ) u_prepend (
      .clk_i,
      .rst_i,
      .in_i(copy),
      .in_valid_i(copy_valid),
      .in_ready_o(copy_ready),
      .header_i({vxlan, udp}),
      .skip_i(1'b0),
      .out_o(datagram),
      .out_valid_o(datagram_valid),
      .out_ready_i(datagram_ready),
      .out_first_o(datagram_first)
  );

  // prepend has taken the last beat of a frame while it sends the rest of it; only the first beat
  // of a datagram has metadata.
  packet_meta_t meta;
  logic [NumDrops-1:0] reasons;
  always_comb begin
    meta = '0;
    meta.mac_port = mac_port_t'(OuterPort);
    meta.tos = {of_copy.dscp, 2'b0};
    meta.ip = remote;
    meta.l4.ip_tx.protocol = ProtocolUdp;
    meta.csum = head_of_copy.csum;
    if (of_copy.csum_pos != '0) begin
      meta.l4.ip_tx.csum_pos = of_copy.csum_pos + csum_pos_t'(HeaderBytes / 2);
    end
    sent = datagram;
    sent.length = of_copy.length + length_t'(HeaderBytes);
    sent.meta = $bits(sent.meta)'(meta);
    reasons = '0;
    if (of_copy.too_long) reasons[DropTooLong] = 1'b1;
    else if (of_copy.replicate & ~is_copy) reasons[DropNoEnd] = 1'b1;
    else if (remote == host_i[OuterPort].ip) reasons[DropLoop] = 1'b1;
  end
  drop_register #(
      .beat_t(beat_t),
      .NumDrops(NumDrops),
      .CutsReady(CutsReady)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(sent),
      .in_valid_i(datagram_valid),
      .in_ready_o(datagram_ready),
      .in_first_i(datagram_first),
      .in_next_i(NextIpv4Tx),
      .in_drop_i(reasons),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  wire passes = datagram_valid & datagram_ready & datagram_first & ~|reasons;
  always_ff @(posedge clk_i) begin
    drop_message_o <= {NumDrops{of_copy.message}};
    event_o[EventEncapsulated] <= passes & ~rst_i;
    event_o[EventReplicated] <= replicated & ~rst_i;
    event_o[EventCopy] <= copied & ~rst_i;
    event_o[EventUnknown] <= view_here & ~kept.is_group & ~hit & ~rst_i;
    event_o[EventRefused] <= refused & ~rst_i;
  end
  assign busy_o = map_busy | view_busy | replicator_busy | out_valid_o;

endmodule
