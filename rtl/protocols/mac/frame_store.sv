// SPDX-License-Identifier: Apache-2.0
// Store of whole frames of mac_rx, frame_rx and rpu_host, and its output: beats with data, kind,
// length and MAC port, and the information for the other fields.
//
// A frame is kept or dropped at its end. It is dropped and counted if it is bad, too long, or did
// not fit. The information about a kept frame (info_t) may arrive later than its last beat, in the
// order of the frames; the frame leaves after its information has arrived. No frame leaves while
// hold_i is high (message_gate).
//
// Latency: 3 cycles from the last beat to the first beat out, if info_valid_i is high with good_o
// or a cycle later. Throughput: one beat per cycle each way.
`include "bombus_assert.svh"

module frame_store
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type info_t = logic,  // with a field length: bytes of the message
    parameter int unsigned MacPort = 0,
    parameter int unsigned DataWidth = 512,
    localparam int unsigned ByteWidth = $clog2(DataWidth / 8) + 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic hold_i,

    input logic                 valid_i,
    input logic [DataWidth-1:0] data_i,
    input logic [ByteWidth-1:0] bytes_i,
    input logic                 store_i,       // with valid_i: the beat has bytes to keep
    input logic                 last_i,        // last beat with bytes
    input logic                 frame_last_i,  // last beat of the frame
    input logic                 bad_i,         // with frame_last_i
    input logic                 too_long_i,    // with frame_last_i
    input logic [         13:0] length_i,      // with frame_last_i: bytes on the wire

    output logic  good_o,       // this beat ends a frame that is kept
    input  info_t info_i,
    input  logic  info_valid_i,

    output beat_t out_o,
    output info_t info_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    output logic [2:0] drop_o,  // reasons: bad, too long, no space
    output logic mac_message_o,  // a frame was received, whether dropped or not
    output length_t mac_bytes_o,  // bytes of that frame
    output logic holds_o,  // frames are stored
    output logic waits_o  // held: no frame is passing
);

  if (DataWidth < 64 || DataWidth > 512 || DataWidth != 2 ** $clog2(
          DataWidth
      )) begin : gen_bad_width
    $error("frame_store: DataWidth must be a power of two, 64 to 512");
  end
  if (MacPort >= MaxMacPorts) begin : gen_bad_port
    $error("mac_port must be below %0d", MaxMacPorts);
  end

  localparam int unsigned BufferBytes = 32768;
  localparam int unsigned Beats = BufferBytes * 8 / DataWidth;
  // Beats run out first, except with frames shorter than any IPv4 packet.
  localparam int unsigned MaxFrames = Beats < BufferBytes / 32 ? Beats : BufferBytes / 32;

  typedef struct packed {
    logic last;
    logic [ByteWidth-1:0] bytes;
    logic [DataWidth-1:0] data;
  } stored_t;

  stored_t stored;
  logic full, lost_q, stored_valid, info_valid, valid, ready, read_last;
  logic [$clog2(MaxFrames + 3)-1:0] level;  // frames committed and not yet read

  wire store = valid_i & store_i;
  wire frame_end = valid_i & frame_last_i;
  // level may not yet include the last frame.
  wire crowded = (MaxFrames < Beats) & (level >= $bits(level)'(MaxFrames - 1));
  wire lost = lost_q | (store & full) | crowded;
  assign good_o = frame_end & ~bad_i & ~too_long_i & ~lost;

  frame_buffer #(
      .data_t(stored_t),
      .Depth(Beats),
      .OutputRegister(1)  // the path through u_info takes as long
  ) u_buffer (
      .clk_i,
      .rst_i,
      .data_i  ('{last: last_i, bytes: bytes_i, data: data_i}),
      .write_i (store & ~full & ~lost_q),
      .commit_i(good_o),
      .abort_i (frame_end & ~good_o),
      .full_o  (full),
      .data_o  (stored),
      .valid_o (stored_valid),
      .ready_i (ready & info_valid)
  );
  block_fifo #(
      .data_t(info_t),
      .Depth (MaxFrames)
  ) u_info (
      .clk_i,
      .rst_i,
      .data_i (info_i),
      .write_i(info_valid_i),
      .data_o (info_o),
      .valid_o(info_valid),
      .ready_i(read_last)
  );

  assign valid = stored_valid & info_valid;
  assign read_last = valid & ready & stored.last;
  message_gate u_gate (
      .clk_i,
      .rst_i,
      .hold_i,
      .last_i(stored.last),
      .in_valid_i(valid),
      .in_ready_o(ready),
      .out_valid_o,
      .out_ready_i,
      .held_o(waits_o)
  );
  always_comb begin
    out_o = '0;
    out_o.data = stored.data;
    out_o.bytes = stored.bytes;
    out_o.last = stored.last;
    out_o.kind = $bits(out_o.kind)'(KindPacket);
    out_o.length = length_t'(info_o.length);
    out_o.meta.mac_port = mac_port_t'(MacPort);
  end

  occupancy #(
      .Max(MaxFrames + 2)  // two after the memory
  ) u_occupancy (
      .clk_i,
      .rst_i,
      .enter_i(good_o),
      .leave_i(read_last),
      .level_o(level),
      .holds_o
  );

  always_ff @(posedge clk_i) begin
    drop_o[0] <= frame_end & bad_i;
    drop_o[1] <= frame_end & ~bad_i & too_long_i;
    drop_o[2] <= frame_end & ~bad_i & ~too_long_i & lost;
    mac_message_o <= frame_end;
    mac_bytes_o <= length_i;
    if (valid_i) lost_q <= ~frame_last_i & lost;
    if (rst_i) begin
      drop_o <= '0;
      mac_message_o <= 1'b0;
      lost_q <= 1'b0;
    end
  end

  // The last beat of a frame ends the stored message, unless an earlier one has.
  `BOMBUS_ASSERT(LastBeatEndsMessage, !(store && frame_last_i && !last_i))

endmodule
