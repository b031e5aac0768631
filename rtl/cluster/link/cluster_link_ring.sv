// SPDX-License-Identifier: Apache-2.0
// The buffer of a link's receiver: beats of the wire enter, aligned beats of good packets leave.
//
// A beat and the place of a packet that begins in it are stored as they arrive, before it is known
// that the packet is good. accept_i says so of the oldest packet that was not accepted; its first
// beat then waits in the output register. discard_i drops all packets that were not accepted, and
// all beats from the number kept (keep_i, keep_count_i) on.
//
// Latency: from data_i to out_o 1 cycle, 2 for a packet within one beat; at least 1 from accept_i.
// Throughput: one beat per cycle.
`include "bombus_assert.svh"

module cluster_link_ring
  import cluster_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 128,
    parameter int unsigned BufferBeats = 200,
    localparam int unsigned NumWords = DataWidth / WordBits,
    localparam int unsigned OffsetBits = NumWords == 1 ? 1 : $clog2(NumWords)
) (
    input logic clk_i,
    input logic rst_i,

    input logic [NumWords-1:0][63:0] data_i,
    input logic store_i,  // a beat with words of packets; lost if full_o
    input logic continues_i,  // a packet that has begun continues in it
    input logic start_i,  // a packet begins in it that is to leave
    input logic [OffsetBits-1:0] offset_i,  // at this word
    input length_t length_i,
    input logic short_i,  // its payload is one beat or less
    output logic full_o,
    output logic [11:0] count_o,  // number of the next beat

    input logic accept_i,
    input logic keep_i,
    input logic [11:0] keep_count_i,
    input logic discard_i,
    output logic [11:0] read_o,  // beats that have left the ring, in the next cycle

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i
);

  localparam int unsigned WordShift = $clog2(NumWords);
  // A packet waits for each beat of the buffer and for those that are read already.
  localparam int unsigned RingBeats = 2 ** $clog2(BufferBeats + 3);
  typedef logic [$clog2(RingBeats)-1:0] addr_t;
  typedef logic [11:0] number_t;
  typedef logic [NumWords-1:0][63:0] words_t;
  typedef struct packed {
    addr_t addr;
    logic [OffsetBits-1:0] offset;
    logic is_short;
    length_t length;
  } place_t;

  if (BufferBeats < 1 || BufferBeats > 1024) begin : gen_bad_buffer
    $error("cluster_link_ring: BufferBeats must be 1 to 1024");
  end

  // ---- Beats and packets enter ----

  (* ram_style = "block" *)words_t ring  [RingBeats];
  (* ram_style = "distributed" *)place_t places[RingBeats];
  number_t write_q, commit_q, fetch_q, read_q;  // the ring's addresses, extended
  addr_t placed_q, taken_q, accepted_q;  // packets
  assign full_o  = number_t'(write_q - read_q) >= number_t'(BufferBeats);
  assign count_o = write_q;
  wire over = number_t'(commit_q - fetch_q) >= 12'h800;  // beats were read that are not kept
  assign read_o = rst_i ? '0 : over ? commit_q : fetch_q;
  wire stores = store_i & ~full_o;
  wire starts = stores & start_i;
  place_t place;
  assign place = '{
          addr: addr_t'(write_q),
          offset: offset_i,
          is_short: short_i,
          length: length_i
      };
  always_ff @(posedge clk_i) begin
    // The address after the last beat is free.
    ring[addr_t'(write_q)] <= data_i;
    if (starts) places[placed_q] <= place;
    if (rst_i) begin
      write_q <= '0;
      commit_q <= '0;
      placed_q <= '0;
      accepted_q <= '0;
    end else begin
      if (keep_i) commit_q <= keep_count_i;
      if (accept_i) accepted_q <= accepted_q + 1'b1;
      if (stores) write_q <= write_q + 1'b1;
      if (starts) placed_q <= placed_q + 1'b1;
      if (discard_i) begin
        write_q  <= commit_q;
        placed_q <= accepted_q;
      end
    end
  end

  // ---- Two beats wait outside of the ring, and the place of the packet that is next ----

  words_t current_q, ring_q, arrived_q, next;
  logic current_valid_q, next_valid_q, from_ring_q;
  number_t current_addr_q;
  place_t  upcoming_q;
  logic upcoming_valid_q, inside_q;  // inside_q: its first beat has left
  typedef logic [WordShift:0] fill_t;
  // A beat to leave: words of the packet from it on, and in it.
  typedef struct packed {
    length_t left;
    fill_t words;
    logic last;
    logic reaches;  // its last half word is in the beat after current_q
    logic fits;     // it is at the end of current_q
  } part_t;
  part_t part_q;
  assign next = ~next_valid_q ? data_i : from_ring_q ? ring_q : arrived_q;

  // The output register. The first beat of a packet waits in it until the packet is good.
  logic loaded_q;
  addr_t proven_q;  // packets whose first beat has left, or is known to be good
  wire owed = accepted_q != proven_q;  // packets are good, and their first beat has not left
  wire waits = loaded_q & ~out_valid_o;
  wire out_free = ~loaded_q | (out_valid_o & out_ready_i);

  wire empty = fetch_q == write_q;  // always without next_valid_q
  wire at_place = inside_q | addr_t'(current_addr_q) == upcoming_q.addr;
  wire gives = current_valid_q & upcoming_valid_q & at_place & out_free & ~discard_i &
      (~part_q.reaches | next_valid_q | continues_i);
  // The beat is exhausted: a packet continues or ends in the next one, or ends at its last word, or
  // nothing begins after one that began here.
  wire exhausts = gives & (part_q.reaches | ~inside_q | part_q.fits);
  // Nothing in it is wanted. A packet is upcoming as soon as its first beat is current.
  wire passes = current_valid_q & ~(upcoming_valid_q & at_place);
  wire shifts = (~current_valid_q | exhausts | passes) & ~discard_i;
  wire fetches = (~next_valid_q | shifts) & ~discard_i;
  wire refills = ~upcoming_valid_q | (gives & part_q.last);

  wire arrives = empty & stores;
  wire direct = shifts & ~next_valid_q & stores;  // from data_i to current_q
  wire follows = fetches & ~direct & (~empty | arrives);
  wire reads = direct | follows;
  wire moves = next_valid_q | direct;
  wire loads_first = gives & ~inside_q;
  wire good = owed | accept_i;
  wire proves = (waits | loads_first) & good;
  wire unproven = waits | (~inside_q & ~owed);  // upcoming_q, or the packet that has begun
  wire queued = taken_q != placed_q;
  wire takes = queued | starts;
  place_t following;
  assign following = queued ? places[taken_q] : place;

  // Data are the words at offset and after it, less half a word.
  function automatic part_t part_of(length_t left, logic last, logic [OffsetBits-1:0] offset);
    part_of.left = left;
    part_of.last = last;
    part_of.words = part_of.last ? fill_t'(left) : fill_t'(NumWords);
    part_of.reaches = 1'b0;
    part_of.fits = 1'b0;
    for (int unsigned p = 0; p < NumWords; p++) begin
      for (int unsigned w = 0; w <= NumWords; w++) begin
        if (OffsetBits'(p) == offset && fill_t'(w) == part_of.words) begin
          part_of.reaches = p + w >= NumWords;
          part_of.fits = p + w == NumWords - 1;
        end
      end
    end
  endfunction
  part_t same, other;  // the next one of the packet, the first one of the packet that follows
  always_comb begin
    same = part_of(part_q.left - length_t'(NumWords), 32'(part_q.left) <= 2 * NumWords,
                   upcoming_q.offset);
    other = part_of(following.length, following.is_short, following.offset);
  end
  always_ff @(posedge clk_i) begin
    if (fetches) begin
      ring_q <= ring[addr_t'(fetch_q)];
      arrived_q <= data_i;
      from_ring_q <= ~empty;
    end
    if (shifts) current_q <= next;
    if (refills) upcoming_q <= following;
    if (refills | gives) part_q <= refills ? other : same;
    // A cycle late: the beat is in next_q or current_q.
    read_q <= read_o;
    if (rst_i) begin
      next_valid_q <= 1'b0;
      current_valid_q <= 1'b0;
      current_addr_q <= '1;
      fetch_q <= '0;
      upcoming_valid_q <= 1'b0;
      inside_q <= 1'b0;
      taken_q <= '0;
      proven_q <= '0;
    end else begin
      if (fetches) next_valid_q <= follows;
      if (reads) fetch_q <= fetch_q + 1'b1;
      if (shifts) current_valid_q <= moves;
      if (shifts & moves) current_addr_q <= current_addr_q + 1'b1;
      if (refills) upcoming_valid_q <= takes;
      if (refills & takes) taken_q <= taken_q + 1'b1;
      if (gives) inside_q <= ~part_q.last;
      if (proves) proven_q <= proven_q + 1'b1;
      if (discard_i) begin
        if (over) begin
          next_valid_q <= 1'b0;
          current_valid_q <= current_valid_q & number_t'(current_addr_q + 1'b1) == commit_q;
          current_addr_q <= commit_q - 1'b1;
          fetch_q <= commit_q;
        end
        if (unproven) begin
          upcoming_valid_q <= 1'b0;
          inside_q <= 1'b0;
          taken_q <= accepted_q;
        end
      end
    end
  end

  // The data are the words from the header's on, less half a word.
  logic [2*NumWords-1:0][63:0] pair;
  logic [2*DataWidth-1:0] span;
  header_t out_header, header_q;
  assign pair = {next, current_q};
  always_comb begin
    span = pair >> (64 * 32'(upcoming_q.offset));
    out_header = inside_q ? header_q : span[30:0];
  end
  beat_t out;
  always_comb begin
    out.header = out_header;
    out.last   = part_q.last;
    out.data   = span[32+:DataWidth];
    for (int unsigned w = 0; w < NumWords; w++) begin
      if (32'(part_q.words) <= w) out.data[64*w+:64] = '0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (out_free) out_o <= out;
    if (gives) header_q <= out_header;
    if (rst_i) begin
      loaded_q <= 1'b0;
      out_valid_o <= 1'b0;
    end else begin
      loaded_q <= out_free ? gives : ~(discard_i & waits);
      out_valid_o <= out_free ? gives & (inside_q | good) : out_valid_o | (good & ~discard_i);
    end
  end

  wire unused = ^span;

  `BOMBUS_ASSERT(NoOverflow, number_t'(write_q - read_q) <= number_t'(BufferBeats))
  `BOMBUS_ASSERT(DiscardsAfterAll, !(discard_i && accept_i))
  `BOMBUS_ASSERT(NextIsRead, next_valid_q || empty)
  `BOMBUS_ASSERT(WaitsUnproven, !(waits && owed))

endmodule
