// SPDX-License-Identifier: Apache-2.0
// Gives a verdict on frames by their IPv4 source address, as an accelerator of a packet processor:
// whether a search module finds the address in one of many ranges.
//
// The verdict depends on the first beat of the frame. Bit 0: the address is in a range; bit 1: the
// frame is IPv4, with at most one VLAN tag (IEEE 802.1Q or 802.1ad); bit 2: it may contain IPv4
// after further tags or SNAP (IEEE 802.2); bits 31:15: number of the range.
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

  wire [15:0] first_type = swap16(data_i[8*12+:16]);
  wire is_tagged = first_type == EtherTypeVlan | first_type == 16'h88A8;
  wire [15:0] ether_type = is_tagged ? swap16(data_i[8*16+:16]) : first_type;
  wire [8*IpBytes-1:0] packet = data_i[8*(HeaderBytes+(is_tagged?TagBytes : 0))+:8*IpBytes];
  wire is_whole = 32'(bytes_i) >= HeaderBytes + IpBytes + (is_tagged ? TagBytes : 0);

  always_ff @(posedge clk_i) begin
    search_o <= packet_i.valid & packet_i.first & ~rst_i;
    address_o <= swap32(packet[8*12+:32]);
    frame_o.slot <= packet_i.slot;
    frame_o.is_ipv4 <= is_whole & ether_type == EtherTypeIpv4 & packet[7:4] == 4'd4;
    frame_o.may_hide <= ether_type inside {EtherTypeVlan, 16'h88A8, 16'h9100} |
        (ether_type < 16'h0600 & packet[7:0] == 8'hAA);
  end

  assign verdict_o = '{
          judges: 1'b1,
          valid: found_i,
          slot: frame_i.slot,
          verdict: {range_i, 12'd0, frame_i.may_hide, frame_i.is_ipv4, covered_i & frame_i.is_ipv4}
      };

endmodule
