// SPDX-License-Identifier: Apache-2.0
// MAC egress buffer of whole frames, so that the MAC never underruns.
//
// While a frame is received, it is summed from byte 14 on, starting with meta.csum. The checksum is
// written into the frame at the word csum_pos as the frame is sent (0: none). Zero is sent as
// 0xFFFF, as UDP requires. The VLAN tag of the metadata is inserted at the same time. Frames below
// 60 bytes, the tag included, are padded with zeros. A frame longer than bombus_pkg::MaxFrameBytes,
// the tag included, is dropped and counted.
//
// With one MAC port a full buffer stalls the input. With several (DropsWhenFull), a frame that does
// not fit is dropped and counted instead, so that a port with its link down does not block frames
// of other ports.
//
// Latency: 2 cycles from the last beat in to the first beat out, 3 if DataWidth is below 512: block
// RAM of small devices is slow, so its output is registered there. Throughput: one beat per cycle.
`include "bombus_assert.svh"

module mac_tx
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned MacPort = 0,
    parameter int unsigned NumMacPorts = 1,
    parameter bit DropsWhenFull = NumMacPorts > 1,
    parameter int unsigned DataWidth = 512,
    localparam int unsigned DataBytes = DataWidth / 8
) (
    input logic clk_i,
    input logic rst_i,

    output logic [DataWidth-1:0] mac_tx_tdata_o,
    output logic [DataBytes-1:0] mac_tx_tkeep_o,
    output logic                 mac_tx_tvalid_o,
    input  logic                 mac_tx_tready_i,
    output logic                 mac_tx_tlast_o,

    output logic    mac_message_o,  // a frame was sent
    output length_t mac_bytes_o,    // bytes of that frame

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output logic            [1:0] drop_o,
    output message_number_t [1:0] drop_message_o,
    output logic                  busy_o,
    output logic                  waits_o
);

  if (DataWidth < 64 || DataWidth > 512 || DataWidth != 2 ** $clog2(
          DataWidth
      )) begin : gen_bad_width
    $error("mac_tx: DataWidth must be a power of two, 64 to 512");
  end

  if (NumMacPorts < 1 || NumMacPorts > MaxMacPorts) begin : gen_bad_count
    $error("mac_tx: NumMacPorts must be from 1 to %0d", MaxMacPorts);
  end
  if (MacPort >= MaxMacPorts) begin : gen_bad_port
    $error("mac_port must be below %0d", MaxMacPorts);
  end

  localparam string Entry = "mac_tx";
  localparam bit AlwaysTakes = DropsWhenFull;
  localparam int unsigned MaxBusyCycles = DropsWhenFull ? 4096 : 0;  // 0: it waits for the MAC
  typedef enum int unsigned {
    DropTooLong,
    DropFull,
    NumDrops
  } drop_e;

  localparam int unsigned OffsetWidth = $clog2(DataBytes);
  localparam int unsigned IndexWidth = 14 - OffsetWidth;
  localparam int unsigned BufferBytes = 32768;
  localparam int unsigned Beats = BufferBytes / DataBytes;
  // Beats run out first, since frames have at least 56 bytes here.
  localparam int unsigned MaxFrames = Beats < BufferBytes / 32 ? Beats : BufferBytes / 32;
  localparam bit RegistersBuffer = DataWidth < 512;
  localparam int unsigned MinFrameBytes = 60;  // without FCS
  localparam int unsigned TagBytes = 4;

  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [OffsetWidth:0] count_t;

  // ---- Input: pad, store, sum ----

  index_t index_q;  // beat within the frame
  logic stream_first;  // first beat of the frame
  logic padding_q;  // the stream's frame has ended; zeros follow
  logic too_long_q;
  logic full;
  logic holds;  // frames are stored and not yet sent

  wire first = stream_first & ~padding_q;
  wire exceeds_max = in_i.meta.vlan.valid ? at_least(
      in_i.length, 14'(MaxFrameBytes - TagBytes + 1)
  ) : at_least(
      in_i.length, 14'(MaxFrameBytes + 1)
  );
  wire too_long = first ? exceeds_max : too_long_q;
  logic no_room;  // the frame does not fit into the buffer
  wire dropping = too_long | no_room;
  wire room = ~full;
  assign in_ready_o = room & ~padding_q;

  wire step = room & (padding_q | in_valid_i);
  wire stream_last = padding_q | in_i.last;
  logic tagged_q;
  wire is_tagged = first ? in_i.meta.vlan.valid : tagged_q;
  wire [6:0] min_bytes = 7'(MinFrameBytes) - (is_tagged ? 7'(TagBytes) : '0);
  // Beats of zeros must follow. Constant on wide buses, which never need any.
  wire short = (DataBytes < MinFrameBytes) & ~dropping &
      ((32'(index_q) + 1) * DataBytes < 32'(min_bytes));
  wire last = stream_last & ~short;
  wire count_t in_bytes = padding_q ? '0 : in_i.bytes;
  // Pads the beat that contains the last byte of a minimum-length frame.
  wire [6:0] min_position = min_bytes - 1'b1;  // of the last byte of a minimum-length frame
  wire at_min = 14'(index_q) == 14'(min_position >> OffsetWidth);
  wire count_t min_in_beat = {1'b0, min_position[OffsetWidth-1:0]} + 1'b1;
  wire count_t bytes = (at_min & (in_bytes < min_in_beat)) ? min_in_beat : in_bytes;
  wire [DataWidth-1:0] data = padding_q ? '0 : in_i.data;

  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(step),
      .last_i (last),
      .first_o(stream_first)
  );
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      index_q <= '0;
      padding_q <= 1'b0;
      too_long_q <= 1'b0;
      tagged_q <= 1'b0;
    end else if (step) begin
      too_long_q <= too_long & ~last;
      tagged_q   <= is_tagged;
      padding_q  <= stream_last & short;
      if (last) index_q <= '0;
      else if (~&index_q) index_q <= index_q + 1'b1;
    end
  end

  wire store = step & ~dropping;

  message_number_t message, begun;
  logic unused_first;
  message_number u_message (
      .clk_i,
      .rst_i,
      .taken_i(in_valid_i & in_ready_o),
      .last_i (in_i.last),
      .first_o(unused_first),
      .here_o (message),
      .begun_o(begun)
  );
  always_ff @(posedge clk_i) begin
    drop_message_o <= {NumDrops{padding_q ? begun : message}};
    if (rst_i) drop_o <= '0;
    else begin
      drop_o[DropTooLong] <= step & too_long & last;
      drop_o[DropFull] <= step & ~too_long & no_room & last;
    end
  end

  typedef struct packed {
    logic last;
    logic full;  // a tag does not fit beside the bytes
    count_t bytes;
    logic [DataWidth-1:0] data;
  } stored_t;

  stored_t stored;
  logic stored_valid, stored_ready, inserter_ready;
  frame_buffer #(
      .data_t(stored_t),
      .Depth(Beats),
      .OutputRegister(RegistersBuffer)
  ) u_buffer (
      .clk_i,
      .rst_i,
      .data_i(
      '{last: last, full: bytes > count_t'(DataBytes - TagBytes), bytes: bytes, data: data}
      ),
      .write_i(store),
      .commit_i(store & last),
      .abort_i(1'b0),
      .full_o(full),
      .data_o(stored),
      .valid_o(stored_valid),
      .ready_i(stored_ready)
  );

  if (DropsWhenFull) begin : gen_drops
    // level_then is an upper bound of the level with this frame, its padding, and the beat not yet
    // counted in level.
    localparam int unsigned LevelWidth = $clog2(Beats + 1);
    localparam int unsigned MinBeats = (MinFrameBytes + DataBytes - 1) / DataBytes;
    logic [LevelWidth-1:0] level;  // beats in the buffer
    logic unused_holds;
    logic no_room_q;
    wire [14:0] level_then = 15'(in_i.length >> OffsetWidth) + 15'(MinBeats + 1) + 15'(level);
    assign no_room = first ? level_then > 15'(Beats) : no_room_q;
    occupancy #(
        .Max(Beats)
    ) u_level (
        .clk_i,
        .rst_i,
        .enter_i(store),
        .leave_i(stored_valid & stored_ready),
        .level_o(level),
        .holds_o(unused_holds)
    );
    always_ff @(posedge clk_i) begin
      if (rst_i) no_room_q <= 1'b0;
      else if (step) no_room_q <= no_room & ~last;
    end
  end else begin : gen_waits
    assign no_room = 1'b0;
  end

  ones_pkg::split_t sum;
  logic sum_valid;
  frame_sum #(
      .DataBytes(DataBytes)
  ) u_sum (
      .clk_i,
      .rst_i,
      .data_i (data),
      .valid_i(store),
      .last_i (last),
      .seed_i (in_i.meta.csum),
      .sum_o  (sum),
      .valid_o(sum_valid)
  );

  // The field's position and the tag, aligned with the sum.
  csum_pos_t csum_pos_q;
  vlan_t vlan_q;
  wire vlan_t vlan = first ? in_i.meta.vlan : vlan_q;
  wire csum_pos_t in_csum_pos = in_i.meta.l4.ip_tx.csum_pos +
      ((in_i.meta.vlan.valid & in_i.meta.l4.ip_tx.csum_pos != '0) ? csum_pos_t'(TagBytes / 2) : '0);
  wire csum_pos_t csum_pos = first ? in_csum_pos : csum_pos_q;
  always_ff @(posedge clk_i) begin
    if (store) begin
      csum_pos_q <= csum_pos;
      vlan_q <= vlan;
    end
  end

  typedef struct packed {
    vlan_t vlan;
    csum_pos_t csum_pos;
    ones_pkg::split_t sum;
  } info_t;
  info_t info;
  logic info_valid, read_last;
  block_fifo #(
      .data_t(info_t),
      .Depth (MaxFrames)
  ) u_info (
      .clk_i,
      .rst_i,
      .data_i ('{vlan: vlan_q, csum_pos: csum_pos_q, sum: sum}),
      .write_i(sum_valid),
      .data_o (info),
      .valid_o(info_valid),
      .ready_i(read_last)
  );

  logic [$clog2(MaxFrames + 3)-1:0] unused_level;
  occupancy #(
      .Max(MaxFrames + 2)  // two after the memory
  ) u_occupancy (
      .clk_i,
      .rst_i,
      .enter_i(store & last),
      .leave_i(read_last),
      .level_o(unused_level),
      .holds_o(holds)
  );

  // ---- Output: insert the tag, write the checksum into its field ----

  localparam int unsigned LaneWidth = OffsetWidth - 1;  // 16-bit words in a beat
  logic [DataWidth-1:0] framed;
  count_t framed_bytes;
  index_t framed_index;
  tag_inserter #(
      .DataWidth(DataWidth)
  ) u_tag (
      .clk_i,
      .rst_i,
      .data_i (stored.data),
      .bytes_i(stored.bytes),
      .full_i (stored.full),
      .last_i (stored.last),
      .valid_i(stored_valid & info_valid),
      .ready_o(inserter_ready),
      .vlan_i (info.vlan),
      .data_o (framed),
      .bytes_o(framed_bytes),
      .last_o (mac_tx_tlast_o),
      .valid_o(mac_tx_tvalid_o),
      .ready_i(mac_tx_tready_i),
      .index_o(framed_index)
  );

  wire patch_beat = (info.csum_pos != '0) & (14'(framed_index) == 14'(info.csum_pos >> LaneWidth));
  // The sum is never all ones here, so the checksum is never zero.
  wire [15:0] csum_field = ~ones_pkg::join_up(info.sum, 1'b1);
  always_comb begin
    mac_tx_tdata_o = framed;
    for (int unsigned w = 0; w < DataBytes / 2; w++) begin
      if (patch_beat && info.csum_pos[LaneWidth-1:0] == LaneWidth'(w)) begin
        mac_tx_tdata_o[w*16+:16] = csum_field;
      end
    end
    for (int unsigned b = 0; b < DataBytes; b++) begin
      mac_tx_tkeep_o[b] = ~mac_tx_tlast_o | (count_t'(b) < framed_bytes);
    end
  end
  assign stored_ready = inserter_ready & info_valid;
  assign read_last = mac_tx_tvalid_o & mac_tx_tready_i & mac_tx_tlast_o;

  assign mac_message_o = read_last;
  assign mac_bytes_o = {framed_index, {OffsetWidth{1'b0}}} + 14'(framed_bytes);
  assign waits_o = 1'b1;  // a frame has its addresses, and waits for the MAC
  assign busy_o = (index_q != '0) | padding_q | holds;

  // A frame is stored whole before it is sent, so the MAC never underruns.
  `BOMBUS_ASSERT(NoUnderrun, mac_tx_tvalid_o || framed_index == '0)

endmodule
