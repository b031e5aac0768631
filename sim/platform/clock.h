// SPDX-License-Identifier: Apache-2.0
// Real time.
#ifndef BOMBUS_CLOCK_H_
#define BOMBUS_CLOCK_H_

#include <time.h>

#include <cstdint>

namespace bombus {

inline uint64_t clock_ns(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000ull + static_cast<uint64_t>(now.tv_nsec);
}

inline uint64_t monotonic_ns() { return clock_ns(CLOCK_MONOTONIC); }
// Since 1970, UTC.
inline uint64_t wall_clock_ns() { return clock_ns(CLOCK_REALTIME); }

}  // namespace bombus
#endif
