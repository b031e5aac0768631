// SPDX-License-Identifier: Apache-2.0
// Gives a verdict on frames by their IPv4 source address, as an accelerator of a packet processor:
// whether a search module finds the address in one of many ranges.
//
// The verdict depends on the first beat of the frame. Bit 0: the address is in a range; bit 1: the
// frame is IPv4, with at most one VLAN tag (rpu_pkg::is_vlan_tag); bit 2: it may contain IPv4 whose
// address is not looked up: after further tags, LLC (IEEE 802.2) or other headers
// (source_judge_pkg::may_carry_ipv4), or cut off; bits 31:15: number of the range. A frame has one
// event: listed, may hide, or other, which is neither IPv4 nor may hide it.
//
// Latency: 1 cycle plus that of the search. Throughput: one beat per cycle. RFC 791, section 3.1.
module source_judge
  import bombus_pkg::*;
  import source_judge_pkg::*;
#(
    parameter int unsigned DataWidth = 512
) (
    input logic clk_i,
    input logic rst_i,

    input rpu_pkg::accel_packet_t packet_i,
    input logic [$clog2(DataWidth/8):0] bytes_i,
    input logic [DataWidth-1:0] data_i,
    output rpu_pkg::accel_verdict_t verdict_o,
    output logic [NumEvents-1:0] event_o,

    output logic search_o,
    output logic [31:0] address_o,
    output judged_frame_t frame_o,  // travels with the search
    input logic found_i,
    input logic covered_i,
    input logic [16:0] range_i,  // number of the range
    input judged_frame_t frame_i
);

  if (DataWidth < 512) begin : gen_bad_width
    $error("source_judge: DataWidth must be 512, so that the first beat has the address");
  end

  localparam int unsigned HeaderBytes = 14;
  localparam int unsigned TagBytes = 4;
  localparam int unsigned IpBytes = 20;
  localparam logic [7:0] LsapSnap = 8'hAA;
  localparam logic [7:0] LsapIp = 8'h06;

  wire [15:0] first_type = swap16(data_i[8*12+:16]);
  wire is_tagged = rpu_pkg::is_vlan_tag(first_type);
  wire [15:0] ether_type = is_tagged ? swap16(data_i[8*16+:16]) : first_type;
  wire [8*IpBytes-1:0] packet = data_i[8*(HeaderBytes+(is_tagged?TagBytes : 0))+:8*IpBytes];
  wire is_whole = 32'(bytes_i) >= HeaderBytes + IpBytes + (is_tagged ? TagBytes : 0);

  wire is_ipv4 = is_whole & ether_type == EtherTypeIpv4 & packet[7:4] == 4'd4;
  wire is_llc = ether_type < 16'h0600;
  wire is_cut = 32'(bytes_i) < HeaderBytes + (is_tagged ? TagBytes : 0);

  always_ff @(posedge clk_i) begin
    search_o <= packet_i.valid & packet_i.first & ~rst_i;
    address_o <= swap32(packet[8*12+:32]);
    frame_o.slot <= packet_i.slot;
    frame_o.is_ipv4 <= is_ipv4;
    frame_o.may_hide <= is_cut | (ether_type == EtherTypeIpv4 & ~is_ipv4) | rpu_pkg::is_vlan_tag(
        ether_type
    ) | may_carry_ipv4(
        ether_type
    ) | (is_llc & packet[7:0] inside {LsapSnap, LsapIp});
    event_o[EventListed] <= found_i & covered_i & frame_i.is_ipv4 & ~rst_i;
    event_o[EventMayHide] <= found_i & frame_i.may_hide & ~rst_i;
    event_o[EventOther] <= found_i & ~frame_i.may_hide & ~frame_i.is_ipv4 & ~rst_i;
  end

  assign verdict_o = '{
          judges: 1'b1,
          valid: found_i,
          slot: frame_i.slot,
          verdict: {range_i, 12'd0, frame_i.may_hide, frame_i.is_ipv4, covered_i & frame_i.is_ipv4}
      };

endmodule
