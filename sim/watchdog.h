// SPDX-License-Identifier: Apache-2.0
// Finds links, queues and layers that stand still: something is valid there and
// does not move. Where to look comes from bombus_design.h, BOMBUS_WATCH(X).
//
// It costs next to nothing: all places are looked at now and then only; those
// that waited each time are then looked at in every cycle, until they move or
// have stood still for long enough.
#ifndef BOMBUS_WATCHDOG_H_
#define BOMBUS_WATCHDOG_H_

#include <cstdint>
#include <vector>

#include "verilated.h"

namespace bombus {

class Watchdog {
 public:
  struct Stall {
    uint32_t point;        // in the order of BOMBUS_WATCH
    uint64_t since_cycle;  // moved last, or was found waiting
  };

  explicit Watchdog(const VerilatedContext& context);

  // Reports what is stalled for this many evaluated cycles; 0: off.
  void set_limit(uint64_t cycles);
  void reset();
  // Once in each evaluated cycle, when signals have settled.
  void look(uint64_t cycle) {
    if (limit_ == 0) return;
    if (!suspects_.empty()) look_closely(cycle);
    if (++count_ % kSample == 0) sample(cycle);
  }

  // Each place once, as long as it stands still.
  const std::vector<Stall>& stalls() const { return stalls_; }

 private:
  static constexpr uint64_t kSample = 64;

  struct Point {
    const uint8_t* valid;
    const uint8_t* moves;
    uint32_t byte;
    uint8_t mask;
    bool suspected = false;
    uint32_t samples = 0;  // one after the other in which it waited
    bool waits() const { return valid[byte] & ~moves[byte] & mask; }
  };
  struct Suspect {
    uint32_t point;
    uint64_t since_cycle;
    uint64_t cycles;
    bool reported;
  };

  void sample(uint64_t cycle);
  void look_closely(uint64_t cycle);

  std::vector<Point> points_;
  std::vector<Suspect> suspects_;
  std::vector<Stall> stalls_;
  uint64_t limit_ = 0;
  uint64_t count_ = 0;
};

}  // namespace bombus
#endif
