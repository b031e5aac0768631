// SPDX-License-Identifier: Apache-2.0
// The C interface (bombus_sim.h), third part: links of beats.
#include <string>

#include "call.h"

namespace bombus {

namespace {

template <typename Function>
int call_link(bombus_sim* sim, uint32_t link, Function function) noexcept {
  return call(sim, [&](Simulator& simulator) {
    if (link >= simulator.beat_links().size()) refuse("no link of beats " + std::to_string(link));
    return function(simulator, simulator.beat_links()[link]);
  });
}

}  // namespace

}  // namespace bombus

using namespace bombus;

extern "C" {

int bombus_set_beat_link(bombus_sim* sim, uint32_t link, const bombus_beat_link_options* options) {
  return call_link(sim, link, [&](Simulator&, BeatLink& each) {
    check_pointer(options, "options");
    check_beat_link(*options);
    each.set_options(*options);
    return 0;
  });
}

int bombus_set_beat_link_up(bombus_sim* sim, uint32_t link, int up, uint64_t cycle) {
  return call_link(sim, link, [&](Simulator& simulator, BeatLink& each) {
    each.set_up(up != 0, cycle, simulator.cycle());
    return 0;
  });
}

int bombus_run_beats(bombus_sim* sim, uint64_t cycles, const bombus_beats* in, bombus_beats* out) {
  return call(sim, [&](Simulator& simulator) {
    auto& links = simulator.beat_links();
    for (size_t i = 0; in != nullptr && i < links.size(); ++i) {
      if (in[i].count == 0) continue;
      check_pointer(in[i].records, "records");
      links[i].give(in[i].records, in[i].count, simulator.cycle());
    }
    simulator.advance_cycles(cycles);
    if (out == nullptr) return 0;
    bool fits = true;
    for (size_t i = 0; i < links.size(); ++i) {
      out[i].count = links[i].waiting();
      fits &= out[i].count <= out[i].capacity;
    }
    if (!fits) return unsuccessful(sim, ENOSPC, "more beats were sent than capacity");
    for (size_t i = 0; i < links.size(); ++i) {
      if (out[i].count == 0) continue;
      check_pointer(out[i].records, "records");
      links[i].take(out[i].records);
    }
    return 0;
  });
}

int bombus_set_horizon(bombus_sim* sim, uint64_t cycle, bombus_horizon reached, void* context) {
  return call(sim, [&](Simulator& simulator) {
    simulator.set_horizon(cycle, reached, context);
    return 0;
  });
}

int bombus_get_beat_link(bombus_sim* sim, uint32_t link, bombus_beat_link_statistics* statistics) {
  return call_link(sim, link, [&](Simulator&, BeatLink& each) {
    check_pointer(statistics, "statistics");
    *statistics = each.statistics();
    return 0;
  });
}

}  // extern "C"
