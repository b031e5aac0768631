// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine: SplitMix64 (Steele, Lea,
// Flood 2014), one generator per purpose.
#ifndef BOMBUS_RANDOM_H_
#define BOMBUS_RANDOM_H_

#include <cstdint>

namespace bombus {

class Random {
 public:
  Random() = default;
  Random(uint64_t seed, uint64_t stream) {
    state_ = seed;
    state_ = next() ^ (stream * 0xD1342543DE82EF95ull);
    next();
  }

  uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ull;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }

  // Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // Uniform in [0, bound). The bias is below bound / 2^64.
  uint64_t below(uint64_t bound) { return bound ? next() % bound : 0; }

  bool chance(double probability) { return uniform() < probability; }

 private:
  uint64_t state_ = 0;
};

}  // namespace bombus
#endif
