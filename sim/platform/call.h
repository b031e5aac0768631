// SPDX-License-Identifier: Apache-2.0
// Common to all functions of the C interface: each has its turn and converts exceptions to errno
// values with a text.
#ifndef BOMBUS_CALL_H_
#define BOMBUS_CALL_H_

#include <cerrno>
#include <exception>
#include <new>
#include <string>

#include "arguments.h"
#include "bombus_sim.h"
#include "extensions.h"
#include "failure.h"
#include "live.h"
#include "simulator.h"

struct bombus_sim {
  explicit bombus_sim(const bombus_options& options)
      : queue_limit(options.queue_limit), simulator(options), live(simulator),
        extensions(simulator) {}
  uint32_t queue_limit;
  bombus::Simulator simulator;
  bombus::Live live;
  bombus::Extensions extensions;
  std::string error;
};

namespace bombus {

// Why bombus_open(), or a call without a simulator, failed in this thread.
std::string& error_without_simulator();

// Runs a function. If it throws, stores the text and returns -errno.
template <typename Function>
int caught(std::string& text, Function function) noexcept {
  try {
    return function();
  } catch (const Failure& failure) {
    text = failure.what();
    return -failure.code();
  } catch (const std::bad_alloc&) {
    text = "out of memory";
    return -ENOMEM;
  } catch (const std::exception& error) {
    text = error.what();
    return -EIO;
  }
}

template <typename Function>
int call(bombus_sim* sim, Function function) noexcept {
  if (sim == nullptr) {
    error_without_simulator() = "sim is NULL";
    return -EINVAL;
  }
  const Turn turn(sim->simulator);
  return caught(sim->error, [&] { return function(sim->simulator); });
}

template <typename Function>
int call_port(bombus_sim* sim, uint32_t port, Function function) noexcept {
  return call(sim, [&](Simulator& simulator) {
    if (port >= kMacPorts) refuse("no MAC port " + std::to_string(port));
    return function(simulator.port(port));
  });
}

// For frequent results that are not errors: no exception.
inline int unsuccessful(bombus_sim* sim, int code, const char* text) {
  sim->error = text;
  return -code;
}

}  // namespace bombus
#endif
