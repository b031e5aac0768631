// SPDX-License-Identifier: Apache-2.0
// Packet memory of a packet processor: slots, and the logic that moves packets into and out of
// them.
//
// A message is stored in a free slot; after its last beat, its descriptor is offered to the core. A
// descriptor returned by the core sends or drops the packet of its slot, which is then free again.
// The first beat and the metadata of each slot are also in a view, which the core reads in the
// cycle after it gives the address; its writes to the view also update the memory. Messages longer
// than a slot are dropped. A descriptor of a slot that the core does not own, or longer than a slot
// or than MaxBytes, sends no packet. The core also reads and writes words of its slots, and takes
// empty slots, except the last free one. Once ready for a message, the input stays ready until a
// message arrives, except in the cycle after a write of the core and in that in which an empty slot
// may be taken.
//
// With an accelerator that judges (judges_i), a message waits for its verdict, which is then in the
// view, and its lowest bits in the descriptor. Descriptors are in the order of the verdicts.
//
// Latency: 1 cycle from the last beat to the descriptor, or 2 from the verdict; 5 from a descriptor
// to the first beat; a word is read in 1 cycle if the output does not stall, and written at once.
// Throughput: one beat per cycle each way, and one more cycle per message out; a word takes a cycle
// of its direction. The input stalls while no slot is free.
//
// The file is longer than 450 lines because input, output and core share one memory, whose port
// conflicts and slot ownership are resolved here.
`include "bombus_assert.svh"

module rpu_packets
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 512,
    parameter int unsigned NumSlots = 16,
    parameter int unsigned SlotBytes = 2048,
    parameter int unsigned MaxBytes = MaxFrameBytes,  // of a message sent
    // the MAC port is that of the descriptor, else that of the metadata
    parameter bit HasPorts = 0,
    localparam int unsigned SlotWidth = $clog2(NumSlots),
    localparam int unsigned WordPlaceWidth = $clog2(SlotBytes)
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    // Descriptors to the core
    output rpu_pkg::rx_descriptor_t rx_o,
    output logic rx_valid_o,
    input logic rx_ready_i,

    // Descriptors from the core
    input rpu_pkg::tx_descriptor_t tx_i,
    input logic tx_valid_i,
    output logic tx_ready_o,

    // Empty slots to the core: it requests one until the response; in that cycle no descriptor is
    // taken.
    output logic [SlotWidth-1:0] empty_slot_o,
    output logic empty_valid_o,  // not the last one
    output logic empty_ready_o,
    input logic empty_request_i,

    // Data that the core writes to a word of a slot or view, one cycle after the request or access.
    input logic [31:0] write_data_i,

    // A word of a slot that the core owns: held until done.
    input logic memory_near_i,  // a read may be requested; early
    input logic memory_request_i,
    input logic [SlotWidth-1:0] memory_slot_i,
    input logic [WordPlaceWidth-1:0] memory_offset_i,
    input logic [3:0] memory_write_i,
    output logic memory_done_o,
    output logic memory_error_o,
    output logic [31:0] memory_data_o,

    // The stored beats, and the verdicts
    output logic taken_o,
    output logic taken_first_o,
    output logic [SlotWidth-1:0] taken_slot_o,
    input logic judges_i,
    input logic judged_i,
    input logic [SlotWidth-1:0] judged_slot_i,
    input logic [31:0] verdict_i,

    // A word of a view, by slot and index. It is written in the cycle after the access.
    input logic view_access_i,
    input logic view_elsewhere_i,  // it is not an access to a view; late
    input logic [SlotWidth-1:0] view_slot_i,
    input logic [4:0] view_index_i,
    input logic [3:0] view_write_i,
    // in the next cycle; 0 without an access, unless the core writes a slot
    output logic [31:0] view_data_o,
    output logic view_fault_o,  // in the next cycle: the core does not own the slot
    // in the next cycle: there is no such slot, and no write
    input logic view_past_i,

    input logic discards_i,  // arriving messages are dropped
    output logic discarded_o,  // a message has been discarded
    output logic too_long_o,  // a message has been dropped
    output logic dropped_o,  // a message has been dropped by its descriptor
    output logic bad_descriptor_o,
    output logic allocated_o,  // an empty slot has been taken
    output logic has_work_o,  // a message waits for the core, or the core owns one
    output logic moves_o,  // the core has taken or finished a message
    output logic stalls_o,  // the output is stalled
    output logic [SlotWidth:0] used_o,  // number of slots in use
    output logic busy_o
);

  localparam int unsigned Bytes = DataWidth / 8;
  localparam int unsigned ByteWidth = $clog2(Bytes);
  localparam int unsigned Words = DataWidth / 32;
  localparam int unsigned MetaPlace = 16;  // of the metadata in the view
  localparam int unsigned VerdictPlace = 20;
  localparam int unsigned SlotBeats = SlotBytes / Bytes;
  localparam int unsigned BeatWidth = $clog2(SlotBeats);
  localparam int unsigned MetaBits = $bits(out_o.meta);
  // length of the content of a slot
  localparam int unsigned LengthWidth = WordPlaceWidth < 13 ? WordPlaceWidth + 1 : 14;

  if (DataWidth < 64 || DataWidth > 512 || DataWidth != 2 ** $clog2(
          DataWidth
      )) begin : gen_bad_width
    $error("rpu_packets: DataWidth must be 64, 128, 256 or 512");
  end
  if (NumSlots < 4 || NumSlots > 64 || NumSlots != 2 ** SlotWidth) begin : gen_bad_slots
    $error("rpu_packets: NumSlots must be a power of two, 4 to 64");
  end
  if (SlotBytes < 2 * Bytes || SlotBytes > 16384 ||
      SlotBytes != Bytes << BeatWidth) begin : gen_bad_bytes
    $error("rpu_packets: SlotBytes must be a power of two, from two beats to 16384");
  end
  if (MaxBytes == 0 || MaxBytes > MaxFrameBytes) begin : gen_bad_length
    $error("rpu_packets: MaxBytes must be from 1 to the length of the longest frame");
  end
  if (MetaBits > 128) begin : gen_bad_metadata
    $error("rpu_packets: metadata may have up to 128 bits");
  end

  typedef logic [SlotWidth-1:0] slot_t;
  typedef logic [BeatWidth-1:0] index_t;
  typedef logic [LengthWidth-1:0] slot_length_t;
  typedef struct packed {
    slot_t slot;
    slot_length_t length;
    logic [1:0] port;
    logic drop;
  } descriptor_t;

  // ---- Input ----

  logic first, drops_q, discarding_q, filled, has_slot, give_q;
  slot_t free_slot, slot_q, given_q;
  index_t in_index_q;
  logic [SlotWidth:0] num_free;
  logic write_q, view_write_q;  // the core writes a view
  logic memory_write_q;  // the core writes the memory
  logic core_writes_q;  // either of these
  logic answers_q;  // response to the request for an empty slot
  logic allocates_q;  // an empty slot is taken if there is still a second one

  // A write of the core takes the cycle of a beat.
  wire  may_start = has_slot & ~allocates_q;
  // So does a write to a slot that the core does not own: that is known late.
  assign in_ready_o = ~core_writes_q & (~first | may_start) | first & discards_i;
  wire takes = in_valid_i & in_ready_o;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(takes),
      .last_i (in_i.last),
      .first_o(first)
  );
  wire too_long = 15'(in_i.length) > 15'(SlotBytes) | discards_i;
  wire starts = takes & first & ~too_long;
  wire slot_t slot = first ? free_slot : slot_q;
  wire dropping = first ? too_long : drops_q;
  wire discarding = first ? discards_i : discarding_q;
  wire stored = takes & in_i.last & ~dropping;
  assign too_long_o = takes & in_i.last & dropping & ~discarding;
  assign discarded_o = takes & in_i.last & discarding;
  assign taken_o = takes & ~dropping;
  assign taken_first_o = first;
  assign taken_slot_o = slot;
  // The response follows the request in a later cycle.
  wire has_spare = |num_free[SlotWidth:1];
  assign empty_ready_o = answers_q;
  assign empty_slot_o  = free_slot;
  assign empty_valid_o = allocates_q & has_spare;
  wire allocated = empty_valid_o & empty_request_i;
  always_ff @(posedge clk_i) begin
    answers_q   <= empty_request_i & ~empty_ready_o & ~rst_i;
    allocates_q <= empty_request_i & ~empty_ready_o & filled & has_spare;
  end

  free_list #(
      .NumNumbers(NumSlots)
  ) u_free (
      .clk_i,
      .rst_i,
      .ready_o(filled),
      .count_o(num_free),
      .available_o(has_slot),
      .number_o(free_slot),
      .take_i(starts | allocated),
      .give_i(give_q),
      .given_i(given_q)
  );

  logic [DataWidth-1:0] store_data;
  logic [Bytes-1:0] store_bytes;
  logic [SlotWidth+BeatWidth-1:0] store_index;
  (* ram_style = "block" *) logic [DataWidth-1:0] memory[NumSlots*SlotBeats];
  always_ff @(posedge clk_i) begin
    for (int b = 0; b < Bytes; b++)
    if (store_bytes[b]) memory[store_index][8*b+:8] <= store_data[8*b+:8];
    if (takes) begin
      if (first) begin
        slot_q <= free_slot;
        drops_q <= too_long;
        discarding_q <= discards_i;
      end
    end
  end
  // A write of the core has blocked a beat for which there was room, of a message that has not
  // ended since.
  logic kept_q;
  wire  keeps_out = in_valid_i & core_writes_q & (~first | has_slot & ~discards_i);
  always_ff @(posedge clk_i) begin
    if (rst_i | takes & in_i.last) kept_q <= 1'b0;
    else if (keeps_out) kept_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) in_index_q <= '0;
    else if (takes) in_index_q <= in_i.last ? '0 : in_index_q + 1'b1;
  end

  // Messages to be judged leave in the order of their verdicts. As all queues, this one has an
  // entry per slot.
  typedef struct packed {
    slot_length_t length;
    logic [1:0]   port;
  } arrived_t;
  logic unused_wait_room, unused_wait, waits;
  slot_t waiting_slot;
  // By slot; the core receives the slot and this entry.
  (* ram_style = "distributed" *) arrived_t arrivals[NumSlots];
  // The last beat has arrived, perhaps after the verdict.
  (* ram_style = "distributed" *) logic arrived[NumSlots];
  wire judged = waits & arrived[waiting_slot];
  head_fifo #(
      .head_t(slot_t),
      .body_t(logic),
      .Depth (NumSlots)
  ) u_wait (
      .clk_i,
      .rst_i,
      .in_head_i  (judged_slot_i),
      .in_body_i  (1'b0),
      .in_valid_i (judged_i & judges_i),
      .in_ready_o (unused_wait_room),
      .out_head_o (waiting_slot),
      .out_body_o (unused_wait),
      .out_valid_o(waits),
      .out_ready_i(judged)
  );
  (* ram_style = "distributed" *) logic [31:0] verdicts[NumSlots];
  always_ff @(posedge clk_i) begin
    if (judged_i) verdicts[judged_slot_i] <= verdict_i;
    if (starts | stored) arrived[slot] <= stored;
    if (starts)
      arrivals[free_slot] <= '{
          length: slot_length_t'(in_i.length),
          port: in_i.meta.mac_port[1:0]
      };
  end

  logic unused_rx_room, unused_rx;
  slot_t rx_slot;
  head_fifo #(
      .head_t(slot_t),
      .body_t(logic),
      .Depth (NumSlots)
  ) u_come (
      .clk_i,
      .rst_i,
      .in_head_i  (judges_i ? waiting_slot : slot),
      .in_body_i  (1'b0),
      .in_valid_i (judges_i ? judged : stored),
      .in_ready_o (unused_rx_room),
      .out_head_o (rx_slot),
      .out_body_o (unused_rx),
      .out_valid_o(rx_valid_o),
      .out_ready_i(rx_ready_i)
  );
  wire arrived_t rx = arrivals[rx_slot];
  assign rx_o = '{
          slot: 6'(rx_slot),
          length: 14'(rx.length),
          port: rx.port,
          verdict: judges_i ? verdicts[rx_slot][6:0] : '0
      };

  // ---- The core's descriptors ----

  logic [NumSlots-1:0] held_q;  // slots that the core owns
  wire slot_t got_slot = allocates_q ? free_slot : rx_slot;  // never both
  wire slot_t tx_slot = slot_t'(tx_i.slot);
  wire is_held = held_q[tx_slot];
  wire is_long = SlotBytes > MaxBytes ? at_least(
      tx_i.length, 14'(MaxBytes + 1)
  ) : 15'(tx_i.length) > 15'(SlotBytes);
  logic tx_space, unused_tx;
  descriptor_t tx;
  logic tx_valid, tx_ready;
  assign tx_ready_o = tx_space;
  assign bad_descriptor_o = tx_valid_i & tx_ready_o & (~is_held | is_long & ~tx_i.drop);
  assign dropped_o = tx_valid_i & tx_ready_o & is_held & (is_long | tx_i.drop);
  always_ff @(posedge clk_i) begin
    if (rst_i) held_q <= '0;
    else begin
      // A descriptor of a slot not owned may arrive just as the slot is released.
      if (tx_valid_i & tx_ready_o) held_q[tx_slot] <= 1'b0;
      if (rx_valid_o & rx_ready_i | allocated) held_q[got_slot] <= 1'b1;
    end
  end

  head_fifo #(
      .head_t(logic),
      .body_t(descriptor_t),
      .Depth (NumSlots)
  ) u_go (
      .clk_i,
      .rst_i,
      .in_head_i(1'b0),
      .in_body_i(
      '{
          slot: tx_slot,
          length: slot_length_t'(tx_i.length),
          port: tx_i.port,
          drop: tx_i.drop | is_long
      }
      ),
      .in_valid_i(tx_valid_i & is_held),
      .in_ready_o(tx_space),
      .out_head_o(unused_tx),
      .out_body_o(tx),
      .out_valid_o(tx_valid),
      .out_ready_i(tx_ready)
  );

  // ---- The views ----

  logic active_q, out_first_q, at_out_q;  // at_out_q: the slot read is the slot being sent
  slot_t read_slot_q, out_slot_q;
  logic [4:0] access_index_q;
  logic [4:0] group_is_q;  // of four words, one-hot; 0 while none is accessed
  logic       verdict_is_q;
  logic [3:0] bytes_q;

  assign write_q = view_write_q & ~view_fault_o & (memory_write_q | ~view_past_i);

  // Words of the memory for the core. It does not access the views during a request.
  logic memory_reads_q;
  logic [DataWidth-1:0] read_data;
  index_t memory_beat_q;
  wire index_t memory_beat = memory_offset_i[WordPlaceWidth-1-:BeatWidth];
  wire [ByteWidth-3:0] memory_word = memory_offset_i[ByteWidth-1:2];
  wire memory_held = held_q[memory_slot_i];
  wire memory_writes = memory_request_i & memory_held & |memory_write_i;
  wire memory_reads = memory_request_i & ~|memory_write_i & ~memory_reads_q;
  wire at_view = view_access_i & ~view_elsewhere_i;
  wire [4:0] access_index = memory_request_i ? 5'(memory_word) : view_index_i;
  assign memory_error_o = ~memory_held;
  assign memory_done_o  = ~memory_held | |memory_write_i | memory_reads_q;
  assign memory_data_o  = read_data[32*access_index_q[ByteWidth-3:0]+:32];
  always_ff @(posedge clk_i) begin
    read_slot_q <= memory_request_i ? memory_slot_i : view_access_i ? view_slot_i : out_slot_q;
    at_out_q <= ~view_access_i & ~memory_request_i & active_q & ~tx_ready;
    access_index_q <= access_index;
    group_is_q <= 5'(memory_writes | at_view) << access_index[4:2];
    verdict_is_q <= at_view & judges_i & view_index_i == 5'(VerdictPlace);
    bytes_q <= memory_request_i ? memory_write_i : view_write_i;
    view_write_q <= ~rst_i & (memory_writes & memory_beat == '0 | |view_write_i);
    core_writes_q <= ~rst_i & (memory_writes | |view_write_i);
    view_fault_o <= view_access_i & ~held_q[view_slot_i];
    memory_write_q <= ~rst_i & memory_writes;
    memory_beat_q <= memory_request_i ? memory_beat : '0;  // a write to a view: the first beat
  end

  // One read port, for the core and the output; one write port, for the core and the input.
  wire slot_t write_slot = core_writes_q ? read_slot_q : free_slot;
  wire core_writes = write_q | memory_write_q;
  logic [31:0] shown[20];
  logic [31:0] merged;
  logic [127:0] in_meta;
  assign in_meta = 128'(in_i.meta);
  // The lowest bits of the index select one of four words; then the one-hot group, so that the
  // result is 0 unless the core accesses or writes a view.
  logic [4:0][31:0] group;
  always_comb begin
    view_data_o = verdicts[read_slot_q] & {32{verdict_is_q}};
    for (int unsigned g = 0; g < 5; g++) begin
      group[g] = shown[{3'(g), access_index_q[1:0]}];
      view_data_o |= group[g] & {32{group_is_q[g]}};
    end
  end
  for (genvar b = 0; b < 4; b++) begin : gen_merged
    assign merged[8*b+:8] = bytes_q[b] ? write_data_i[8*b+:8] : view_data_o[8*b+:8];
  end
  assign store_index = core_writes_q ? {read_slot_q, memory_beat_q} :
      {slot, first ? index_t'(0) : in_index_q};
  for (genvar b = 0; b < Bytes; b++) begin : gen_store
    wire at_word = access_index_q == 5'(b / 4);
    assign store_bytes[b] = core_writes_q ? core_writes & at_word & bytes_q[b%4] : taken_o;
  end
  // A view is written as a whole, in one memory: one memory per word takes more LUTs, because 32 is
  // not a multiple of their widths. Words that the core does not write keep their value.
  (* ram_style = "distributed" *) logic [DataWidth+127:0] views[NumSlots];
  logic [DataWidth+127:0] view, written;
  assign view = views[read_slot_q];
  assign store_data = written[DataWidth-1:0];
  always_ff @(posedge clk_i) if (starts | write_q) views[write_slot] <= written;
  for (genvar w = 0; w < 20; w++) begin : gen_word
    if (w < Words || w >= MetaPlace) begin : gen_used
      localparam int unsigned Place = 32 * (w < Words ? w : Words + w % 4);
      wire at_word = access_index_q == 5'(w);
      wire [31:0] in_word = w < Words ? in_i.data[32*(w%Words)+:32] : in_meta[32*(w%4)+:32];
      assign written[Place+:32] = ~core_writes_q ? in_word : at_word ? merged : shown[w];
      assign shown[w] = view[Place+:32];
    end else begin : gen_unused
      assign shown[w] = '0;
    end
  end

  // ---- Output ----

  // Reads a beat; it is ready in the next stage, and masked for the output. Groups of eight bytes
  // and the bytes of a group have separate masks, so that advance, which is late, passes one LUT.
  logic advance, read_valid_q, read_last_q;
  slot_length_t left_q, out_length_q, read_length_q;
  logic [ByteWidth:0] read_bytes_q;
  logic [Bytes/8-1:0] whole_q;  // groups with all their bytes
  logic [7:0] part_q;  // bytes of the group after these
  index_t out_index_q;
  logic out_drop_q;
  logic [1:0] out_port_q, read_port_q;
  logic [127:0] meta_row, meta_q;
  for (genvar w = 0; w < 4; w++) begin : gen_meta
    assign meta_row[32*w+:32] = shown[MetaPlace+w];
  end

  assign advance = ~out_valid_o | out_ready_i;
  wire out_last = left_q <= slot_length_t'(Bytes);
  wire reads = active_q & ~out_drop_q & advance & (at_out_q | ~out_first_q) &
      ~(memory_near_i & ~memory_reads_q);
  wire ends = active_q & (out_drop_q | reads & out_last);
  assign tx_ready = ~active_q | ends;
  always_ff @(posedge clk_i) begin
    // The load is for the case that this is the next message, taken early even if it is not.
    if (tx_ready | reads)
      left_q[LengthWidth-1:ByteWidth] <= ~active_q | out_drop_q | out_last ?
          tx.length[LengthWidth-1:ByteWidth] : left_q[LengthWidth-1:ByteWidth] - 1'b1;
    if (tx_ready) begin
      left_q[ByteWidth-1:0] <= tx.length[ByteWidth-1:0];
      out_slot_q <= tx.slot;
      out_drop_q <= tx.drop;
      out_port_q <= tx.port;
      out_length_q <= tx.length;
      out_index_q <= '0;
      out_first_q <= 1'b1;
    end else if (reads) begin
      out_index_q <= out_index_q + 1'b1;
      out_first_q <= 1'b0;
    end
    if (advance) begin
      read_data <= memory[memory_reads?{memory_slot_i, memory_beat} : {out_slot_q, out_index_q}];
      meta_q <= meta_row;
      read_last_q <= out_last;
      read_bytes_q <= out_last ? left_q[ByteWidth:0] : (ByteWidth + 1)'(Bytes);
      for (int unsigned g = 0; g < Bytes / 8; g++)
      whole_q[g] <= ~out_last | 32'(left_q[ByteWidth:3]) > g;
      for (int unsigned b = 0; b < 8; b++) part_q[b] <= 32'(left_q[2:0]) > b;
      read_length_q <= out_length_q;
      read_port_q   <= out_port_q;
    end
    if (rst_i) begin
      active_q <= 1'b0;
      read_valid_q <= 1'b0;
    end else begin
      if (tx_ready) active_q <= tx_valid;
      if (advance) read_valid_q <= reads;
    end
    memory_reads_q <= memory_reads & advance & ~rst_i;
  end

  // A slot that has been read is free in the cycle after.
  always_ff @(posedge clk_i) begin
    give_q  <= ends & ~rst_i;
    given_q <= out_slot_q;
  end

  logic [Bytes-1:0] shows;
  for (genvar b = 0; b < Bytes; b++) begin : gen_shows
    assign shows[b] = whole_q[b/8] | (b < 8 | whole_q[(b<8)?0 : b/8-1]) & part_q[b%8];
  end
  always_ff @(posedge clk_i) begin
    if (advance) begin
      out_o.meta <= MetaBits'(meta_q);
      if (HasPorts) out_o.meta.mac_port <= mac_port_t'(read_port_q);
      out_o.length <= 14'(read_length_q);
      out_o.kind   <= '0;
      out_o.last   <= read_last_q;
      out_o.bytes  <= read_bytes_q;
      for (int b = 0; b < Bytes; b++) out_o.data[8*b+:8] <= shows[b] ? read_data[8*b+:8] : '0;
    end
    if (rst_i) out_valid_o <= 1'b0;
    else if (advance) out_valid_o <= read_valid_q;
  end

  assign busy_o = out_valid_o | read_valid_q | ~first |
      filled & num_free != (SlotWidth + 1)'(NumSlots);
  assign used_o = (SlotWidth + 1)'(NumSlots) - num_free;
  assign allocated_o = allocated;
  assign stalls_o = out_valid_o & ~out_ready_i;
  // Messages that the core has neither sent nor dropped are its work; empty slots are not.
  (* ram_style = "distributed" *) logic rx_owned[NumSlots];
  logic rx_taken_q, ends_q;
  logic [SlotWidth:0] num_owned_q;
  wire rx_taken = rx_valid_o & rx_ready_i;
  assign moves_o = rx_taken_q | ends_q;
  always_ff @(posedge clk_i) begin
    if (rx_taken | allocated) rx_owned[got_slot] <= ~allocates_q;
    rx_taken_q <= rx_taken & ~rst_i;
    ends_q <= tx_valid_i & tx_ready_o & is_held & rx_owned[tx_slot] & ~rst_i;
    if (rst_i) num_owned_q <= '0;
    else num_owned_q <= num_owned_q + (SlotWidth + 1)'(rx_taken_q) - (SlotWidth + 1)'(ends_q);
    has_work_o <= rx_valid_o | kept_q | |num_owned_q;
  end

  `BOMBUS_ASSERT(JudgedHaveRoom, !(judged_i && judges_i) || unused_wait_room)
  `BOMBUS_ASSERT(ArrivedHaveRoom, !(judges_i ? judged : stored) || unused_rx_room)
  `BOMBUS_ASSERT(OneSlotPerCycle, !(rx_taken && allocated))
  `BOMBUS_ASSERT(MessageFitsSlot, !(taken_o && !first && in_index_q == '0))
  `BOMBUS_ASSERT(OwnedBounded, 32'(num_owned_q) <= NumSlots)

endmodule
