// Takes the VLAN tag out of frames as tag_remover says, cuts off what a frame
// carries behind the end of its IPv4 packet (padding), and clears all bytes that
// do not count.
//
// Latency: 2 cycles. Throughput: one beat per cycle. No backpressure.
module packet_trimmer
  import bombus_pkg::*;
#(
    parameter  int unsigned DataWidth = 512,
    localparam int unsigned DataBytes = DataWidth / 8,
    localparam type         count_t   = logic         [   $clog2(DataBytes):0],
    localparam type         index_t   = logic         [13-$clog2(DataBytes):0]
) (
    input logic clk_i,
    input logic rst_i,

    input logic   [DataWidth-1:0] data_i,    // as from tag_remover
    input logic   [         31:0] next_i,
    input logic                   shift_i,
    input logic                   at_tag_i,
    input count_t                 bytes_i,
    input index_t                 index_i,
    input logic                   valid_i,
    input logic                   store_i,
    input logic                   last_i,
    input logic                   ipv4_i,

    output logic   [DataWidth-1:0] data_o,
    output count_t                 bytes_o,
    output index_t                 index_o,
    output logic                   valid_o,
    output logic                   store_o,
    output logic                   last_o
);

  localparam int unsigned OffsetWidth = $clog2(DataBytes);
  localparam int unsigned HeaderBytes = 14;
  localparam int unsigned LengthPosition = HeaderBytes + 2;  // of the packet's total length
  localparam int unsigned LengthLane = LengthPosition % DataBytes;
  localparam int unsigned TagBytes = 4;
  localparam int unsigned TagLane = 12 % DataBytes;
  localparam int unsigned MinLength = 20;

  // ---- Where the packet ends ----

  logic known_q, ended_q;
  logic [13:0] end_q;

  wire first = index_i == '0;
  wire [15:0] total_length = swap16(
      shift_i ? data_i[(LengthLane+TagBytes)*8+:16] : data_i[LengthLane*8+:16]
  );
  // Lengths that no packet in a frame has are left for ipv4_rx to refuse.
  wire found = (index_i == index_t'(LengthPosition / DataBytes)) & ipv4_i &
      (total_length >= 16'(MinLength)) & (total_length[15:12] < 4'd3);
  wire [13:0] packet_end = found ? total_length[13:0] + 14'(HeaderBytes) : end_q;
  wire known = found | (known_q & ~first);
  wire ended = ended_q & ~first;  // nothing but padding

  wire [OffsetWidth-1:0] end_lane = packet_end[OffsetWidth-1:0];
  wire index_t end_index = packet_end[13:OffsetWidth];
  wire whole = end_lane == '0;
  wire ends_here = known & ~ended & (whole ? (index_i + 1'b1 == end_index) : (index_i == end_index));
  wire count_t limit = whole ? count_t'(DataBytes) : {1'b0, end_lane};
  wire cut = ends_here & (limit <= bytes_i);
  wire count_t bytes = cut ? limit : bytes_i;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      end_q   <= packet_end;
      known_q <= known;
      ended_q <= cut | ended;
    end
  end

  // ---- The verdict, one cycle ahead of its work ----

  logic [ DataWidth-1:0] data_q;
  logic [TagBytes*8-1:0] next_q;
  logic [DataBytes-1:0] shift_q, keep_q;
  count_t bytes_q;
  index_t index_q;
  logic valid_q, store_q, last_q;

  always_ff @(posedge clk_i) begin
    data_q  <= data_i;
    next_q  <= next_i;
    bytes_q <= bytes;
    index_q <= index_i;
    last_q  <= last_i | cut;
    for (int unsigned b = 0; b < DataBytes; b++) begin
      shift_q[b] <= shift_i & (b >= TagLane | ~at_tag_i);
      keep_q[b]  <= (~last_i | (count_t'(b) < bytes_i)) & (~ends_here | (count_t'(b) < limit));
    end
    if (ended | ~store_i) keep_q <= '0;
  end

  wire [DataWidth+TagBytes*8-1:0] both = {next_q, data_q};
  always_ff @(posedge clk_i) begin
    for (int unsigned b = 0; b < DataBytes; b++) begin
      data_o[b*8+:8] <= keep_q[b] ? (shift_q[b] ? both[(b+TagBytes)*8+:8] : data_q[b*8+:8]) : '0;
    end
    bytes_o <= bytes_q;
    index_o <= index_q;
    last_o  <= last_q;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= 1'b0;
      store_q <= 1'b0;
      valid_o <= 1'b0;
      store_o <= 1'b0;
    end else begin
      valid_q <= valid_i;
      store_q <= store_i & ~ended;
      valid_o <= valid_q;
      store_o <= store_q;
    end
  end

endmodule
