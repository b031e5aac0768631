// SPDX-License-Identifier: Apache-2.0
#include "frame_switch.h"

#include <algorithm>

#include "random.h"

namespace bombus {

namespace {

constexpr uint64_t kOverheadBytes = 24;      // preamble, FCS and gap of a frame
constexpr uint64_t kLongestFrameBytes = 16384;

// Bit `at` of a beat's data.
bool bit(const uint64_t* data, uint64_t at) { return data[at / 64] >> at % 64 & 1; }

}  // namespace

// A beat is {error, last, keep, data}.
void SwitchPort::take(SwitchedWire& wire, const uint64_t* records, uint64_t count) {
  const uint64_t words = wire.wire_.words - 1;
  const uint64_t last_bit = wire.wire_.frame_bytes * 9;
  const uint64_t longest = kLongestFrameBytes / wire.wire_.frame_bytes * words;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t* record = records + i * (1 + words);
    if (wire.frame_.size() < longest) {
      wire.frame_.insert(wire.frame_.end(), record + 1, record + 1 + words);
    }
    if (!bit(record + 1, last_bit)) continue;
    if (wire.frame_.size() < longest) finish(wire, record[0] + 1);
    wire.frame_.clear();
  }
}

void SwitchPort::finish(SwitchedWire& wire, uint64_t cycle) {
  const bombus_wire& of = wire.wire_;
  const uint64_t words = of.words - 1;
  // The addresses may continue in the second beat.
  const uint64_t first = wire.frame_[0];
  const uint64_t second = of.frame_bytes > 8           ? wire.frame_[1]
                          : wire.frame_.size() > words ? wire.frame_[words]
                                                       : 0;
  if (first != of.addresses[0] || (second & 0xFFFFFFFF) != of.addresses[1]) return;
  Random random(wire.options_.seed, wire.statistics_.sent++);
  for (; !wire.changes_.empty() && wire.changes_.front().first <= cycle;
       wire.changes_.pop_front()) {
    wire.up_ = wire.changes_.front().second;
  }
  if (random.chance(wire.options_.loss) || !wire.up_) {
    ++wire.statistics_.lost;
    return;
  }
  if (random.chance(wire.options_.corrupt)) {
    const uint64_t beats = wire.frame_.size() / words;
    const uint64_t at = random.below(beats);
    const uint64_t which = random.below(of.frame_bytes * 8);
    wire.frame_[at * words + which / 64] ^= uint64_t{1} << which % 64;
    ++wire.statistics_.corrupted;
  }
  uint64_t delay = 0;
  if (random.chance(wire.options_.reorder)) {
    delay = 1 + random.below(wire.options_.delay_cycles);
    ++wire.statistics_.delayed;
  }
  waiting_.emplace(Key{cycle + delay, of.order, copies_++}, Waiting{&wire, wire.frame_});
  if (random.chance(wire.options_.repeat)) {
    delay = 1 + random.below(wire.options_.delay_cycles);
    waiting_.emplace(Key{cycle + delay, of.order, copies_++}, Waiting{&wire, wire.frame_});
    ++wire.statistics_.repeated;
  }
}

bombus_beats SwitchPort::give(uint64_t until) {
  records_.clear();
  uint64_t count = 0;
  while (!waiting_.empty() && waiting_.begin()->first[0] < until) {
    const Waiting& front = waiting_.begin()->second;
    SwitchedWire& wire = *front.wire;
    const uint64_t words = wire.wire_.words - 1;
    const uint64_t beats = front.data.size() / words;
    const uint64_t start = std::max(free_, waiting_.begin()->first[0]);
    for (uint64_t beat = 0; beat < beats; ++beat) {
      records_.push_back(start + beat);
      records_.insert(records_.end(), &front.data[beat * words], &front.data[beat * words] + words);
      uint64_t& digest = wire.statistics_.digest;
      for (size_t at = records_.size() - words - 1; at < records_.size(); ++at) {
        digest = (digest ^ records_[at]) * 0x9E3779B97F4A7C15ull;
        digest ^= digest >> 29;
      }
    }
    count += beats;
    free_ = start + beats + (kOverheadBytes + wire.wire_.frame_bytes - 1) / wire.wire_.frame_bytes;
    ++wire.statistics_.received;
    waiting_.erase(waiting_.begin());
  }
  return bombus_beats{records_.data(), count, count};
}

}  // namespace bombus
