// SPDX-License-Identifier: Apache-2.0
// Puts the beats of links into frames (cluster_ethernet_pkg). Links take turns, a frame each.
//
// A frame is begun when a link has enough beats for the longest frame, or WaitCycles after its
// first beat has arrived. Under load, beats collect while frames of before are sent, so frames are
// long; otherwise they are short, and early. A frame has no bubbles: its beats are all there.
//
// Latency: WaitCycles + 4 cycles and the header, from a beat to the frame with it. Throughput: a
// beat per cycle, less the header and 2 cycles per frame.
module cluster_ethernet_transmit
  import cluster_pkg::MaxLinks;
  import cluster_ethernet_pkg::*;
#(
    parameter int unsigned DataWidth = 64,
    parameter int unsigned NumLinks = 1,
    parameter int unsigned FrameBytes = 1514,  // the longest frame, without FCS
    parameter int unsigned WaitCycles = 8,
    parameter logic [15:0] EtherType = 16'h88B5,
    localparam int unsigned DataBytes = DataWidth / 8
) (
    input logic clk_i,
    input logic rst_i,

    input logic [MaxLinks-1:0] enabled_i,
    input address_t [MaxLinks-1:0] source_i,
    input address_t [MaxLinks-1:0] destination_i,

    input logic [MaxLinks-1:0][DataWidth-1:0] link_data_i,
    input logic [MaxLinks-1:0] link_valid_i,
    output logic [MaxLinks-1:0] link_ready_o,

    output logic [DataWidth-1:0] tx_data_o,
    output logic [DataBytes-1:0] tx_keep_o,
    output logic tx_last_o,
    output logic tx_valid_o,
    input logic tx_ready_i,

    output logic frame_o  // a frame begins; a pulse
);

  localparam int unsigned HeadBeats = HeaderBytes / DataBytes;  // without payload
  localparam int unsigned Offset = HeaderBytes % DataBytes;  // of payload in its first beat
  localparam int unsigned MaxBeats = (FrameBytes - HeaderBytes) / DataBytes;
  localparam int unsigned MinBeats = (MinBytes + DataBytes - 1) / DataBytes;
  // A frame of fewer beats is padded to MinBeats beats.
  localparam int unsigned PaddedBeats = (MinBytes - HeaderBytes + DataBytes - 1) / DataBytes;
  localparam int unsigned AddrBits = $clog2(MaxBeats + 1);
  localparam int unsigned RingBeats = 2 ** AddrBits;
  localparam int unsigned WaitBits = $clog2(WaitCycles + 1);
  typedef logic [AddrBits-1:0] addr_t;
  typedef logic [AddrBits:0] level_t;
  typedef logic [DataWidth-1:0] data_t;
  typedef logic [$clog2(MaxLinks)-1:0] link_t;

  if (WaitCycles < 1) begin : gen_bad_wait
    $error("cluster_ethernet: WaitCycles must be at least 1");
  end
  if (FrameBytes < HeaderBytes + DataBytes || MaxBeats >= 1024) begin : gen_bad_frame
    $error("cluster_ethernet: FrameBytes must be that of 1 to 1023 beats");
  end

  logic active_q, prepares_q, pops;
  link_t link_q;

  // ---- Beats wait ----

  logic [MaxLinks-1:0] wants;
  level_t [MaxLinks-1:0] levels;
  data_t [MaxLinks-1:0] fronts;
  for (genvar n = 0; n < MaxLinks; n++) begin : gen_link
    if (n < NumLinks) begin : gen_there
      data_t ring[RingBeats];
      level_t write_q, read_q;
      data_t front_q;
      logic [WaitBits-1:0] age_q;
      wire level_t level = write_q - read_q;
      wire has = level != '0;
      wire takes = link_valid_i[n] & link_ready_o[n];
      wire mine = (active_q | prepares_q) & (link_q == link_t'(n));
      wire popped = mine & pops;
      wire level_t next_read = ~enabled_i[n] & ~mine ? write_q : read_q + level_t'(popped);
      assign link_ready_o[n] = ~level[AddrBits] & enabled_i[n];
      assign wants[n] = enabled_i[n] & has &
          (level >= level_t'(MaxBeats) | (age_q == WaitBits'(WaitCycles)));
      assign levels[n] = level;
      assign fronts[n] = front_q;
      always_ff @(posedge clk_i) begin
        if (takes) ring[addr_t'(write_q)] <= link_data_i[n];
        front_q <= ring[addr_t'(next_read)];
        if (rst_i) begin
          write_q <= '0;
          read_q  <= '0;
          age_q   <= '0;
        end else begin
          write_q <= write_q + level_t'(takes);
          read_q  <= next_read;
          if (~has | mine) age_q <= '0;
          else if (age_q != WaitBits'(WaitCycles)) age_q <= age_q + 1'b1;
        end
      end
    end else begin : gen_open
      assign link_ready_o[n] = 1'b0;
      assign wants[n] = 1'b0;
      assign levels[n] = '0;
      assign fronts[n] = '0;
      wire unused = ^{link_data_i[n], link_valid_i[n], enabled_i[n]};
    end
  end

  // ---- A frame begins ----

  link_t grant;
  logic [MaxLinks-1:0] unused_wins;
  round_robin #(
      .NumInputs(MaxLinks)
  ) u_turns (
      .last_i(link_q),
      .request_i(wants),
      .grant_o(grant),
      .wins_o(unused_wins)
  );

  // Not reset: frames of after a reset do not look like earlier ones.
  number_t [MaxLinks-1:0] number_q;
  initial number_q = '0;

  numbering_t numbering_q;
  header_t header;
  lanes_t header_q;
  wire begins = ~active_q & ~prepares_q & (|wants);
  wire beats_t level = beats_t'(levels[grant]);
  always_comb begin
    header.destination = destination_i[link_q];
    header.source = source_i[link_q];
    header.ether_type = EtherType;
    header.zero = '0;
    header.numbering = numbering_q;
    header.crc = cluster_crc_pkg::of_half(numbering_q);
  end

  // ---- Its beats ----

  beats_t at_q;  // beats sent
  beats_t taken_q;  // beats of the link in them
  data_t rest_q;  // the upper lanes of the beat before, in the lower ones
  wire beats_t beats = numbering_q.beats;
  wire is_padded = beats < beats_t'(PaddedBeats);
  wire beats_t total = is_padded ? beats_t'(MinBeats) :
      beats + beats_t'(HeadBeats) + beats_t'(Offset != 0);
  wire is_last = at_q == total - 1'b1;
  wire in_header = 32'(at_q) + 1 <= HeadBeats;
  wire has_beat = taken_q < beats;
  wire steps = active_q & (~tx_valid_o | tx_ready_i);
  assign pops = steps & ~in_header & has_beat;
  wire data_t front = has_beat ? fronts[link_q] : '0;
  data_t data, rest;
  if (Offset == 0) begin : gen_whole
    assign data = in_header ? header_q[DataWidth-1:0] : front;
    assign rest = '0;
    wire unused = ^rest_q;
  end else begin : gen_shifted
    localparam int unsigned Bits = 8 * Offset;
    wire data_t header_rest = data_t'(header_q[Bits-1:0]);
    assign data = in_header ? data_t'(header_q[(HeadBeats==0?Bits : DataWidth)-1:0]) :
        {front[DataWidth-Bits-1:0], at_q == beats_t'(HeadBeats) ? header_rest[Bits-1:0] :
         rest_q[Bits-1:0]};
    assign rest = data_t'(front[DataWidth-1-:Bits]);
    wire unused = ^{header_rest[DataWidth-1:Bits], rest_q[DataWidth-1:Bits]};
  end

  always_ff @(posedge clk_i) begin
    if (begins) begin
      link_q <= grant;
      numbering_q <= '{
          zero: 1'b0,
          number: number_q[grant],
          beats: level > beats_t'(MaxBeats) ? beats_t'(MaxBeats) : level
      };
    end
    if (prepares_q) begin
      number_q[link_q] <= number_q[link_q] + 1'b1;
      header_q <= swapped(header);
      at_q <= '0;
      taken_q <= '0;
    end
    if (steps) begin
      at_q <= at_q + 1'b1;
      if (in_header) header_q <= header_q >> DataWidth;
      if (pops) taken_q <= taken_q + 1'b1;
      if (~in_header) rest_q <= rest;
      tx_data_o <= data;
      tx_last_o <= is_last;
      tx_keep_o <= Offset != 0 && is_last && !is_padded ? DataBytes'((1 << Offset) - 1) : '1;
    end
    frame_o <= begins & ~rst_i;
    if (rst_i) begin
      prepares_q <= 1'b0;
      active_q   <= 1'b0;
      link_q     <= '0;
      tx_valid_o <= 1'b0;
    end else begin
      prepares_q <= begins;
      if (prepares_q) active_q <= 1'b1;
      else if (steps & is_last) active_q <= 1'b0;
      if (~tx_valid_o | tx_ready_i) tx_valid_o <= active_q;
    end
  end

endmodule
