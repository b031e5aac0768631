// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include <cerrno>
#include <cmath>

#include "design.h"
#include "failure.h"
#include "frame.h"
#include "simulator.h"

namespace bombus {

namespace {

constexpr double kLongestMicroseconds = 1e9;

void check_microseconds(double value, const char* name) {
  if (!(value >= 0 && value <= kLongestMicroseconds)) {
    refuse(std::string(name) + " is a time from 0 to 1e9 microseconds, not " +
           std::to_string(value));
  }
}

}  // namespace

void refuse(const std::string& text) { throw Failure(EINVAL, text); }

void check_pointer(const void* pointer, const char* name) {
  if (pointer == nullptr) refuse(std::string(name) + " is NULL");
}

void check_probability(double value, const char* name) {
  if (!(value >= 0 && value <= 1)) {
    refuse(std::string(name) + " is a probability from 0 to 1, not " + std::to_string(value));
  }
}

void check_options(const bombus_options& options) {
  check_probability(options.rx_bubble, "rx_bubble");
  check_probability(options.tx_stall, "tx_stall");
  if (options.timer_step_us < 1 || options.timer_step_us > Simulator::kLongestJumpUs) {
    refuse("timer_step_us is from 1 to " + std::to_string(Simulator::kLongestJumpUs) + ", not " +
           std::to_string(options.timer_step_us));
  }
}

void check_impairment(const bombus_impairment& parameters) {
  check_probability(parameters.loss, "loss");
  check_probability(parameters.duplicate, "duplicate");
  check_probability(parameters.corrupt, "corrupt");
  check_probability(parameters.bad_fcs, "bad_fcs");
  check_probability(parameters.reorder, "reorder");
  check_microseconds(parameters.reorder_hold_us, "reorder_hold_us");
  check_microseconds(parameters.delay_us, "delay_us");
  check_microseconds(parameters.jitter_us, "jitter_us");
  if (parameters.reorder > 0 && parameters.reorder_distance == 0) {
    refuse("reorder_distance is at least 1");
  }
}

void check_line_rate(double bits_per_second) {
  if (!std::isfinite(bits_per_second) || (bits_per_second != 0 && bits_per_second < 1)) {
    refuse("a line rate is 0 (none), or at least 1 bit/s, not " + std::to_string(bits_per_second));
  }
}

void check_direction(int direction) {
  if (direction != BOMBUS_RX && direction != BOMBUS_TX) {
    refuse("a direction is BOMBUS_RX or BOMBUS_TX, not " + std::to_string(direction));
  }
}

void check_register(uint32_t address) {
  if (address >= kRegisterBytes || address % 4 != 0) {
    refuse("a register address is a multiple of 4 below " + std::to_string(kRegisterBytes) +
           ", not " + std::to_string(address));
  }
}

void check_counters(uint32_t address, uint32_t count) {
  if (address % 8 != 0) {
    refuse("the address of a counter is a multiple of 8, not " + std::to_string(address));
  }
  if (address > kRegisterBytes || count > (kRegisterBytes - address) / 8) {
    refuse(std::to_string(count) + " counters from " + std::to_string(address) +
           " on are beyond the registers, which end at " + std::to_string(kRegisterBytes));
  }
}

void check_frame(const uint8_t* data, size_t length, uint32_t flags) {
  if (length == 0 || length > kLongestFrame) {
    refuse("a frame has from 1 to " + std::to_string(kLongestFrame) + " bytes, not " +
           std::to_string(length));
  }
  check_pointer(data, "data");
  if ((flags & ~static_cast<uint32_t>(BOMBUS_BAD_FRAME)) != 0) {
    refuse("unknown flags of a frame: " + std::to_string(flags));
  }
}

void check_pin(const Pin& pin, const uint8_t* data, size_t length) {
  const std::string name = pin.name;
  if (pin.is_output) refuse(name + " is an output of the design");
  if (length != pin.bytes()) {
    refuse(name + " has " + std::to_string(pin.bytes()) + " bytes, not " + std::to_string(length));
  }
  if (pin.bits % 8 != 0 && data[length - 1] >> (pin.bits % 8) != 0) {
    refuse("the value is wider than the " + std::to_string(pin.bits) + " bits of " + name);
  }
}

void check_message(const StreamPort& stream, const uint8_t* data, size_t length,
                   const uint8_t* user, size_t user_length) {
  const std::string& name = stream.name();
  if (stream.is_output()) refuse(name + " is a stream out of the design");
  if (length > kLongestFrame) {
    refuse("a message has at most " + std::to_string(kLongestFrame) + " bytes, not " +
           std::to_string(length));
  }
  if (length != 0) check_pointer(data, "data");
  if (user_length != stream.user_bytes()) {
    refuse("tuser of " + name + " has " + std::to_string(stream.user_bytes()) + " bytes, not " +
           std::to_string(user_length));
  }
  if (user_length == 0) return;
  check_pointer(user, "user");
  if (stream.user_bits() % 8 != 0 && user[user_length - 1] >> (stream.user_bits() % 8) != 0) {
    refuse("the value is wider than the " + std::to_string(stream.user_bits()) +
           " bits of tuser of " + name);
  }
}

void check_beat_link(const bombus_beat_link_options& options) {
  if (options.latency == 0) refuse("latency is at least 1");
  if (!(options.rate > 0 && options.rate <= 1)) refuse("rate is above 0, and at most 1");
  check_probability(options.bit_errors, "bit_errors");
}

void check_exchange(const bombus_exchange_request& request) {
  if (request.count != 0) {
    check_pointer(request.frames, "frames");
    check_pointer(request.lengths, "lengths");
  }
  if (request.received_capacity != 0) check_pointer(request.received, "received");
  if (request.data_capacity != 0) check_pointer(request.data, "data");
  for (uint64_t i = 0; i < request.count; ++i) {
    if (request.lengths[i] == 0 || request.lengths[i] > kLongestFrame) {
      refuse("frame " + std::to_string(i) + ": a frame has from 1 to " +
             std::to_string(kLongestFrame) + " bytes, not " + std::to_string(request.lengths[i]));
    }
    if (request.ports != nullptr && request.ports[i] >= kMacPorts) {
      refuse("frame " + std::to_string(i) + ": no MAC port " + std::to_string(request.ports[i]));
    }
  }
}

}  // namespace bombus
