// SPDX-License-Identifier: Apache-2.0
// Takes the VLAN tag out of frames as tag_remover says, cuts off what a frame
// carries behind the end of its IPv4 packet (padding), and clears all bytes that
// do not count.
//
// Latency: 2 cycles. Throughput: one beat per cycle. No backpressure.
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
    output logic     busy_o    // a beat is inside
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

  // ---- Where the packet ends ----

  logic known_q, ended_q;
  logic [13:0] end_q;

  wire first = in_i.index == '0;
  wire [15:0] total_length = swap16(
      in_i.shift ? in_i.data[(LengthLane+TagBytes)*8+:16] : in_i.data[LengthLane*8+:16]
  );
  // Lengths that no packet in a frame has are left for ipv4_rx to refuse.
  wire found = (in_i.index == index_t'(LengthPosition / DataBytes)) & in_i.ipv4 &
      (total_length >= 16'(MinLength)) & (total_length[15:12] < 4'd3);
  wire [13:0] packet_end = found ? total_length[13:0] + 14'(HeaderBytes) : end_q;
  wire known = found | (known_q & ~first);
  wire ended = ended_q & ~first;  // nothing but padding

  wire [OffsetWidth-1:0] end_lane = packet_end[OffsetWidth-1:0];
  wire index_t end_index = packet_end[13:OffsetWidth];
  wire whole = end_lane == '0;
  wire ends_here = known & ~ended & (whole ? (in_i.index + 1'b1 == end_index) : (in_i.index == end_index));
  wire count_t limit = whole ? count_t'(DataBytes) : {1'b0, end_lane};
  wire cut = ends_here & (limit <= in_i.bytes);
  wire count_t bytes = cut ? limit : in_i.bytes;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      end_q   <= packet_end;
      known_q <= known;
      ended_q <= cut | ended;
    end
  end

  // ---- The verdict, one cycle ahead of its work ----

  trimmed_t work_q;
  logic [TagBytes*8-1:0] next_q;
  logic [DataBytes-1:0] shift_q, keep_q;

  always_ff @(posedge clk_i) begin
    work_q <= '{
        data: in_i.data,
        bytes: bytes,
        index: in_i.index,
        store: in_i.store & ~ended,
        last: in_i.last | cut,
        frame_last: in_i.frame_last,
        bad: in_i.bad,
        length: in_i.length,
        vlan: in_i.vlan
    };
    next_q <= in_i.next;
    for (int unsigned b = 0; b < DataBytes; b++) begin
      shift_q[b] <= in_i.shift & (b >= TagLane | ~in_i.at_tag);
      keep_q[b] <= (~in_i.last | (count_t'(b) < in_i.bytes)) & (~ends_here | (count_t'(b) < limit));
    end
    if (ended | ~in_i.store) keep_q <= '0;
  end

  wire [DataWidth+TagBytes*8-1:0] both = {next_q, work_q.data};
  always_ff @(posedge clk_i) begin
    out_o <= work_q;
    for (int unsigned b = 0; b < DataBytes; b++) begin
      out_o.data[b*8+:8] <=
          keep_q[b] ? (shift_q[b] ? both[(b+TagBytes)*8+:8] : work_q.data[b*8+:8]) : '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_o  <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      busy_o  <= valid_i;
      valid_o <= busy_o;
    end
  end

endmodule
