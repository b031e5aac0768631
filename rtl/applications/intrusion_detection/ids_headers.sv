// SPDX-License-Identifier: Apache-2.0
// Finds protocol, ports, payload and flow of each frame from its first beat.
//
// Supported is IPv4, with at most one VLAN tag and 12 bytes of options; TCP, UDP, ICMP and other
// protocols. The payload of fragments, of frames shorter than their packet, and of all other frames
// is not examined.
//
// Latency: 3 cycles, from the last beat, and one more for the checksums. Throughput: one beat per
// cycle. RFC 791, RFC 9293, RFC 768.
module ids_headers
  import bombus_pkg::*;
  import rule_pkg::*;
#(
    parameter int unsigned DataWidth = 512
) (
    input logic clk_i,
    input logic rst_i,

    input logic packet_i,
    input logic first_i,
    input logic last_i,
    input logic [7:0] slot_i,
    input bombus_pkg::length_t length_i,
    input logic [15:0] beat_i,
    input logic [DataWidth-1:0] data_i,
    input logic is_enabled_i,

    output packet_t packet_o,
    output flow_t   flow_o,
    output logic    packet_valid_o,
    output logic    is_sum_good_o    // of a TCP segment, a cycle later: also of its IP header
);

  if (DataWidth != 512) begin : gen_bad_width
    $error("ids_headers: DataWidth must be 512, so that the first beat has the headers");
  end

  localparam int unsigned HeaderBytes = 14;
  localparam int unsigned TagBytes = 4;
  localparam int unsigned IpBytes = 46;  // bytes of the first beat after a tag

  // The packet after the tag.
  wire [15:0] first_type = swap16(data_i[8*12+:16]);
  wire is_tagged = rpu_pkg::is_vlan_tag(first_type);
  wire [15:0] ether_type = is_tagged ? swap16(data_i[8*16+:16]) : first_type;
  wire [8*IpBytes-1:0] ip = data_i[8*(HeaderBytes+(is_tagged?TagBytes : 0))+:8*IpBytes];

  logic [8*IpBytes-1:0] ip_q;
  logic is_ipv4_q;
  offset_t ip_start_q, room_q;  // bytes after ip_start in the frame
  logic [1:0] first_q;
  logic [2:0] last_q;
  logic [1:0][7:0] slot_q;
  logic [1:0][15:0] beat_q;
  always_ff @(posedge clk_i) begin
    ip_q <= ip;
    is_ipv4_q <= ether_type == EtherTypeIpv4 & ip[7:4] == 4'd4;
    ip_start_q <= is_tagged ? 14'd18 : 14'd14;
    room_q <= length_i - (is_tagged ? 14'd18 : 14'd14);
    first_q <= {first_q[0], packet_i & first_i};
    last_q <= {last_q[1:0], packet_i & last_i};
    slot_q <= {slot_q[0], slot_i};
    beat_q <= {beat_q[0], beat_i};
    if (rst_i) begin
      first_q <= '0;
      last_q  <= '0;
    end
  end

  ids_sum #(
      .DataWidth(DataWidth)
  ) u_sum (
      .clk_i,
      .rst_i,
      .packet_i,
      .first_i,
      .last_i,
      .data_i,
      .is_tagged_i(is_tagged),
      .total_i(swap16(ip[16+:16])),
      .header_i(ip_q[8*32-1:0]),
      .is_good_o(is_sum_good_o)
  );

  // The transport header, located by the length of the IP header.
  localparam int unsigned L4Bytes = 14;
  wire [3:0] words = ip_q[3:0];
  logic [8*L4Bytes-1:0] l4, l4_q;
  always_comb begin
    l4 = ip_q[8*20+:8*L4Bytes];
    for (int unsigned n = 6; n <= 8; n++) if (32'(words) == n) l4 = ip_q[32*n+:8*L4Bytes];
  end
  wire [15:0] total = swap16(ip_q[16+:16]);
  wire [7:0] protocol = ip_q[8*9+:8];
  // More Fragments, fragment offset
  wire is_fragment = {ip_q[8*6+5], ip_q[8*6+:5], ip_q[8*7+:8]} != '0;

  logic is_good_q;
  logic [3:0] protocol_q;
  offset_t l4_start_q, l4_size_q;
  logic [63:0] addresses_q;
  logic [ 1:0] enabled_q;
  always_ff @(posedge clk_i) begin
    l4_q <= l4;
    addresses_q <= ip_q[8*12+:64];
    enabled_q <= {enabled_q[0], is_enabled_i};
    is_good_q <= is_ipv4_q & words >= 4'd5 & words <= 4'd8 & ~is_fragment & total <= 16'(room_q)
        & total >= 16'({words, 2'b00});
    protocol_q <= {
      protocol != 8'd6 & protocol != 8'd17 & protocol != 8'd1,
      protocol == 8'd1,
      protocol == 8'd17,
      protocol == 8'd6
    };
    l4_start_q <= ip_start_q + 14'({words, 2'b00});
    l4_size_q <= 14'(total) - 14'({words, 2'b00});
  end

  wire [7:0] flags = l4_q[8*13+:8];  // FIN, SYN, RST, PSH, ACK, URG from bit 0 on
  wire [5:0] tcp_bytes = {l4_q[8*12+4+:4], 2'b00};
  wire [5:0] header = protocol_q[0] ? tcp_bytes : protocol_q[3] ? 6'd0 : 6'd8;
  // UDP has its own length field; bytes beyond it are not payload (RFC 768).
  wire [15:0] udp_length = swap16(l4_q[32+:16]);
  wire is_udp = protocol_q[1];
  wire is_cut = is_udp & udp_length < 16'(l4_size_q);
  wire is_whole = l4_size_q >= 14'(header) & (~protocol_q[0] | tcp_bytes >= 6'd20) &
      (~is_udp | (udp_length >= 16'd8 & udp_length <= 16'(l4_size_q)));
  wire offset_t size = is_cut ? udp_length[13:0] : l4_size_q;
  wire is_tcp = is_good_q & is_whole & protocol_q[0];
  // Receivers drop segments with neither ACK nor SYN, and data with RST (RFC 9293, section 3.10.7).
  wire in_stream = is_tcp & ~flags[2] & (flags[1] | flags[4]);
  offset_t stop, last_start;
  assign stop = is_cut ? l4_start_q + udp_length[13:0] : l4_start_q + l4_size_q;
  assign last_start = is_cut ? l4_start_q + udp_length[13:0] - 14'd4 :
      l4_start_q + l4_size_q - 14'd4;
  always_ff @(posedge clk_i) begin
    if (first_q[1]) begin
      packet_o.slot <= slot_q[1];
      packet_o.is_examined <= is_good_q & is_whole;
      packet_o.protocol <= protocol_q;
      packet_o.source_port <= swap16(l4_q[0+:16]);
      packet_o.destination_port <= swap16(l4_q[16+:16]);
      packet_o.start <= l4_start_q + 14'(header);
      packet_o.size <= is_good_q & is_whole ? size - 14'(header) : '0;
      packet_o.stop <= stop;
      packet_o.is_small <= ~(is_good_q & is_whole) | size < 14'(header) + 14'd4;
      packet_o.last_at <= last_start[13:4];
      packet_o.beat <= beat_q[1];
      packet_o.from <= l4_start_q + 14'(header);
      packet_o.is_ahead <= 1'b0;
      packet_o.is_blocked <= 1'b0;
      packet_o.is_again <= 1'b0;
      packet_o.is_urgent <= is_tcp & flags[5];
      flow_o <= '{
          is_enabled: enabled_q[1],
          in_stream: in_stream,
          rst: is_tcp & flags[2],
          syn: flags[1],
          ack: flags[4],
          fin: flags[0] & ~flags[1],
          sequence_number: {swap16(l4_q[32+:16]), swap16(l4_q[48+:16])},
          acknowledged: {swap16(l4_q[64+:16]), swap16(l4_q[80+:16])},
          key: {l4_q[31:0], addresses_q}
      };
    end
  end
  assign packet_valid_o = last_q[2];

endmodule
