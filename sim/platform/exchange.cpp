// SPDX-License-Identifier: Apache-2.0
#include "exchange.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

namespace bombus {

namespace {

class Exchange {
 public:
  Exchange(Simulator& simulator, bombus_exchange_request& request)
      : simulator_(simulator), request_(request) {}

  int run();

 private:
  // Frames queued ahead at a port: enough to send back to back, few enough to save memory.
  static constexpr size_t kAhead = 8;

  unsigned port_of(uint64_t frame) const { return request_.ports ? request_.ports[frame] : 0; }
  bool all_pushed() const { return pushed_ == request_.count; }
  // The cycle number this far ahead; kNever if it would overflow.
  uint64_t later(uint64_t cycles) const {
    const uint64_t now = simulator_.cycle();
    return cycles < kNever - now ? now + cycles : kNever;
  }
  bool finished() const;
  void push_frames();
  void take_stamps();
  bool take_frames();

  Simulator& simulator_;
  bombus_exchange_request& request_;
  uint64_t pushed_ = 0;
  uint64_t lost_ = 0;  // sent and given up as unanswered, as counted by the window
  uint64_t next_push_cycle_ = 0;
  const uint8_t* next_frame_ = nullptr;
  // Frames of each port that have no stamp yet, oldest first.
  std::vector<std::deque<uint64_t>> unstamped_ = std::vector<std::deque<uint64_t>>(kMacPorts);
};

void Exchange::push_frames() {
  while (!all_pushed() && simulator_.cycle() >= next_push_cycle_) {
    const uint64_t answered = request_.received_count + lost_;
    if (request_.window != 0 && pushed_ > answered && pushed_ - answered >= request_.window) return;
    MacPort& port = simulator_.port(port_of(pushed_));
    if (port.rx_waiting() >= kAhead) return;
    Frame frame;
    frame.data.assign(next_frame_, next_frame_ + request_.lengths[pushed_]);
    next_frame_ += request_.lengths[pushed_];
    unstamped_[port_of(pushed_)].push_back(pushed_);
    port.send(std::move(frame), simulator_.time_ps());
    ++pushed_;
    if (request_.gap_cycles != 0) next_push_cycle_ = later(request_.gap_cycles);
  }
}

void Exchange::take_stamps() {
  for (unsigned i = 0; i < kMacPorts; ++i) {
    auto& sent = simulator_.port(i).sent();
    for (; !sent.empty(); sent.pop_front()) {
      ++request_.sent_count;
      if (request_.sent == nullptr) continue;
      // Without impairment, each port keeps the order of the request. With it, frames may be lost
      // or duplicated, and stamps are in wire order.
      if (unstamped_[i].empty()) continue;
      request_.sent[unstamped_[i].front()] = sent.front();
      unstamped_[i].pop_front();
    }
  }
}

bool Exchange::take_frames() {
  for (unsigned i = 0; i < kMacPorts; ++i) {
    auto& frames = simulator_.port(i).received();
    for (; !frames.empty(); frames.pop_front()) {
      const auto& data = frames.front().data;
      if (request_.received_count == request_.received_capacity ||
          data.size() > request_.data_capacity - request_.data_used) {
        return false;
      }
      std::memcpy(request_.data + request_.data_used, data.data(), data.size());
      request_.data_used += data.size();
      request_.received[request_.received_count++] = simulator_.port(i).info(frames.front());
    }
  }
  return true;
}

bool Exchange::finished() const {
  if (request_.expected != 0 && request_.received_count >= request_.expected) return true;
  return all_pushed() && simulator_.settled();
}

int Exchange::run() {
  if (request_.count > 1 &&
      request_.gap_cycles > simulator_.cycles_left() / (request_.count - 1)) {
    throw Failure(EINVAL, "gap_cycles exceeds the limit of 106 days of virtual time");
  }
  for (unsigned i = 0; i < kMacPorts; ++i) {
    simulator_.port(i).received().clear();
    simulator_.port(i).sent().clear();
  }
  if (request_.sent != nullptr) {
    std::memset(request_.sent, 0, request_.count * sizeof *request_.sent);
  }
  request_.sent_count = request_.received_count = request_.data_used = request_.cycles = 0;
  next_frame_ = request_.frames;
  const uint64_t start = simulator_.cycle();
  const uint64_t end = request_.limit_cycles != 0 ? later(request_.limit_cycles) : kNever;
  next_push_cycle_ = start;

  int status = 0;
  simulator_.stir();
  while (true) {
    push_frames();
    if (simulator_.cycle() >= end) {
      status = -ETIMEDOUT;
      break;
    }
    uint64_t until = end;
    if (!all_pushed() && next_push_cycle_ > simulator_.cycle()) {
      until = std::min(until, next_push_cycle_);
    }
    simulator_.advance(until - simulator_.cycle());
    request_.cycles = simulator_.cycle() - start;
    take_stamps();
    if (!take_frames()) {
      status = -ENOSPC;
      break;
    }
    if (finished()) break;
    // The answers that the window still waits for will never arrive.
    if (request_.window != 0 && !all_pushed() && simulator_.settled()) {
      lost_ = pushed_ - std::min(pushed_, request_.received_count);
    }
  }
  return status;
}

}  // namespace

int exchange(Simulator& simulator, bombus_exchange_request& request) {
  return Exchange(simulator, request).run();
}

}  // namespace bombus
