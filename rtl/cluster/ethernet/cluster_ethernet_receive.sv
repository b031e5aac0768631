// SPDX-License-Identifier: Apache-2.0
// Passes on the beats of links that frames carry (cluster_ethernet_pkg), as they arrive.
//
// A frame is taken if its addresses are those of a link, the CRC of its number is good, and the
// number is none of before: late and repeated frames look like lost ones to the link. After 2 to 3
// times SilentCycles without a frame that was taken, any number is, since the neighbour may have
// been configured anew. Payload is not checked, since the link does that.
//
// Latency: 4 cycles. Throughput: one beat per cycle; there is no backpressure.
module cluster_ethernet_receive
  import cluster_pkg::MaxLinks;
  import cluster_ethernet_pkg::*;
#(
    parameter int unsigned DataWidth = 64,
    parameter int unsigned NumLinks = 1,
    parameter int unsigned SilentCycles = 4096,
    parameter logic [15:0] EtherType = 16'h88B5,
    localparam int unsigned DataBytes = DataWidth / 8
) (
    input logic clk_i,
    input logic rst_i,

    input logic [MaxLinks-1:0] enabled_i,
    input address_t [MaxLinks-1:0] local_i,
    input address_t [MaxLinks-1:0] peer_i,

    input logic [DataWidth-1:0] rx_data_i,
    input logic rx_last_i,
    input logic rx_error_i,  // with the last beat: the FCS is wrong
    input logic rx_valid_i,

    output logic [DataWidth-1:0] link_data_o,
    output logic [ MaxLinks-1:0] link_valid_o,

    output logic frame_o,  // a frame was taken; pulses
    output logic gap_o,  // frames before it are missing
    output logic foreign_o,  // a frame was dropped: not one of a link
    output logic malformed_o,  // its header is cut or wrong
    output logic late_o,  // its number is one of before
    output logic cut_o  // a frame was taken, but its end is missing or its FCS is wrong
);

  localparam int unsigned HeaderWords = HeaderBytes / 8;
  localparam int unsigned WordsPerBeat = DataBytes / 8;
  localparam int unsigned HeadBeats = (HeaderBytes + DataBytes - 1) / DataBytes;
  localparam int unsigned Offset = HeaderBytes % DataBytes;
  localparam int unsigned SilentBits = $clog2(SilentCycles);
  typedef logic [DataWidth-1:0] data_t;
  typedef logic [$clog2(MaxLinks)-1:0] link_t;
  typedef logic [$clog2(HeadBeats+1)-1:0] index_t;

  if (SilentCycles < 2 || SilentCycles != 2 ** SilentBits) begin : gen_bad_silence
    $error("cluster_ethernet: SilentCycles must be a power of two from 2 on");
  end

  typedef struct packed {
    logic valid;
    logic head;  // the header ends in this beat
    logic payload;  // a beat of the link ends here
    logic last;
    logic error;
  } flags_t;

  // ---- The beat arrives; words of the header are kept ----

  data_t data_q, data_before_q;
  logic valid_q, last_q, error_q;
  index_t index_q;  // of the beat in the frame, up to HeadBeats
  always_ff @(posedge clk_i) begin
    data_q  <= rx_data_i;
    last_q  <= rx_last_i;
    error_q <= rx_error_i;
    if (valid_q) data_before_q <= data_q;
    if (rst_i) begin
      valid_q <= 1'b0;
      index_q <= '0;
    end else begin
      valid_q <= rx_valid_i;
      if (valid_q) begin
        if (last_q) index_q <= '0;
        else if (index_q != index_t'(HeadBeats)) index_q <= index_q + 1'b1;
      end
    end
  end

  logic [HeaderWords-1:0][63:0] words_q;
  data_t aligned_q;
  flags_t flags_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned w = 0; w < HeaderWords; w++) begin
      if (valid_q & (index_q == index_t'(w / WordsPerBeat))) begin
        words_q[w] <= data_q[64*(w%WordsPerBeat)+:64];
      end
    end
    flags_q.head <= valid_q & (index_q == index_t'(HeadBeats - 1));
    flags_q.payload <= valid_q & (index_q == index_t'(HeadBeats));
    flags_q.last <= valid_q & last_q;
    flags_q.error <= error_q;
    flags_q.valid <= valid_q & ~rst_i;
  end
  if (Offset == 0) begin : gen_whole
    always_ff @(posedge clk_i) aligned_q <= data_q;
    wire unused = ^data_before_q;
  end else begin : gen_shifted
    localparam int unsigned Bits = 8 * Offset;
    always_ff @(posedge clk_i) aligned_q <= {data_q[Bits-1:0], data_before_q[DataWidth-1:Bits]};
    wire unused = ^data_before_q[Bits-1:0];
  end

  // ---- Whose is it? ----

  header_t header;
  assign header = header_t'(swapped(words_q));
  logic [MaxLinks-1:0] hits;
  always_comb begin
    for (int unsigned n = 0; n < MaxLinks; n++) begin
      hits[n] = n < NumLinks && enabled_i[n] && (header.destination == local_i[n]) &&
          (header.source == peer_i[n]);
    end
  end
  wire good_type = (header.ether_type == EtherType) & (header.zero == '0);
  data_t checked_data_q;
  flags_t checked_q;
  logic [MaxLinks-1:0] link_q;  // one-hot
  logic good_q;
  numbering_t numbering_q;
  always_ff @(posedge clk_i) begin
    checked_data_q <= aligned_q;
    checked_q <= flags_q;
    if (flags_q.head) begin
      link_q <= hits & {MaxLinks{good_type}};
      good_q <= (header.crc == cluster_crc_pkg::of_half(
          header.numbering
      )) & ~header.numbering.zero & (header.numbering.beats != '0);
      numbering_q <= header.numbering;
    end
    if (rst_i) checked_q <= '0;
  end

  // ---- Is it new? ----

  number_t [NumLinks-1:0] expected_q;
  logic [NumLinks-1:0] knows_q;
  logic [NumLinks-1:0][1:0] silent_q;  // in ticks
  logic [SilentBits-1:0] tick_q;
  number_t expected;
  logic knows;
  always_comb begin
    expected = '0;
    knows = 1'b0;
    for (int unsigned n = 0; n < NumLinks; n++) begin
      if (link_q[n]) expected |= expected_q[n];
      if (link_q[n]) knows |= knows_q[n];
    end
  end
  wire number_t ahead = numbering_q.number - expected;
  wire mine = |link_q;
  wire is_new = ~knows | ~ahead[$bits(ahead)-1];
  wire accepts = checked_q.head & mine & good_q & is_new;
  always_ff @(posedge clk_i) begin
    tick_q <= rst_i ? '0 : tick_q + 1'b1;
    for (int unsigned n = 0; n < NumLinks; n++) begin
      if (accepts & link_q[n]) begin
        expected_q[n] <= numbering_q.number + 1'b1;
        knows_q[n] <= 1'b1;
        silent_q[n] <= '0;
      end else if (&tick_q) begin
        silent_q[n] <= silent_q[n] + 1'b1;
        if (silent_q[n] == 2'd2) knows_q[n] <= 1'b0;
      end
    end
    if (rst_i) begin
      knows_q  <= '0;
      silent_q <= '0;
    end
  end

  // ---- Its beats ----

  logic taken_q, inside_q;  // inside_q: the header of the frame has been seen
  beats_t left_q;
  wire passes = checked_q.payload & taken_q & (left_q != '0);
  wire beats_t left = accepts ? numbering_q.beats : left_q - beats_t'(passes);
  always_ff @(posedge clk_i) begin
    link_data_o <= checked_data_q;
    link_valid_o <= passes & ~rst_i ? link_q : '0;
    left_q <= left;
    frame_o <= accepts;
    gap_o <= accepts & knows & (ahead != '0);
    {foreign_o, malformed_o, late_o, cut_o} <= '0;
    if (checked_q.head) begin
      if (~mine) foreign_o <= 1'b1;
      else if (~good_q) malformed_o <= 1'b1;
      else if (~is_new) late_o <= 1'b1;
    end
    if (checked_q.last) begin
      if (~checked_q.head & ~inside_q) malformed_o <= 1'b1;
      cut_o <= (accepts | taken_q) & ((left != '0) | checked_q.error);
    end
    if (checked_q.head) begin
      taken_q  <= accepts;
      inside_q <= 1'b1;
    end
    if (checked_q.last | rst_i) begin
      taken_q  <= 1'b0;
      inside_q <= 1'b0;
    end
    if (rst_i) {frame_o, gap_o, foreign_o, malformed_o, late_o, cut_o} <= '0;
  end

  wire unused = checked_q.valid;

endmodule
