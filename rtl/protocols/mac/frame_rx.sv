// SPDX-License-Identifier: Apache-2.0
// MAC ingress buffer of a middlebox: forwards whole frames from a MAC port unchanged, with VLAN
// tags and padding.
//
// Drops and counts bad frames (tuser with tlast), frames longer than bombus_pkg::MaxFrameBytes and
// frames that do not fit into the buffer; the port never stalls. The metadata contains the port and
// the flow identification, for dispatch among replicas: meta.ip is the exclusive or of both IPv4
// addresses, l4.ports.src_port that of both ports of TCP, UDP and SCTP, so that both directions of
// a flow are alike. Ports are found after up to 12 bytes of IP options, and not in fragments. All
// fields are zero for frames that are not IPv4. One VLAN tag (IEEE 802.1Q or 802.1ad) may precede
// the packet.
//
// A register can hold frames back, so that all downstream logic drains before it is reconfigured.
//
// Latency: 4 cycles from the last beat of a frame to the first beat out. Throughput: one beat per
// cycle. RFC 791, section 3.1.
module frame_rx
  import bombus_pkg::*;
#(
    parameter  type         beat_t    = logic,
    parameter  type         regs_t    = logic,
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

    input regs_t regs_i,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output logic  [0:0] out_next_o,

    output logic  [2:0] drop_o,
    output logic    busy_o,
    output logic    waits_o
);

  localparam string Entry = "";
  typedef enum logic [0:0] {NextRpu} next_e;
  typedef enum int unsigned {
    DropBadFrame,
    DropTooLong,
    DropOverflow,
    NumDrops
  } drop_e;

  localparam int unsigned OffsetWidth = $clog2(DataBytes);
  // A tagged Ethernet header, an IPv4 header with options, and ports.
  localparam int unsigned MostWords = 8;
  localparam int unsigned HeaderBytes = 18 + 4 * MostWords + 4;
  localparam int unsigned LeastBytes = 18 + 20 + 4;
  localparam int unsigned HeaderBeats = (HeaderBytes + DataBytes - 1) / DataBytes;

  typedef logic [13-OffsetWidth:0] index_t;
  typedef logic [OffsetWidth:0] count_t;

  assign mac_rx_tready_o = 1'b1;
  assign out_next_o = NextRpu;

  // ---- Input beat ----

  count_t in_bytes;
  keep_count #(
      .NumBytes(DataBytes)
  ) u_keep (
      .keep_i (mac_rx_tkeep_i),
      .bytes_o(in_bytes)
  );

  // Full beats of the longest frame
  localparam index_t FullBeats = index_t'(MaxFrameBytes / DataBytes);

  logic [DataWidth-1:0] data_q;
  count_t bytes_q;
  logic valid_q, last_q, bad_q;
  index_t index_q;  // beat within the frame; stays at its maximum
  // The beat follows the full beats of the longest frame, directly (at) or later (past); it has
  // more bytes than the last beat of the longest frame (over).
  logic at_limit_q, past_limit_q, over_q;
  always_ff @(posedge clk_i) begin
    data_q  <= mac_rx_tdata_i;
    bytes_q <= in_bytes;
    last_q  <= mac_rx_tlast_i;
    bad_q   <= mac_rx_tuser_i;
    over_q  <= mac_rx_tkeep_i[MaxFrameBytes%DataBytes];
    if (rst_i) begin
      valid_q <= 1'b0;
      index_q <= '0;
      at_limit_q <= 1'b0;
      past_limit_q <= 1'b0;
    end else begin
      valid_q <= mac_rx_tvalid_i;
      if (valid_q) begin
        index_q <= last_q ? '0 : index_q + index_t'(~&index_q);
        at_limit_q <= ~last_q & (index_q == FullBeats - 1'b1);
        past_limit_q <= ~last_q & (at_limit_q | past_limit_q);
      end
    end
  end

  // The beat count of a very long frame saturates, so its length stays too long.
  wire length_t length = {index_q, {OffsetWidth{1'b0}}} + (&index_q ? '0 : 14'(bytes_q));
  wire too_long = past_limit_q | at_limit_q & over_q;

  logic [DataWidth-1:0] kept;  // bytes outside tkeep are zero
  for (genvar b = 0; b < DataBytes; b++) begin : gen_kept
    assign kept[8*b+:8] = data_q[8*b+:8] & {8{count_t'(b) < bytes_q}};
  end

  // ---- Fields that identify the flow ----

  typedef struct packed {
    length_t length;
    logic [31:0] ip;
    logic [15:0] port;
  } info_t;

  logic [HeaderBeats-1:0][DataWidth-1:0] header_q;
  logic good, good_q, is_tagged_q, holds;
  length_t length_q;
  // The frame includes the ports that follow a header of 5 + n words; a tag counts as a word.
  logic [MostWords-4:0] reaches_q;
  for (genvar n = 0; n <= MostWords - 4; n++) begin : gen_reaches
    localparam int unsigned NeededBytes = LeastBytes - 4 + 4 * n;
    localparam index_t LastBeat = index_t'((NeededBytes - 1) / DataBytes);
    localparam count_t InLastBeat = count_t'((NeededBytes - 1) % DataBytes + 1);
    always_ff @(posedge clk_i) begin
      reaches_q[n] <= index_q > LastBeat | index_q == LastBeat & bytes_q >= InLastBeat;
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned n = 0; n < HeaderBeats; n++) begin
      if (valid_q & index_q == index_t'(n)) header_q[n] <= data_q;
    end
    if (valid_q & index_q == index_t'(12 / DataBytes)) begin
      is_tagged_q <= swap16(data_q[8*(12%DataBytes)+:16]) inside {EtherTypeVlan, 16'h88A8};
    end
    length_q <= length;
  end

  wire [HeaderBeats*DataWidth-1:0] frame = header_q;
  localparam int unsigned PacketBytes = HeaderBytes - 18;
  wire [8*PacketBytes-1:0] packet = is_tagged_q ? frame[8*18+:8*PacketBytes] :
      frame[8*14+:8*PacketBytes];
  wire [15:0] ether_type = swap16(frame[8*(is_tagged_q?16 : 12)+:16]);
  wire [MostWords-5:0] reaches = is_tagged_q ? reaches_q[MostWords-4:1] : reaches_q[MostWords-5:0];
  wire is_ipv4 = ether_type == EtherTypeIpv4 & packet[7:4] == 4'd4 & reaches[0];
  wire [7:0] protocol = packet[8*9+:8];
  // More Fragments or an offset: all bits except the reserved one and Don't Fragment.
  wire is_fragment = {packet[8*6+:6], packet[8*7+:8]} != '0;
  wire [3:0] words = packet[3:0];
  logic [31:0] ports;
  logic are_inside;  // the ports are in header_q and in the frame
  always_comb begin
    ports = '0;
    are_inside = 1'b0;
    for (int unsigned n = 5; n <= MostWords; n++) begin
      if (32'(words) == n) begin
        ports = packet[32*n+:32];
        are_inside = reaches[n-5];
      end
    end
  end
  wire has_ports = are_inside & ~is_fragment &
      (protocol == ProtocolTcp | protocol == ProtocolUdp | protocol == 8'd132);

  info_t info_q, info;
  logic complete_q;
  always_ff @(posedge clk_i) begin
    info_q.length <= length_q;
    info_q.ip <= is_ipv4 ? swap32(packet[8*12+:32] ^ packet[8*16+:32]) : '0;
    info_q.port <= is_ipv4 & has_ports ? swap16(ports[15:0] ^ ports[31:16]) : '0;
    if (rst_i) begin
      good_q <= 1'b0;
      complete_q <= 1'b0;
    end else begin
      good_q <= good;
      complete_q <= good_q;
    end
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
      .hold_i(regs_i.gate.hold | hold_i),
      .valid_i(valid_q),
      .data_i(kept),
      .bytes_i(bytes_q),
      .store_i(1'b1),
      .last_i(last_q),
      .frame_last_i(last_q),
      .bad_i(bad_q),
      .too_long_i(too_long),
      .length_i(length),
      .good_o(good),
      .info_i(info_q),
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
    out_o.meta.ip = info.ip;
    out_o.meta.l4.ports.src_port = info.port;
  end

  assign busy_o = valid_q | index_q != '0 | good_q | complete_q | holds;

endmodule
