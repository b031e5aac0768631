// SPDX-License-Identifier: Apache-2.0
#include "impairment.h"

#include <algorithm>
#include <utility>

namespace bombus {

namespace {
uint64_t picoseconds(double microseconds) {
  return static_cast<uint64_t>(microseconds * static_cast<double>(kPicosecondsPerMicrosecond));
}
}  // namespace

void Impairment::configure(const bombus_impairment& parameters, uint64_t seed) {
  parameters_ = parameters;
  enabled_ = true;
  seed += parameters.seed;
  loss_ = Random(seed, 1);
  duplicate_ = Random(seed, 2);
  corrupt_ = Random(seed, 3);
  bad_fcs_ = Random(seed, 4);
  reorder_ = Random(seed, 5);
  delay_ = Random(seed, 6);
}

void Impairment::push(Frame frame, uint64_t now_ps) {
  if (!enabled_) {
    // Queued after waiting frames, so that switching impairment off reorders nothing.
    if (waiting_.empty()) {
      fifo_.push_back(std::move(frame));
    } else {
      waiting_.emplace(std::max(now_ps, waiting_.rbegin()->first), std::move(frame));
    }
    return;
  }
  if (loss_.chance(parameters_.loss)) {
    ++counts_.lost;
    return;
  }
  if (duplicate_.chance(parameters_.duplicate)) {
    ++counts_.duplicated;
    admit(frame, now_ps);
  }
  admit(std::move(frame), now_ps);
}

void Impairment::push_later(Frame frame, uint64_t when_ps) {
  if (enabled_) {
    push(std::move(frame), when_ps);
  } else {
    waiting_.emplace(when_ps, std::move(frame));
  }
}

void Impairment::admit(Frame frame, uint64_t now_ps) {
  if (corrupt_.chance(parameters_.corrupt) && !frame.data.empty()) {
    const uint64_t bit = corrupt_.below(frame.data.size() * 8);
    frame.data[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
    ++counts_.corrupted;
  }
  if (bad_fcs_.chance(parameters_.bad_fcs)) {
    frame.bad = true;
    ++counts_.bad_fcs;
  }
  if (reorder_.chance(parameters_.reorder)) {
    ++counts_.reordered;
    held_.push_back({std::move(frame), std::max(1u, parameters_.reorder_distance),
                     now_ps + picoseconds(parameters_.reorder_hold_us)});
    return;
  }
  pass(std::move(frame), now_ps);
  for (auto& held : held_) --held.passes_left;
  release(now_ps);
}

void Impairment::pass(Frame frame, uint64_t now_ps) {
  const uint64_t delay =
      picoseconds(parameters_.delay_us + parameters_.jitter_us * delay_.uniform());
  waiting_.emplace(now_ps + delay, std::move(frame));
}

void Impairment::release(uint64_t now_ps) {
  for (auto held = held_.begin(); held != held_.end();) {
    if (held->passes_left == 0 || held->deadline_ps <= now_ps) {
      pass(std::move(held->frame), now_ps);
      held = held_.erase(held);
    } else {
      ++held;
    }
  }
}

bool Impairment::pop(Frame& frame, uint64_t now_ps) {
  if (!held_.empty()) release(now_ps);
  if (!fifo_.empty()) {
    frame = std::move(fifo_.front());
    fifo_.pop_front();
    return true;
  }
  if (waiting_.empty() || waiting_.begin()->first > now_ps) return false;
  frame = std::move(waiting_.begin()->second);
  waiting_.erase(waiting_.begin());
  return true;
}

uint64_t Impairment::next_ps() const {
  if (!fifo_.empty()) return 0;
  uint64_t next = waiting_.empty() ? kNever : waiting_.begin()->first;
  for (const auto& held : held_) next = std::min(next, held.deadline_ps);
  return next;
}

void Impairment::clear() {
  fifo_.clear();
  waiting_.clear();
  held_.clear();
}

}  // namespace bombus
