// SPDX-License-Identifier: Apache-2.0
// ARP cache: IPv4 address to MAC address, in block RAM, set-associative, full keys.
//
// A binding that has not been confirmed for MaxAgeS seconds, to within 2^AgeShift us, has expired
// (RFC 1122, 2.3.2.1); renew_o signals that the binding found has about RenewS seconds left. A new
// binding replaces the same neighbour's old one, or else takes a free way, or else replaces the
// ways in round-robin order.
//
// A look-up takes two steps: it reads its set; the result is available a cycle later, and held
// until read_i. An update is a look-up too, and writes in the second step. A look-up directly after
// an update reads before the write, and gets the new binding of its own neighbour by a bypass.
// Throughput: one look-up per cycle, or one update every two cycles: the second of two consecutive
// updates is read again.
//
// Every 2^AgeShift us all sets are read once in cycles without a look-up, so that expired bindings
// are removed before their age wraps. If there is no such cycle for Patience cycles, busy_o creates
// one. While busy_o is high, no look-up may be made. It is also high after reset, for NumSets
// cycles.
//
// The register port reads whole entries through the write port of the memory, in cycles without a
// write, so it never delays a look-up. A read takes 2 cycles, one more after a write, and waits
// while the memory is cleared after reset.
`include "bombus_assert.svh"

module arp_cache
  import bombus_pkg::*;
  import arp_pkg::*;
#(
    parameter int unsigned PortBits = 0,  // width of the MAC port number above the key
    parameter int unsigned NumSets = 1024,
    parameter int unsigned NumWays = 2,
    parameter int unsigned MaxAgeS = 300,  // up to 500
    parameter int unsigned RenewS = 60,
    localparam type port_key_t = logic [PortBits+$bits(key_t)-1:0]
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,

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
    input logic add_i,  // with the answer to an update: add it even if only_refresh_i was set

    // Register port: entry {set, way}.
    input logic show_i,  // held until shown_o
    input logic [$clog2(NumSets*NumWays)-1:0] show_index_i,
    output logic shown_o,  // one cycle
    output logic show_valid_o,  // with shown_o; the others are zero if it is low
    output port_key_t show_key_o,
    output logic [47:0] show_mac_o
);

  localparam int unsigned AgeShift = 23;  // age is counted in steps of 2^23 us, 8.4 s
  localparam int unsigned AgeBits = 7;
  localparam int unsigned MaxAge = (MaxAgeS * 1000000) >> AgeShift;
  localparam int unsigned RenewAge = ((MaxAgeS - RenewS) * 1000000) >> AgeShift;
  localparam int unsigned Patience = 64;
  typedef logic [$clog2(NumSets)-1:0] set_t;
  typedef logic [$clog2(NumWays)-1:0] way_t;
  typedef logic [AgeBits-1:0] age_t;

  if (NumSets < 2 || NumSets > 65536 || NumSets != 2 ** $clog2(
          NumSets
      ) || NumWays < 2 || NumWays != 2 ** $clog2(
          NumWays
      )) begin : gen_bad_shape
    $error("arp_cache: NumSets (2 to 65536) and NumWays (from 2) must be powers of two");
  end
  if (PortBits > $bits(mac_port_t)) begin : gen_bad_key
    $error("arp_cache: PortBits must be at most %0d", $bits(mac_port_t));
  end
  // With less, a binding would be due for renewal at once, and each packet would request it.
  if (MaxAgeS > 500 || RenewS >= MaxAgeS || RenewAge == 0) begin : gen_bad_age
    $error("arp_cache: MaxAgeS must be %0d to 500", RenewS + (2 ** AgeShift + 999999) / 1000000);
  end

  typedef struct packed {
    logic valid;
    port_key_t key;
    logic [47:0] mac;
    age_t stamp;
  } entry_t;

  // ---- Read ----

  set_t sweep_set_q, set_q;
  logic clear_q, sweep_due_q, sweep_q, update_q, reread_q;
  age_t swept_q, now_q;
  logic [$clog2(Patience)-1:0] patience_q;
  logic [47:0] new_mac_q, held_mac_q;
  logic only_refresh_q;

  wire age_t now = time_us_i[AgeShift+:AgeBits];
  wire sweep_start = sweep_due_q & idle_i & ~lookup_valid_i & ~update_q;
  wire set_t set = reread_q ? set_q : lookup_valid_i ? set_t'(set_of(
      MaxKeyBits'(key_i), $clog2(NumSets)
  )) : sweep_set_q;

  entry_t [NumWays-1:0] entry_q, show_q;
  entry_t new_entry;
  set_t   write_set;  // or the set that the register port reads
  logic [NumWays-1:0] write_way, match, alive, old;

  for (genvar w = 0; w < NumWays; w++) begin : gen_way
    (* ram_style = "block" *) entry_t ram[NumSets];
    always_ff @(posedge clk_i) begin
      if (read_i | reread_q) entry_q[w] <= ram[set];
    end
    // This port is read-first, so that a look-up on the other port of the block RAM also returns
    // the entry from before the write.
    always_ff @(posedge clk_i) begin
      if (write_way[w]) ram[write_set] <= new_entry;
      show_q[w] <= ram[write_set];
    end
    // Uses the time of the look-up, so that an answer does not change while it is held.
    wire age_t age = now_q - entry_q[w].stamp;
    // One LUT per three bits, followed by a tree.
    localparam int unsigned NumGroups = ($bits(port_key_t) + 2) / 3;
    logic [NumGroups-1:0] differs;
    for (genvar b = 0; b < NumGroups; b++) begin : gen_group
      assign differs[b] = 3'(entry_q[w].key >> (3 * b)) != 3'(key_o >> (3 * b));
    end
    assign match[w] = entry_q[w].valid & ~|differs;
    assign alive[w] = age <= age_t'(MaxAge);
    assign old[w]   = age >= age_t'(RenewAge);
  end

  always_ff @(posedge clk_i) begin
    if (lookup_ready_i) begin
      key_o <= key_i;
      new_mac_q <= mac_i;
      only_refresh_q <= only_refresh_i;
      set_q <= set;
      now_q <= now;
    end
    if (update_q) held_mac_q <= new_mac_q;
  end

  // ---- Answer ----

  logic bypass_q;  // the look-up directly followed the update of the same neighbour
  wire [NumWays-1:0] hits = match & alive;
  assign hit_o   = bypass_q | (|hits);
  assign renew_o = ~bypass_q & |(hits & old);
  always_comb begin
    mac_o = bypass_q ? held_mac_q : '0;
    for (int unsigned w = 0; w < NumWays; w++) begin
      if (match[w] & ~bypass_q) mac_o |= entry_q[w].mac;
    end
  end
  assign wait_o = reread_q;

  // ---- Write, one cycle after the read ----

  way_t victim_q, free;
  logic [NumWays-1:0] expired;
  logic [NumWays-1:0] added_way;  // for a new neighbour
  logic is_free;
  wire may_add = ~only_refresh_q | add_i;
  wire no_match = ~|match;
  wire add = update_q & no_match & may_add;
  always_comb begin
    free = '0;
    is_free = 1'b0;
    for (int unsigned w = 0; w < NumWays; w++) begin
      expired[w] = entry_q[w].valid & ~alive[w];
    end
    for (int unsigned w = NumWays; w > 0; w--) begin
      if (~entry_q[w-1].valid) begin
        free = way_t'(w - 1);
        is_free = 1'b1;
      end
    end
    added_way = '0;
    added_way[is_free?free : victim_q] = 1'b1;
    // match and may_add arrive last.
    for (int unsigned w = 0; w < NumWays; w++) begin
      write_way[w] = clear_q | (sweep_q ? expired[w] :
          update_q & (match[w] | (added_way[w] & may_add & no_match)));
    end
  end
  wire may_write = update_q | sweep_q;
  assign write_set = clear_q ? sweep_set_q : may_write ? set_q : set_t'(show_index_i >> $clog2(
      NumWays
  ));
  assign new_entry = '{valid: update_q, key: key_o, mac: new_mac_q, stamp: now_q};

  assign busy_o = clear_q | reread_q | (&patience_q);

  // ---- Register port ----

  entry_t shown;
  assign shown = show_q[way_t'(show_index_i)];
  assign show_valid_o = shown.valid;
  assign show_key_o = shown.valid ? shown.key : '0;
  assign show_mac_o = shown.valid ? shown.mac : '0;
  always_ff @(posedge clk_i) begin
    if (rst_i) shown_o <= 1'b0;
    else shown_o <= show_i & ~shown_o & ~clear_q & ~may_write;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      clear_q <= 1'b1;
      update_q <= 1'b0;
      reread_q <= 1'b0;
      sweep_q <= 1'b0;
      bypass_q <= 1'b0;
      victim_q <= '0;
      sweep_due_q <= 1'b0;
      sweep_set_q <= '0;
      swept_q <= '0;
      patience_q <= '0;
    end else begin
      update_q <= (lookup_ready_i & lookup_valid_i & update_i & ~update_q) | reread_q;
      reread_q <= lookup_ready_i & lookup_valid_i & update_i & update_q;
      sweep_q  <= sweep_start;
      if (lookup_ready_i) bypass_q <= update_q & (may_add | (|match)) & (key_i == key_o);
      if (add & ~is_free) victim_q <= victim_q + 1'b1;

      if (clear_q | sweep_start) sweep_set_q <= sweep_set_q + 1'b1;
      if (clear_q & (&sweep_set_q)) clear_q <= 1'b0;
      if (sweep_start & (&sweep_set_q)) begin
        sweep_due_q <= 1'b0;
        swept_q <= now;
      end else if ((now != swept_q) & ~clear_q) begin
        sweep_due_q <= 1'b1;
      end
      if (~sweep_due_q | sweep_start) patience_q <= '0;
      else if (~&patience_q) patience_q <= patience_q + 1'b1;
    end
  end

  `BOMBUS_ASSERT(NoLookupWhileBusy, !(lookup_valid_i && busy_o))

endmodule
