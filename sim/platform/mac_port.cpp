// SPDX-License-Identifier: Apache-2.0
#include "mac_port.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "failure.h"

namespace bombus {

namespace {

constexpr uint64_t kLongestCaptureNs = 30ull * 24 * 3600 * 1000000000;
const unsigned kKeepBytes = (kDataBytes + 7) / 8;
const uint64_t kFullKeep = kDataBytes == 64 ? ~0ull : (1ull << (kDataBytes % 64)) - 1;

// Start time of a frame on the wire. A wire that became free within the last cycle was not idle;
// the clock is just too coarse to show it.
uint64_t wire_start_ps(uint64_t free_ps, uint64_t now_ps, uint64_t period_ps) {
  return now_ps - free_ps < period_ps ? free_ps : now_ps;
}

uint64_t keep_of(size_t bytes) { return bytes >= 64 ? ~0ull : (1ull << bytes) - 1; }

}  // namespace

MacPort::MacPort(const MacPins& pins, unsigned index, const bombus_options& options,
                 bombus_errors& errors)
    : pins_(pins),
      index_(index),
      seed_(options.seed),
      errors_(errors),
      bubble_random_(options.seed, 1000 + 2 * index),
      stall_random_(options.seed, 1001 + 2 * index),
      rx_bubble_(options.rx_bubble),
      tx_stall_(options.tx_stall) {
  reset();
}

void MacPort::reset() {
  rx_impairment_.clear();
  tx_impairment_.clear();
  received_.clear();
  sent_.clear();
  current_ = {};
  position_ = 0;
  capture_ = {};
  tx_waiting_ = false;
  idle_rx();
  *pins_.tx_tready = 1;
}

void MacPort::idle_rx() {
  offering_ = false;
  *pins_.rx_tvalid = 0;
  *pins_.rx_tlast = 0;
  *pins_.rx_tuser = 0;
}

void MacPort::drive(uint64_t now_ps) {
  driven_ps_ = now_ps;
  *pins_.tx_tready = is_up_ && (tx_stall_ == 0 || !stall_random_.chance(tx_stall_)) &&
                     (ps_per_byte_ == 0 || tx_free_ps_ <= now_ps);

  if (offering_) return;  // not taken yet: leave it unchanged
  if (beat_available(now_ps)) {
    offer_beat();
  } else if (*pins_.rx_tvalid) {
    idle_rx();
  }
}

bool MacPort::beat_available(uint64_t now_ps) {
  if (position_ >= current_.data.size()) {
    if (rx_impairment_.empty()) return false;
    if (ps_per_byte_ != 0 && rx_free_ps_ > now_ps) return false;
    if (!rx_impairment_.pop(current_, now_ps)) return false;
    position_ = 0;
    if (ps_per_byte_ != 0) {
      rx_free_ps_ = wire_start_ps(rx_free_ps_, now_ps, period_ps_) +
                    wire_time_ps(current_.data.size());
    }
  }
  return rx_bubble_ == 0 || !bubble_random_.chance(rx_bubble_);
}

void MacPort::offer_beat() {
  const size_t left = current_.data.size() - position_;
  const size_t bytes = std::min<size_t>(left, kDataBytes);
  const uint64_t keep = keep_of(bytes);
  const bool last = left <= kDataBytes;
  std::memcpy(pins_.rx_tdata, current_.data.data() + position_, bytes);
  if (bytes < kDataBytes) std::memset(pins_.rx_tdata + bytes, 0, kDataBytes - bytes);
  std::memcpy(pins_.rx_tkeep, &keep, kKeepBytes);
  *pins_.rx_tvalid = 1;
  *pins_.rx_tlast = last;
  *pins_.rx_tuser = last && current_.bad;
  offering_ = true;
}

void MacPort::sample_rx(uint64_t cycle, uint64_t now_ps) {
  if (!*pins_.rx_tready) {
    ++errors_.rx_not_ready;
    return;
  }
  if (position_ == 0) current_.first_cycle = cycle;
  position_ += kDataBytes;
  offering_ = false;  // the pins keep their values until after the clock edge; see drive()
  if (position_ < current_.data.size()) return;

  current_.last_cycle = cycle;
  current_.time_ps = now_ps;
  ++statistics_.rx_frames;
  statistics_.rx_bytes += current_.data.size();
  if (sent_.size() == kSentKept) sent_.pop_front();
  sent_.push_back(info(current_));
  write_capture(current_, now_ps, BOMBUS_RX);
}

void MacPort::sample_tx(uint64_t cycle, uint64_t now_ps) {
  const bool valid = *pins_.tx_tvalid;
  uint64_t keep = 0;
  std::memcpy(&keep, pins_.tx_tkeep, kKeepBytes);
  const bool last = *pins_.tx_tlast;

  if (tx_waiting_) {
    if (!valid) {
      ++errors_.tx_valid_dropped;
    } else if (keep != waiting_keep_ || last != waiting_last_ ||
               std::memcmp(waiting_data_, pins_.tx_tdata, kDataBytes) != 0) {
      ++errors_.tx_data_changed;
    }
  }
  tx_waiting_ = valid && !*pins_.tx_tready;
  if (tx_waiting_) {
    std::memcpy(waiting_data_, pins_.tx_tdata, kDataBytes);
    waiting_keep_ = keep;
    waiting_last_ = last;
    return;
  }
  if (!valid) {
    if (!capture_.data.empty()) ++errors_.tx_underrun;
    return;
  }

  const bool hole = (keep & (keep + 1)) != 0;
  if (hole || keep == 0 || (!last && keep != kFullKeep)) ++errors_.tx_keep_invalid;
  if (capture_.data.empty()) {
    capture_.first_cycle = cycle;
    tx_start_ps_ = wire_start_ps(tx_free_ps_, driven_ps_, period_ps_);
  }
  const auto bytes = static_cast<size_t>(__builtin_popcountll(keep));
  capture_.data.insert(capture_.data.end(), pins_.tx_tdata, pins_.tx_tdata + bytes);
  if (last) {
    capture_.bad = pins_.tx_tuser != nullptr && *pins_.tx_tuser;
    finish_capture(cycle, now_ps);
  } else if (capture_.data.size() > kMaxFrameBytes) {
    // Counting once per frame would need a flag; once per excess beat is just as informative.
    ++errors_.tx_too_long;
  }
}

void MacPort::finish_capture(uint64_t cycle, uint64_t now_ps) {
  if (capture_.data.size() > kMaxFrameBytes) ++errors_.tx_too_long;
  capture_.last_cycle = cycle;
  capture_.time_ps = now_ps;
  ++statistics_.tx_frames;
  statistics_.tx_bytes += capture_.data.size();
  if (ps_per_byte_ != 0) {
    tx_free_ps_ = tx_start_ps_ + wire_time_ps(capture_.data.size());
  }
  write_capture(capture_, now_ps, BOMBUS_TX);
  tx_impairment_.push(std::exchange(capture_, {}), now_ps);
  deliver(now_ps);
}

void MacPort::send(Frame frame, uint64_t now_ps) {
  if (!is_up_) {
    ++statistics_.link_lost;
    return;
  }
  rx_impairment_.push(std::move(frame), now_ps);
}

void MacPort::deliver(uint64_t now_ps) {
  Frame frame;
  while (!tx_impairment_.empty() && tx_impairment_.pop(frame, now_ps)) {
    if (!frame.bad) received_.push_back(std::move(frame));
  }
}

uint64_t MacPort::next_ps() const {
  uint64_t rx = rx_impairment_.next_ps();
  if (rx != kNever && ps_per_byte_ != 0) rx = std::max(rx, rx_free_ps_);
  return std::min(rx, tx_impairment_.next_ps());
}

size_t MacPort::send_capture(const std::string& path, bool keep_time, uint64_t now_ps) {
  const auto frames = read_capture(path);
  for (const auto& captured : frames) {
    if (keep_time && captured.time_ns > frames.front().time_ns + kLongestCaptureNs) {
      throw Failure(EINVAL, path + ": its frames are more than 30 days apart");
    }
  }
  if (!is_up_) {
    statistics_.link_lost += frames.size();
    return frames.size();
  }
  for (const auto& captured : frames) {
    Frame frame;
    frame.data = captured.data;
    if (!keep_time || captured.time_ns <= frames.front().time_ns) {
      rx_impairment_.push(std::move(frame), now_ps);
    } else {
      const uint64_t offset_ns = captured.time_ns - frames.front().time_ns;
      rx_impairment_.push_later(std::move(frame), now_ps + offset_ns * kPicosecondsPerNanosecond);
    }
  }
  return frames.size();
}

void MacPort::set_pace(double rx_bubble, double tx_stall) {
  rx_bubble_ = rx_bubble;
  tx_stall_ = tx_stall;
}

void MacPort::set_line_rate(double bits_per_second) {
  ps_per_byte_ = bits_per_second > 0 ? 8e12 / bits_per_second : 0;
}

void MacPort::set_impairment(int direction, const bombus_impairment* parameters) {
  if (parameters == nullptr) {
    impairment(direction).disable();
  } else {
    const uint64_t stream = 2 * index_ + static_cast<uint64_t>(direction);
    impairment(direction).configure(*parameters, Random(seed_, 2000 + stream).next());
  }
}

void MacPort::start_capture(const std::string& path, uint32_t directions) {
  stop_capture();
  capture_file_ = std::make_unique<CaptureWriter>(path);
  captured_directions_ = directions;
}

void MacPort::stop_capture() {
  if (!capture_file_) return;
  const auto file = std::move(capture_file_);
  file->flush();
  statistics_.capture_lost += file->lost();
  file->close();
}

bombus_frame_info MacPort::info(const Frame& frame) const {
  return {frame.first_cycle,
          frame.last_cycle,
          frame.time_ps / kPicosecondsPerNanosecond,
          static_cast<uint32_t>(frame.data.size()),
          static_cast<uint16_t>(index_),
          static_cast<uint16_t>(frame.bad ? BOMBUS_BAD_FRAME : 0)};
}

bombus_port_statistics MacPort::statistics() const {
  bombus_port_statistics result = statistics_;
  if (capture_file_) result.capture_lost += capture_file_->lost();
  for (const int direction : {BOMBUS_RX, BOMBUS_TX}) {
    const auto& counts = (direction == BOMBUS_RX ? rx_impairment_ : tx_impairment_).counts();
    result.lost[direction] = counts.lost;
    result.duplicated[direction] = counts.duplicated;
    result.corrupted[direction] = counts.corrupted;
    result.bad_fcs[direction] = counts.bad_fcs;
    result.reordered[direction] = counts.reordered;
  }
  return result;
}

}  // namespace bombus
