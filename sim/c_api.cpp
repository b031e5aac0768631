// The C interface (bombus_sim.h) on top of the C++ classes.
#include "bombus_sim.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "exchange.h"
#include "live.h"
#include "simulator.h"

struct bombus_sim {
  explicit bombus_sim(const bombus_options& options)
      : queue_limit(options.queue_limit), simulator(options), live(simulator) {}
  uint32_t queue_limit;
  bombus::Simulator simulator;
  bombus::Live live;
  std::string error;
};

namespace {

using bombus::kMacPorts;

// Exceptions end here: they become -EIO and a text.
template <typename Function>
int guard(bombus_sim* sim, Function function) {
  try {
    return function(sim->simulator);
  } catch (const std::exception& error) {
    sim->error = error.what();
    return -EIO;
  }
}

template <typename Function>
int with_port(bombus_sim* sim, uint32_t port, Function function) {
  if (port >= kMacPorts) {
    sim->error = "no MAC port " + std::to_string(port);
    return -EINVAL;
  }
  return guard(sim, [&](bombus::Simulator& simulator) { return function(simulator.port(port)); });
}

int failed(bombus_sim* sim, int code, const char* text) {
  sim->error = text;
  return code;
}

template <typename Condition>
int advance_until(bombus_sim* sim, uint64_t limit_cycles, Condition condition) {
  return guard(sim, [&](bombus::Simulator& simulator) {
    const uint64_t end = simulator.cycle() + limit_cycles;
    while (!condition(simulator)) {
      if (simulator.cycle() >= end) return -ETIMEDOUT;
      simulator.advance(end - simulator.cycle());
    }
    return 0;
  });
}

}  // namespace

