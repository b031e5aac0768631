// MAC ingress buffer: whole frames from a MAC port, without FCS and preamble.
//
// Drops and counts bad frames (tuser with tlast), frames longer than
// bombus_pkg::MaxFrameBytes and frames for which there is no room; the port is
// never stopped. What a frame carries behind the end of its IPv4 packet
// (padding) is cut off. While a frame comes in, the one's complement sum of all
// that follows the 14-byte Ethernet header is taken and goes along in
// meta.csum, so that no later layer has to see a whole packet.
//
// Latency: 4 cycles from the last beat of a frame to the first beat out.
// Throughput: one beat per cycle. One VLAN tag is understood.
module mac_rx
  import bombus_pkg::*;
#(
    parameter  type         beat_t     = logic,
    parameter  int unsigned MacPort    = 0,
    parameter  int unsigned DataWidth  = 512,
    localparam int unsigned DataBytes  = DataWidth / 8
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
    output next_e       out_next_o,
    output logic  [2:0] drop_o,

    output logic        mac_message_o,  // a frame has come in, dropped or not
    output logic [13:0] mac_bytes_o,    // its bytes
    output logic        busy_o
);

  localparam next_e Entry = NextNone;
  localparam logic [31:0] NextHops = 32'(1) << NextEthRx;
  typedef enum int unsigned {
    DropBadFrame,
    DropTooLong,
    DropOverflow,
    NumDrops
  } drop_e;

  localparam int unsigned OffsetWidth = $clog2(DataBytes);
  localparam int unsigned IndexWidth = 14 - OffsetWidth;
  localparam int unsigned BufferBytes = 32768;
  localparam int unsigned MaxFrames = 64;
  // Beats in which the EtherType and the IPv4 total length stand.
  localparam int unsigned TypeBeat = 12 / DataBytes;
  localparam int unsigned LengthBeat = 16 / DataBytes;
  localparam int unsigned HeaderBytes = 14;

  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [OffsetWidth:0] count_t;

  assign mac_rx_tready_o = 1'b1;
  assign out_next_o = NextEthRx;

  // Two wire bytes of the frame at `position`, if they are in this beat.
  function automatic logic [15:0] field(logic [DataWidth-1:0] data, int unsigned position);
    return swap16(data[(position%DataBytes)*8+:16]);
  endfunction

  // ---- Where the frame ends ----

  index_t index_q;  // beat within the frame
  logic   tracking_q;  // the end of the IPv4 packet is known
  logic [13:0] end_q;
  logic ended_q;  // the end has gone by

  wire first = index_q == '0;

  logic is_ipv4, is_vlan;
  if (TypeBeat == LengthBeat) begin : gen_type_now
    assign is_ipv4 = field(mac_rx_tdata_i, 12) == EtherTypeIpv4;
    assign is_vlan = field(mac_rx_tdata_i, 12) == EtherTypeVlan;
  end else begin : gen_type_before
    always_ff @(posedge clk_i) begin
      if (mac_rx_tvalid_i & (index_q == index_t'(TypeBeat))) begin
        is_ipv4 <= field(mac_rx_tdata_i, 12) == EtherTypeIpv4;
        is_vlan <= field(mac_rx_tdata_i, 12) == EtherTypeVlan;
      end
    end
  end

  wire [15:0] total_length = field(mac_rx_tdata_i, is_vlan ? 20 : 16);
  wire tagged_ipv4 = is_vlan & (field(mac_rx_tdata_i, 16) == EtherTypeIpv4);
  // Lengths that no IPv4 packet has are left for ipv4_rx to refuse.
  wire find_end = (index_q == index_t'(LengthBeat)) & (is_ipv4 | tagged_ipv4) &
      (total_length >= 16'd20) & (total_length <= 16'(MaxFrameBytes));
  wire [13:0] new_end = total_length[13:0] + (is_vlan ? 14'd18 : 14'd14);

  wire tracking = find_end | (tracking_q & ~first);
  wire [13:0] frame_end = find_end ? new_end : end_q;
  wire end_here = tracking & ~(ended_q & ~first) &
      ((index_q == frame_end[13:OffsetWidth]) |
       ((index_q + 1'b1 == frame_end[13:OffsetWidth]) & (frame_end[OffsetWidth-1:0] == '0)));

  // Valid bytes by tkeep, then by the end of the packet.
  count_t kept, valid_bytes;
  always_comb begin
    kept = '0;
    for (int unsigned b = 0; b < DataBytes; b++) if (mac_rx_tkeep_i[b]) kept = count_t'(b + 1);
  end
  wire count_t limit = (frame_end[OffsetWidth-1:0] == '0) ? count_t'(DataBytes) :
      {1'b0, frame_end[OffsetWidth-1:0]};
  wire cut = end_here & (limit <= kept);
  assign valid_bytes = cut ? limit : kept;
  wire past_end = ended_q & ~first;  // nothing but padding

  always_ff @(posedge clk_i) begin
    if (mac_rx_tvalid_i) begin
      if (find_end) end_q <= new_end;
      tracking_q <= tracking;
      ended_q <= cut | past_end;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) index_q <= '0;
    else if (mac_rx_tvalid_i) begin
      if (mac_rx_tlast_i) index_q <= '0;
      else if (~&index_q) index_q <= index_q + 1'b1;
    end
  end

  // ---- Clean beats: bytes that do not count are zero ----

  logic [DataWidth-1:0] data_q;
  count_t bytes_q;
  logic valid_q, store_q, message_last_q, frame_last_q, bad_q;
  index_t beat_index_q;
  logic [13:0] length_q;  // of the whole frame, as far as it has come in

  always_ff @(posedge clk_i) begin
    for (int unsigned b = 0; b < DataBytes; b++) begin
      data_q[b*8+:8] <= (mac_rx_tkeep_i[b] & ~past_end & (~end_here | (count_t'(b) < limit))) ?
          mac_rx_tdata_i[b*8+:8] : 8'h00;
    end
    bytes_q        <= valid_bytes;
    store_q        <= mac_rx_tvalid_i & ~past_end;
    message_last_q <= mac_rx_tlast_i | cut;
    frame_last_q   <= mac_rx_tlast_i;
    bad_q          <= mac_rx_tuser_i;
    beat_index_q   <= index_q;
    // The beats of a very long frame are no longer counted: its length stays too long.
    length_q       <= {index_q, {OffsetWidth{1'b0}}} + (&index_q ? '0 : 14'(kept));
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) valid_q <= 1'b0;
    else valid_q <= mac_rx_tvalid_i;
  end

  // ---- Store, and decide at the end of the frame ----

  typedef struct packed {
    logic last;
    count_t bytes;
    logic [DataWidth-1:0] data;
  } stored_t;

  typedef struct packed {
    logic [13:0] length;
    logic [15:0] csum;
  } info_t;

  logic full, lost_q, read_last;
  logic [13:0] message_length_q;
  logic [$clog2(MaxFrames):0] frames_q;  // committed, not yet read

  wire frame_end_now = valid_q & frame_last_q;
  wire too_long = length_q > 14'(MaxFrameBytes);
  wire lost = lost_q | (store_q & full) | frames_q[$clog2(MaxFrames)];
  wire good = frame_end_now & ~bad_q & ~too_long & ~lost;
  wire [13:0] message_length = store_q ?
      {beat_index_q, {OffsetWidth{1'b0}}} + 14'(bytes_q) : message_length_q;

  stored_t stored;
  logic stored_valid, stored_ready;

  frame_buffer #(
      .data_t(stored_t),
      .Depth (BufferBytes / DataBytes)
  ) u_buffer (
      .clk_i,
      .rst_i,
      .data_i  ('{last: message_last_q, bytes: bytes_q, data: data_q}),
      .write_i (store_q & ~full & ~lost_q),
      .commit_i(good),
      .abort_i (frame_end_now & ~good),
      .full_o  (full),
      .data_o  (stored),
      .valid_o (stored_valid),
      .ready_i (stored_ready)
  );

  // The sum leaves out the Ethernet header.
  logic [DataWidth-1:0] summed;
  always_comb begin
    summed = data_q;
    for (int unsigned b = 0; b < DataBytes; b++) begin
      if (beat_index_q < index_t'(HeaderBytes / DataBytes) ||
          (beat_index_q == index_t'(HeaderBytes / DataBytes) && b < HeaderBytes % DataBytes)) begin
        summed[b*8+:8] = 8'h00;
      end
    end
  end

  logic [15:0] csum;
  logic csum_valid;
  frame_sum #(
      .DataBytes(DataBytes)
  ) u_sum (
      .clk_i,
      .rst_i,
      .data_i (summed),
      .valid_i(valid_q),
      .last_i (frame_last_q),
      .seed_i ('0),
      .sum_o  (csum),
      .valid_o(csum_valid)
  );

  // Length and verdict travel beside the sum.
  logic [1:0] good_q;
  logic [1:0][13:0] length_pipe_q;
  always_ff @(posedge clk_i) begin
    length_pipe_q <= {length_pipe_q[0], message_length};
    message_length_q <= message_length;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      good_q   <= '0;
      lost_q   <= 1'b0;
      frames_q <= '0;
    end else begin
      good_q <= {good_q[0], good};
      if (valid_q) lost_q <= ~frame_last_q & lost;
      if (good & ~read_last) frames_q <= frames_q + 1'b1;
      if (~good & read_last) frames_q <= frames_q - 1'b1;
    end
  end

  info_t info;
  logic info_valid, unused_ready, unused_head;
  head_fifo #(
      .head_t(logic),
      .body_t(info_t),
      .Depth (MaxFrames)
  ) u_info (
      .clk_i,
      .rst_i,
      .in_head_i  (1'b0),
      .in_body_i  ('{length: length_pipe_q[1], csum: csum}),
      .in_valid_i (csum_valid & good_q[1]),
      .in_ready_o (unused_ready),  // frames_q sees to it that there is room
      .out_head_o (unused_head),
      .out_body_o (info),
      .out_valid_o(info_valid),
      .out_ready_i(read_last)
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
    out_o.meta.kind = KindPacket;
    out_o.meta.mac_port = 2'(MacPort);
    out_o.meta.length = info.length;
    out_o.meta.csum = info.csum;
  end

  assign drop_o[DropBadFrame] = frame_end_now & bad_q;
  assign drop_o[DropTooLong]  = frame_end_now & ~bad_q & too_long;
  assign drop_o[DropOverflow] = frame_end_now & ~bad_q & ~too_long & lost;

  assign mac_message_o = frame_end_now;
  assign mac_bytes_o = length_q;
  assign busy_o = (index_q != '0) | valid_q | (|good_q) | (frames_q != '0);

endmodule
