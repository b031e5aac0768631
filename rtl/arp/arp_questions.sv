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
// A binding that is soon to expire is asked for too, once in RetryS seconds, if its
// set is not full, and has no packets. It stays in the table for so long that it is
// asked no more often.
//
// Two steps: the entry is found in the cycle in which the message's last beat leaves
// eth_tx's look-up stage, and what happens to it is decided and written a cycle
// later. The next message's entry sees what is just written.
//
// The message in the look-up stage has the table until its last beat leaves. In the
// other cycles a scan goes through it, one entry a cycle. It changes nothing while a
// message finds its entry, and comes again. If it cannot act for Patience cycles, it
// makes the cycles by busy_o.
module arp_questions
  import bombus_pkg::*;
  import arp_pkg::*;
#(
    parameter int unsigned NumSets = 64,
    parameter int unsigned NumWays = 2,
    parameter int unsigned NumBlocks = 256,
    parameter int unsigned MaxPackets = 7,
    parameter int unsigned ManyBlocks = 32,
    parameter int unsigned RetryS = 1,
    parameter int unsigned MaxTries = 3,
    localparam type block_t = logic [$clog2(NumBlocks)-1:0]
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,
    output logic busy_o,  // no look-up now
    output logic open_o,  // there are open questions

    input logic lookup_i,
    input key_t key_i,

    // The message looked up. Its last beat leaves (done_i), and it is one of:
    input logic done_i,
    input key_t looked_up_i,
    input logic packet_i,  // a packet without binding
    input logic renew_i,  // a packet whose binding is soon to expire
    input logic update_i,  // a binding: its question is answered

    output logic answered_o,  // update_i: it was open
    output logic deciding_o,  // a cycle later

    // The packet's blocks, and what to do with them: a cycle later, but for keep_o.
    input block_t first_i,
    input block_t last_i,
    input block_t count_i,
    input logic fits_i,
    output logic keep_o,
    output logic link_o,  // link_first_o behind chain_tail_o
    output block_t link_first_o,
    output logic free_o,  // the chain
    output logic start_o,  // read the chain
    output block_t chain_head_o,
    output block_t chain_tail_o,
    output block_t chain_count_o,
    input logic reading_i,  // no scan now

    // A question to ask, now; only while ask_ready_i.
    output logic ask_o,
    output key_t ask_key_o,
    output logic ask_again_o,
    output logic ask_renew_o,  // the message that has left was renew_i
    input  logic ask_ready_i,
    input  logic asking_i,     // a question waits to go out

    // Pulses: dropped packets.
    output logic no_room_o,
    output logic unresolved_o
);

  localparam int unsigned TimeShift = 18;  // steps of 2^18 us, 0.26 s
  // At least RetryS (RFC 1122, 2.3.2.1), whenever in its step the last one was sent.
  localparam int unsigned RetrySteps = ((RetryS * 1000000) >> TimeShift) + 2;
  localparam int unsigned Patience = 128;
  typedef logic [$clog2(NumSets)-1:0] set_t;
  typedef logic [$clog2(NumWays)-1:0] way_t;
  typedef logic [7:0] stamp_t;
  typedef logic [$clog2(MaxTries+1)-1:0] tries_t;
  typedef logic [$clog2(MaxPackets+1)-1:0] packets_t;

  typedef struct packed {
    logic valid;
    key_t key;
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

  // ---- Step 1: the entry of the message looked up, else of the scan ----

  set_t set_q;
  logic clear_q;
  logic looked_up_q;  // the table is the message's
  logic same_key_q;  // its key is that of the message before
  logic [$clog2(NumSets*NumWays)-1:0] scan_q, scan_next;
  logic [$clog2(NumSets*NumWays):0] num_open_q;
  wire scan = ~looked_up_q & ~clear_q & ~reading_i & (num_open_q != '0);
  wire way_t scan_way = scan_q[$clog2(NumWays)-1:0];
  assign scan_next = scan_q + ($bits(scan_q))'(clear_q | scan);
  always_ff @(posedge clk_i) begin
    scan_q <= rst_i ? '0 : scan_next;
    if (lookup_i) same_key_q <= key_i == looked_up_i;
    if (lookup_i) set_q <= set_t'(set_of(key_i, $clog2(NumSets)));
    else if (done_i | ~looked_up_q)
      set_q <= rst_i ? '0 : scan_next[$clog2(NumWays)+:$clog2(NumSets)];
    if (rst_i) looked_up_q <= 1'b0;
    else if (lookup_i) looked_up_q <= 1'b1;
    else if (done_i) looked_up_q <= 1'b0;
  end

  // What step 2 writes.
  typedef logic [NumWays-1:0] ways_t;
  set_t write_set_q;
  ways_t write_name, write_chain, write_timer;
  name_t  new_name;
  chain_t new_chain;
  timer_t new_timer;

  // A message in step 2 writes into the set that is read: its entry is seen as it will
  // be. (The scan writes only while no message finds its entry.)
  key_t   key_q;
  ways_t  selected_q;
  logic deciding_q, open, closed_q;
  wire follows = deciding_q & (write_set_q == set_q);

  name_t [NumWays-1:0] names;
  chain_t [NumWays-1:0] chains;
  timer_t [NumWays-1:0] timers;
  ways_t valid, match, selected, renewed;
  for (genvar w = 0; w < NumWays; w++) begin : gen_way
    (* ram_style = "distributed" *)name_t  name_ram [NumSets];
    (* ram_style = "distributed" *)chain_t chain_ram[NumSets];
    (* ram_style = "distributed" *)timer_t timer_ram[NumSets];
    assign names[w] = name_ram[set_q];
    assign chains[w] = chain_ram[set_q];
    assign timers[w] = timer_ram[set_q];
    assign renewed[w] = follows & selected_q[w];
    assign valid[w] = renewed[w] ? open | (names[w].valid & ~closed_q) : names[w].valid;
    assign match[w] = renewed[w] & (open | closed_q) ? open & same_key_q :
        names[w].valid & (names[w].key == looked_up_i);
    always_ff @(posedge clk_i) begin
      if (write_name[w]) name_ram[write_set_q] <= new_name;
      if (write_chain[w]) chain_ram[write_set_q] <= new_chain;
      if (write_timer[w]) timer_ram[write_set_q] <= new_timer;
    end
  end

  way_t turn_q, chosen;
  wire known = |match;
  wire full = &valid;  // the set
  always_comb begin
    chosen = turn_q;
    for (int unsigned w = NumWays; w > 0; w--) if (~valid[w-1]) chosen = way_t'(w - 1);
    for (int unsigned w = 0; w < NumWays; w++) begin
      selected[w] = ~looked_up_q ? scan_way == way_t'(w) : known ? match[w] : chosen == way_t'(w);
    end
  end

  ways_t new_chains, new_timers;
  assign new_chains = renewed & write_chain;
  assign new_timers = renewed & write_timer;
  logic   is_valid;
  key_t   scan_key;
  chain_t chain;
  timer_t timer;
  always_comb begin
    is_valid = |(selected & valid);
    scan_key = '0;
    chain = '0;
    timer = '0;
    for (int unsigned w = 0; w < NumWays; w++) begin
      if (scan_way == way_t'(w)) scan_key |= names[w].key;
      if (selected[w] & ~new_chains[w]) chain |= chains[w];
      if (selected[w] & ~new_timers[w]) timer |= timers[w];
    end
    if (|(selected & new_chains)) chain |= new_chain;
    if (|(selected & new_timers)) timer |= new_timer;
  end

  logic packet_q, renew_q, scanned_q, fits_q, known_q, valid_q;
  block_t first_q, last_q, count_q;
  chain_t chain_q;
  timer_t timer_q;
  always_ff @(posedge clk_i) begin
    write_set_q <= set_q;
    selected_q <= selected;
    key_q <= looked_up_q ? looked_up_i : scan_key;
    known_q <= known;
    valid_q <= is_valid;
    chain_q <= chain;
    timer_q <= timer;
    first_q <= first_i;
    last_q <= last_i;
    count_q <= count_i;
    fits_q <= fits_i;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      deciding_q <= 1'b0;
      packet_q <= 1'b0;
      renew_q <= 1'b0;
      closed_q <= 1'b0;
      start_o <= 1'b0;
      scanned_q <= 1'b0;
      turn_q <= '0;
    end else begin
      deciding_q <= packet_i | renew_i | update_i;
      packet_q <= packet_i;
      // It does not take another question's place.
      renew_q <= renew_i & ~known & ~full;
      closed_q <= update_i & known;
      start_o <= update_i & known & (chain.packets != '0);
      scanned_q <= scan;
      if (packet_i & ~known & full) turn_q <= turn_q + 1'b1;
    end
  end
  assign answered_o = known;
  assign deciding_o = deciding_q;
  assign keep_o = packet_i & fits_i;

  // ---- Step 2: what happens to it ----

  wire held = valid_q & (chain_q.packets != '0);
  wire last_try = timer_q.tries == tries_t'(MaxTries);
  wire stamp_t now = time_us_i[TimeShift+:$bits(stamp_t)];
  wire overdue = (timer_q.tries == '0) | (stamp_t'(now - timer_q.stamp) >= stamp_t'(RetrySteps));

  // A packet. One that comes behind a renewal's only try starts the tries anew.
  logic make_room_q;
  wire kept = packet_q & fits_q;
  wire too_many = (chain_q.count >= block_t'(ManyBlocks)) | (count_q > block_t'(ManyBlocks)) |
      (chain_q.packets == packets_t'(MaxPackets));
  wire behind = known_q & held & ~too_many;
  wire fresh = packet_q & (~known_q | (fits_q & ~held & last_try));
  wire renewal = renew_q & ~asking_i;
  assign open = (packet_q & ~known_q) | renewal;
  wire displaced = known_q ? kept & held & too_many : open & held;

  // The scan.
  wire act = scanned_q & ~done_i;
  wire due = act & valid_q & overdue;
  wire again = due & ~last_try & ask_ready_i;
  packets_t unresolved_q;  // still to be told
  wire give_up = due & last_try & (unresolved_q == '0);
  wire evict = act & ~(valid_q & overdue) & held & make_room_q;

  assign link_o = kept & behind;
  assign link_first_o = first_q;
  assign free_o = displaced | ((give_up | evict | closed_q) & held);
  assign chain_head_o = chain_q.head;
  assign chain_tail_o = chain_q.tail;
  assign chain_count_o = chain_q.count;

  assign ask_o = again | renewal | (fresh & ask_ready_i);
  assign ask_key_o = key_q;
  assign ask_again_o = again & (timer_q.tries != '0);
  assign ask_renew_o = renewal;

  always_comb begin
    new_name = '{valid: open & ~clear_q, key: key_q};
    new_chain.packets = kept ? (behind ? chain_q.packets : '0) + 1'b1 : '0;
    new_chain.count = (behind ? chain_q.count : '0) + count_q;
    new_chain.head = behind ? chain_q.head : first_q;
    new_chain.tail = last_q;
    new_timer.stamp = now;
    new_timer.tries = scanned_q ? timer_q.tries + 1'b1 :
        renewal ? tries_t'(MaxTries) : tries_t'(ask_ready_i);
    write_name = selected_q & {NumWays{open | closed_q | give_up}};
    write_chain = selected_q & {NumWays{open | kept | evict}};
    write_timer = selected_q & {NumWays{renewal | fresh | again}};
    if (clear_q) write_name = '1;
  end

  logic [$clog2(Patience)-1:0] patience_q;
  assign open_o = num_open_q != '0;
  assign busy_o = clear_q | (&patience_q);
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      clear_q <= 1'b1;
      num_open_q <= '0;
      patience_q <= '0;
      make_room_q <= 1'b0;
    end else begin
      if (clear_q & (&scan_q)) clear_q <= 1'b0;
      if (open & ~valid_q) num_open_q <= num_open_q + 1'b1;
      else if (closed_q | give_up) num_open_q <= num_open_q - 1'b1;
      if (packet_q & ~fits_q) make_room_q <= 1'b1;
      else if (evict) make_room_q <= 1'b0;
      if (act | ~open_o) patience_q <= '0;
      else if (~&patience_q) patience_q <= patience_q + 1'b1;
    end
  end

  // ---- Dropped packets: several at a time, counted one a cycle ----

  // Those whose question is given up: the scan does not give up another one meanwhile.
  // Those that found no room: of several in a cycle one is told a cycle later, the
  // others are added to what is to be told.
  typedef logic [$bits(block_t):0] debt_t;  // at most as many as wait, and some
  debt_t no_room_q;
  packets_t more_q;
  logic lost_q;
  wire refused = packet_q & ~fits_q;
  wire gone = displaced | evict;
  wire owing = no_room_q != '0;
  assign no_room_o = lost_q | owing;
  assign unresolved_o = unresolved_q != '0;
  always_ff @(posedge clk_i) begin
    more_q <= ~gone ? '0 : refused ? chain_q.packets : chain_q.packets - 1'b1;
    if (rst_i) begin
      lost_q <= 1'b0;
      no_room_q <= '0;
      unresolved_q <= '0;
    end else begin
      lost_q <= gone | refused;
      no_room_q <= no_room_q + (lost_q ? debt_t'(more_q) : {$bits(debt_t) {owing}});
      if (give_up & held) unresolved_q <= chain_q.packets;
      else if (unresolved_o) unresolved_q <= unresolved_q - 1'b1;
    end
  end

endmodule