extern "C" {

uint32_t bombus_api_version(void) { return BOMBUS_API_VERSION; }

const bombus_design* bombus_describe(void) {
  static const bombus_design design{BOMBUS_DESIGN_NAME, bombus::kClockHz,   bombus::kDataBytes,
                                    kMacPorts,          BOMBUS_WAVE_FORMAT, BOMBUS_ASSERTIONS};
  return &design;
}

void bombus_default_options(bombus_options* options) {
  *options = {};
  options->timer_step_us = 100;
}

bombus_sim* bombus_open(const bombus_options* options) {
  bombus_options chosen;
  bombus_default_options(&chosen);
  if (options != nullptr) chosen = *options;
  if (chosen.timer_step_us == 0) chosen.timer_step_us = 1;
  try {
    return new bombus_sim(chosen);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bombus_open: %s\n", error.what());
    return nullptr;
  }
}

void bombus_close(bombus_sim* sim) { delete sim; }

int bombus_reset(bombus_sim* sim) {
  return guard(sim, [](bombus::Simulator& simulator) {
    simulator.reset();
    return 0;
  });
}

const char* bombus_last_error(const bombus_sim* sim) { return sim->error.c_str(); }

int bombus_send_frame(bombus_sim* sim, uint32_t port, const uint8_t* data, size_t length,
                      uint32_t flags) {
  if (length == 0) return failed(sim, -EINVAL, "a frame has at least one byte");
  return with_port(sim, port, [&](bombus::MacPort& mac) {
    if (sim->queue_limit != 0 && mac.rx_waiting() >= sim->queue_limit) return -EAGAIN;
    bombus::Frame frame;
    frame.data.assign(data, data + length);
    frame.bad = (flags & BOMBUS_BAD_FRAME) != 0;
    mac.send(std::move(frame), sim->simulator.time_ps());
    return 0;
  });
}

int bombus_receive_frame(bombus_sim* sim, uint32_t port, uint8_t* data, size_t capacity,
                         bombus_frame_info* info) {
  return with_port(sim, port, [&](bombus::MacPort& mac) {
    mac.deliver(sim->simulator.time_ps());
    auto& frames = mac.received();
    if (frames.empty()) return -EAGAIN;
    const auto& frame = frames.front();
    if (info != nullptr) *info = mac.info(frame);
    if (frame.data.size() > capacity) return -ENOSPC;
    const auto length = static_cast<int>(frame.data.size());
    std::copy(frame.data.begin(), frame.data.end(), data);
    frames.pop_front();
    return length;
  });
}

int bombus_next_sent(bombus_sim* sim, uint32_t port, bombus_frame_info* info) {
  return with_port(sim, port, [&](bombus::MacPort& mac) {
    auto& sent = mac.sent();
    if (sent.empty()) return -EAGAIN;
    *info = sent.front();
    sent.pop_front();
    return 0;
  });
}

int bombus_exchange(bombus_sim* sim, bombus_exchange_request* request) {
  for (uint64_t i = 0; i < request->count; ++i) {
    if (request->lengths[i] == 0 || (request->ports && request->ports[i] >= kMacPorts)) {
      return failed(sim, -EINVAL, "frame without bytes, or for a port that is not there");
    }
  }
  return guard(sim, [&](bombus::Simulator& simulator) {
    return bombus::exchange(simulator, *request);
  });
}

uint64_t bombus_cycle(const bombus_sim* sim) { return sim->simulator.cycle(); }

uint64_t bombus_time_ns(const bombus_sim* sim) {
  return sim->simulator.time_ps() / bombus::kPicosecondsPerNanosecond;
}

uint64_t bombus_time_us(const bombus_sim* sim) {
  return sim->simulator.time_ps() / bombus::kPicosecondsPerMicrosecond;
}

uint64_t bombus_evaluated_cycles(const bombus_sim* sim) {
  return sim->simulator.evaluated_cycles();
}

int bombus_busy(const bombus_sim* sim) { return sim->simulator.busy(); }

int bombus_in_flight(const bombus_sim* sim) { return sim->simulator.in_flight(); }

int bombus_advance_cycles(bombus_sim* sim, uint64_t cycles) {
  return guard(sim, [&](bombus::Simulator& simulator) {
    simulator.advance_cycles(cycles);
    return 0;
  });
}

int bombus_advance_until_frame(bombus_sim* sim, uint32_t port, uint64_t limit_cycles) {
  if (port >= kMacPorts) return failed(sim, -EINVAL, "no such MAC port");
  return advance_until(sim, limit_cycles, [port](bombus::Simulator& simulator) {
    return !simulator.port(port).received().empty();
  });
}

int bombus_advance_until_idle(bombus_sim* sim, uint64_t limit_cycles) {
  return advance_until(sim, limit_cycles,
                       [](bombus::Simulator& simulator) { return simulator.settled(); });
}

int bombus_elapse_us(bombus_sim* sim, uint64_t microseconds) {
  return guard(sim, [&](bombus::Simulator& simulator) {
    simulator.elapse_us(microseconds);
    return 0;
  });
}

int bombus_read_register(bombus_sim* sim, uint32_t address, uint32_t* value) {
  return guard(sim, [&](bombus::Simulator& simulator) {
    return simulator.read_register(address, *value)
               ? 0
               : failed(sim, -ETIMEDOUT, "the design does not answer the register request");
  });
}

int bombus_write_register(bombus_sim* sim, uint32_t address, uint32_t value) {
  return guard(sim, [&](bombus::Simulator& simulator) {
    return simulator.write_register(address, value)
               ? 0
               : failed(sim, -ETIMEDOUT, "the design does not answer the register request");
  });
}

int bombus_read_counters(bombus_sim* sim, uint32_t tile, uint32_t first, uint32_t count,
                         uint64_t* values) {
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t address = (tile << 12) + 8 * (first + i);
    uint32_t low = 0, high = 0, high_after = 0;
    int status = bombus_read_register(sim, address + 4, &high);
    if (status == 0) status = bombus_read_register(sim, address, &low);
    if (status == 0) status = bombus_read_register(sim, address + 4, &high_after);
    // The low word has just wrapped: its value belongs to either high word.
    if (status == 0 && high != high_after) status = bombus_read_register(sim, address, &low);
    if (status != 0) return status;
    values[i] = (static_cast<uint64_t>(high_after) << 32) | low;
  }
  return 0;
}

