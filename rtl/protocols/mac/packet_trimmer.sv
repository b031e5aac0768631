// SPDX-License-Identifier: Apache-2.0
// Removes the VLAN tag found by tag_remover, cuts off padding after the end of the IPv4 packet, and
// clears all invalid bytes.
//
// There is one LUT between flip-flops and outputs. Latency: 2 cycles. Throughput: one beat per
// cycle. No backpressure.
`include "bombus_assert.svh"

module packet_trimmer
  import bombus_pkg::*;
#(
    parameter type tagged_t  = logic,
    parameter type trimmed_t = logic
) (
    input logic clk_i,
    input logic rst_i,

    input tagged_t in_i,
    input logic    valid_i,

    output trimmed_t out_o,
    output logic     valid_o,
    output logic     busy_o    // a beat is in the pipeline
);

  localparam int unsigned DataWidth = $bits(in_i.data);
  localparam int unsigned DataBytes = DataWidth / 8;
  typedef logic [$bits(in_i.bytes)-1:0] count_t;
  typedef logic [$bits(in_i.index)-1:0] index_t;
  localparam int unsigned OffsetWidth = $clog2(DataBytes);
  localparam int unsigned HeaderBytes = 14;
  localparam int unsigned LengthPosition = HeaderBytes + 2;  // of the packet's total length
  localparam int unsigned LengthLane = LengthPosition % DataBytes;
  localparam int unsigned TagBytes = 4;
  localparam int unsigned TagLane = 12 % DataBytes;
  localparam int unsigned MinLength = 20;

  if (DataWidth < 64 || DataWidth != 2 ** $clog2(DataWidth)) begin : gen_bad_width
    $error("packet_trimmer: data must have a power of two of bits, at least 64");
  end

  // ---- Read the packet's length ----

  wire [15:0] total_length = swap16(
      in_i.shift ? in_i.data[(LengthLane+TagBytes)*8+:16] : in_i.data[LengthLane*8+:16]
  );

  tagged_t beat_q;
  logic valid_q;
  logic first_q;  // first beat of the frame
  logic found_q;  // last_q is valid
  logic [13:0] last_q;  // position of the packet's last byte in the frame

  always_ff @(posedge clk_i) begin
    beat_q <= in_i;
    first_q <= in_i.index == '0;
    last_q <= total_length[13:0] + 14'(HeaderBytes - 1);
    // Impossible packet lengths are rejected by ipv4_rx.
    found_q <= (in_i.index == index_t'(LengthPosition / DataBytes)) & in_i.ipv4 &
        (total_length >= 16'(MinLength)) & (total_length[15:12] < 4'd3);
  end

  // ---- Find the end of the packet, one cycle ahead ----

  logic has_last_q, ended_q;
  logic [13:0] kept_last_q;

  wire [13:0] packet_last = found_q ? last_q : kept_last_q;
  wire has_last = found_q | (has_last_q & ~first_q);
  wire ended = ended_q & ~first_q;  // the beat holds only padding

  wire [OffsetWidth-1:0] last_lane = packet_last[OffsetWidth-1:0];
  wire ends_here = has_last & ~ended & (beat_q.index == packet_last[13:OffsetWidth]);
  wire cut = ends_here & ({1'b0, last_lane} < beat_q.bytes);

  always_ff @(posedge clk_i) begin
    if (valid_q) begin
      kept_last_q <= packet_last;
      has_last_q <= has_last;
      ended_q <= cut | ended;
    end
  end

  trimmed_t work_q;
  logic work_valid_q;
  logic [TagBytes*8-1:0] next_q;
  logic [DataBytes-1:0] shift_q, keep_q;

  always_ff @(posedge clk_i) begin
    work_q <= '{
        data: beat_q.data,
        bytes: cut ? {1'b0, last_lane} + 1'b1 : beat_q.bytes,
        index: beat_q.index,
        store: beat_q.store & ~ended,
        last: beat_q.last | cut,
        frame_last: beat_q.frame_last,
        bad: beat_q.bad,
        too_long: beat_q.length > 14'(MaxFrameBytes),
        length: beat_q.length,
        vlan: beat_q.vlan
    };
    next_q <= beat_q.next;
    for (int unsigned b = 0; b < DataBytes; b++) begin
      shift_q[b] <= beat_q.shift & (b >= TagLane | ~beat_q.at_tag);
      keep_q[b] <= (~beat_q.last | (count_t'(b) < beat_q.bytes)) &
          (~ends_here | (OffsetWidth'(b) <= last_lane));
    end
    if (ended | ~beat_q.store) keep_q <= '0;
  end

  wire [DataWidth+TagBytes*8-1:0] both = {next_q, work_q.data};
  always_comb begin
    out_o = work_q;
    for (int unsigned b = 0; b < DataBytes; b++) begin
      out_o.data[b*8+:8] =
          keep_q[b] ? (shift_q[b] ? both[(b+TagBytes)*8+:8] : work_q.data[b*8+:8]) : '0;
    end
  end
  assign valid_o = work_valid_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= 1'b0;
      work_valid_q <= 1'b0;
    end else begin
      valid_q <= valid_i;
      work_valid_q <= valid_q;
    end
  end
  assign busy_o = valid_q | work_valid_q;

  `BOMBUS_ASSERT(KeepsAPrefix, !work_valid_q || (keep_q & (keep_q + 1'b1)) == '0)

endmodule
