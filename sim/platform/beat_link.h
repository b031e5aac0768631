// SPDX-License-Identifier: Apache-2.0
// The simulator's side of a link that the design raises to its top: beats of a fixed width that go
// to a peer, such as another board's simulator, and come from it some cycles later. The program
// that runs both carries them (bombus_run_beats).
//
// The design's ports are <name>_tx_data_o, _tx_valid_o, _tx_ready_i, _rx_data_i, _rx_valid_i (no
// backpressure) and _up_i. A beat is a record of words: the cycle in which it arrives, then its
// data, lowest bits first.
#ifndef BOMBUS_BEAT_LINK_H_
#define BOMBUS_BEAT_LINK_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "bombus_sim.h"
#include "design.h"

namespace bombus {

class BeatLink {
 public:
  BeatLink(const char* name, const std::vector<Pin>& pins, bombus_errors& errors);

  const std::string& name() const { return name_; }
  bool has_pin(const Pin& pin) const;
  // Words of a record.
  size_t words() const { return 1 + (tx_data_->bits + 63) / 64; }
  // Up, or about to be.
  bool in_use() const { return up_ || !changes_.empty(); }

  // drive() sets the inputs, the model settles, then sample() reads the outputs at the clock edge.
  void drive(uint64_t cycle);
  void sample(uint64_t cycle);
  // Forgets a beat that the design was offering: it is being reset. Beats on the way stay there.
  void reset() { waits_ = false; }

  void set_options(const bombus_beat_link_options& options);
  // Throws Failure if `cycle` is before `now` or an earlier change.
  void set_up(bool up, uint64_t cycle, uint64_t now);
  // Beats for the design. Throws Failure unless they are in order and arrive at `now` or later.
  void give(const uint64_t* records, uint64_t count, uint64_t now);
  uint64_t waiting() const { return sent_.size() / words(); }
  // Moves the beats that the design has sent to `records`.
  void take(uint64_t* records);

  const bombus_beat_link_statistics& statistics() const { return statistics_; }

 private:
  bool may_send(uint64_t cycle) const;
  void check_waiting();
  void flip_bits(uint64_t cycle, uint64_t* data);

  std::string name_;
  const Pin* tx_data_;
  const Pin* tx_valid_;
  const Pin* tx_ready_;
  const Pin* rx_data_;
  const Pin* rx_valid_;
  const Pin* up_pin_;
  bombus_errors& errors_;

  bombus_beat_link_options options_{};
  uint64_t rate_ = 0;       // beats in 2^32 cycles
  double log_right_ = 0;    // logarithm of the probability that a bit is right
  double any_wrong_ = 0;    // probability that a beat has a wrong bit
  bool up_ = false;
  std::deque<std::pair<uint64_t, bool>> changes_;  // cycle and state, in order
  std::vector<uint64_t> to_design_;  // records
  size_t given_ = 0;                 // words of it that have arrived
  std::vector<uint64_t> sent_;       // records
  bool waits_ = false;               // a beat was offered and not taken
  std::vector<uint8_t> offered_;     // that beat
  bombus_beat_link_statistics statistics_{};
};

}  // namespace bombus
#endif
