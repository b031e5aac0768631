// SPDX-License-Identifier: Apache-2.0
// ARP cache: IPv4 address to MAC address, in block RAM, full keys.
//
// Two tables of two ways, each with its own keyed hash (arp_index): a neighbour has four places.
// When all of a new neighbour's places are occupied, it waits in a register, where it is found like
// the others. It is then exchanged for the binding of one of its places, which moves to a place in
// the other table, and so on (cuckoo hashing; Pagh and Rodler, 2004). Most such walks end after one
// to three moves, at up to 80% of NumBindings.
//
// After MaxMoves moves the table counts as full, and of four bindings the oldest that is not in use
// is given up. A binding is in use if a packet has found it in the last UsedSteps steps. It is
// never given up: if all four are in use, the walk continues until one is not.
// Meanwhile further new neighbours without a free place are not stored.
//
// A binding that has not been confirmed for MaxAgeS seconds, to within 2^AgeShift us, has expired
// (RFC 1122, 2.3.2.1). renew_o signals that the binding found has about RenewS seconds left, at
// most once per step for each binding. A permanent binding, which software writes, does not expire,
// does not move, and is not changed by updates.
//
// A look-up takes two steps: it reads its sets; the result is available a cycle later, and held
// until read_i. An update is a look-up too, and writes in the second step. A look-up directly after
// an update reads before the write, and gets the new binding of its own neighbour by a bypass.
// Throughput: one look-up per cycle, or one update every two cycles: the second of two consecutive
// updates is read again.
//
// Every 2^AgeShift us all sets are read once in cycles without a look-up: expired bindings are
// removed before their age wraps, and the marks of use fade. Software reads entries in such cycles,
// too. If there is none for Patience cycles, busy_o creates one. While busy_o is high, no look-up
// may be made. A move, and a write by software, keep it high for 5 cycles and until idle_i. After
// reset, and after a change of the seed, which empties the cache, it is high for NumBindings / 4
// cycles.
//
// A held answer keeps software waiting, as idle_i is low. An access of software that has waited for
// 2^WaitBits - 1 cycles ends with stalled_o: nothing is read or written.
`include "bombus_assert.svh"

module arp_cache
  import bombus_pkg::*;
  import arp_pkg::*;
#(
    parameter int unsigned PortBits = 0,  // width of the MAC port number above the key
    parameter int unsigned NumBindings = 2048,
    parameter int unsigned MaxAgeS = 300,  // up to 500
    parameter int unsigned RenewS = 60,
    localparam type port_key_t = logic [PortBits+$bits(key_t)-1:0]
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,
    input logic [MaxKeyBits-1:0] seed_i,

    output logic busy_o,
    output logic wait_o,  // the last update is still pending
    // A look-up: lookup_valid_i & lookup_ready_i, or with update_i an update.
    input logic lookup_ready_i,  // a look-up is possible: the last answer is no longer needed
    input logic idle_i,  // the same, but early, and not in every such cycle
    input logic read_i,  // high with lookup_ready_i, and whenever the answer is not needed
    input logic lookup_valid_i,  // arrives early; never while busy_o
    input logic update_i,
    input port_key_t key_i,
    input logic [47:0] mac_i,  // update
    input logic only_refresh_i,  // update: only refresh an existing binding

    // The answer. It is valid until the next look-up; after an update, for one cycle.
    output port_key_t key_o,
    output logic hit_o,
    output logic renew_o,
    output logic [47:0] mac_o,
    // With the answer to an update: packets wait for it, so add it even if only_refresh_i was set.
    input logic add_i,

    // Register port: entry {set, way}.
    input logic show_i,  // held until shown_o
    input logic [$clog2(NumBindings)-1:0] show_index_i,
    output logic shown_o,  // one cycle
    output logic show_valid_o,  // with shown_o; the others are zero if it is low
    output logic show_permanent_o,
    output logic show_used_o,  // a packet has used it recently
    output port_key_t show_key_o,
    output logic [47:0] show_mac_o,

    // Register port: makes a binding permanent, or removes it if not keep_i.
    input logic write_i,  // held until written_o, with:
    input logic write_keep_i,
    input port_key_t write_key_i,
    input logic [47:0] write_mac_i,
    output logic written_o,  // one cycle
    output logic write_refused_o,  // with written_o: all its places have permanent bindings
    output logic stalled_o,  // with shown_o or written_o: the access was given up

    // One-cycle pulses.
    output logic evicted_o,  // a binding was given up for another one
    output logic refused_o   // a new binding was not stored
);

  localparam int unsigned AgeShift = 23;  // age is counted in steps of 2^23 us, 8.4 s
  localparam int unsigned AgeBits = 7;
  localparam int unsigned MaxAge = (MaxAgeS * 1000000) >> AgeShift;
  localparam int unsigned RenewAge = ((MaxAgeS - RenewS) * 1000000) >> AgeShift;
  localparam int unsigned UsedSteps = 3;  // of AgeShift; the first one may be short
  localparam int unsigned MaxMoves = 31;
  localparam int unsigned Patience = 64;
  localparam int unsigned WaitBits = 17;
  localparam int unsigned NumTables = 2;
  localparam int unsigned NumWays = 4;  // {table, slot}
  localparam int unsigned NumSets = NumBindings / NumWays;
  typedef logic [$clog2(NumSets)-1:0] set_t;
  typedef logic [NumWays-1:0] ways_t;
  typedef logic [$clog2(NumWays)-1:0] way_t;
  typedef logic [AgeBits-1:0] age_t;
  typedef logic [$clog2(UsedSteps+1)-1:0] used_t;
  typedef logic [$clog2(MaxMoves+1)-1:0] moves_t;

  if (NumBindings < 8 || NumBindings > 262144 || NumBindings != 2 ** $clog2(
          NumBindings
      )) begin : gen_bad_shape
    $error("arp_cache: NumBindings must be a power of two from 8 to 262144");
  end
  if (PortBits > $bits(mac_port_t)) begin : gen_bad_key
    $error("arp_cache: PortBits must be at most %0d", $bits(mac_port_t));
  end
  // With less, a binding would be due for renewal at once, and each packet would request it.
  if (MaxAgeS > 500 || RenewS >= MaxAgeS || RenewAge == 0) begin : gen_bad_age
    $error("arp_cache: MaxAgeS must be %0d to 500", RenewS + (2 ** AgeShift + 999999) / 1000000);
  end

  typedef struct packed {
    port_key_t   key;
    logic [47:0] mac;
  } binding_t;
  typedef struct packed {
    logic valid;
    logic permanent;
    binding_t binding;
  } entry_t;
  // Written alone by look-ups.
  typedef struct packed {
    age_t  stamp;  // when it was confirmed
    used_t used;   // steps until the last use is forgotten
  } life_t;

  // ---- Read ----

  typedef enum logic [2:0] {
    StateRest,
    StateRead,  // wait for a cycle without a look-up, and read
    StateJudge,
    StateCompare,
    StateChoose,
    StateWrite
  } state_e;
  state_e state_q;
  logic   for_software_q;  // the state is for a write by software, otherwise for `moving`
  logic   step_q;  // not StateRest
  wire    step_writes = state_q == StateWrite;

  // The binding that waits or moves. It is found like the others.
  binding_t moving_q;
  logic moving_valid_q;
  life_t  moving_life_q;
  logic moving_from_q;  // its last table
  moves_t moves_q;

  set_t sweep_set_q;
  set_t [NumTables-1:0] set, set_q, index, write_set;
  logic clear_q, sweep_due_q, sweep_q, update_q, reread_q, look_q;
  age_t swept_q, now_q;
  logic [$clog2(Patience)-1:0] patience_q;
  logic [47:0] new_mac_q, held_mac_q;
  logic only_refresh_q;
  logic [MaxKeyBits-1:0] seed_q;

  wire age_t now = time_us_i[AgeShift+:AgeBits];
  wire free_cycle = idle_i & ~lookup_valid_i & ~update_q & ~look_q & ~step_q & ~clear_q;
  wire show_start = show_i & ~shown_o & free_cycle;
  wire sweep_start = sweep_due_q & free_cycle & ~(show_i & ~shown_o);
  logic [WaitBits-1:0] waited_q;  // cycles of an access of software
  logic is_late_q, show_stalled_q, write_stalled_q;
  wire show_stalls = is_late_q & show_i & ~shown_o;
  // Not in the last cycles of the write.
  wire write_stalls = is_late_q & write_i & ~written_o &
      ~(step_q & for_software_q & (state_q != StateRead | idle_i));
  wire step_wanted = moving_valid_q | write_i & ~is_late_q;
  wire step_start = step_wanted & ~step_q & ~clear_q & ~sweep_due_q & ~show_i &
      ((&patience_q) | (idle_i & ~lookup_valid_i));

  port_key_t read_key;
  assign read_key = ~step_q ? key_i : for_software_q ? write_key_i : moving_q.key;
  arp_index #(
      .PortBits (PortBits),
      .Width    ($clog2(NumSets)),
      .NumTables(NumTables)
  ) u_index (
      .key_i  (read_key),
      .seed_i,
      .index_o(index)
  );
  wire set_t other_set = show_i & ~shown_o ? set_t'(show_index_i >> $clog2(NumWays)) : sweep_set_q;
  for (genvar t = 0; t < NumTables; t++) begin : gen_set
    assign set[t] = reread_q ? set_q[t] : lookup_valid_i | step_q ? index[t] : other_set;
    assign write_set[t] = clear_q ? sweep_set_q : set_q[t];
  end

  entry_t [NumWays-1:0] entry_q;
  entry_t new_entry;
  life_t [NumWays-1:0] life_q, new_life;
  ways_t write_entry, write_life, match, alive, renewable, empty;
  age_t [NumWays-1:0] age;

  for (genvar w = 0; w < NumWays; w++) begin : gen_way
    (* ram_style = "block" *)entry_t ram     [NumSets];
    (* ram_style = "block" *)life_t  life_ram[NumSets];
    // A look-up in the cycle of a write returns the entry from before the write.
    always_ff @(posedge clk_i) begin
      if (read_i | reread_q) begin
        entry_q[w] <= ram[set[w/2]];
        life_q[w]  <= life_ram[set[w/2]];
      end
    end
    always_ff @(posedge clk_i) begin
      if (write_entry[w]) ram[write_set[w/2]] <= new_entry;
      if (write_life[w]) life_ram[write_set[w/2]] <= new_life[w];
    end
    // Uses the time of the look-up, so that an answer does not change while it is held.
    assign age[w] = now_q - life_q[w].stamp;
    assign match[w] = entry_q[w].valid & same_keys(
        MaxKeyBits'(entry_q[w].binding.key), MaxKeyBits'(key_o)
    );
    assign alive[w] = entry_q[w].permanent | (age[w] <= age_t'(MaxAge));
    assign renewable[w] = (age[w] >= age_t'(RenewAge)) & ~entry_q[w].permanent & ~&life_q[w].used;
    assign empty[w] = ~entry_q[w].valid;
  end

  // Whether the binding that waits is that of the look-up: compared in the first step. An update
  // that is read again may follow the one whose binding waits since then.
  logic moving_match_q, same_key_q, new_moved_q;
  wire same_key = same_keys(MaxKeyBits'(key_i), MaxKeyBits'(key_o));
  wire new_moves;  // the binding of the update waits from now on
  always_ff @(posedge clk_i) begin
    if (lookup_ready_i) begin
      moving_match_q <= moving_valid_q & same_keys(MaxKeyBits'(moving_q.key), MaxKeyBits'(key_i));
      same_key_q <= same_key;
      new_moved_q <= new_moves;
    end else if (reread_q & same_key_q & new_moved_q) begin
      moving_match_q <= 1'b1;
    end
  end
  wire age_t moving_age = now_q - moving_life_q.stamp;
  wire moving_alive = moving_age <= age_t'(MaxAge);

  always_ff @(posedge clk_i) begin
    if (lookup_ready_i) begin
      key_o <= read_key;
      new_mac_q <= ~step_q ? mac_i : for_software_q ? write_mac_i : moving_q.mac;
      only_refresh_q <= only_refresh_i;
      set_q <= set;
      now_q <= now;
    end
    if (update_q) held_mac_q <= new_mac_q;
  end

  // ---- Answer ----

  logic  bypass_q;  // the look-up directly followed the update of the same neighbour
  logic  repeat_q;  // or a look-up of the same neighbour, which has marked the use
  ways_t hits;
  assign hits = match & alive;
  wire moving_hit = moving_match_q & moving_alive;
  assign hit_o = bypass_q | (|hits) | moving_hit;
  assign renew_o = ~bypass_q & ~repeat_q & (|(hits & renewable) |
      (moving_hit & (moving_age >= age_t'(RenewAge)) & ~&moving_life_q.used));
  always_comb begin
    mac_o = bypass_q ? held_mac_q : moving_q.mac;
    if (~(bypass_q | moving_match_q)) mac_o = '0;
    for (int unsigned w = 0; w < NumWays; w++) begin
      if (match[w] & ~bypass_q) mac_o |= entry_q[w].binding.mac;
    end
  end
  assign wait_o = reread_q;

  // ---- Step of the walk, or write by software: four places are judged, one is written ----

  ways_t same_q, free_q, fixed_q, victims_q;
  age_t [NumWays-1:0] age_q;
  logic moving_alive_q;
  logic [6:0] random_q;  // a turn in order could walk in circles
  always_ff @(posedge clk_i) begin
    if (state_q == StateJudge) begin
      same_q <= match;
      free_q <= empty | ~alive;
      age_q <= age;
      moving_alive_q <= moving_alive;
      for (int unsigned w = 0; w < NumWays; w++) begin
        fixed_q[w]   <= entry_q[w].permanent;
        victims_q[w] <= (life_q[w].used == '0) & ~entry_q[w].permanent;
      end
    end
  end

  // The way whose binding moves: in the other table, at random.
  way_t pick;
  always_comb begin
    pick = {~moving_from_q, random_q[0]};
    if (fixed_q[pick]) pick[0] = ~pick[0];
    if (fixed_q[pick]) pick = {~pick[1], random_q[0]};
    if (fixed_q[pick]) pick[0] = ~pick[0];
  end
  function automatic way_t older(way_t a, way_t b, ways_t victims, age_t [NumWays-1:0] ages);
    return {victims[a], ages[a]} >= {victims[b], ages[b]} ? a : b;
  endfunction
  way_t older_low_q, older_high_q, oldest;
  always_ff @(posedge clk_i) begin
    older_low_q  <= older(2'd0, 2'd1, victims_q, age_q);
    older_high_q <= older(2'd2, 2'd3, victims_q, age_q);
  end
  assign oldest = older(older_low_q, older_high_q, victims_q, age_q);

  wire   removes = for_software_q & ~write_keep_i;
  wire   over = ~for_software_q & ~moving_alive_q;  // it has expired
  wire   full = ~(|same_q) & ~(|free_q) & ~removes & ~over;
  wire   tired = ~for_software_q & (&moves_q);
  wire   replaces = full & tired & (|victims_q);
  wire   unused = (moving_life_q.used == '0) | write_i;  // a write by software has a bounded wait
  wire   gives_up = full & ~replaces & ((&fixed_q) | (tired & unused));
  wire   moves = full & ~replaces & ~gives_up;
  ways_t step_way;
  always_comb begin
    step_way = '0;
    if (|same_q) step_way = same_q;
    else if (removes | over | gives_up) step_way = '0;
    else if (|free_q) step_way = free_q & (~free_q + 1'b1);
    else step_way[replaces?oldest : pick] = 1'b1;
  end

  way_t  picked_q;  // the entry that moves or is shown
  ways_t step_way_q;
  logic removes_q, replaces_q, gives_up_q, step_moves_q;
  always_ff @(posedge clk_i) begin
    if (state_q == StateChoose) begin
      step_way_q <= step_way;
      removes_q <= removes;
      replaces_q <= replaces;
      gives_up_q <= gives_up;
      step_moves_q <= moves;
    end
    if (show_start) picked_q <= way_t'(show_index_i);
    else if (state_q == StateChoose) picked_q <= pick;
  end

  assign written_o = (step_writes & for_software_q) | write_stalled_q;
  assign write_refused_o = gives_up_q & ~write_stalled_q;
  assign stalled_o = show_stalled_q | write_stalled_q;

  // ---- Write, one cycle after the read ----

  wire may_add = ~only_refresh_q | add_i;
  wire no_match = ~|match & ~moving_match_q;
  wire fixed_match = |(match & {entry_q[3].permanent, entry_q[2].permanent, entry_q[1].permanent,
                                entry_q[0].permanent});
  wire new_waits = update_q & may_add & no_match & ~|empty;  // for a place
  assign new_moves = new_waits & ~moving_valid_q & ~write_i & ~clear_q;
  ways_t first_empty;
  assign first_empty = empty & (~empty + 1'b1);
  always_comb begin
    // match and may_add arrive last.
    for (int unsigned w = 0; w < NumWays; w++) begin
      write_entry[w] = clear_q | (step_writes & step_way_q[w]) |
          (sweep_q & entry_q[w].valid & ~alive[w]) |
          (update_q & ((match[w] & ~entry_q[w].permanent) |
                       (first_empty[w] & may_add & no_match)));
      // Also of an empty entry that stays empty, which has no meaning.
      write_life[w] = clear_q | (step_writes & step_way_q[w]) |
          (update_q & (match[w] | first_empty[w])) |
          (sweep_q & (life_q[w].used != '0)) |
          (look_q & hits[w] & ~bypass_q & ~repeat_q & ~&life_q[w].used);
      new_life[w] = '{stamp: now_q, used: add_i ? '1 : '0};  // a new binding
      // An update directly after a look-up of the same neighbour has read the mark before.
      if (match[w]) new_life[w].used = life_q[w].used | {$bits(used_t) {repeat_q}};
      if (look_q) new_life[w] = '{stamp: life_q[w].stamp, used: '1};
      if (sweep_q) new_life[w] = '{stamp: life_q[w].stamp, used: life_q[w].used - 1'b1};
      if (step_writes) new_life[w] = moving_life_q;
      if (step_writes & for_software_q) new_life[w].used = '0;
    end
  end
  assign new_entry = '{
          valid: ~clear_q & (update_q | (step_writes & ~removes_q)),
          permanent: step_writes & for_software_q,
          binding: '{key: key_o, mac: new_mac_q}
      };

  assign busy_o = clear_q | reread_q | step_q | (&patience_q);

  entry_t picked;
  life_t  picked_life;
  assign picked = entry_q[picked_q];
  assign picked_life = life_q[picked_q];
  assign show_valid_o = picked.valid;
  assign show_permanent_o = picked.valid & picked.permanent;
  assign show_used_o = picked.valid & (picked_life.used != '0);
  assign show_key_o = picked.valid ? picked.binding.key : '0;
  assign show_mac_o = picked.valid ? picked.binding.mac : '0;

  always_ff @(posedge clk_i) begin
    // Without a binding that waits, each update is kept here, in case that it must wait.
    if (step_writes & step_moves_q) begin
      moving_q <= picked.binding;
      moving_life_q <= picked_life;
      moving_from_q <= picked_q[1];
    end else if (~moving_valid_q) begin
      moving_q <= '{key: key_o, mac: new_mac_q};
      moving_life_q <= '{stamp: now_q, used: {$bits(used_t) {add_i}}};
      moving_from_q <= 1'b0;
    end else begin
      if (update_q & moving_match_q) begin
        moving_q.mac <= new_mac_q;
        moving_life_q.stamp <= now_q;
      end
      if (look_q & moving_hit) moving_life_q.used <= '1;
    end
    if (rst_i | clear_q) moving_valid_q <= 1'b0;
    else if (step_writes) moving_valid_q <= step_moves_q;
    else if (new_moves) moving_valid_q <= 1'b1;
    if (~moving_valid_q) moves_q <= '0;
    else if (step_writes & ~tired) moves_q <= moves_q + 1'b1;
    random_q <= {random_q[5:0], random_q[6] ^ random_q[5]};
    if (rst_i) random_q <= '1;
  end

  always_ff @(posedge clk_i) begin
    seed_q <= seed_i;
    if (rst_i) begin
      state_q <= StateRest;
      step_q <= 1'b0;
      for_software_q <= 1'b0;
      clear_q <= 1'b1;
      update_q <= 1'b0;
      look_q <= 1'b0;
      reread_q <= 1'b0;
      sweep_q <= 1'b0;
      shown_o <= 1'b0;
      show_stalled_q <= 1'b0;
      write_stalled_q <= 1'b0;
      waited_q <= '0;
      is_late_q <= 1'b0;
      bypass_q <= 1'b0;
      repeat_q <= 1'b0;
      sweep_due_q <= 1'b0;
      sweep_set_q <= '0;
      swept_q <= '0;
      patience_q <= '0;
      evicted_o <= 1'b0;
      refused_o <= 1'b0;
    end else begin
      update_q <= (lookup_ready_i & lookup_valid_i & update_i & ~update_q) | reread_q;
      reread_q <= lookup_ready_i & lookup_valid_i & update_i & update_q;
      look_q <= lookup_ready_i & lookup_valid_i & ~update_i;
      sweep_q <= sweep_start;
      shown_o <= show_start | show_stalls;
      show_stalled_q <= show_stalls & ~show_start;
      write_stalled_q <= write_stalls;
      if (show_i & ~shown_o | write_i & ~written_o) begin
        if (~&waited_q) waited_q <= waited_q + 1'b1;
        is_late_q <= &waited_q;
      end else begin
        waited_q  <= '0;
        is_late_q <= 1'b0;
      end
      if (lookup_ready_i) begin
        bypass_q <= update_q & (may_add | ~no_match) & ~fixed_match & same_key;
        repeat_q <= look_q & same_key;
      end
      evicted_o <= step_writes & (replaces_q | (gives_up_q & ~for_software_q));
      refused_o <= new_waits & ~new_moves;

      case (state_q)
        StateRest:
        if (step_start) begin
          state_q <= StateRead;
          step_q <= 1'b1;
          for_software_q <= ~moving_valid_q;
        end
        StateRead:
        if (write_stalls & for_software_q) begin
          state_q <= StateRest;
          step_q  <= 1'b0;
        end else if (idle_i & ~update_q & ~look_q) state_q <= StateJudge;
        StateJudge:   state_q <= StateCompare;
        StateCompare: state_q <= StateChoose;
        StateChoose:  state_q <= StateWrite;
        default: begin
          state_q <= StateRest;
          step_q  <= 1'b0;
        end
      endcase

      if (clear_q | sweep_start) sweep_set_q <= sweep_set_q + 1'b1;
      if (clear_q & (&sweep_set_q)) clear_q <= 1'b0;
      if (sweep_start & (&sweep_set_q)) begin
        sweep_due_q <= 1'b0;
        swept_q <= now;
      end else if ((now != swept_q) & ~clear_q) begin
        sweep_due_q <= 1'b1;
      end
      if (~(sweep_due_q | show_i | step_wanted) | sweep_start | show_start | step_q)
        patience_q <= '0;
      else if (~&patience_q) patience_q <= patience_q + 1'b1;

      if (seed_q != seed_i) begin
        state_q <= StateRest;
        step_q <= 1'b0;
        clear_q <= 1'b1;
        sweep_set_q <= '0;
      end
    end
  end

  `BOMBUS_ASSERT(NoLookupWhileBusy, !(lookup_valid_i && busy_o))
  `BOMBUS_ASSERT(OneEntry, clear_q || !(look_q || update_q) || $onehot0({moving_match_q, match}))
  `BOMBUS_ASSERT(PermanentStays, clear_q || !update_q || !fixed_match || !(|write_entry))

endmodule
