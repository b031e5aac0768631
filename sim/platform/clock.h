// SPDX-License-Identifier: Apache-2.0
// Real time.
#ifndef BOMBUS_CLOCK_H_
#define BOMBUS_CLOCK_H_

#include <time.h>

#include <cstdint>

namespace bombus {

inline uint64_t monotonic_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000ull + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace bombus
#endif
