// SPDX-License-Identifier: Apache-2.0
// The retry buffer of a link's sender: keeps each beat until it is freed, and offers beats in
// order, from any packet on.
//
// A beat is kept with its part of the packet's CRC. Packets are numbered as they enter, and the
// part of the first beat contains the number and the initial value of the CRC. A packet enters only
// if the longest one has room.
//
// Latency: from in_i to out_o, if nothing else waits, 0 cycles for a full beat and 1 for a shorter
// one; 2 cycles from seek_i to the place of a packet. Throughput: one beat per cycle.
`include "bombus_assert.svh"

module cluster_link_retry
  import cluster_pkg::*;
  import cluster_crc_pkg::*;
  import cluster_link_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 128,  // bits
    parameter int unsigned RetryBeats = 512,  // a power of two
    parameter int unsigned MaxWords = 255,  // of a packet
    localparam int unsigned NumWords = DataWidth / WordBits,
    localparam int unsigned WordShift = $clog2(NumWords)
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  logic  closed_i,    // no packet begins
    output seq_t  seq_o,       // number of the next packet that enters
    input  logic  renumber_i,  // it gets seek_seq_i; only if empty_o
    output logic  empty_o,     // all that has entered was taken, and ended

    input seq_t seek_seq_i,  // of a packet in the buffer, or of the one that enters next
    input logic back_i,  // 2 cycles after it: out_o continues from that packet
    input logic free_i,  // 2 cycles after it: packets before it are given up
    input logic frees_i,  // beats are given up as they are read

    output beat_t out_o,
    output logic out_passes_o,  // it is that at in_i: a full beat
    output crc_t out_sum_o,  // of the beat; if it passes, a cycle later
    output logic [WordShift:0] out_words_o,  // of the beat
    output logic out_valid_o,
    input logic out_taken_i,
    input count_t credit_i,  // in beats, signed
    output logic out_fits_o  // credit_i was at least the whole beats of the packet's length
);

  localparam int unsigned MaxBeats = (MaxWords + NumWords - 1) / NumWords;
  localparam int unsigned AddrBits = $clog2(RetryBeats);
  typedef logic [AddrBits-1:0] addr_t;  // also of packets: each has a beat
  typedef logic [8:0] words_t;
  typedef logic [WordShift:0] fill_t;  // words of a beat, 0 to NumWords
  typedef struct packed {
    crc_t  sum;
    fill_t words;
    beat_t beat;
  } stored_t;

  if (MaxWords < 1 || MaxWords > 255) begin : gen_bad_words
    $error("cluster_link: MaxWords must be 1 to 255");
  end
  if (RetryBeats != 2 ** AddrBits || RetryBeats < 2 * MaxBeats) begin : gen_bad_retry
    $error("cluster_link: RetryBeats must be a power of two and hold the two longest packets");
  end

  // ---- Packets enter ----

  addr_t write_q, free_q, fetch_q;
  words_t left_q;  // words of the packet still to come
  logic [NumWords-1:0] short_q, is_short;  // one bit: its next beat has so many words, all others
  logic room_q, inside_q, ends_q;
  assign in_ready_o = inside_q | (room_q & ~closed_i);
  wire writes = in_valid_i & in_ready_o;
  wire words_t left = inside_q ? left_q : 9'(in_i.header.length);
  wire words_t left_after = left - 9'(NumWords);
  wire ends = inside_q ? ends_q : in_i.header.length <= length_t'(NumWords);
  always_comb begin
    for (int unsigned w = 0; w < NumWords; w++) begin
      is_short[w] = inside_q ? short_q[w] : in_i.last & fill_t'(in_i.header.length) == fill_t'(w);
    end
  end
  stored_t written;
  // The header with the packet's number and its words, so that they end with the beat.
  wire wire_header_t header = '{data: 1'b1, header: in_i.header};
  wire [31:0] head = inside_q ? '0 : ~(header ^ 32'(seq_o));
  logic [NumWords:0][63:0] message;
  crc_t [NumWords:0] sums;
  always_comb begin
    message = {in_i.data, head, 32'b0};
    for (int unsigned w = 0; w < NumWords; w++) begin
      if (is_short[w]) message = {in_i.data, head, 32'b0} << (WordBits * (NumWords - w));
    end
  end
  crc_words #(
      .NumWords(NumWords + 1)
  ) u_sums (
      .words_i(message),
      .sums_o (sums)
  );
  always_comb begin
    written.sum = '0;
    for (int unsigned w = 0; w <= NumWords; w++) written.sum = written.sum ^ sums[w];
    written.words = fill_t'(NumWords);
    written.beat = in_i;
    written.beat.last = ends;
    for (int unsigned w = 0; w < NumWords; w++) begin
      if (is_short[w]) begin
        written.words = fill_t'(w);
        for (int unsigned v = w; v < NumWords; v++) begin
          written.beat.data[WordBits*v+:WordBits] = '0;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (writes) begin
      left_q <= left_after;
      ends_q <= left_after <= 9'(NumWords);
      for (int unsigned w = 0; w < NumWords; w++) short_q[w] <= left_after == 9'(w);
    end
    if (rst_i) begin
      write_q <= '0;
      seq_o <= '0;
      inside_q <= 1'b0;
      room_q <= 1'b0;
    end else begin
      if (writes) begin
        write_q  <= write_q + 1'b1;
        inside_q <= ~ends;
        if (ends) seq_o <= seq_o + 1'b1;
      end
      if (renumber_i) seq_o <= seek_seq_i;
      room_q <= 32'(addr_t'(write_q - free_q)) < RetryBeats - MaxBeats - 4;
    end
  end

  // ---- Where packets start: known when the one before has been written ----

  addr_t starts[RetryBeats];
  logic start_write_q;
  addr_t start_index_q, start_q, seek_q, found_q;
  always_ff @(posedge clk_i) begin
    start_write_q <= rst_i | (writes & ends) | renumber_i;
    start_index_q <= rst_i ? '0 : renumber_i ? addr_t'(seek_seq_i) : addr_t'(seq_o) + 1'b1;
    start_q <= rst_i ? '0 : renumber_i ? write_q : write_q + 1'b1;
    if (start_write_q) starts[start_index_q] <= start_q;
    seek_q  <= addr_t'(seek_seq_i);
    found_q <= starts[seek_q];
    if (rst_i) free_q <= '0;
    else if (free_i) free_q <= found_q;
    else if (frees_i) free_q <= fetch_q;
  end

  // ---- Beats leave: from the ring, or directly if nothing is between ----

  (* ram_style = "block" *) stored_t ring[RetryBeats];
  stored_t ring_q, out_q;
  logic ring_valid_q, out_valid_q, back_q;
  // A cycle after back_i, beats can be in the ring alone.
  wire passes = ~out_valid_q & ~ring_valid_q & ~back_q & writes & ~(|is_short) & ~frees_i;
  wire loads = ~out_valid_q | out_taken_i;
  wire direct = loads & ~ring_valid_q & fetch_q == write_q & writes;
  wire fetches = (~ring_valid_q | loads) & fetch_q != write_q;
  wire length_t load_length = ring_valid_q ? ring_q.beat.header.length : in_i.header.length;
  function automatic logic fits(length_t length);
    return ~credit_i[11] & (credit_i >= count_t'(length) >> WordShift);
  endfunction
  wire load_fits = fits(load_length);
  wire held_fits = fits(out_q.beat.header.length);
  // A packet begins as it arrives if there is credit for the longest one, or for an eighth of it.
  localparam length_t Longest = '1;
  localparam length_t Short = Longest >> 3;
  logic fits_q, any_fits_q, short_fits_q;
  wire pass_fits = any_fits_q | (short_fits_q & in_i.header.length <= Short);
  always_ff @(posedge clk_i) begin
    if (writes) ring[write_q] <= written;
    if (fetches) ring_q <= ring[fetch_q];
    if (loads) out_q <= ring_valid_q ? ring_q : written;
    back_q <= back_i;
    fits_q <= loads ? load_fits : held_fits;
    any_fits_q <= fits(Longest);
    short_fits_q <= fits(Short);
    if (rst_i) begin
      fetch_q <= '0;
      ring_valid_q <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      if (loads) out_valid_q <= ring_valid_q | (direct & ~(passes & out_taken_i));
      if (fetches | loads) ring_valid_q <= fetches;
      fetch_q <= fetch_q + addr_t'(fetches) + addr_t'(direct);
      if (back_i) begin
        fetch_q <= found_q;
        ring_valid_q <= 1'b0;
        out_valid_q <= 1'b0;
      end
    end
  end
  always_comb begin
    out_o = out_q.beat;
    if (~out_valid_q) begin
      out_o = in_i;
      out_o.last = ends;
    end
  end
  assign out_valid_o = out_valid_q | passes;
  assign out_passes_o = ~out_valid_q;
  assign out_fits_o = out_valid_q ? fits_q : pass_fits;
  assign out_sum_o = out_q.sum;
  assign out_words_o = out_valid_q ? out_q.words : fill_t'(NumWords);
  assign empty_o = ~out_valid_q & ~ring_valid_q & fetch_q == write_q & ~inside_q;

  `BOMBUS_ASSERT(NoOverflow, !(writes && addr_t'(write_q + 1'b1) == free_q))
  `BOMBUS_ASSERT(PassesAlone, !passes || fetch_q == write_q)
  `BOMBUS_ASSERT(LastAgrees, !(writes && in_i.last != ends))
  `BOMBUS_ASSERT(RenumbersEmpty, !(renumber_i && !empty_o))

endmodule
