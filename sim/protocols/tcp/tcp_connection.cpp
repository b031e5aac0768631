// SPDX-License-Identifier: Apache-2.0
#include "tcp_connection.h"

#include <algorithm>

#include "tcp_application.h"

namespace bombus {

namespace {

constexpr size_t kChunkBytes = 8192;     // of a message
constexpr size_t kLeastRingBytes = 1024;  // smallest send buffer of a session

}  // namespace

std::string TcpConnection::peer() const {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) {
    text += std::to_string(ip_ >> shift & 255) + (shift ? "." : " port ");
  }
  return text + std::to_string(peer_port_);
}

uint32_t TcpConnection::state() const {
  uint32_t state = 0;
  if (opened_) state |= BOMBUS_TCP_OPENED;
  if (!received_.empty() || (opened_ && at_end()) || reset_) state |= BOMBUS_TCP_READABLE;
  if ((opened_ && space() != 0) || over_) state |= BOMBUS_TCP_WRITABLE;
  if (opened_ && unsent() == 0) state |= BOMBUS_TCP_SENT;
  if (over_) state |= BOMBUS_TCP_CLOSED;
  if (reset_) state |= BOMBUS_TCP_RESET;
  if (soft_error_ != 0) state |= BOMBUS_TCP_REPORTED;
  return state;
}

// ---- For programs ----

void TcpConnection::take_received(size_t length) {
  if (length == 0) return;
  received_.pop(length);
  taken_ += static_cast<uint32_t>(length);
  if (!over_) request(TcpVerb::kRelease, taken_);
}

void TcpConnection::write(const uint8_t* data, size_t length, bool more) {
  more_ = more;
  queue_.push(data, length);
  push();
}

size_t TcpConnection::send(const uint8_t* data, size_t length, bool more) {
  const size_t sent = std::min(length, space());
  write(data, sent, more);
  if (sent < length) request_space(length - sent);
  return sent;
}

void TcpConnection::set_cork(bool cork) {
  cork_ = cork;
  if (opened_) push();
}

void TcpConnection::request_space(size_t length) {
  if (waits_for_space_ || over_ || !opened_) return;
  waits_for_space_ = true;
  writable_toggle_ = !writable_toggle_;
  const size_t most = holds_back() ? std::max(kLeastRingBytes, whole_segment()) : kLeastRingBytes;
  const auto least = static_cast<uint32_t>(std::min(queue_.size() + length, most));
  request(TcpVerb::kWritable, written_ + least, writable_toggle_);
}

void TcpConnection::set(uint32_t bit, bool value) {
  settings_ = (settings_ & ~bit) | (value ? bit : 0);
  send_settings();
}

void TcpConnection::set_user_timeout(uint32_t ms) {
  user_timeout_ms_ = ms;
  send_settings();
}

void TcpConnection::send_settings() {
  if (!opened_ || over_) return;
  // The engine counts begun units, so that one more is needed.
  const uint64_t us = uint64_t{user_timeout_ms_} * 1000;
  const uint64_t units = us == 0 ? 0 : (us - 1) / kUserTimeoutUnitUs + 2;
  request(TcpVerb::kSet, settings_ | static_cast<uint32_t>(units << kUserTimeoutBit));
}

void TcpConnection::shutdown() {
  closing_ = true;
  push();
}

void TcpConnection::shut_reading() {
  read_shut_ = true;
  discard();
}

void TcpConnection::close() {
  if (!opened_) return abort();
  released_ = true;
  received_.clear();  // not released
  shutdown();
  free_if_done();
}

void TcpConnection::abort() {
  if (has_session_ && !over_) request(TcpVerb::kAbort);
  reset_ = true;
  released_ = true;
  queue_.clear();
  received_.clear();
  free_if_done();
}

// ---- For the application ----

void TcpConnection::begin(uint16_t session) {
  has_session_ = true;
  session_ = session;
  if (released_) request(TcpVerb::kAbort);
}

void TcpConnection::take(const TcpEvent& event) {
  if (event.reported) report(event.cause);
  if (event.opened) {
    opened_ = has_session_ = true;
    session_ = event.session;
    own_port_ = event.own_port;
    asked_ = taken_ = event.read_end;
    written_ = event.write_end;
    if (settings_ != 0 || user_timeout_ms_ != 0) send_settings();  // made before it was open
  }
  if (!opened_) return;  // it has no positions
  mss_ = event.mss;
  if (event.peer_closed) peer_closed_ = true;
  // A FIN occupies a position, but is not a byte.
  read_end_ = event.read_end - peer_closed_;
  // The event `opened` has the first position, and the whole send buffer is free.
  write_end_ = event.write_end;
  if (event.opened) write_end_ += static_cast<uint32_t>(application_.buffers().send);
  if (event.writable) waits_for_space_ = false;
  if (event.closed) {
    over_ = true;
    if (event.failed) {
      reset_ = true;
      error_ = error_of(event.cause, ECONNRESET);
    }
    queue_.clear();
  }
  if (!reset_ && !released_) ask();
  if (!over_) {
    if ((event.readable || event.opened) && !peer_closed_) {
      readable_toggle_ = !readable_toggle_;
      request(TcpVerb::kReadable, read_end_ + 1, readable_toggle_);
    }
    push();
  }
  free_if_done();
}

void TcpConnection::take_data(const uint8_t* data, size_t length) {
  --pending_reads_;
  if (!released_) received_.push(data, length);
  if (read_shut_) discard();
  free_if_done();
}

void TcpConnection::report(TcpCause cause) {
  soft_error_ = cause == TcpCause::kRefused ? ECONNREFUSED : EHOSTUNREACH;
}

void TcpConnection::fail(int error) {
  error_ = error;
  over_ = reset_ = true;
}

void TcpConnection::free_if_done() {
  if (!opened_ || !is_done() || freed_) return;
  freed_ = true;
  request(TcpVerb::kFree, written_);
}

void TcpConnection::request(TcpVerb verb, uint32_t argument, bool toggle) {
  application_.request({verb, session_, argument, toggle, 0, 0, 0, 0});
}

void TcpConnection::ask() {
  while (const auto length = std::min<uint32_t>(kChunkBytes, read_end_ - asked_)) {
    application_.read(*this, asked_, length);
    ++pending_reads_;
    asked_ += length;
  }
}

void TcpConnection::send_part(const uint8_t* data, size_t length) {
  application_.send_data(session_, written_, data, length);
  written_ += static_cast<uint32_t>(length);
}

size_t TcpConnection::whole_segment() const {
  // Half of the send buffer, so that there will be space for it.
  const size_t most = std::max(application_.buffers().send, kLeastRingBytes) / 2;
  return std::clamp<size_t>(mss_, 1, most);
}

size_t TcpConnection::sendable() const {
  const size_t ready = std::min(queue_.size(), room());
  if (!holds_back()) return std::min(ready, kChunkBytes);
  const size_t whole = whole_segment();
  return std::min(ready, std::max(kChunkBytes, whole)) / whole * whole;
}

void TcpConnection::push() {
  // A connection that is reset does not send what waits.
  if (released_ && taken_ != read_end_) queue_.clear();
  while (const size_t part = sendable()) {
    send_part(queue_.data(), part);
    queue_.pop(part);
  }
  if (unsent() != 0) request_space(0);
  bool& sent = released_ ? close_both_sent_ : close_sent_;
  if (closing_ && queue_.empty() && !sent && !over_) {
    sent = true;
    request(released_ ? TcpVerb::kCloseBoth : TcpVerb::kClose, written_);
  }
}

}  // namespace bombus