int bombus_set_pace(bombus_sim* sim, uint32_t port, double rx_bubble, double tx_stall) {
  return with_port(sim, port, [&](bombus::MacPort& mac) {
    mac.set_pace(rx_bubble, tx_stall);
    return 0;
  });
}

int bombus_set_line_rate(bombus_sim* sim, uint32_t port, double bits_per_second) {
  return with_port(sim, port, [&](bombus::MacPort& mac) {
    mac.set_line_rate(bits_per_second);
    return 0;
  });
}

int bombus_set_impairment(bombus_sim* sim, uint32_t port, int direction,
                          const bombus_impairment* impairment) {
  if (direction != BOMBUS_RX && direction != BOMBUS_TX) {
    return failed(sim, -EINVAL, "direction is BOMBUS_RX or BOMBUS_TX");
  }
  return with_port(sim, port, [&](bombus::MacPort& mac) {
    mac.set_impairment(direction, impairment);
    return 0;
  });
}

int bombus_pcap_in(bombus_sim* sim, uint32_t port, const char* path, int keep_time) {
  return with_port(sim, port, [&](bombus::MacPort& mac) {
    return static_cast<int>(mac.pcap_in(path, keep_time != 0, sim->simulator.time_ps()));
  });
}

int bombus_pcap_out(bombus_sim* sim, uint32_t port, const char* path, uint32_t directions) {
  return with_port(sim, port, [&](bombus::MacPort& mac) {
    mac.pcap_out(path, directions);
    return 0;
  });
}

int bombus_watch(bombus_sim* sim, uint64_t cycles) {
  return guard(sim, [&](bombus::Simulator& simulator) {
    simulator.watchdog().set_limit(cycles);
    return 0;
  });
}

int bombus_get_stalls(bombus_sim* sim, bombus_stall* stalls, size_t capacity) {
  return guard(sim, [&](bombus::Simulator& simulator) {
    const auto& found = simulator.watchdog().stalls();
    for (size_t i = 0; i < std::min(capacity, found.size()); ++i)
      stalls[i] = {found[i].point, found[i].since_cycle};
    return static_cast<int>(found.size());
  });
}

int bombus_wave_start(bombus_sim* sim, const char* path) {
  return guard(sim, [&](bombus::Simulator& simulator) {
    simulator.wave_start(path);
    return 0;
  });
}

int bombus_wave_stop(bombus_sim* sim) {
  return guard(sim, [](bombus::Simulator& simulator) {
    simulator.wave_stop();
    return 0;
  });
}

void bombus_get_errors(const bombus_sim* sim, bombus_errors* errors) {
  *errors = sim->simulator.errors();
}

int bombus_get_statistics(const bombus_sim* sim, uint32_t port,
                          bombus_port_statistics* statistics) {
  if (port >= kMacPorts) return -EINVAL;
  *statistics = sim->simulator.port(port).statistics();
  statistics->file_errors = sim->live.file_errors(port);
  return 0;
}

int bombus_attach(bombus_sim* sim, uint32_t port, int file_descriptor) {
  if (port >= kMacPorts) return failed(sim, -EINVAL, "no such MAC port");
  if (sim->live.attach(port, file_descriptor)) return 0;
  sim->error = std::string("file descriptor: ") + std::strerror(errno);
  return -EINVAL;
}

int bombus_run_live(bombus_sim* sim, uint32_t milliseconds) {
  return guard(sim, [&](bombus::Simulator&) {
    sim->live.run(milliseconds);
    return 0;
  });
}

}  // extern "C"
