// SPDX-License-Identifier: Apache-2.0
// Finds stalled links, queues and layers: something is valid there and does not move. The places to
// watch come from bombus_design.h, BOMBUS_WATCH(X).
//
// The cost is negligible: places are sampled only now and then. Those found waiting are then
// checked in every cycle until they move.
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
    uint64_t since_cycle;  // when found waiting: less than kSample after it last moved
  };

  explicit Watchdog(const VerilatedContext& context);

  // Reports places stalled for this many evaluated cycles; 0: off.
  void set_limit(uint64_t cycles);
  void reset();
  // Call once per evaluated cycle, when signals have settled.
  void look(uint64_t cycle) {
    if (limit_ == 0) return;
    if (!suspects_.empty()) look_closely();
    if (++count_ % kSample == 0) sample(cycle);
  }

  // Each watchpoint is listed once as long as it is stalled.
  const std::vector<Stall>& stalls() const { return stalls_; }

 private:
  static constexpr uint64_t kSample = 64;

  struct Point {
    const uint8_t* valid;
    const uint8_t* moves;
    uint32_t byte;
    uint8_t mask;
    bool suspected = false;
    bool waits() const { return valid[byte] & ~moves[byte] & mask; }
  };
  struct Suspect {
    uint32_t point;
    uint64_t since_cycle;
    uint64_t cycles;
    bool reported;
  };

  void sample(uint64_t cycle);
  void look_closely();

  std::vector<Point> points_;
  std::vector<Suspect> suspects_;
  std::vector<Stall> stalls_;
  uint64_t limit_ = 0;
  uint64_t count_ = 0;
};

}  // namespace bombus
#endif
