// The ARP cache and the table of open questions. Time comes from a timebase, so
// that it passes in steps.
//
// Control: pending (release_failed, keep_trying, resolve, find ip, vlan,
// request_done, ask ip, vlan, ask), cache (only_refresh, mac, ip, vlan, update,
// lookup, idle), tick. Status: pending (busy, failed, find_failed, find_hit,
// request ip, vlan, request, ask_ok), cache (mac, hit, busy), time.
`include "bench.svh"

module bench
  import bombus_pkg::*;
(
    `BENCH_PORTS(1, 8, 1, 8, 16 + (3 + 17 + 32 + 48 + 1) + (1 + 49 + 1 + 49 + 1 + 1 + 1),
                 32 + (1 + 1 + 48) + (1 + 1 + 49 + 1 + 1 + 1 + 1))
);

  `BENCH_SHAPE

  logic [15:0] tick;
  logic [31:0] time_us;
  logic idle, lookup, update, only_refresh, cache_busy, hit;
  vlan_t vlan, ask_vlan, find_vlan, request_vlan;
  logic [31:0] ip, ask_ip, find_ip, request_ip;
  logic [47:0] mac_in, mac_out;
  logic ask, ask_ok, request, request_done, find_hit, find_failed, resolve, keep_trying;
  logic failed, release_failed, pending_busy;

  assign {release_failed, keep_trying, resolve, find_ip, find_vlan, request_done, ask_ip, ask_vlan,
          ask, only_refresh, mac_in, ip, vlan, update, lookup, idle, tick} = control_i;
  assign status_o = {
    pending_busy,
    failed,
    find_failed,
    find_hit,
    request_ip,
    request_vlan,
    request,
    ask_ok,
    mac_out,
    hit,
    cache_busy,
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
      .busy_o(cache_busy),
      .idle_i(idle),
      .lookup_i(lookup),
      .update_i(update),
      .vlan_i(vlan),
      .ip_i(ip),
      .mac_i(mac_in),
      .only_refresh_i(only_refresh),
      .hit_o(hit),
      .mac_o(mac_out)
  );

  arp_pending u_pending (
      .clk_i,
      .rst_i,
      .time_us_i(time_us),
      .ask_i(ask),
      .ask_vlan_i(ask_vlan),
      .ask_ip_i(ask_ip),
      .ask_ok_o(ask_ok),
      .request_o(request),
      .request_vlan_o(request_vlan),
      .request_ip_o(request_ip),
      .request_done_i(request_done),
      .find_vlan_i(find_vlan),
      .find_ip_i(find_ip),
      .find_hit_o(find_hit),
      .find_failed_o(find_failed),
      .resolve_i(resolve),
      .keep_trying_i(keep_trying),
      .failed_o(failed),
      .release_failed_i(release_failed),
      .busy_o(pending_busy)
  );

  assign in_ready_o = '1;
  assign out_valid_o = '0;
  assign out_o = '0;
  assign event_o = '0;

endmodule
