// SPDX-License-Identifier: Apache-2.0
#include "beat_link.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <iterator>

#include "failure.h"
#include "random.h"

namespace bombus {

namespace {

constexpr uint64_t kFullRate = 1ull << 32;

// Of one word after the other. Not cryptographic: it compares runs.
void add_to_digest(uint64_t& digest, const uint64_t* words, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    digest = (digest ^ words[i]) * 0x9E3779B97F4A7C15ull;
    digest ^= digest >> 29;
  }
}

}  // namespace

BeatLink::BeatLink(const char* name, const std::vector<Pin>& pins, bombus_errors& errors)
    : name_(name),
      tx_data_(&need_pin(pins, name_ + "_tx_data_o")),
      tx_valid_(&need_pin(pins, name_ + "_tx_valid_o")),
      tx_ready_(&need_pin(pins, name_ + "_tx_ready_i")),
      rx_data_(&need_pin(pins, name_ + "_rx_data_i")),
      rx_valid_(&need_pin(pins, name_ + "_rx_valid_i")),
      up_pin_(&need_pin(pins, name_ + "_up_i")),
      errors_(errors),
      offered_(tx_data_->bytes()) {
  options_.latency = 1;
  options_.rate = 1;
  set_options(options_);
}

bool BeatLink::has_pin(const Pin& pin) const {
  const Pin* const all[] = {tx_data_, tx_valid_, tx_ready_, rx_data_, rx_valid_, up_pin_};
  return std::find(std::begin(all), std::end(all), &pin) != std::end(all);
}

void BeatLink::set_options(const bombus_beat_link_options& options) {
  options_ = options;
  rate_ = static_cast<uint64_t>(std::ceil(options.rate * kFullRate));
  log_right_ = std::log1p(-options.bit_errors);
  any_wrong_ = -std::expm1(tx_data_->bits * log_right_);
}

void BeatLink::set_up(bool up, uint64_t cycle, uint64_t now) {
  if (cycle < now) throw Failure(EINVAL, "cycle is in the past");
  if (!changes_.empty() && cycle < changes_.back().first) {
    throw Failure(EINVAL, "cycle is before that of an earlier change of " + name_);
  }
  changes_.emplace_back(cycle, up);
}

// The n-th cycle is one of `rate` if n * rate passes a whole number in it: the same cycles in
// every run.
bool BeatLink::may_send(uint64_t cycle) const {
  return rate_ == kFullRate || (cycle + 1) * rate_ >> 32 != cycle * rate_ >> 32;
}

void BeatLink::drive(uint64_t cycle) {
  for (; !changes_.empty() && changes_.front().first <= cycle; changes_.pop_front()) {
    up_ = changes_.front().second;
    *up_pin_->data = up_;
  }
  *tx_ready_->data = up_ && may_send(cycle);
  *rx_valid_->data = 0;
  if (given_ == to_design_.size()) return;
  const uint64_t* record = &to_design_[given_];
  if (record[0] > cycle) return;
  if (up_) {
    std::memcpy(rx_data_->data, record + 1, rx_data_->bytes());
    *rx_valid_->data = 1;
    ++statistics_.received;
    add_to_digest(statistics_.received_digest, record, words());
  } else {
    ++statistics_.lost;
  }
  given_ += words();
}

void BeatLink::sample(uint64_t cycle) {
  if (waits_) check_waiting();
  waits_ = *tx_valid_->data && !*tx_ready_->data;
  if (waits_) std::memcpy(offered_.data(), tx_data_->data, offered_.size());
  if (!*tx_valid_->data || !*tx_ready_->data) return;
  const size_t at = sent_.size();
  sent_.resize(at + words());  // new words are zero
  uint64_t* record = &sent_[at];
  record[0] = cycle + options_.latency;
  std::memcpy(record + 1, tx_data_->data, tx_data_->bytes());
  ++statistics_.sent;
  add_to_digest(statistics_.sent_digest, record, words());
  if (any_wrong_ > 0) flip_bits(cycle, record + 1);
}

void BeatLink::check_waiting() {
  if (!up_) return;  // a link that goes down takes back nothing that the design may rely on
  if (!*tx_valid_->data) {
    ++errors_.tx_valid_dropped;
  } else if (std::memcmp(offered_.data(), tx_data_->data, offered_.size()) != 0) {
    ++errors_.tx_data_changed;
  }
}

// A function of the seed and the cycle only. From one wrong bit to the next is a geometric number.
void BeatLink::flip_bits(uint64_t cycle, uint64_t* data) {
  Random random(options_.seed, cycle);
  const double first = random.uniform();
  if (first >= any_wrong_) return;
  double bit = std::floor(std::log1p(-first) / log_right_);
  while (bit < tx_data_->bits) {
    const auto at = static_cast<unsigned>(bit);
    data[at / 64] ^= 1ull << (at % 64);
    ++statistics_.flipped_bits;
    bit += 1 + std::floor(std::log1p(-random.uniform()) / log_right_);
  }
}

void BeatLink::give(const uint64_t* records, uint64_t count, uint64_t now) {
  if (count == 0) return;
  uint64_t last = given_ == to_design_.size() ? now : to_design_[to_design_.size() - words()] + 1;
  last = std::max(last, now);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t cycle = records[i * words()];
    if (cycle < last) {
      throw Failure(EINVAL, name_ + ": a beat for cycle " + std::to_string(cycle) +
                                " is given when only those from cycle " + std::to_string(last) +
                                " on can be");
    }
    last = cycle + 1;
  }
  to_design_.erase(to_design_.begin(), to_design_.begin() + static_cast<ptrdiff_t>(given_));
  given_ = 0;
  to_design_.insert(to_design_.end(), records, records + count * words());
}

void BeatLink::take(uint64_t* records) {
  std::copy(sent_.begin(), sent_.end(), records);
  sent_.clear();
}

}  // namespace bombus
