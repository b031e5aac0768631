// SPDX-License-Identifier: Apache-2.0
// Memory of the packets that wait for an ARP reply: one chain of packets per pending request.
// arp_questions stores the ends of the chains.
//
// The memory is divided into blocks of 64 bytes; `next` links the blocks of a chain, and the free
// blocks. A packet is written into free blocks, which are allocated when it is kept. A chain is
// freed in one cycle, whatever its length, by appending it to the free blocks. One block is always
// free.
//
// Write: one beat per cycle, never stalls; a packet that does not fit is not written. Read: 3
// cycles from start_i to the first beat, then one beat per cycle; below 512 bits, one cycle more
// for each packet.
`include "bombus_assert.svh"

module waiting_packets
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned NumBlocks = 256,
    localparam type block_t = logic [$clog2(NumBlocks)-1:0]
) (
    input  logic clk_i,
    input  logic rst_i,
    output logic busy_o, // not ready, for NumBlocks cycles after reset

    // Packet input.
    input  beat_t  beat_i,
    input  logic   write_i,
    input  logic   first_i,
    output logic   fits_o,   // valid from the first beat to the last
    output block_t first_o,  // with its last beat: the blocks it occupies
    output block_t last_o,
    output block_t count_o,
    input  logic   keep_i,   // with its last beat: keep these blocks

    // Chains, at least one cycle after the packet's last beat. At most one of link_i and free_i in
    // a cycle.
    input logic link_i,  // append the packet that begins at link_head_i to link_tail_i
    input block_t link_head_i,
    input block_t link_tail_i,
    input logic free_i,
    input block_t free_head_i,
    input block_t free_tail_i,
    input block_t free_count_i,

    // Chain output, only while no packet arrives. The chain may be freed in the same cycle as
    // start_head_i.
    input  logic   start_i,
    input  block_t start_head_i,  // in the cycle after start_i
    input  block_t start_tail_i,
    output beat_t  out_o,
    output logic   out_valid_o,
    input  logic   out_ready_i,
    output logic   reading_o      // a register, from the cycle after start_i to the last beat
);

  if (NumBlocks < 2 || NumBlocks != 2 ** $clog2(NumBlocks)) begin : gen_bad_blocks
    $error("waiting_packets: NumBlocks must be a power of two, at least 2");
  end

  localparam int unsigned BlockBytes = 64;
  localparam int unsigned DataBytes = $bits(beat_i.data) / 8;
  localparam int unsigned BlockBeats = BlockBytes / DataBytes;
  localparam int unsigned IndexBits = BlockBeats == 1 ? 1 : $clog2(BlockBeats);
  typedef logic [IndexBits-1:0] index_t;  // index of a beat within a block
  typedef logic [$clog2(NumBlocks*BlockBeats)-1:0] addr_t;
  localparam index_t LastIndex = index_t'(BlockBeats - 1);

  if (BlockBeats < 1 || BlockBeats * DataBytes != BlockBytes) begin : gen_bad_width
    $error("waiting_packets: a beat must have %0d bytes or a power of two less", BlockBytes);
  end

  function automatic addr_t addr_of(block_t block, index_t index);
    return addr_t'({block, index} >> (BlockBeats == 1 ? 1 : 0));
  endfunction

  (* ram_style = "block" *) beat_t ram[NumBlocks*BlockBeats];
  (* ram_style = "distributed" *) block_t next[NumBlocks];

  block_t front_q, back_q;  // ends of the list of free blocks
  block_t num_free_q;  // not counting the one that always stays
  block_t freed_q;
  // keep: otherwise synthesis moves the late multiplexer in front of the adders.
  (* keep *) block_t more, less;
  assign more = num_free_q + freed_q;
  assign less = more - count_o;
  logic clear_q;

  // ---- Input ----

  block_t block_q, count_q;
  index_t index_q;
  logic   fits_q;
  block_t here, next_block;
  index_t index;
  logic fits, reading;
  block_t read_q;

  assign here  = first_i ? front_q : block_q;
  assign index = first_i ? '0 : index_q;
  // An upper bound: full blocks plus one.
  wire length_t full_blocks = beat_i.length / 14'(BlockBytes);
  assign fits = first_i ? 32'(full_blocks) < 32'(num_free_q) : fits_q;
  // No packet arrives while a chain is being sent.
  assign next_block = next[reading?read_q : here];
  assign fits_o = fits;
  assign first_o = front_q;
  assign last_o = here;
  assign count_o = first_i ? block_t'(1) : count_q;

  always_ff @(posedge clk_i) begin
    if (write_i) begin
      fits_q  <= fits;
      block_q <= index == LastIndex ? next_block : here;
      count_q <= count_o + block_t'(index == LastIndex);
      index_q <= index == LastIndex ? '0 : index + 1'b1;
    end
  end

  // ---- Chains ----

  always_ff @(posedge clk_i) begin
    if (clear_q) next[front_q] <= front_q + 1'b1;
    else if (link_i | free_i)
      next[free_i?back_q : link_tail_i] <= free_i ? free_head_i : link_head_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      clear_q <= 1'b1;
      front_q <= '0;
      back_q <= '1;
      num_free_q <= '1;
      freed_q <= '0;
    end else if (clear_q) begin
      front_q <= front_q + 1'b1;
      if (&front_q) clear_q <= 1'b0;
    end else begin
      if (keep_i) front_q <= next_block;
      if (free_i) back_q <= free_tail_i;
      freed_q <= free_i ? free_count_i : '0;
      num_free_q <= keep_i ? less : more;
    end
  end
  assign busy_o = clear_q;

  // ---- Output ----

  block_t out_block_q, tail_q;
  index_t read_index_q;
  logic start_q, active_q;
  // A packet's last beat is always followed by another block.
  wire taken = out_valid_o & out_ready_i;
  wire packet_end = taken & out_o.last;
  wire fetch = active_q & (~out_valid_o | (out_ready_i & ((BlockBeats == 1) | ~out_o.last)));
  wire block_ends = fetch & (read_index_q == LastIndex);
  wire skip = (BlockBeats != 1) & packet_end & (read_index_q != '0);
  wire chain_ends = BlockBeats == 1 ? fetch & (read_q == tail_q) :
      packet_end & (out_block_q == tail_q);
  wire active = start_q | (active_q & ~chain_ends);
  wire out_valid = fetch | (out_valid_o & ~taken);
  assign reading = active_q;

  always_ff @(posedge clk_i) begin
    if (write_i & fits) ram[addr_of(here, index)] <= beat_i;
    if (fetch) out_o <= ram[addr_of(read_q, read_index_q)];
  end
  always_ff @(posedge clk_i) begin
    if (start_q) tail_q <= start_tail_i;
    if (fetch) out_block_q <= read_q;
    if (start_q) read_q <= start_head_i;
    else if (block_ends | skip) read_q <= next_block;
    if (start_q | block_ends | skip) read_index_q <= '0;
    else if (fetch) read_index_q <= read_index_q + 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      start_q <= 1'b0;
      active_q <= 1'b0;
      out_valid_o <= 1'b0;
      reading_o <= 1'b0;
    end else begin
      start_q <= start_i;
      active_q <= active;
      out_valid_o <= out_valid;
      reading_o <= start_i | active | out_valid;
    end
  end

  `BOMBUS_ASSERT(OneListOperation, !(link_i && free_i))

endmodule
