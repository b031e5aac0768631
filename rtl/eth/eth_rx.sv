// Ethernet receive: strips the header and one VLAN tag, sorts by EtherType.
//
// Frames to the host's own address go on; broadcast only if they carry ARP
// (RFC 1122, 3.3.6: no IP packet to one host comes by broadcast). The tag
// travels in the metadata. Dropped and counted: frames without a whole header,
// for others, from a group address, unknown EtherTypes (802.3 lengths
// included), a tag within a tag.
//
// Latency: 3 cycles (at 256 bits and more). Throughput: one beat per cycle.
// IEEE 802.3 clause 3, IEEE 802.1Q clause 9.
module eth_rx
  import bombus_pkg::*;
#(
    parameter type beat_t = logic
) (
    input logic  clk_i,
    input logic  rst_i,
    input host_t host_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output next_e       out_next_o,
    output logic  [5:0] drop_o,
    output logic        busy_o
);

  localparam next_e Entry = NextEthRx;
  localparam logic [31:0] NextHops = 32'(1) << NextIpv4Rx | 32'(1) << NextArp;
  typedef enum int unsigned {
    DropRunt,
    DropNotForUs,
    DropBroadcast,
    DropBadSource,
    DropUnknownType,
    DropNestedTag,
    NumDrops
  } drop_e;

  typedef struct packed {
    logic [15:0] ether_type;
    logic [47:0] src;
    logic [47:0] dst;
  } header_t;  // wire bytes, first byte lowest
  typedef struct packed {
    logic [15:0] ether_type;
    logic [15:0] tci;
  } tag_t;

  // ---- Header ----

  beat_t frame;
  logic frame_valid, frame_ready, frame_first;
  header_t header;
  strip #(
      .beat_t(beat_t),
      .HeaderBytes($bits(header_t) / 8)
  ) u_header (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .keep_i(1'b0),
      .out_o(frame),
      .out_valid_o(frame_valid),
      .out_ready_i(frame_ready),
      .out_first_o(frame_first),
      .header_o(header)
  );

  wire has_tag = swap16(header.ether_type) == EtherTypeVlan;

  // What the header says, for the message that enters u_tag.
  logic runt_q, for_us_q, broadcast_q, bad_source_q;
  logic tagged_q;
  logic [15:0] type_q;
  always_ff @(posedge clk_i) begin
    if (frame_valid & frame_ready & frame_first) begin
      runt_q <= frame.meta.length < (has_tag ? 14'd18 : 14'd14);
      for_us_q <= swap48(header.dst) == host_i.mac;
      broadcast_q <= &header.dst;
      bad_source_q <= header.src[0];
      tagged_q <= has_tag;
      type_q <= swap16(header.ether_type);
    end
  end

  // ---- Tag ----

  beat_t rest;
  logic rest_valid, rest_ready, rest_first;
  tag_t tag;
  strip #(
      .beat_t(beat_t),
      .HeaderBytes($bits(tag_t) / 8)
  ) u_tag (
      .clk_i,
      .rst_i,
      .in_i(frame),
      .in_valid_i(frame_valid),
      .in_ready_o(frame_ready),
      .keep_i(~has_tag),
      .out_o(rest),
      .out_valid_o(rest_valid),
      .out_ready_i(rest_ready),
      .out_first_o(rest_first),
      .header_o(tag)
  );

  wire [15:0] ether_type = tagged_q ? swap16(tag.ether_type) : type_q;
  wire is_ipv4 = ether_type == EtherTypeIpv4;
  wire is_arp = ether_type == EtherTypeArp;

  logic [NumDrops-1:0] reasons;
  always_comb begin
    reasons = '0;
    if (runt_q) reasons[DropRunt] = 1'b1;
    else if (bad_source_q) reasons[DropBadSource] = 1'b1;
    else if (~for_us_q & ~broadcast_q) reasons[DropNotForUs] = 1'b1;
    else if (tagged_q & (ether_type == EtherTypeVlan)) reasons[DropNestedTag] = 1'b1;
    else if (~is_ipv4 & ~is_arp) reasons[DropUnknownType] = 1'b1;
    else if (broadcast_q & is_ipv4) reasons[DropBroadcast] = 1'b1;
  end

  beat_t sent;
  always_comb begin
    sent = rest;
    sent.meta.vlan.valid = tagged_q;
    sent.meta.vlan.tci = swap16(tag.tci);
    sent.meta.length = rest.meta.length - (tagged_q ? 14'd18 : 14'd14);
    if (tagged_q) begin
      sent.meta.csum = csum_add(csum_add(rest.meta.csum, ~swap16(tag.tci)),
                                ~swap16(tag.ether_type));
    end
  end

  drop_register #(
      .beat_t  (beat_t),
      .NumDrops(NumDrops)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(sent),
      .in_valid_i(rest_valid),
      .in_ready_o(rest_ready),
      .in_first_i(rest_first),
      .in_next_i(is_arp ? NextArp : NextIpv4Rx),
      .in_drop_i(reasons),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  assign busy_o = frame_valid | rest_valid | out_valid_o;

endmodule
