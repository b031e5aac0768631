// SPDX-License-Identifier: Apache-2.0
// Pending ARP requests: neighbours that have not replied yet, and for each the chain of waiting
// packets (waiting_packets).
//
// A hash table in distributed RAM, with a keyed hash (arp_index). A request for a neighbour is
// sent at once and repeated every RetryS seconds or slightly later, MaxTries times in all; then
// its packets are dropped. If its set is full, a new question replaces one of the set's, in
// round-robin order, so that a sender cannot lock out others; the packets of the replaced question
// are dropped. The packets of a neighbour before the latest one occupy less than ManyBlocks
// blocks; the latest one may occupy as many. A single packet may have any size. There are at most
// MaxPackets. If another one would exceed this, the earlier ones are dropped (RFC 1122, 2.3.2.2:
// keep at least the latest). A packet that does not fit into the memory is dropped, its question
// is opened, and the packets of one other question are dropped to free space.
//
// A binding that will soon expire is requested too, without a packet and without an entry: the
// neighbour is known, so its reply needs no question.
//
// A message takes two steps, in parallel to eth_tx: its set is read while it is in the look-up
// stage; a stage later its entry is updated, while the next message's set is read. A bypass
// forwards the update to that message. In cycles without a message in the look-up stage, a scan
// reads the table, one entry every two cycles; if there is no such cycle for Patience cycles,
// busy_o creates one.
`include "bombus_assert.svh"

module arp_questions
  import bombus_pkg::*;
  import arp_pkg::*;
#(
    parameter int unsigned PortBits = 0,  // width of the MAC port number above the key
    parameter int unsigned NumSets = 64,
    parameter int unsigned NumWays = 2,
    parameter int unsigned NumBlocks = 256,
    parameter int unsigned MaxPackets = 7,
    parameter int unsigned ManyBlocks = 32,
    parameter int unsigned RetryS = 1,
    parameter int unsigned MaxTries = 3,
    localparam type port_key_t = logic [PortBits+$bits(key_t)-1:0],
    localparam type block_t = logic [$clog2(NumBlocks)-1:0]
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,
    input logic [MaxKeyBits-1:0] seed_i,
    output logic busy_o,  // no look-up is possible
    output logic open_o,  // at least one question is open

    // A look-up: lookup_valid_i & lookup_ready_i.
    // A look-up is possible: the last message leaves the look-up stage or has left it
    input logic lookup_ready_i,
    input logic lookup_valid_i,
    input port_key_t key_i,

    // The message in the look-up stage.
    input port_key_t looked_up_i,
    output logic has_entry_o,  // its question is open, not counting the decision made in this cycle
    output logic same_key_o,  // the message in the following stage has the same key
    input logic room_i,  // it leaves the stage, or could leave it

    // The message in the following stage is one of:
    input logic packet_i,  // the last beat of a packet without a binding
    input logic renew_i,  // the last beat of a packet with a binding that expires soon
    input logic update_i,  // a binding: its question is answered
    // packet_i and update_i wait for these; renew_i does not.
    input logic question_ready_i,  // a request can be sent; irrelevant for update_i
    input logic reading_i,  // a chain is being read: wait

    // The blocks of the packet in the following stage, and the operation on them.
    input block_t first_i,
    input block_t end_i,
    input block_t count_i,
    input logic fits_i,
    output logic keep_o,
    output logic start_o,  // read the chain given by chain_head_o and chain_tail_o a cycle later
    // One cycle later.
    output logic link_o,  // append the packet to chain_tail_o
    output block_t link_head_o,
    output logic free_o,  // free the chain
    output block_t chain_head_o,
    output block_t chain_tail_o,
    output block_t chain_count_o,

    // A request to send in this cycle.
    output logic question_o,
    output port_key_t question_key_o,
    output logic question_repeat_o,
    output logic question_renew_o,

    // One-cycle pulses per dropped packet.
    output logic no_room_o,
    output logic unresolved_o
);

  localparam int unsigned TimeShift = 18;  // steps of 2^18 us, 0.26 s
  // At least RetryS (RFC 1122, 2.3.2.1), at any position of the last request in its step.
  localparam int unsigned RetrySteps = ((RetryS * 1000000) >> TimeShift) + 2;
  localparam int unsigned Patience = 64;
  typedef logic [$clog2(NumSets)-1:0] set_t;
  typedef logic [$clog2(NumWays)-1:0] way_t;
  typedef logic [7:0] stamp_t;
  typedef logic [$clog2(MaxTries+1)-1:0] tries_t;
  typedef logic [$clog2(MaxPackets+1)-1:0] packets_t;

  typedef struct packed {
    logic valid;
    port_key_t key;
  } name_t;
  typedef struct packed {
    packets_t packets;
    block_t   count;
    block_t   head;
    block_t   tail;
  } chain_t;  // without packets, only `packets` is defined
  typedef struct packed {
    stamp_t stamp;
    tries_t tries;
  } timer_t;

  if (NumSets < 2 || NumSets > 65536 || NumSets != 2 ** $clog2(
          NumSets
      ) || NumWays < 2 || NumWays != 2 ** $clog2(
          NumWays
      )) begin : gen_bad_shape
    $error("arp_questions: NumSets (2 to 65536) and NumWays (from 2) must be powers of two");
  end
  if (PortBits > $bits(mac_port_t)) begin : gen_bad_key
    $error("arp_questions: PortBits must be at most %0d", $bits(mac_port_t));
  end
  if (NumBlocks < 2 || ManyBlocks >= NumBlocks || MaxPackets < 1) begin : gen_bad_room
    $error("arp_questions: MaxPackets must be at least 1, ManyBlocks less than NumBlocks");
  end
  // Half the range of a stamp, so that the scan sees an entry before its stamp wraps.
  if (RetrySteps > 2 ** ($bits(stamp_t) - 1) || RetryS > 33 || MaxTries < 1) begin : gen_bad_tries
    $error("arp_questions: RetryS must be at most 33, MaxTries at least 1");
  end

  // ---- Read the set of the message in the look-up stage, otherwise that of the scan ----

  set_t set_q;
  logic clear_q;
  logic looked_up_q;  // a message is in the look-up stage
  logic [$clog2(NumSets*NumWays)-1:0] scan_q, scan_next;
  logic [$clog2(NumSets*NumWays):0] num_open_q;
  logic opened_q, closed_q;
  logic [$clog2(Patience)-1:0] patience_q;
  logic is_scan_q;  // the entry was read by the scan
  logic renewable_q;  // it was read for a new message, which can renew only once
  set_t index;
  arp_index #(
      .PortBits(PortBits),
      .Width   ($clog2(NumSets))
  ) u_index (
      .key_i,
      .seed_i,
      .index_o(index)
  );
  // A decision in this cycle could change the entry that the scan reads.
  wire deciding = packet_i | update_i | (renew_i & renewable_q) | is_scan_q;
  wire scan = ~looked_up_q & ~clear_q & ~reading_i & question_ready_i & ~deciding &
      (num_open_q != '0);
  wire way_t scan_way = scan_q[$clog2(NumWays)-1:0];
  assign scan_next = (clear_q | scan) ? scan_q + 1'b1 : scan_q;
  always_ff @(posedge clk_i) begin
    scan_q <= rst_i ? '0 : scan_next;
    if (rst_i) set_q <= '0;
    else if (lookup_ready_i) begin
      set_q <= lookup_valid_i ? index : scan_next[$clog2(NumWays)+:$clog2(NumSets)];
    end
    if (rst_i) looked_up_q <= 1'b0;
    else if (lookup_ready_i) looked_up_q <= lookup_valid_i;
  end

  logic has_entry_q, full_q;  // the message has an entry; the set is full
  logic [NumWays-1:0] selected, selected_q;  // its entry, or the entry to be allocated for it
  set_t entry_set_q;
  name_t [NumWays-1:0] names;
  chain_t [NumWays-1:0] chains, chains_q;
  timer_t [NumWays-1:0] timers, timers_q;
  logic [NumWays-1:0] match, valid;
  logic opens, closes, write_name, write_chain, write_timer;
  name_t  new_name;
  chain_t new_chain;
  timer_t new_timer;
  for (genvar w = 0; w < NumWays; w++) begin : gen_way
    (* ram_style = "distributed" *)name_t  name_ram [NumSets];
    (* ram_style = "distributed" *)chain_t chain_ram[NumSets];
    (* ram_style = "distributed" *)timer_t timer_ram[NumSets];
    assign names[w]  = name_ram[set_q];
    assign chains[w] = chain_ram[set_q];
    assign timers[w] = timer_ram[set_q];
    always_ff @(posedge clk_i) begin
      if (clear_q | (write_name & selected_q[w])) name_ram[entry_set_q] <= new_name;
      if (write_chain & selected_q[w]) chain_ram[entry_set_q] <= new_chain;
      if (write_timer & selected_q[w]) timer_ram[entry_set_q] <= new_timer;
    end
  end

  port_key_t entry_key_q;  // key of the message; for the scan, key of the entry
  wire stamp_t now = time_us_i[TimeShift+:$bits(stamp_t)];
  wire same_set = set_q == entry_set_q;
  assign same_key_o = same_keys(MaxKeyBits'(looked_up_i), MaxKeyBits'(entry_key_q));
  way_t victim_q, victim;
  logic full;  // the set
  logic [NumWays-1:0] chosen;
  always_comb begin
    has_entry_o = 1'b0;
    for (int unsigned w = 0; w < NumWays; w++) begin
      valid[w] = names[w].valid;
      match[w] = names[w].valid & same_keys(MaxKeyBits'(names[w].key), MaxKeyBits'(looked_up_i));
      has_entry_o |= match[w];
      if ((opens | closes) & same_set & selected_q[w]) begin
        valid[w] = opens;
        match[w] = opens & same_key_o;
      end
    end
    full = &valid;
    for (int unsigned w = 0; w < NumWays; w++) chosen[w] = victim == way_t'(w);
    if (~full) chosen = ~valid & (valid + 1'b1);  // the first free way
    selected = |match ? match : chosen;
    for (int unsigned w = 0; w < NumWays; w++) begin
      if (~looked_up_q) selected[w] = scan_way == way_t'(w);
    end
  end

  logic [NumWays-1:0] valid_q;
  logic overdue_q;  // for the scan
  // Writes to the same set in the cycle of the read: these are taken from registers.
  logic [NumWays-1:0] chain_written_q, timer_written_q;
  chain_t last_chain_q;
  timer_t last_timer_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) entry_set_q <= '0;
    else if (room_i | scan | clear_q) entry_set_q <= set_q;
    if (room_i | scan) begin
      chains_q <= chains;
      timers_q <= timers;
      selected_q <= selected;
      has_entry_q <= |match;
      full_q <= full;
      valid_q <= valid;
      for (int unsigned w = 0; w < NumWays; w++) begin
        chain_written_q[w] <= write_chain & same_set & selected_q[w];
        timer_written_q[w] <= write_timer & same_set & selected_q[w];
      end
      overdue_q   <= stamp_t'(now - timers[scan_way].stamp) >= stamp_t'(RetrySteps);
      entry_key_q <= looked_up_q ? looked_up_i : names[scan_way].key;
    end
    if (write_chain) last_chain_q <= new_chain;
    if (write_timer) last_timer_q <= new_timer;
  end

  chain_t chain;
  timer_t timer;
  wire chain_bypass = |(selected_q & chain_written_q);
  wire timer_bypass = |(selected_q & timer_written_q);
  always_comb begin
    chain = chain_bypass ? last_chain_q : '0;
    timer = timer_bypass ? last_timer_q : '0;
    for (int unsigned w = 0; w < NumWays; w++) begin
      if (selected_q[w] & ~chain_bypass) chain |= chains_q[w];
      if (selected_q[w] & ~timer_bypass) timer |= timers_q[w];
    end
  end

  // ---- Update the entry ----

  wire packet = packet_i & question_ready_i & ~reading_i;
  wire update = update_i & ~reading_i;
  wire taken = |(selected_q & valid_q);
  wire held = taken & (chain.packets != '0);
  wire last_try = timer.tries == tries_t'(MaxTries);

  // A packet. If all packets were dropped to make room, a later one restarts the tries.
  logic make_room_q;
  wire too_many = (chain.count >= block_t'(ManyBlocks)) | (count_i > block_t'(ManyBlocks)) |
      (chain.packets == packets_t'(MaxPackets));
  // keep: otherwise synthesis moves the late multiplexer in front of the adder.
  (* keep *) block_t sum;
  assign sum = chain.count + count_i;
  wire appends = has_entry_q & held & ~too_many;
  wire fresh = packet & (~has_entry_q | (fits_i & ~held & last_try));
  wire renewal = renew_i & renewable_q & ~has_entry_q & question_ready_i;
  wire open = packet & ~has_entry_q;
  // While a packet or an update waits, all later messages wait too, so for them it counts as done
  // already.
  assign opens = packet_i & ~has_entry_q;
  wire displaced = has_entry_q ? packet & fits_i & held & too_many : open & held;

  // The scan.
  wire due = is_scan_q & taken & overdue_q;
  wire again = due & ~last_try;
  wire give_up = due & last_try;
  wire evict = is_scan_q & ~due & held & make_room_q;

  wire answered = update & has_entry_q;
  wire close = give_up | answered;
  assign closes = give_up | (update_i & has_entry_q);
  assign keep_o = packet & fits_i;
  assign victim = victim_q + way_t'(opens & full_q);

  assign start_o = answered & held;
  assign question_o = again | renewal | fresh;
  assign question_key_o = entry_key_q;
  assign question_repeat_o = again;
  assign question_renew_o = renewal;

  always_comb begin
    new_name = '{valid: open, key: entry_key_q};
    new_chain.packets = keep_o ? (appends ? chain.packets : '0) + 1'b1 : '0;
    new_chain.count = appends ? sum : count_i;
    new_chain.head = appends ? chain.head : first_i;
    new_chain.tail = end_i;
    new_timer = '{stamp: now, tries: is_scan_q ? timer.tries + 1'b1 : tries_t'(1)};
    write_name = open | close;
    write_chain = open | keep_o | (is_scan_q & ~due & make_room_q);
    write_timer = fresh | again;
    if (clear_q) new_name = '0;
  end

  assign open_o = num_open_q != '0;
  assign busy_o = clear_q | (&patience_q);

  always_ff @(posedge clk_i) begin
    link_head_o   <= first_i;
    chain_head_o  <= chain.head;
    chain_tail_o  <= chain.tail;
    chain_count_o <= chain.count;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      clear_q <= 1'b1;
      num_open_q <= '0;
      patience_q <= '0;
      victim_q <= '0;
      make_room_q <= 1'b0;
      opened_q <= 1'b0;
      closed_q <= 1'b0;
      renewable_q <= 1'b0;
      is_scan_q <= 1'b0;
      link_o <= 1'b0;
      free_o <= 1'b0;
    end else begin
      if (clear_q & (&scan_q)) clear_q <= 1'b0;
      opened_q <= open & ~taken;
      closed_q <= close;
      if (opened_q != closed_q) num_open_q <= opened_q ? num_open_q + 1'b1 : num_open_q - 1'b1;
      if (open) victim_q <= victim;
      if (packet & ~fits_i) make_room_q <= 1'b1;
      else if (evict) make_room_q <= 1'b0;
      if (scan | ~open_o) patience_q <= '0;
      else if (~&patience_q) patience_q <= patience_q + 1'b1;

      renewable_q <= room_i;
      is_scan_q <= scan;
      link_o <= keep_o & appends;
      free_o <= displaced | ((give_up | evict | answered) & held);
    end
  end

  // ---- Dropped packets: several at once, counted one per cycle ----

  typedef logic [$bits(block_t):0] debt_t;  // one bit wider than the number of waiting packets
  debt_t no_room_q, unresolved_q;
  packets_t freed_q, failed_q;
  logic refused_q;
  assign no_room_o = no_room_q != '0;
  assign unresolved_o = unresolved_q != '0;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      freed_q <= '0;
      failed_q <= '0;
      refused_q <= 1'b0;
      no_room_q <= '0;
      unresolved_q <= '0;
    end else begin
      freed_q <= (displaced | (evict & held)) ? chain.packets : '0;
      failed_q <= (give_up & held) ? chain.packets : '0;
      refused_q <= packet & ~fits_i;
      no_room_q <= no_room_q - debt_t'(no_room_o) + debt_t'(freed_q) + debt_t'(refused_q);
      unresolved_q <= unresolved_q - debt_t'(unresolved_o) + debt_t'(failed_q);
    end
  end

  `BOMBUS_ASSERT(OneEntry, clear_q || !looked_up_q || $onehot0(match))
  `BOMBUS_ASSERT(OpenBounded, 32'(num_open_q) <= NumSets * NumWays)

endmodule
