// SPDX-License-Identifier: Apache-2.0
// The clock of a MAC port with its own clock: positions of its edges between those of the core
// clock. The ratio is exact, independent of picosecond resolution.
#ifndef BOMBUS_PORT_CLOCK_H_
#define BOMBUS_PORT_CLOCK_H_

#include <cstdint>

#include "design.h"

namespace bombus {

class PortClock {
 public:
  // `phase`: phase of the first edge, any number.
  PortClock(const MacClockPins& pins, uint64_t phase)
      : pins_(pins), left_(static_cast<int64_t>(phase % kClockHz) + 1) {}

  const MacClockPins& pins() const { return pins_; }
  uint64_t cycles() const { return cycles_; }

  // There is another edge within the current half cycle of the core.
  bool is_due() const { return left_ <= hz(); }
  // Time of that edge as a fraction of the half cycle.
  double when() const { return left_ > 0 ? static_cast<double>(left_) / pins_.hz : 0; }
  // Moves past that edge.
  void advance() {
    left_ += kClockHz;
    if (*pins_.clk) ++cycles_;
  }
  void end_half_cycle() { left_ -= hz(); }

  // Skips this many core cycles without evaluating edges; the level stays.
  void skip(uint64_t cycles) {
    const __int128 passed = static_cast<__int128>(cycles) * 2 * hz();
    __int128 edges = passed >= left_ ? (passed - left_) / static_cast<int64_t>(kClockHz) + 1 : 0;
    edges -= edges % 2;
    left_ += static_cast<int64_t>(edges * static_cast<int64_t>(kClockHz) - passed);
    cycles_ += static_cast<uint64_t>(edges / 2);
  }

 private:
  int64_t hz() const { return static_cast<int64_t>(pins_.hz); }

  MacClockPins pins_;
  // Time to the next edge, in half cycles of the core times the frequency of this clock.
  int64_t left_;
  uint64_t cycles_ = 0;
};

}  // namespace bombus
#endif
