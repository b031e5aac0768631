// SPDX-License-Identifier: Apache-2.0
// Network impairment of the frames of one direction of one port: loss, duplication, corruption,
// reordering, delay. Seeded and repeatable.
#ifndef BOMBUS_IMPAIRMENT_H_
#define BOMBUS_IMPAIRMENT_H_

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "bombus_sim.h"
#include "frame.h"
#include "random.h"

namespace bombus {

class Impairment {
 public:
  struct Counts {
    uint64_t lost = 0, duplicated = 0, corrupted = 0, bad_fcs = 0, reordered = 0;
  };

  // Frames already waiting keep their times.
  void configure(const bombus_impairment& parameters, uint64_t seed);
  void disable() { enabled_ = false; }

  // A frame enters now.
  void push(Frame frame, uint64_t now_ps);
  // A frame enters at a later time.
  void push_later(Frame frame, uint64_t when_ps);

  // The next frame due by now.
  bool pop(Frame& frame, uint64_t now_ps);

  // When pop() will next return a frame if none is pushed; 0: at once, kNever: empty.
  uint64_t next_ps() const;
  size_t size() const { return fifo_.size() + waiting_.size() + held_.size(); }
  bool empty() const { return fifo_.empty() && waiting_.empty() && held_.empty(); }
  void clear();

  const Counts& counts() const { return counts_; }

 private:
  struct Held {
    Frame frame;
    uint32_t passes_left;  // frames still to overtake it
    uint64_t deadline_ps;
  };

  void admit(Frame frame, uint64_t now_ps);
  void pass(Frame frame, uint64_t now_ps);
  void release(uint64_t now_ps);

  bool enabled_ = false;
  bombus_impairment parameters_{};
  Random loss_, duplicate_, corrupt_, bad_fcs_, reorder_, delay_;
  std::deque<Frame> fifo_;                    // without a release time
  std::multimap<uint64_t, Frame> waiting_;    // by time of release
  std::deque<Held> held_;                     // frames to be overtaken
  Counts counts_;
};

}  // namespace bombus
#endif
