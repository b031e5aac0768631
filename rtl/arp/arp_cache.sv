// ARP cache: (VLAN, IPv4 address) -> MAC address, two ways, full tags.
//
// A binding that nobody has confirmed for MaxAgeS seconds is removed
// (RFC 1122, 2.3.2.1); a new one takes its old place, else a free way, else the
// ways by turns. A look-up's answer follows one cycle after lookup_i and stays
// until idle_i. While busy_o, no look-up may be made: for a cycle after an
// update, and every two seconds for some 64 cycles, in which old bindings go.
module arp_cache
  import bombus_pkg::*;
#(
    parameter int unsigned NumSets = 32,
    parameter int unsigned MaxAgeS = 300
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,

    output logic busy_o,
    input logic idle_i,  // nobody waits for the answer of the last look-up
    input logic lookup_i,
    input logic update_i,  // with lookup_i: write the binding
    input vlan_t vlan_i,
    input logic [31:0] ip_i,
    input logic [47:0] mac_i,  // update
    input logic only_refresh_i,  // update: only a binding that is there

    output logic hit_o,
    output logic [47:0] mac_o
);

  localparam int unsigned NumWays = 2;
  localparam int unsigned AgeShift = 21;  // age is counted in steps of 2^21 us, 2.1 s
  localparam int unsigned MaxAge = (MaxAgeS * 1000000) >> AgeShift;
  typedef logic [$clog2(NumSets)-1:0] set_t;
  typedef logic [7:0] age_t;

  typedef struct packed {
    logic [11:0] vid;
    logic [31:0] ip;
  } key_t;
  typedef struct packed {
    key_t key;
    logic [47:0] mac;
    age_t stamp;
  } entry_t;

  function automatic set_t hash(key_t key);
    logic [39:0] bits;
    set_t result;
    bits   = {key.vid[7:0], key.ip};
    result = '0;
    for (int unsigned b = 0; b < 40; b++) result[b%$clog2(NumSets)] ^= bits[b];
    return result;
  endfunction

  // ---- Read ----

  wire age_t now = time_us_i[AgeShift+:8];
  // A tag with VID 0 tells a priority only (IEEE 802.1Q, 9.6): no VLAN.
  wire key_t key = '{vid: vlan_i.valid ? vlan_i.tci[11:0] : '0, ip: ip_i};

  set_t sweep_set_q;
  logic sweep_due_q, sweep_q, update_q;
  logic clear_q;  // after reset: all bindings are being forgotten
  age_t swept_q;

  wire sweep_start = sweep_due_q & ~clear_q & idle_i & ~lookup_i & ~update_q & ~sweep_q;
  wire set_t set = lookup_i ? hash(key) : sweep_set_q;

  entry_t entry_q[NumWays];
  logic [NumWays-1:0] entry_valid_q;
  key_t key_q;
  set_t set_q;
  logic [47:0] new_mac_q;
  logic only_refresh_q;
  logic [NumWays-1:0] write_way;
  wire entry_t new_entry = '{key: key_q, mac: new_mac_q, stamp: now};

  for (genvar w = 0; w < NumWays; w++) begin : gen_way
    (* ram_style = "distributed" *) entry_t ram[NumSets];
    (* ram_style = "distributed" *) logic valid_ram[NumSets];
    wire expired = sweep_q & entry_valid_q[w] & (age_t'(now - entry_q[w].stamp) > age_t'(MaxAge));
    always_ff @(posedge clk_i) begin
      if (lookup_i | sweep_start) begin
        entry_q[w] <= ram[set];
        entry_valid_q[w] <= valid_ram[set];
      end
      if (write_way[w]) ram[set_q] <= new_entry;
      if (clear_q | write_way[w] | expired) valid_ram[clear_q?sweep_set_q : set_q] <= write_way[w];
    end
  end

  always_ff @(posedge clk_i) begin
    if (lookup_i) begin
      key_q <= key;
      new_mac_q <= mac_i;
      only_refresh_q <= only_refresh_i;
    end
    if (lookup_i | sweep_start) set_q <= set;
  end

  // ---- Compare ----

  logic [NumWays-1:0] match;
  always_comb begin
    for (int unsigned w = 0; w < NumWays; w++) begin
      match[w] = entry_valid_q[w] & (entry_q[w].key == key_q);
    end
  end
  assign hit_o = |match;
  assign mac_o = match[0] ? entry_q[0].mac : entry_q[1].mac;

  // ---- Write: update a cycle after the read, or remove what is too old ----

  logic victim_q;
  always_comb begin
    write_way = '0;
    if (update_q) begin
      if (|match) write_way = match;
      else if (~only_refresh_q) begin
        if (~entry_valid_q[0]) write_way[0] = 1'b1;
        else if (~entry_valid_q[1]) write_way[1] = 1'b1;
        else write_way[victim_q] = 1'b1;
      end
    end
  end

  assign busy_o = update_q | sweep_q | sweep_due_q | clear_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      clear_q <= 1'b1;
      update_q <= 1'b0;
      sweep_q <= 1'b0;
      victim_q <= 1'b0;
      sweep_due_q <= 1'b0;
      sweep_set_q <= '0;
      swept_q <= '0;
    end else begin
      update_q <= lookup_i & update_i;
      sweep_q  <= sweep_start;
      if (|write_way) victim_q <= ~victim_q;
      // After reset, a pass that forgets all.
      if (clear_q) begin
        sweep_set_q <= sweep_set_q + 1'b1;
        if (&sweep_set_q) clear_q <= 1'b0;
      end
      // One pass over all sets with every step of the age's clock.
      if (sweep_start) begin
        sweep_set_q <= sweep_set_q + 1'b1;
        if (&sweep_set_q) begin
          sweep_due_q <= 1'b0;
          swept_q <= now;
        end
      end else if (now != swept_q) begin
        sweep_due_q <= 1'b1;
      end
    end
  end

endmodule
