// SPDX-License-Identifier: Apache-2.0
// The clock of a MAC port that has one of its own: when its edges come between those of
// the core's clock. The ratio is exact, whatever a picosecond can express.
#ifndef BOMBUS_PORT_CLOCK_H_
#define BOMBUS_PORT_CLOCK_H_

#include <cstdint>

#include "design.h"

namespace bombus {

class PortClock {
 public:
  // `phase`: of its first edge, any number.
  PortClock(const MacClockPins& pins, uint64_t phase)
      : pins_(pins), left_(static_cast<int64_t>(phase % kClockHz) + 1) {}

  const MacClockPins& pins() const { return pins_; }
  uint64_t cycles() const { return cycles_; }

  // Within the current half cycle of the core there is another edge.
  bool is_due() const { return left_ <= hz(); }
  // When it comes, as a part of that half cycle.
  double when() const { return left_ > 0 ? static_cast<double>(left_) / pins_.hz : 0; }
  // It has come.
  void advance() {
    left_ += kClockHz;
    if (*pins_.clk) ++cycles_;
  }
  void end_half_cycle() { left_ -= hz(); }

  // So many cycles of the core go by without an edge being looked at; the level stays.
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
  // Until the next edge: in half cycles of the core, times the frequency of this clock.
  int64_t left_;
  uint64_t cycles_ = 0;
};

}  // namespace bombus
#endif
