// SPDX-License-Identifier: Apache-2.0
// MAC ingress buffer of a middlebox: whole frames from a MAC port go on byte for byte, with VLAN tags
// and padding, as they came.
//
// Drops and counts bad frames (tuser with tlast), frames longer than bombus_pkg::MaxFrameBytes and
// frames for which there is no room; the port is never stopped. The metadata has the port and what
// identifies the flow, for dispatch among replicas: meta.ip is the exclusive or of both IPv4
// addresses, l4.ports.src_port that of both ports of TCP, UDP and SCTP, so that both directions of a
// flow are alike. Ports count without IP options and in no fragment; all is zero in what is not IPv4.
// One VLAN tag (IEEE 802.1Q or 802.1ad) may stand before the packet.
//
// Latency: 4 cycles from the last beat of a frame to the first beat out. Throughput: one beat per
// cycle. RFC 791, section 3.1.
module frame_rx
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
    $error("frame_rx: DataWidth must be a power of two, 64 to 512");
  end

  if (MacPort >= MaxMacPorts) begin : gen_bad_port
    $error("mac_port must be below %0d", MaxMacPorts);
  end

  localparam string Entry = "";
  typedef enum logic [0:0] {NextRpu} next_e;
  typedef enum int unsigned {
    DropBadFrame,
    DropTooLong,
    DropOverflow,
    NumDrops
  } drop_e;

  localparam int unsigned OffsetWidth = $clog2(DataBytes);
  localparam int unsigned BufferBytes = 32768;
  localparam int unsigned Beats = BufferBytes / DataBytes;
  // Beats run out first, but for frames that are shorter than an Ethernet frame can be.
  localparam int unsigned MaxFrames = Beats < BufferBytes / 32 ? Beats : BufferBytes / 32;
  // A tagged Ethernet header, an IPv4 header and ports.
  localparam int unsigned HeaderBytes = 18 + 20 + 4;
  localparam int unsigned HeaderBeats = (HeaderBytes + DataBytes - 1) / DataBytes;

  typedef logic [13-OffsetWidth:0] index_t;
  typedef logic [OffsetWidth:0] count_t;

  assign mac_rx_tready_o = 1'b1;
  assign out_next_o = NextRpu;

  // ---- A beat comes in ----

  count_t in_bytes;
  keep_count #(
      .NumBytes(DataBytes)
  ) u_keep (
      .keep_i (mac_rx_tkeep_i),
      .bytes_o(in_bytes)
  );

  logic [DataWidth-1:0] data_q;
  count_t bytes_q;
  logic valid_q, last_q, bad_q;
  index_t index_q;  // beat within the frame; stays at its maximum
  always_ff @(posedge clk_i) begin
    data_q  <= mac_rx_tdata_i;
    bytes_q <= in_bytes;
    last_q  <= mac_rx_tlast_i;
    bad_q   <= mac_rx_tuser_i;
    if (rst_i) begin
      valid_q <= 1'b0;
      index_q <= '0;
    end else begin
      valid_q <= mac_rx_tvalid_i;
      if (valid_q) index_q <= last_q ? '0 : index_q + index_t'(~&index_q);
    end
  end

  // ---- Store, and decide at the end of the frame ----

  typedef struct packed {
    logic last;
    count_t bytes;
    logic [DataWidth-1:0] data;
  } stored_t;

  typedef struct packed {
    logic [13:0] length;
    logic [31:0] ip;
    logic [15:0] port;
  } info_t;

  logic full, lost_q, long_q, read_last;
  logic [$clog2(MaxFrames):0] frames_q;  // committed, not yet read

  wire [14:0] length = {1'b0, index_q, {OffsetWidth{1'b0}}} + 15'(bytes_q);
  wire too_long = long_q | length > 15'(MaxFrameBytes);
  wire crowded = (MaxFrames < Beats) & frames_q[$clog2(MaxFrames)];
  wire lost = lost_q | full | crowded;
  wire frame_end = valid_q & last_q;
  wire good = frame_end & ~bad_q & ~too_long & ~lost;

  logic [DataWidth-1:0] kept;  // without what tkeep does not cover
  for (genvar b = 0; b < DataBytes; b++) begin : gen_kept
    assign kept[8*b+:8] = data_q[8*b+:8] & {8{count_t'(b) < bytes_q}};
  end

  stored_t stored;
  logic stored_valid, stored_ready;
  frame_buffer #(
      .data_t(stored_t),
      .Depth(Beats),
      .OutputRegister(1)
  ) u_buffer (
      .clk_i,
      .rst_i,
      .data_i  ('{last: last_q, bytes: bytes_q, data: kept}),
      .write_i (valid_q & ~full & ~lost_q),
      .commit_i(good),
      .abort_i (frame_end & ~good),
      .full_o  (full),
      .data_o  (stored),
      .valid_o (stored_valid),
      .ready_i (stored_ready)
  );

  // ---- What identifies the flow ----

  logic [HeaderBeats-1:0][DataWidth-1:0] header_q;
  logic good_q;
  logic [13:0] length_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned n = 0; n < HeaderBeats; n++) begin
      if (valid_q & index_q == index_t'(n)) header_q[n] <= data_q;
    end
    length_q <= length[13:0];
  end

  wire [HeaderBeats*DataWidth-1:0] frame = header_q;
  wire [15:0] first_type = swap16(frame[8*12+:16]);
  wire is_tagged = first_type == EtherTypeVlan | first_type == 16'h88A8;
  wire [8*24-1:0] packet = is_tagged ? frame[8*18+:8*24] : frame[8*14+:8*24];
  wire [15:0] ether_type = is_tagged ? swap16(frame[8*16+:16]) : first_type;
  wire [13:0] packet_bytes = 14'(HeaderBytes) - (is_tagged ? 14'd0 : 14'd4);
  wire is_ipv4 = ether_type == EtherTypeIpv4 & packet[7:4] == 4'd4 & length_q >= packet_bytes;
  wire [7:0] protocol = packet[8*9+:8];
  // More fragments, or an offset: all but the bits reserved and "don't fragment".
  wire is_fragment = {packet[8*6+:6], packet[8*7+:8]} != '0;
  wire has_ports = packet[3:0] == 4'd5 & ~is_fragment &
      (protocol == ProtocolTcp | protocol == ProtocolUdp | protocol == 8'd132);

  info_t info_q, info;
  logic complete_q, info_valid;
  always_ff @(posedge clk_i) begin
    info_q.length <= length_q;
    info_q.ip <= is_ipv4 ? swap32(packet[8*12+:32] ^ packet[8*16+:32]) : '0;
    info_q.port <= is_ipv4 & has_ports ? swap16(packet[8*20+:16] ^ packet[8*22+:16]) : '0;
  end
  block_fifo #(
      .data_t(info_t),
      .Depth (MaxFrames)
  ) u_info (
      .clk_i,
      .rst_i,
      .data_i (info_q),
      .write_i(complete_q),
      .data_o (info),
      .valid_o(info_valid),
      .ready_i(read_last)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      good_q <= 1'b0;
      complete_q <= 1'b0;
      lost_q <= 1'b0;
      long_q <= 1'b0;
      frames_q <= '0;
    end else begin
      good_q <= good;
      complete_q <= good_q;
      if (valid_q) lost_q <= ~last_q & lost;
      if (valid_q) long_q <= ~last_q & too_long;
      if (good & ~read_last) frames_q <= frames_q + 1'b1;
      if (~good & read_last) frames_q <= frames_q - 1'b1;
    end
  end

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
    out_o.length = info.length;
    out_o.meta.mac_port = mac_port_t'(MacPort);
    out_o.meta.ip = info.ip;
    out_o.meta.l4.ports.src_port = info.port;
  end

  always_ff @(posedge clk_i) begin
    drop_o[DropBadFrame] <= frame_end & bad_q;
    drop_o[DropTooLong] <= frame_end & ~bad_q & too_long;
    drop_o[DropOverflow] <= frame_end & ~bad_q & ~too_long & lost;
    mac_message_o <= frame_end;
    mac_bytes_o <= length[13:0];
    if (rst_i) begin
      drop_o <= '0;
      mac_message_o <= 1'b0;
    end
  end

  assign busy_o = valid_q | index_q != '0 | good_q | complete_q | frames_q != '0;

endmodule
