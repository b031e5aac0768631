// SPDX-License-Identifier: Apache-2.0
// The C interface (bombus_sim.h), second part: environment of the design, observation, live runs.
#include <algorithm>

#include "call.h"

using namespace bombus;

extern "C" {

int bombus_set_pace(bombus_sim* sim, uint32_t port, double rx_bubble, double tx_stall) {
  return call_port(sim, port, [&](MacPort& mac) {
    check_probability(rx_bubble, "rx_bubble");
    check_probability(tx_stall, "tx_stall");
    mac.set_pace(rx_bubble, tx_stall);
    return 0;
  });
}

int bombus_set_link(bombus_sim* sim, uint32_t port, int up) {
  return call_port(sim, port, [&](MacPort& mac) {
    mac.set_link(up != 0);
    return 0;
  });
}

int bombus_set_line_rate(bombus_sim* sim, uint32_t port, double bits_per_second) {
  return call_port(sim, port, [&](MacPort& mac) {
    check_line_rate(bits_per_second);
    mac.set_line_rate(bits_per_second);
    return 0;
  });
}

int bombus_set_impairment(bombus_sim* sim, uint32_t port, int direction,
                          const bombus_impairment* impairment) {
  return call_port(sim, port, [&](MacPort& mac) {
    check_direction(direction);
    if (impairment != nullptr) check_impairment(*impairment);
    mac.set_impairment(direction, impairment);
    return 0;
  });
}

int bombus_pcap_in(bombus_sim* sim, uint32_t port, const char* path, int keep_time) {
  return call_port(sim, port, [&](MacPort& mac) {
    check_pointer(path, "path");
    return static_cast<int>(mac.send_capture(path, keep_time != 0, sim->simulator.time_ps()));
  });
}

int bombus_pcap_out(bombus_sim* sim, uint32_t port, const char* path, uint32_t directions) {
  return call_port(sim, port, [&](MacPort& mac) {
    if (path == nullptr) {
      mac.stop_capture();
    } else {
      if (directions == 0 || directions > 3) refuse("directions is 1, 2 or 3");
      mac.start_capture(path, directions);
    }
    return 0;
  });
}

int bombus_watch(bombus_sim* sim, uint64_t cycles) {
  return call(sim, [&](Simulator& simulator) {
    simulator.watchdog().set_limit(cycles);
    return 0;
  });
}

int bombus_get_stalls(bombus_sim* sim, bombus_stall* stalls, size_t capacity) {
  return call(sim, [&](Simulator& simulator) {
    if (capacity != 0) check_pointer(stalls, "stalls");
    const auto& found = simulator.watchdog().stalls();
    for (size_t i = 0; i < std::min(capacity, found.size()); ++i) {
      stalls[i] = {found[i].point, found[i].since_cycle};
    }
    return static_cast<int>(found.size());
  });
}

int bombus_get_table_writes(bombus_sim* sim, bombus_table_write* writes, size_t capacity) {
  return call(sim, [&](Simulator& simulator) {
    if (capacity != 0) check_pointer(writes, "writes");
    const auto& words = simulator.table_writes().words();
    size_t count = 0;
    for (const auto& [address, word] : words) {
      if (count == capacity) break;
      writes[count++] = {address, word};
    }
    return static_cast<int>(words.size());
  });
}

int bombus_wave_start(bombus_sim* sim, const char* path) {
  return call(sim, [&](Simulator& simulator) {
    check_pointer(path, "path");
    simulator.wave_start(path);
    return 0;
  });
}

int bombus_wave_stop(bombus_sim* sim) {
  return call(sim, [&](Simulator& simulator) {
    simulator.wave_stop();
    return 0;
  });
}

int bombus_get_errors(bombus_sim* sim, bombus_errors* errors) {
  return call(sim, [&](Simulator& simulator) {
    check_pointer(errors, "errors");
    *errors = simulator.errors();
    return 0;
  });
}

int bombus_get_statistics(bombus_sim* sim, uint32_t port, bombus_port_statistics* statistics) {
  return call_port(sim, port, [&](MacPort& mac) {
    check_pointer(statistics, "statistics");
    *statistics = mac.statistics();
    statistics->file_errors = sim->live.file_errors(port);
    statistics->cycles = sim->simulator.port_cycles(port);
    return 0;
  });
}

int bombus_attach(bombus_sim* sim, uint32_t port, int file_descriptor) {
  return call_port(sim, port, [&](MacPort&) {
    sim->live.attach(port, file_descriptor);
    return 0;
  });
}

int bombus_run_live(bombus_sim* sim, uint32_t milliseconds) {
  return call(sim, [&](Simulator&) {
    sim->live.run(milliseconds);
    return 0;
  });
}

}  // extern "C"
