// SPDX-License-Identifier: Apache-2.0
// Determines whether a key is in one of many constant ranges. Some of the key's bits index a table
// of blocks of boundaries; a pipelined binary search finds the position within the block.
//
// The index bits follow the Prefix, the bits that all boundaries have in common. A key with another
// prefix is below or above all boundaries, and belongs to the first or the last block.
//
// Boundaries are the first key of a range and the first key after it; a key is inside a range if an
// odd number of boundaries is not above it. A word holds the last key before a boundary, or all
// ones if the block has no more boundaries, and above it a part of the number of boundaries up to
// the block's first key. The first level holds the highest part. These parts use bits that would be
// unused in block RAM. Each level has its own memory, twice the size of that of the level before
// (see bombus.applications.firewall.blocks).
//
// Latency: Levels + 1 cycles, plus one with an index. Throughput: one key per cycle.
`include "bombus_assert.svh"

module block_search #(
    parameter int unsigned IndexBits = 1,  // bits of a key that select its block; 0: one block
    parameter int unsigned PrefixBits = 0,  // bits before the index
    parameter logic [31:0] Prefix = '0,  // common prefix of all boundaries
    parameter int unsigned NumBlocks = 2,
    parameter int unsigned Levels = 1,
    parameter int unsigned RankBits = 2,  // width of a number of boundaries
    localparam int unsigned BlockBits = NumBlocks > 1 ? $clog2(NumBlocks) : 1,
    parameter logic [2**IndexBits-1:0][BlockBits-1:0] BlockIndex = 2'b10,
    localparam int unsigned PartBits = (RankBits + Levels - 1) / Levels,
    // Level by level: the middles of the blocks, then of their halves, ...
    parameter logic [NumBlocks*(2**Levels-1)-1:0][PartBits+31:0] BlockWords = '0,
    parameter type tag_t = logic  // travels with the key
) (
    input logic clk_i,
    input logic rst_i,

    input logic valid_i,
    input logic [31:0] key_i,
    input tag_t tag_i,
    output logic valid_o,
    output logic covered_o,
    output logic [16:0] range_o,  // with covered_o: number of the range, from 0
    output tag_t tag_o
);

  localparam int unsigned PlaceBits = BlockBits + Levels;

  if (IndexBits > 16) begin : gen_bad_index
    $error("block_search: IndexBits must be 0 to 16");
  end
  if (PrefixBits + IndexBits > 32) begin : gen_bad_prefix
    $error("block_search: PrefixBits and IndexBits must be at most 32 together");
  end
  if (NumBlocks < 1 || NumBlocks > 2 ** IndexBits) begin : gen_bad_blocks
    $error("block_search: NumBlocks must be 1 to 2^IndexBits");
  end
  if (Levels < 1 || Levels > 17) begin : gen_bad_levels
    $error("block_search: Levels must be 1 to 17");
  end
  if (RankBits < 1 || RankBits > 17) begin : gen_bad_ranks
    $error("block_search: RankBits must be 1 to 17");
  end

  typedef logic [PlaceBits-1:0] place_t;
  typedef logic [PartBits*Levels-1:0] rank_t;
  typedef struct packed {
    logic [PartBits-1:0] rank_part;
    logic [31:0] last;  // key before the boundary
  } word_t;

  logic valid_first;
  logic [31:0] key_first;
  tag_t tag_first;
  logic [BlockBits-1:0] block_first;
  if (IndexBits == 0) begin : gen_one_block
    assign valid_first = valid_i;
    assign key_first   = key_i;
    assign tag_first   = tag_i;
    assign block_first = '0;
    wire unused = ^BlockIndex;
  end else begin : gen_index
    logic [IndexBits-1:0] index;
    if (PrefixBits == 0) begin : gen_first_bits
      assign index = key_i[31-:IndexBits];
    end else begin : gen_behind_prefix
      wire [PrefixBits-1:0] upper = key_i[31-:PrefixBits];
      wire is_below = upper < PrefixBits'(Prefix);
      wire is_above = upper > PrefixBits'(Prefix);
      assign index = key_i[31-PrefixBits-:IndexBits] & ~{IndexBits{is_below}} |
          {IndexBits{is_above}};
    end
    always_ff @(posedge clk_i) begin
      valid_first <= valid_i & ~rst_i;
      key_first   <= key_i;
      tag_first   <= tag_i;
    end
    constant_memory #(
        .Width  (BlockBits),
        .Entries(2 ** IndexBits),
        .Content(BlockIndex)
    ) u_index (
        .clk_i,
        .address_i(index),
        .data_o(block_first)
    );
  end

  for (genvar l = 0; l < Levels; l++) begin : gen_level
    localparam int unsigned Entries = NumBlocks * 2 ** l;
    localparam int unsigned AddrBits = Entries > 1 ? $clog2(Entries) : 1;

    logic valid, valid_q;
    logic [31:0] key, key_q;
    tag_t tag, tag_q;
    place_t place, place_q;
    rank_t rank, rank_q;
    if (l == 0) begin : gen_first
      assign valid = valid_first;
      assign key   = key_first;
      assign tag   = tag_first;
      assign place = place_t'(block_first);
      assign rank  = '0;
    end else begin : gen_later
      assign valid = gen_level[l-1].valid_q;
      assign key   = gen_level[l-1].key_q;
      assign tag   = gen_level[l-1].tag_q;
      assign place = gen_level[l-1].now;
      assign rank  = gen_level[l-1].rank_now;
    end

    word_t word_q;
    constant_memory #(
        .Width  ($bits(word_t)),
        .Entries(Entries),
        .Content(BlockWords[NumBlocks*(2**l-1)+:Entries])
    ) u_words (
        .clk_i,
        .address_i(AddrBits'(place)),
        .data_o(word_q)
    );
    always_ff @(posedge clk_i) begin
      valid_q <= valid & ~rst_i;
      key_q   <= key;
      tag_q   <= tag;
      place_q <= place;
      rank_q  <= rank;
    end
    wire is_reached = key_q > word_q.last;
    wire place_t now = {place_q[PlaceBits-2:0], is_reached};
    wire rank_t rank_now = rank_q | (rank_t'(word_q.rank_part) << PartBits * (Levels - 1 - l));

    `BOMBUS_ASSERT(EntryExists, !valid || 32'(place) < Entries)
  end

  // For a covered key, exactly one of the numbers before and within the block is odd, so there is
  // no carry from the last bit.
  wire place_t found = gen_level[Levels-1].now & place_t'(2 ** Levels - 1);
  wire rank_t  outside = gen_level[Levels-1].rank_now;
  always_ff @(posedge clk_i) begin
    valid_o <= gen_level[Levels-1].valid_q & ~rst_i;
    covered_o <= outside[0] ^ found[0];
    range_o <= 17'(RankBits'(outside) >> 1) + 17'(found >> 1);
    tag_o <= gen_level[Levels-1].tag_q;
  end

endmodule
