// SPDX-License-Identifier: Apache-2.0
// Open questions: neighbours that have been asked for and have not answered, and
// the chain of packets that waits for each (waiting_packets).
//
// A hash table in distributed RAM. A neighbour is asked for at once and again
// after RetryS seconds or a little more, MaxTries times; then its packets are
// dropped. With its set full, a new question takes the place of one of the set's,
// by turns, so that nobody can lock others out: its packets are dropped. One
// neighbour's packets take less than ManyBlocks blocks before the latest one, which
// may take as many, or they are a single one of any size; there are at most
// MaxPackets. When one more comes, the earlier ones are dropped (RFC 1122, 2.3.2.2:
// keep at least the latest). When a packet finds no room at all, it is
// dropped, its question asked, and the packets of one other question make room.
//
// A binding that is soon to expire is asked for too, once in RetryS seconds, and
// has no packets. It stays in the table for so long that it is asked no more often.
//
// The message in eth_tx's look-up stage has the table until its last beat leaves.
// In the other cycles a scan goes through it, one entry a cycle; if it finds no such
// cycle for Patience cycles, it makes one by busy_o.
module arp_questions
  import bombus_pkg::*;
  import arp_pkg::*;
#(
    parameter int unsigned PortBits = 0,  // of the number of a MAC port, above the key
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
    output logic busy_o,  // no look-up now
    output logic open_o,  // there are open questions

    input logic lookup_i,
    input port_key_t key_i,

    // The message looked up. Its last beat leaves (done_i), and it is one of:
    input logic done_i,
    input port_key_t looked_up_i,
    input logic packet_i,  // a packet without binding
    input logic renew_i,  // a packet whose binding is soon to expire
    input logic update_i,  // a binding: its question is answered

    output logic answered_o,  // update_i: it was open

    // The packet's blocks, and what to do with them.
    input block_t first_i,
    input block_t last_i,
    input block_t count_i,
    input logic fits_i,
    output logic keep_o,
    output logic link_o,  // behind chain_tail_o
    output logic free_o,  // the chain
    output logic start_o,  // read the chain
    output block_t chain_head_o,
    output block_t chain_tail_o,
    output block_t chain_count_o,
    input logic reading_i,  // no scan now

    // A question to ask, now; only while ask_ready_i.
    output logic ask_o,
    output port_key_t ask_key_o,
    output logic ask_again_o,
    output logic ask_renew_o,
    input logic ask_ready_i,

    // Pulses: dropped packets.
    output logic no_room_o,
    output logic unresolved_o
);

  localparam int unsigned TimeShift = 18;  // steps of 2^18 us, 0.26 s
  // At least RetryS (RFC 1122, 2.3.2.1), whenever in its step the last one was sent.
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
  } chain_t;  // meaningless without packets, but for their number
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
  // Half of what a stamp counts, so that an entry is seen in time.
  if (RetrySteps > 2 ** ($bits(stamp_t) - 1) || RetryS > 33 || MaxTries < 1) begin : gen_bad_tries
    $error("arp_questions: RetryS must be at most 33, MaxTries at least 1");
  end

  // ---- The entry: of the message looked up, else of the scan ----

  set_t set_q;
  logic clear_q;
  logic looked_up_q;  // the table is the message's
  logic [$clog2(NumSets*NumWays)-1:0] scan_q, scan_next;
  logic [$clog2(NumSets*NumWays):0] num_open_q;
  logic [$clog2(Patience)-1:0] patience_q;
  logic again_blocked;
  wire set_t set = set_q;
  wire scan = ~looked_up_q & ~clear_q & ~reading_i & (num_open_q != '0);
  wire way_t scan_way = scan_q[$clog2(NumWays)-1:0];
  wire step = clear_q | (scan & ~again_blocked);
  assign scan_next = scan_q + ($bits(scan_q))'(step);
  always_ff @(posedge clk_i) begin
    scan_q <= rst_i ? '0 : scan_next;
    if (lookup_i) set_q <= set_t'(set_of(MaxKeyBits'(key_i), $clog2(NumSets)));
    else if (done_i | ~looked_up_q)
      set_q <= rst_i ? '0 : scan_next[$clog2(NumWays)+:$clog2(NumSets)];
    if (rst_i) looked_up_q <= 1'b0;
    else if (lookup_i) looked_up_q <= 1'b1;
    else if (done_i) looked_up_q <= 1'b0;
  end

  name_t  [NumWays-1:0] names;
  chain_t [NumWays-1:0] chains;
  timer_t [NumWays-1:0] timers;
  logic [NumWays-1:0] match, selected, write_name, write_chain, write_timer;
  name_t  new_name;
  chain_t new_chain;
  timer_t new_timer;
  for (genvar w = 0; w < NumWays; w++) begin : gen_way
    (* ram_style = "distributed" *)name_t  name_ram [NumSets];
    (* ram_style = "distributed" *)chain_t chain_ram[NumSets];
    (* ram_style = "distributed" *)timer_t timer_ram[NumSets];
    assign names[w]  = name_ram[set];
    assign chains[w] = chain_ram[set];
    assign timers[w] = timer_ram[set];
    assign match[w]  = names[w].valid & (names[w].key == looked_up_i);
    always_ff @(posedge clk_i) begin
      if (write_name[w]) name_ram[set] <= new_name;
      if (write_chain[w]) chain_ram[set] <= new_chain;
      if (write_timer[w]) timer_ram[set] <= new_timer;
    end
  end

  way_t turn_q, chosen;
  logic full;  // the set
  always_comb begin
    chosen = turn_q;
    full   = 1'b1;
    for (int unsigned w = NumWays; w > 0; w--) begin
      if (~names[w-1].valid) begin
        chosen = way_t'(w - 1);
        full   = 1'b0;
      end
    end
    for (int unsigned w = 0; w < NumWays; w++) begin
      selected[w] = ~looked_up_q ? scan_way == way_t'(w) : |match ? match[w] : chosen == way_t'(w);
    end
  end

  name_t  name;
  chain_t chain;
  timer_t timer;
  always_comb begin
    name  = '0;
    chain = '0;
    timer = '0;
    for (int unsigned w = 0; w < NumWays; w++) begin
      if (selected[w]) begin
        name |= names[w];
        chain |= chains[w];
        timer |= timers[w];
      end
    end
  end
  wire known = |match;
  wire held = name.valid & (chain.packets != '0);
  wire last_try = timer.tries == tries_t'(MaxTries);

  // ---- What happens to it ----

  wire stamp_t now = time_us_i[TimeShift+:$bits(stamp_t)];
  wire overdue = (timer.tries == '0) | (stamp_t'(now - timer.stamp) >= stamp_t'(RetrySteps));

  // A packet. One that comes behind a renewal's only try starts the tries anew.
  logic make_room_q;
  wire too_many = (chain.count >= block_t'(ManyBlocks)) | (count_i > block_t'(ManyBlocks)) |
      (chain.packets == packets_t'(MaxPackets));
  wire behind = known & held & ~too_many;
  wire fresh = packet_i & (~known | (fits_i & ~held & last_try));
  wire renewal = renew_i & ~known & ~full & ask_ready_i;
  wire open = (packet_i & ~known) | renewal;
  wire displaced = known ? packet_i & fits_i & held & too_many : open & held;

  // The scan.
  wire due = scan & name.valid & overdue;
  assign again_blocked = due & ~last_try & ~ask_ready_i;
  wire again = due & ~last_try & ask_ready_i;
  wire give_up = due & last_try;
  wire evict = scan & ~due & held & make_room_q;

  wire close = give_up | (update_i & known);
  assign answered_o = known;
  assign keep_o = packet_i & fits_i;
  assign link_o = packet_i & fits_i & behind;
  assign free_o = displaced | ((give_up | evict | (update_i & known)) & held);
  assign start_o = update_i & known & held;
  assign chain_head_o = chain.head;
  assign chain_tail_o = chain.tail;
  assign chain_count_o = chain.count;

  assign ask_o = again | renewal | (fresh & ask_ready_i);
  assign ask_key_o = looked_up_q ? looked_up_i : name.key;
  assign ask_again_o = again & (timer.tries != '0);
  assign ask_renew_o = renewal;

  always_comb begin
    new_name = '{valid: open, key: looked_up_i};
    new_chain.packets = keep_o ? (behind ? chain.packets : '0) + 1'b1 : '0;
    new_chain.count = (behind ? chain.count : '0) + count_i;
    new_chain.head = behind ? chain.head : first_i;
    new_chain.tail = last_i;
    new_timer = '{stamp: now, tries: timer.tries + 1'b1};
    if (looked_up_q) new_timer.tries = renewal ? tries_t'(MaxTries) : tries_t'(ask_ready_i);
    write_name  = (open | close) ? selected : '0;
    write_chain = (open | keep_o | evict) ? selected : '0;
    write_timer = (renewal | fresh | again) ? selected : '0;
    if (clear_q) begin
      write_name = '1;
      new_name   = '0;
    end
  end

  assign open_o = num_open_q != '0;
  assign busy_o = clear_q | (&patience_q);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      clear_q <= 1'b1;
      num_open_q <= '0;
      patience_q <= '0;
      turn_q <= '0;
      make_room_q <= 1'b0;
    end else begin
      if (clear_q & (&scan_q)) clear_q <= 1'b0;
      if (open & ~(name.valid)) num_open_q <= num_open_q + 1'b1;
      else if (close) num_open_q <= num_open_q - 1'b1;
      if (open & full) turn_q <= turn_q + 1'b1;
      if (packet_i & ~fits_i) make_room_q <= 1'b1;
      else if (evict) make_room_q <= 1'b0;
      if (scan | ~open_o) patience_q <= '0;
      else if (~&patience_q) patience_q <= patience_q + 1'b1;
    end
  end

  // ---- Dropped packets: several at a time, counted one a cycle ----

  typedef logic [$bits(block_t):0] debt_t;  // at most as many as wait, and some
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
      refused_q <= packet_i & ~fits_i;
      no_room_q <= no_room_q - debt_t'(no_room_o) + debt_t'(freed_q) + debt_t'(refused_q);
      unresolved_q <= unresolved_q - debt_t'(unresolved_o) + debt_t'(failed_q);
    end
  end

endmodule
