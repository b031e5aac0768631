// SPDX-License-Identifier: Apache-2.0
// Gives a verdict on whole frames by their IPv4 source address, as an accelerator of a packet
// processor: whether it is in one of many ranges (range_search).
//
// The verdict, of each frame by its first beat: bit 0: the address is in a range; bit 1: the frame is
// IPv4, perhaps behind one VLAN tag (IEEE 802.1Q or 802.1ad); bit 2: it may hide IPv4 behind further tags or
// SNAP (IEEE 802.2); from bit 15 on the number of the range.
//
// Latency: Stages + 2 cycles. Throughput: one beat per cycle. RFC 791, section 3.1.
module source_judge
  import bombus_pkg::*;
#(
    parameter int unsigned DataWidth = 512,
    parameter int unsigned Stages = 11,
    parameter bit Fixed = 0,
    parameter int unsigned NumFixed = 1,  // boundaries of Table
    parameter logic [NumFixed-1:0][31:0] Table = '0
) (
    input logic clk_i,
    input logic rst_i,

    input logic packet_i,
    input logic first_i,
    input logic [7:0] slot_i,
    input logic [$clog2(DataWidth/8):0] bytes_i,
    input logic [DataWidth-1:0] data_i,
    output logic judged_o,
    output logic [7:0] judged_slot_o,
    output logic [31:0] verdict_o,

    input logic write_i,
    input logic [Stages-1:0] write_index_i,
    input logic [31:0] write_boundary_i,
    input logic [Stages-1:0] count_i
);

  if (DataWidth < 512) begin : gen_bad_width
    $error("source_judge: DataWidth must be 512, so that the first beat has the address");
  end

  localparam int unsigned HeaderBytes = 14;
  localparam int unsigned TagBytes = 4;
  localparam int unsigned IpBytes = 20;

  typedef struct packed {
    logic [7:0] slot;
    logic is_ipv4;
    logic may_hide;
  } tag_t;

  wire [15:0] first_type = swap16(data_i[8*12+:16]);
  wire is_tagged = first_type == EtherTypeVlan | first_type == 16'h88A8;
  wire [15:0] ether_type = is_tagged ? swap16(data_i[8*16+:16]) : first_type;
  wire [8*IpBytes-1:0] packet = data_i[8*(HeaderBytes+(is_tagged?TagBytes : 0))+:8*IpBytes];
  wire is_whole = 32'(bytes_i) >= HeaderBytes + IpBytes + (is_tagged ? TagBytes : 0);

  logic valid_q;
  logic [31:0] address_q;
  tag_t tag_q, tag;
  always_ff @(posedge clk_i) begin
    valid_q <= packet_i & first_i & ~rst_i;
    address_q <= swap32(packet[8*12+:32]);
    tag_q.slot <= slot_i;
    tag_q.is_ipv4 <= is_whole & ether_type == EtherTypeIpv4 & packet[7:4] == 4'd4;
    tag_q.may_hide <= ether_type inside {EtherTypeVlan, 16'h88A8, 16'h9100} |
        (ether_type < 16'h0600 & packet[7:0] == 8'hAA);
  end

  logic covered;
  logic [Stages-1:0] range;
  range_search #(
      .Stages(Stages),
      .tag_t(tag_t),
      .Fixed(Fixed),
      .NumFixed(NumFixed),
      .Table(Table)
  ) u_search (
      .clk_i,
      .rst_i,
      .valid_i(valid_q),
      .key_i(address_q),
      .tag_i(tag_q),
      .valid_o(judged_o),
      .covered_o(covered),
      .range_o(range),
      .tag_o(tag),
      .write_i,
      .write_index_i,
      .write_boundary_i,
      .count_i
  );
  assign judged_slot_o = tag.slot;
  assign verdict_o = {17'(range), 12'd0, tag.may_hide, tag.is_ipv4, covered & tag.is_ipv4};

endmodule
