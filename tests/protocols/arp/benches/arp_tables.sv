// SPDX-License-Identifier: Apache-2.0
// The ARP cache. Time comes from a timebase, so it advances in steps.
//
// Control: seed, write valid (keep), write, show index, show, only_refresh, mac, ip, vlan, update,
// lookup, add, idle, tick; a write has the key and MAC address of the others. Status: stalled,
// refused, evicted (numbers), write refused, written, shown used, permanent, valid, IP, VID, MAC,
// shown, mac, renew, hit, busy, time.
`include "bench.svh"

module bench
  import bombus_pkg::*;
  import arp_pkg::*;
(
    `BENCH_PORTS(1, 8, 1, 8, 16 + 4 + 17 + 32 + 48 + 1 + 12 + 2 + 48,
                 32 + 3 + 48 + 1 + 48 + 44 + 3 + 2 + 32 + 1)
);

  `BENCH_SHAPE

  logic [15:0] tick;
  logic [31:0] time_us, ip;
  logic idle, add, lookup, update, only_refresh, busy, hit, renew, wait_;
  logic show, shown, show_valid, show_permanent, show_used;
  logic write, keep, written, write_refused, stalled, evicted, refused;
  logic [15:0] num_evicted_q, num_refused_q;
  logic [MaxKeyBits-1:0] seed;
  logic [10:0] show_index;
  key_t show_key;
  logic [47:0] show_mac;
  vlan_t vlan;
  key_t unused_key;
  logic [47:0] mac_in, mac_out;

  assign {seed, keep, write, show_index, show, only_refresh, mac_in, ip, vlan, update, lookup, add,
          idle, tick} = control_i;
  assign status_o = {
    stalled,
    num_refused_q,
    num_evicted_q,
    write_refused,
    written,
    show_used,
    show_permanent,
    show_valid,
    show_key.ip,
    show_key.vid,
    show_mac,
    shown,
    mac_out,
    renew,
    hit,
    busy,
    time_us
  };

  timebase u_timebase (
      .clk_i,
      .rst_i,
      .tick_us_i(tick),
      .time_us_o(time_us)
  );

  arp_cache u_cache (
      .clk_i,
      .rst_i,
      .time_us_i(time_us),
      .seed_i(seed),
      .busy_o(busy),
      .wait_o(wait_),
      .lookup_ready_i((lookup | idle) & ~wait_),
      .idle_i(idle & ~wait_),
      .read_i((lookup | idle) & ~wait_),
      .lookup_valid_i(lookup),
      .update_i(update),
      .key_i(key_of(vlan, ip)),
      .mac_i(mac_in),
      .only_refresh_i(only_refresh),
      .key_o(unused_key),
      .hit_o(hit),
      .renew_o(renew),
      .mac_o(mac_out),
      .add_i(add),
      .show_i(show),
      .show_index_i(show_index),
      .shown_o(shown),
      .show_valid_o(show_valid),
      .show_key_o(show_key),
      .show_mac_o(show_mac),
      .show_permanent_o(show_permanent),
      .show_used_o(show_used),
      .write_i(write),
      .write_keep_i(keep),
      .write_key_i(key_of(vlan, ip)),
      .write_mac_i(mac_in),
      .written_o(written),
      .write_refused_o(write_refused),
      .stalled_o(stalled),
      .evicted_o(evicted),
      .refused_o(refused)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      num_evicted_q <= '0;
      num_refused_q <= '0;
    end else begin
      num_evicted_q <= num_evicted_q + 16'(evicted);
      num_refused_q <= num_refused_q + 16'(refused);
    end
  end

  assign in_ready_o = '1;
  assign out_valid_o = '0;
  assign out_o = '0;
  assign event_o = '0;

endmodule
