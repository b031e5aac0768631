// SPDX-License-Identifier: Apache-2.0
// A frame into or out of a MAC port.
#ifndef BOMBUS_FRAME_H_
#define BOMBUS_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bombus {

constexpr uint64_t kNever = UINT64_MAX;
// More than any MAC carries; the limit of capture files.
constexpr size_t kLongestFrame = 262144;
constexpr uint64_t kPicosecondsPerNanosecond = 1000;
constexpr uint64_t kPicosecondsPerSecond = 1000000000000;
constexpr uint64_t kPicosecondsPerMicrosecond = 1000 * 1000;

struct Frame {
  std::vector<uint8_t> data;
  bool bad = false;            // the MAC saw a bad FCS
  uint64_t first_cycle = 0;    // of the first beat
  uint64_t last_cycle = 0;     // of the last beat
  uint64_t time_ps = 0;        // virtual time of the last beat
};

}  // namespace bombus
#endif
