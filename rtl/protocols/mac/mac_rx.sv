// SPDX-License-Identifier: Apache-2.0
// MAC ingress buffer: whole frames from a MAC port, without FCS and preamble.
//
// Drops and counts bad frames (tuser with tlast), frames longer than bombus_pkg::MaxFrameBytes and
// frames that do not fit into the buffer; the port never stalls. A VLAN tag is moved from the frame
// into the metadata. Bytes after the end of the IPv4 packet (padding) are cut off. While a frame is
// received, the one's complement sum of all bytes after the 14-byte Ethernet header is computed and
// passed on in meta.csum, so that no later layer needs the whole packet.
//
// Latency: 6 cycles from the last beat of a frame to the first beat out. Throughput: one beat per
// cycle.
module mac_rx
  import bombus_pkg::*;
#(
    parameter  type         beat_t    = logic,
    parameter  int unsigned MacPort   = 0,
    parameter  int unsigned DataWidth = 512,
    localparam int unsigned DataBytes = DataWidth / 8
) (
    input logic clk_i,
    input logic rst_i,
    input logic hold_i,

    input  logic [DataWidth-1:0] mac_rx_tdata_i,
    input  logic [DataBytes-1:0] mac_rx_tkeep_i,
    input  logic                 mac_rx_tvalid_i,
    output logic                 mac_rx_tready_o,
    input  logic                 mac_rx_tlast_i,
    input  logic                 mac_rx_tuser_i,

    output logic    mac_message_o,  // a frame was received, whether dropped or not
    output length_t mac_bytes_o,    // bytes of that frame

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output logic  [0:0] out_next_o,

    output logic  [2:0] drop_o,
    output logic    busy_o,
    output logic    waits_o
);

  localparam string Entry = "";
  typedef enum logic [0:0] {NextEthRx} next_e;
  typedef enum int unsigned {
    DropBadFrame,
    DropTooLong,
    DropOverflow,
    NumDrops
  } drop_e;

  localparam int unsigned OffsetWidth = $clog2(DataBytes);

  typedef logic [13-OffsetWidth:0] index_t;
  typedef logic [OffsetWidth:0] count_t;

  assign mac_rx_tready_o = 1'b1;
  assign out_next_o = NextEthRx;

  // ---- Remove the tag, cut off padding ----

  // A beat with its tag, and how to remove the tag.
  typedef struct packed {
    logic [DataWidth-1:0] data;
    logic [31:0] next;  // first bytes of the next beat
    logic shift;  // the beat holds the tag or bytes after it
    logic at_tag;  // the beat holds the tag: lanes before it stay
    count_t bytes;  // bytes without the tag
    index_t index;  // beat within the frame; stays at its maximum
    logic store;  // with valid: the beat has bytes
    logic last;  // last beat with bytes
    logic frame_last;  // last beat of the frame
    logic bad;  // with frame_last
    length_t length;  // with frame_last: as on the wire
    logic ipv4;  // the (inner) EtherType, from its beat on
    vlan_t vlan;  // from the tag's beat on
  } tagged_t;

  // A beat of the message.
  typedef struct packed {
    logic [DataWidth-1:0] data;
    count_t bytes;
    index_t index;
    logic store;
    logic last;
    logic frame_last;
    logic bad;
    logic too_long;
    length_t length;
    vlan_t vlan;
  } trimmed_t;

  tagged_t  raw;
  trimmed_t now;
  logic raw_valid, valid, tag_busy, trimmer_busy;

  tag_remover #(
      .tagged_t (tagged_t),
      .DataWidth(DataWidth)
  ) u_tag (
      .clk_i,
      .rst_i,
      .data_i (mac_rx_tdata_i),
      .keep_i (mac_rx_tkeep_i),
      .valid_i(mac_rx_tvalid_i),
      .last_i (mac_rx_tlast_i),
      .bad_i  (mac_rx_tuser_i),
      .out_o  (raw),
      .valid_o(raw_valid),
      .busy_o (tag_busy)
  );

  packet_trimmer #(
      .tagged_t (tagged_t),
      .trimmed_t(trimmed_t)
  ) u_trimmer (
      .clk_i,
      .rst_i,
      .in_i   (raw),
      .valid_i(raw_valid),
      .out_o  (now),
      .valid_o(valid),
      .busy_o (trimmer_busy)
  );

  // ---- Store the frame, and decide at its end ----

  typedef struct packed {
    vlan_t vlan;
    length_t length;
    logic [15:0] csum;
  } info_t;

  logic good, holds;
  length_t message_length_q;
  wire length_t message_length =
      valid & now.store ? {now.index, {OffsetWidth{1'b0}}} + 14'(now.bytes) : message_length_q;

  ones_pkg::split_t sum;
  logic sum_valid;
  frame_sum #(
      .DataBytes(DataBytes)
  ) u_sum (
      .clk_i,
      .rst_i,
      .data_i (now.data),
      .valid_i(valid),
      .last_i (now.frame_last),
      .seed_i ('0),
      .sum_o  (sum),
      .valid_o(sum_valid)
  );

  // Length and verdict, aligned with the sum.
  ones_pkg::split_t sum_q;
  logic good_q, complete_q;
  length_t [1:0] length_pipe_q;
  vlan_t   [1:0] vlan_pipe_q;
  always_ff @(posedge clk_i) begin
    length_pipe_q <= {length_pipe_q[0], message_length};
    vlan_pipe_q <= {vlan_pipe_q[0], now.vlan};
    message_length_q <= message_length;
    sum_q <= sum;
    if (rst_i) begin
      good_q <= 1'b0;
      complete_q <= 1'b0;
    end else begin
      good_q <= good;
      complete_q <= sum_valid & good_q;
    end
  end

  info_t kept_info, info;
  always_comb begin
    kept_info.vlan   = vlan_pipe_q[1];
    kept_info.length = length_pipe_q[1];
    kept_info.csum   = swap16(ones_pkg::join_up(sum_q, 1'b0));
  end

  // ---- Output ----

  beat_t stored;
  frame_store #(
      .beat_t(beat_t),
      .info_t(info_t),
      .MacPort(MacPort),
      .DataWidth(DataWidth)
  ) u_store (
      .clk_i,
      .rst_i,
      .hold_i,
      .valid_i(valid),
      .data_i(now.data),
      .bytes_i(now.bytes),
      .store_i(now.store),
      .last_i(now.last),
      .frame_last_i(now.frame_last),
      .bad_i(now.bad),
      .too_long_i(now.too_long),
      .length_i(now.length),
      .good_o(good),
      .info_i(kept_info),
      .info_valid_i(complete_q),
      .out_o(stored),
      .info_o(info),
      .out_valid_o,
      .out_ready_i,
      .drop_o,
      .mac_message_o,
      .mac_bytes_o,
      .holds_o(holds),
      .waits_o
  );
  always_comb begin
    out_o = stored;
    out_o.meta.csum = info.csum;
    out_o.meta.vlan = info.vlan;
  end

  assign busy_o = tag_busy | trimmer_busy | good_q | complete_q | holds;

endmodule
