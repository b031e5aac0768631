// SPDX-License-Identifier: Apache-2.0
// An output port of an Ethernet switch between boards: whole frames of several senders, one after
// the other. Frames may be lost, corrupted, repeated and delayed, so that others overtake them.
//
// A frame is stored until its last beat has arrived. What happens to it follows from the seed of
// its wire and its number there alone. Queues have no end: links send no more than they may.
#ifndef BOMBUS_FRAME_SWITCH_H_
#define BOMBUS_FRAME_SWITCH_H_

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "bombus_cluster.h"

namespace bombus {

// Frames of one sender for this port.
class SwitchedWire {
 public:
  explicit SwitchedWire(const bombus_wire& wire) : wire_(wire) {}

  void set_options(const bombus_switch_options& options) { options_ = options; }
  void set_up(bool up, uint64_t cycle) { changes_.emplace_back(cycle, up); }
  const bombus_switch_statistics& statistics() const { return statistics_; }

 private:
  friend class SwitchPort;

  bombus_wire wire_;
  bombus_switch_options options_{};
  bombus_switch_statistics statistics_{};
  bool up_ = true;
  std::deque<std::pair<uint64_t, bool>> changes_;  // cycle and state, in order
  std::vector<uint64_t> frame_;                    // data of the beats that have arrived
};

class SwitchPort {
 public:
  // Beats of a sender, those of other wires too.
  void take(SwitchedWire& wire, const uint64_t* records, uint64_t count);
  // Frames that begin before a cycle. The records stay until the next call.
  bombus_beats give(uint64_t until);

 private:
  // In the order of the cycle, the wire, and the number of the copy.
  using Key = std::array<uint64_t, 3>;
  struct Waiting {
    SwitchedWire* wire;
    std::vector<uint64_t> data;
  };

  void finish(SwitchedWire& wire, uint64_t cycle);

  std::map<Key, Waiting> waiting_;
  std::vector<uint64_t> records_;
  uint64_t copies_ = 0;
  uint64_t free_ = 0;  // cycle from which the port can send a frame
};

}  // namespace bombus
#endif
