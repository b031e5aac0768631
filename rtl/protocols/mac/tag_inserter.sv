// SPDX-License-Identifier: Apache-2.0
// Inserts a VLAN tag (IEEE 802.1Q) into frames to a MAC port, as NICs do. The tag is an input
// beside the frame, stable for all its beats.
//
// Outputs are combinational. Latency: 0 cycles. Throughput: one output beat per cycle, without a
// bubble if the input has none. Bytes after bytes_o are undefined.
`include "bombus_assert.svh"

module tag_inserter
  import bombus_pkg::*;
#(
    parameter  int unsigned DataWidth = 512,
    localparam int unsigned DataBytes = DataWidth / 8,
    localparam type         count_t   = logic         [   $clog2(DataBytes):0],
    localparam type         index_t   = logic         [13-$clog2(DataBytes):0],
    localparam int unsigned TagBytes  = 4
) (
    input logic clk_i,
    input logic rst_i,

    input  logic   [DataWidth-1:0] data_i,
    input  count_t                 bytes_i,  // with last_i
    input  logic                   full_i,   // with last_i: a tag does not fit beside bytes_i
    input  logic                   last_i,
    input  logic                   valid_i,
    output logic                   ready_o,
    input  vlan_t                  vlan_i,

    output logic   [DataWidth-1:0] data_o,
    output count_t                 bytes_o,  // with last_o
    output logic                   last_o,
    output logic                   valid_o,
    input  logic                   ready_i,
    output index_t                 index_o   // beat within the frame
);

  if (DataWidth < 64 || DataWidth != 2 ** $clog2(DataWidth)) begin : gen_bad_width
    $error("tag_inserter: DataWidth must be a power of two, at least 64");
  end

  localparam int unsigned TagBeat = 12 / DataBytes;
  localparam int unsigned TagLane = 12 % DataBytes;

  index_t index_q;
  logic flush_q;  // the last bytes did not fit beside the tag
  logic [TagBytes*8-1:0] held_q;  // top bytes of the previous beat
  count_t held_bytes_q;

  logic at_tag_q, after_tag_q;  // the tag belongs into this beat, into an earlier one
  wire shift = vlan_i.valid & (at_tag_q | after_tag_q);
  wire spills = shift & last_i & full_i;

  wire [TagBytes*8-1:0] tag = {swap16(vlan_i.tci), swap16(EtherTypeVlan)};
  wire [DataWidth+TagBytes*8-1:0] both = {data_i, held_q};

  always_comb begin
    data_o = data_i;
    for (int unsigned b = 0; b < DataBytes; b++) begin
      if (vlan_i.valid & (after_tag_q | (at_tag_q & b >= TagLane))) data_o[b*8+:8] = both[b*8+:8];
      if (vlan_i.valid & at_tag_q & b >= TagLane & b < TagLane + TagBytes) begin
        data_o[b*8+:8] = tag[(b-TagLane)*8+:8];
      end
    end
    bytes_o = bytes_i;
    if (shift) bytes_o = bytes_i + count_t'(TagBytes);
    if (flush_q) bytes_o = held_bytes_q;
  end

  assign last_o  = flush_q | (last_i & ~spills);
  assign valid_o = valid_i;
  // The input's last beat stays valid until the bytes that did not fit have been sent.
  assign ready_o = ready_i & ~(spills & ~flush_q);
  assign index_o = index_q;

  always_ff @(posedge clk_i) begin
    if (valid_o & ready_i) begin
      held_q <= data_i[DataWidth-1-:TagBytes*8];
      held_bytes_q <= bytes_i - count_t'(DataBytes - TagBytes);
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      index_q <= '0;
      at_tag_q <= TagBeat == 0;
      after_tag_q <= 1'b0;
      flush_q <= 1'b0;
    end else if (valid_o & ready_i) begin
      at_tag_q <= last_o ? TagBeat == 0 : (TagBeat != 0) & (index_q == index_t'(TagBeat - 1));
      after_tag_q <= ~last_o & (at_tag_q | after_tag_q);
      flush_q <= spills & ~flush_q;
      if (last_o) index_q <= '0;
      else if (~&index_q) index_q <= index_q + 1'b1;
    end
  end

  `BOMBUS_ASSERT(LastBeatStaysValid, valid_i || !flush_q)

endmodule
