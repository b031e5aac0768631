// SPDX-License-Identifier: Apache-2.0
// The C interface (bombus_sim.h) on top of the C++ classes: simulators, frames, time, registers.
#include <algorithm>
#include <utility>

#include "call.h"
#include "exchange.h"

namespace bombus {

std::string& error_without_simulator() {
  static thread_local std::string text;
  return text;
}

namespace {

template <typename Condition>
int advance_until(bombus_sim* sim, uint64_t limit_cycles, Condition condition) {
  return call(sim, [&](Simulator& simulator) {
    const uint64_t end = simulator.cycle() + std::min(limit_cycles, kNever - simulator.cycle());
    while (!condition(simulator)) {
      if (simulator.cycle() >= end) {
        return unsuccessful(sim, ETIMEDOUT, "not within limit_cycles");
      }
      simulator.advance(end - simulator.cycle());
    }
    return 0;
  });
}

int unanswered(bombus_sim* sim) {
  return unsuccessful(sim, ETIMEDOUT, "the design does not answer the register request");
}

// Reading the low word keeps the high word for the next read (docs/counters.md).
bool read_counter(Simulator& simulator, uint32_t address, uint64_t& value) {
  uint32_t low = 0, high = 0;
  if (!simulator.read_register(address, low) || !simulator.read_register(address + 4, high)) {
    return false;
  }
  value = static_cast<uint64_t>(high) << 32 | low;
  return true;
}

}  // namespace

}  // namespace bombus

using namespace bombus;

