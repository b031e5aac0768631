// SPDX-License-Identifier: Apache-2.0
#include "stream_port.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace bombus {

StreamPort::StreamPort(const Stream& stream, const std::vector<Pin>& pins, unsigned index,
                       const bombus_options& options, bombus_errors& errors)
    : name_(stream.name),
      tile_(stream.tile),
      is_output_(stream.is_output),
      errors_(errors),
      random_(options.seed, 4000 + index),
      pause_(stream.is_output ? options.tx_stall : options.rx_bubble) {
  const char* forward = is_output_ ? "_o" : "_i";
  const auto pin = [&](const char* signal, const char* end) { return name_ + signal + end; };
  data_ = &need_pin(pins, pin("_tdata", forward));
  keep_ = &need_pin(pins, pin("_tkeep", forward));
  valid_ = &need_pin(pins, pin("_tvalid", forward));
  last_ = &need_pin(pins, pin("_tlast", forward));
  user_ = find_pin(pins, pin("_tuser", forward));
  ready_ = &need_pin(pins, pin("_tready", is_output_ ? "_i" : "_o"));
  reset();
}

bool StreamPort::has_pin(const Pin& pin) const {
  const Pin* const all[] = {data_, keep_, valid_, ready_, last_, user_};
  return std::find(std::begin(all), std::end(all), &pin) != std::end(all);
}

void StreamPort::reset() {
  queue_.clear();
  received_.clear();
  current_ = {};
  waiting_.clear();
  inside_ = false;
  if (is_output_) {
    *ready_->data = 1;
  } else {
    idle();
  }
}

void StreamPort::idle() {
  offering_ = false;
  position_ = 0;
  *valid_->data = 0;
}

void StreamPort::drive() {
  const bool pauses = pause_ != 0 && random_.chance(pause_);
  if (is_output_) {
    *ready_->data = !pauses;
  } else if (!offering_) {
    *valid_->data = 0;
    if (!queue_.empty() && !pauses) offer_beat();
  }
}

void StreamPort::offer_beat() {
  const Message& message = queue_.front();
  const size_t width = data_->bytes();
  const size_t bytes = std::min(message.data.size() - position_, width);
  std::memset(data_->data, 0, width);
  std::memset(keep_->data, 0, keep_->bytes());
  std::copy_n(message.data.data() + position_, bytes, data_->data);
  for (size_t i = 0; i < bytes; ++i) keep_->data[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
  *last_->data = message.data.size() - position_ <= width;
  if (user_) std::copy_n(message.user.data(), user_->bytes(), user_->data);
  *valid_->data = 1;
  offering_ = true;
}

bool StreamPort::sample() {
  if (!is_output_) {
    if (!offering_ || !*ready_->data) return false;
    offering_ = false;  // the pins keep their values until after the clock edge; see drive()
    position_ += data_->bytes();
    if (*last_->data) {
      queue_.pop_front();
      position_ = 0;
    }
    return false;
  }

  check_waiting();
  if (!*valid_->data || !*ready_->data) return false;
  size_t bytes = 0;
  while (bytes < data_->bytes() && keeps(bytes)) ++bytes;
  const bool last = *last_->data;
  const bool hole = std::any_of(keep_->data, keep_->data + keep_->bytes(),
                                [n = bytes, at = size_t{0}](uint8_t keep) mutable {
                                  const size_t low = 8 * at++;
                                  const size_t kept = n > low ? std::min<size_t>(n - low, 8) : 0;
                                  return keep >> kept != 0;
                                });
  // Only a message without data has a beat without bytes.
  if (hole || (!last && bytes != data_->bytes()) || (bytes == 0 && inside_)) {
    ++errors_.tx_keep_invalid;
  }
  if (!inside_ && user_) current_.user.assign(user_->data, user_->data + user_->bytes());
  current_.data.insert(current_.data.end(), data_->data, data_->data + bytes);
  inside_ = !last;
  if (last) received_.push_back(std::exchange(current_, {}));
  return last;
}

void StreamPort::check_waiting() {
  if (!*valid_->data) {
    if (!waiting_.empty()) ++errors_.tx_valid_dropped;
    waiting_.clear();
    return;
  }
  std::vector<uint8_t> beat(data_->data, data_->data + data_->bytes());
  beat.insert(beat.end(), keep_->data, keep_->data + keep_->bytes());
  beat.push_back(*last_->data);
  if (!waiting_.empty() && beat != waiting_) ++errors_.tx_data_changed;
  if (*ready_->data) beat.clear();
  waiting_ = std::move(beat);
}

}  // namespace bombus
