// SPDX-License-Identifier: Apache-2.0
// MAC ingress buffer: whole frames from a MAC port, without FCS and preamble.
//
// Drops and counts bad frames (tuser with tlast), frames longer than
// bombus_pkg::MaxFrameBytes and frames for which there is no room; the port is
// never stopped. A VLAN tag moves from the frame into the metadata; what a frame
// carries behind the end of its IPv4 packet (padding) is cut off. While a frame
// comes in, the one's complement sum of all that follows the 14-byte Ethernet
// header is taken and goes along in meta.csum, so that no later layer has to see
// a whole packet.
//
// Latency: 6 cycles from the last beat of a frame to the first beat out.
// Throughput: one beat per cycle.
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

    input  logic [DataWidth-1:0] mac_rx_tdata_i,
    input  logic [DataBytes-1:0] mac_rx_tkeep_i,
    input  logic                 mac_rx_tvalid_i,
    output logic                 mac_rx_tready_o,
    input  logic                 mac_rx_tlast_i,
    input  logic                 mac_rx_tuser_i,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output logic  [0:0] out_next_o,
    output logic  [2:0] drop_o,

    output logic        mac_message_o,  // a frame has come in, dropped or not
    output logic [13:0] mac_bytes_o,    // its bytes
    output logic        busy_o
);

  if (DataWidth < 64 || DataWidth > 512 || DataWidth != 2 ** $clog2(
          DataWidth
      )) begin : gen_bad_width
    $error("mac_rx: DataWidth must be a power of two, 64 to 512");
  end

  if (MacPort >= MaxMacPorts) begin : gen_bad_port
    $error("mac_port must be below %0d", MaxMacPorts);
  end

  localparam string Entry = "";
  typedef enum logic [0:0] {NextEthRx} next_e;
  typedef enum int unsigned {
    DropBadFrame,
    DropTooLong,
    DropOverflow,
    NumDrops
  } drop_e;

  localparam int unsigned OffsetWidth = $clog2(DataBytes);
  localparam int unsigned BufferBytes = 32768;
  localparam int unsigned Beats = BufferBytes / DataBytes;
  // Beats run out first, but for frames that are shorter than an IPv4 packet can be.
  localparam int unsigned MaxFrames = Beats < BufferBytes / 32 ? Beats : BufferBytes / 32;

  typedef logic [13-OffsetWidth:0] index_t;
  typedef logic [OffsetWidth:0] count_t;

  assign mac_rx_tready_o = 1'b1;
  assign out_next_o = NextEthRx;

  // ---- Take the tag out, cut padding off ----

  // A beat with its tag, and how to take that out.
  typedef struct packed {
    logic [DataWidth-1:0] data;
    logic [31:0] next;  // first bytes of the next beat
    logic shift;  // the tag, or what is behind it, is here
    logic at_tag;  // the lanes before the tag stay
    count_t bytes;  // left without the tag
    index_t index;  // beat within the frame; stays at its maximum
    logic store;  // with valid: the beat has bytes
    logic last;  // the last one that has
    logic frame_last;  // nothing comes behind
    logic bad;  // with frame_last
    logic [13:0] length;  // with frame_last: as on the wire
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
    logic [13:0] length;
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

  // ---- Store, and decide at the end of the frame ----

  typedef struct packed {
    logic last;
    count_t bytes;
    logic [DataWidth-1:0] data;
  } stored_t;

  typedef struct packed {
    vlan_t vlan;
    logic [13:0] length;
    logic [15:0] csum;
  } info_t;

  logic full, lost_q, read_last;
  logic [13:0] message_length_q;
  logic [$clog2(MaxFrames):0] frames_q;  // committed, not yet read

  wire store = valid & now.store;
  wire frame_end_now = valid & now.frame_last;
  wire crowded = (MaxFrames < Beats) & frames_q[$clog2(MaxFrames)];
  wire lost = lost_q | (store & full) | crowded;
  wire good = frame_end_now & ~now.bad & ~now.too_long & ~lost;
  wire [13:0] message_length =
      store ? {now.index, {OffsetWidth{1'b0}}} + 14'(now.bytes) : message_length_q;

  stored_t stored;
  logic stored_valid, stored_ready;

  frame_buffer #(
      .data_t(stored_t),
      .Depth(Beats),
      .OutputRegister(1)  // the sum takes as long
  ) u_buffer (
      .clk_i,
      .rst_i,
      .data_i  ('{last: now.last, bytes: now.bytes, data: now.data}),
      .write_i (store & ~full & ~lost_q),
      .commit_i(good),
      .abort_i (frame_end_now & ~good),
      .full_o  (full),
      .data_o  (stored),
      .valid_o (stored_valid),
      .ready_i (stored_ready)
  );

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

  // Length and verdict travel beside the sum.
  ones_pkg::split_t sum_q;
  logic good_q, complete_q;
  logic [1:0][13:0] length_pipe_q;
  vlan_t [1:0] vlan_pipe_q;
  always_ff @(posedge clk_i) begin
    length_pipe_q <= {length_pipe_q[0], message_length};
    vlan_pipe_q <= {vlan_pipe_q[0], now.vlan};
    message_length_q <= message_length;
    sum_q <= sum;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      good_q <= 1'b0;
      complete_q <= 1'b0;
      lost_q <= 1'b0;
      frames_q <= '0;
    end else begin
      good_q <= good;
      complete_q <= sum_valid & good_q;
      if (valid) lost_q <= ~now.frame_last & lost;
      if (good & ~read_last) frames_q <= frames_q + 1'b1;
      if (~good & read_last) frames_q <= frames_q - 1'b1;
    end
  end

  info_t info;
  logic  info_valid;
  block_fifo #(
      .data_t(info_t),
      .Depth (MaxFrames)
  ) u_info (
      .clk_i,
      .rst_i,
      .data_i(
      '{
          vlan: vlan_pipe_q[1],
          length: length_pipe_q[1],
          csum: swap16(ones_pkg::join_up(sum_q, 1'b0))
      }
      ),
      .write_i(complete_q),
      .data_o(info),
      .valid_o(info_valid),
      .ready_i(read_last)
  );

  // ---- Out ----

  assign out_valid_o  = stored_valid & info_valid;
  assign stored_ready = out_ready_i & info_valid;
  assign read_last    = out_valid_o & out_ready_i & stored.last;
  always_comb begin
    out_o = '0;
    out_o.data = stored.data;
    out_o.bytes = stored.bytes;
    out_o.last = stored.last;
    out_o.kind = $bits(out_o.kind)'(KindPacket);
    out_o.meta.mac_port = mac_port_t'(MacPort);
    out_o.length = info.length;
    out_o.meta.csum = info.csum;
    out_o.meta.vlan = info.vlan;
  end

  always_ff @(posedge clk_i) begin
    drop_o[DropBadFrame] <= frame_end_now & now.bad;
    drop_o[DropTooLong] <= frame_end_now & ~now.bad & now.too_long;
    drop_o[DropOverflow] <= frame_end_now & ~now.bad & ~now.too_long & lost;
    mac_message_o <= frame_end_now;
    mac_bytes_o <= now.length;
    if (rst_i) begin
      drop_o <= '0;
      mac_message_o <= 1'b0;
    end
  end

  assign busy_o = tag_busy | trimmer_busy | good_q | complete_q | (frames_q != '0);

endmodule