extern "C" {

uint32_t bombus_api_version(void) { return BOMBUS_API_VERSION; }

const bombus_design* bombus_describe(void) {
  static const bombus_design design{kDesignName, kClockHz,    kDataBytes,
                                    kMacPorts,   kWaveFormat, kAssertions};
  return &design;
}

void bombus_default_options(bombus_options* options) {
  if (options == nullptr) return;
  *options = {};
  options->timer_step_us = 100;
}

bombus_sim* bombus_open(const bombus_options* options) {
  const Turn turn;
  bombus_sim* sim = nullptr;
  const int status = caught(error_without_simulator(), [&] {
    bombus_options chosen;
    bombus_default_options(&chosen);
    if (options != nullptr) chosen = *options;
    check_options(chosen);
    sim = new bombus_sim(chosen);
    return 0;
  });
  if (status != 0) errno = -status;
  return sim;
}

void bombus_close(bombus_sim* sim) {
  const Turn turn;
  delete sim;
}

const char* bombus_last_error(const bombus_sim* sim) {
  return sim ? sim->error.c_str() : error_without_simulator().c_str();
}

int bombus_reset(bombus_sim* sim) {
  return call(sim, [&](Simulator& simulator) {
    sim->extensions.reset();
    simulator.reset();
    return 0;
  });
}

int bombus_reset_core(bombus_sim* sim) {
  return call(sim, [&](Simulator& simulator) {
    sim->extensions.reset();
    simulator.reset_core();
    return 0;
  });
}

int bombus_reset_port(bombus_sim* sim, uint32_t port) {
  return call_port(sim, port, [&](MacPort&) {
    sim->simulator.reset_port(port);
    return 0;
  });
}

int bombus_set_poll(bombus_sim* sim, bombus_poll poll, void* context) {
  return call(sim, [&](Simulator& simulator) {
    simulator.set_poll(poll, context);
    return 0;
  });
}

// ---- Frames ----

int bombus_send_frame(bombus_sim* sim, uint32_t port, const uint8_t* data, size_t length,
                      uint32_t flags) {
  return call_port(sim, port, [&](MacPort& mac) {
    check_frame(data, length, flags);
    if (sim->queue_limit != 0 && mac.rx_waiting() >= sim->queue_limit) {
      return unsuccessful(sim, EAGAIN, "the queue of the port is full (queue_limit)");
    }
    Frame frame;
    frame.data.assign(data, data + length);
    frame.bad = (flags & BOMBUS_BAD_FRAME) != 0;
    mac.send(std::move(frame), sim->simulator.time_ps());
    return 0;
  });
}

int bombus_receive_frame(bombus_sim* sim, uint32_t port, uint8_t* data, size_t capacity,
                         bombus_frame_info* info) {
  return call_port(sim, port, [&](MacPort& mac) {
    if (capacity != 0) check_pointer(data, "data");
    mac.deliver(sim->simulator.time_ps());
    auto& frames = mac.received();
    if (frames.empty()) return unsuccessful(sim, EAGAIN, "no frame has come out");
    const auto& frame = frames.front();
    if (info != nullptr) *info = mac.info(frame);
    if (frame.data.size() > capacity) {
      return unsuccessful(sim, ENOSPC, "the frame is longer than capacity");
    }
    const auto length = static_cast<int>(frame.data.size());
    std::copy(frame.data.begin(), frame.data.end(), data);
    frames.pop_front();
    return length;
  });
}

int bombus_next_sent(bombus_sim* sim, uint32_t port, bombus_frame_info* info) {
  return call_port(sim, port, [&](MacPort& mac) {
    check_pointer(info, "info");
    auto& sent = mac.sent();
    if (sent.empty()) return unsuccessful(sim, EAGAIN, "no further frame has gone in");
    *info = sent.front();
    sent.pop_front();
    return 0;
  });
}

int bombus_exchange(bombus_sim* sim, bombus_exchange_request* request) {
  return call(sim, [&](Simulator& simulator) {
    check_pointer(request, "request");
    check_exchange(*request);
    const int status = exchange(simulator, *request);
    if (status == -ENOSPC) sim->error = "data or received is too small for what came out";
    if (status == -ETIMEDOUT) sim->error = "not done within limit_cycles";
    return status;
  });
}

// ---- Time ----

uint64_t bombus_cycle(const bombus_sim* sim) { return sim ? sim->simulator.cycle() : 0; }

uint64_t bombus_time_ns(const bombus_sim* sim) {
  return sim ? sim->simulator.time_ps() / kPicosecondsPerNanosecond : 0;
}

uint64_t bombus_time_us(const bombus_sim* sim) {
  return sim ? sim->simulator.time_ps() / kPicosecondsPerMicrosecond : 0;
}

uint64_t bombus_evaluated_cycles(const bombus_sim* sim) {
  return sim ? sim->simulator.evaluated_cycles() : 0;
}

int bombus_busy(const bombus_sim* sim) { return sim ? sim->simulator.busy() : -EINVAL; }

int bombus_in_flight(const bombus_sim* sim) { return sim ? sim->simulator.in_flight() : -EINVAL; }

int bombus_advance_cycles(bombus_sim* sim, uint64_t cycles) {
  return call(sim, [&](Simulator& simulator) {
    simulator.advance_cycles(cycles);
    return 0;
  });
}

int bombus_advance_until_frame(bombus_sim* sim, uint32_t port, uint64_t limit_cycles) {
  const int status = call_port(sim, port, [](MacPort&) { return 0; });
  if (status != 0) return status;
  return advance_until(sim, limit_cycles, [port](Simulator& simulator) {
    return !simulator.port(port).received().empty();
  });
}

int bombus_advance_until_idle(bombus_sim* sim, uint64_t limit_cycles) {
  return advance_until(sim, limit_cycles,
                       [](Simulator& simulator) { return simulator.settled(); });
}

int bombus_elapse_us(bombus_sim* sim, uint64_t microseconds) {
  return call(sim, [&](Simulator& simulator) {
    simulator.elapse_us(microseconds);
    return 0;
  });
}

// ---- Registers ----

int bombus_read_register(bombus_sim* sim, uint32_t address, uint32_t* value) {
  return call(sim, [&](Simulator& simulator) {
    check_register(address);
    check_pointer(value, "value");
    return simulator.read_register(address, *value) ? 0 : unanswered(sim);
  });
}

int bombus_write_register(bombus_sim* sim, uint32_t address, uint32_t value) {
  return call(sim, [&](Simulator& simulator) {
    check_register(address);
    return simulator.write_register(address, value) ? 0 : unanswered(sim);
  });
}

int bombus_read_counters(bombus_sim* sim, uint32_t address, uint32_t count, uint64_t* values) {
  return call(sim, [&](Simulator& simulator) {
    check_counters(address, count);
    if (count != 0) check_pointer(values, "values");
    for (uint32_t i = 0; i < count; ++i) {
      if (!read_counter(simulator, address + 8 * i, values[i])) return unanswered(sim);
    }
    return 0;
  });
}

// ---- Raised ports ----

int bombus_read_pin(bombus_sim* sim, const char* name, uint8_t* data, size_t capacity) {
  return call(sim, [&](Simulator& simulator) {
    check_pointer(name, "name");
    check_pointer(data, "data");
    const Pin& pin = simulator.pin(name);
    if (capacity < pin.bytes()) {
      return unsuccessful(sim, ENOSPC, "the port is wider than capacity");
    }
    simulator.read_pin(pin, data);
    return static_cast<int>(pin.bytes());
  });
}

int bombus_write_pin(bombus_sim* sim, const char* name, const uint8_t* data, size_t length) {
  return call(sim, [&](Simulator& simulator) {
    check_pointer(name, "name");
    check_pointer(data, "data");
    const Pin& pin = simulator.pin(name);
    check_pin(pin, data, length);
    if (const StreamPort* stream = simulator.stream_of(pin)) {
      refuse(std::string(name) + " belongs to stream " + stream->name());
    }
    if (const BeatLink* link = simulator.beat_link_of(pin)) {
      refuse(std::string(name) + " belongs to link " + link->name());
    }
    simulator.write_pin(pin, data);
    return 0;
  });
}

int bombus_advance_until_pin(bombus_sim* sim, const char* const* names, size_t count,
                             uint64_t limit_cycles) {
  std::vector<const Pin*> pins;
  const int status = call(sim, [&](Simulator& simulator) {
    if (count != 0) check_pointer(names, "names");
    for (size_t n = 0; n < count; ++n) {
      check_pointer(names[n], "names");
      pins.push_back(&simulator.pin(names[n]));
    }
    return 0;
  });
  if (status != 0) return status;
  int found = 0;
  const int reached = advance_until(sim, limit_cycles, [&](Simulator&) {
    for (size_t n = 0; n < pins.size(); ++n) {
      if (!pins[n]->is_zero()) {
        found = static_cast<int>(n);
        return true;
      }
    }
    return false;
  });
  return reached != 0 ? reached : found;
}

// ---- Streams ----

int bombus_send_message(bombus_sim* sim, const char* stream, const uint8_t* data, size_t length,
                        const uint8_t* user, size_t user_length) {
  return call(sim, [&](Simulator& simulator) {
    check_pointer(stream, "stream");
    StreamPort& port = simulator.stream(stream);
    check_message(port, data, length, user, user_length);
    Message message;
    message.data.assign(data, data + length);
    message.user.assign(user, user + user_length);
    simulator.send_message(port, std::move(message));
    return 0;
  });
}

int bombus_receive_message(bombus_sim* sim, const char* stream, uint8_t* data, size_t capacity,
                           uint8_t* user, size_t user_capacity, size_t* length) {
  return call(sim, [&](Simulator& simulator) {
    check_pointer(stream, "stream");
    if (capacity != 0) check_pointer(data, "data");
    if (user_capacity != 0) check_pointer(user, "user");
    check_pointer(length, "length");
    StreamPort& port = simulator.stream(stream);
    if (!port.is_output()) refuse(port.name() + " is a stream into the design");
    if (port.received().empty()) return unsuccessful(sim, EAGAIN, "no message has come out");
    const Message& message = port.received().front();
    *length = message.data.size();
    if (message.data.size() > capacity || message.user.size() > user_capacity) {
      return unsuccessful(sim, ENOSPC, "the message or its tuser is longer than capacity");
    }
    std::copy(message.data.begin(), message.data.end(), data);
    std::copy(message.user.begin(), message.user.end(), user);
    port.received().pop_front();
    return 0;
  });
}

int bombus_set_stream_pace(bombus_sim* sim, const char* stream, double pause) {
  return call(sim, [&](Simulator& simulator) {
    check_pointer(stream, "stream");
    check_probability(pause, "pause");
    simulator.stream(stream).set_pace(pause);
    return 0;
  });
}

int bombus_await_message(bombus_sim* sim, const char* stream, uint64_t microseconds) {
  return call(sim, [&](Simulator& simulator) {
    StreamPort* port = stream ? &simulator.stream(stream) : nullptr;
    if (port != nullptr && !port->is_output()) {
      refuse(port->name() + " is a stream into the design");
    }
    if (simulator.await_message(port, microseconds)) return 0;
    return unsuccessful(sim, ETIMEDOUT, "no message has come out");
  });
}

}  // extern "C"
