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
  if (opened_ && queue_.empty()) state |= BOMBUS_TCP_SENT;
  if (over_) state |= BOMBUS_TCP_CLOSED;
  if (reset_) state |= BOMBUS_TCP_RESET;
  return state;
}

// ---- For programs ----

void TcpConnection::take_received(size_t length) {
  if (length == 0) return;
  received_.pop(length);
  taken_ += static_cast<uint32_t>(length);
  if (!over_) request(TcpVerb::kRelease, taken_);
}

void TcpConnection::write(const uint8_t* data, size_t length) {
  queue_.push(data, length);
  push();
}

size_t TcpConnection::send(const uint8_t* data, size_t length) {
  size_t sent = 0;
  while (const size_t part = std::min({length - sent, space(), kChunkBytes})) {
    send_part(data + sent, part);
    sent += part;
  }
  if (sent < length) request_space(length - sent);
  return sent;
}

void TcpConnection::request_space(size_t length) {
  if (waits_for_space_ || over_ || !opened_) return;
  waits_for_space_ = true;
  writable_toggle_ = !writable_toggle_;
  const auto least = static_cast<uint32_t>(std::min(length, kLeastRingBytes));
  request(TcpVerb::kWritable, written_ + least, writable_toggle_);
}

void TcpConnection::set(uint32_t settings) {
  settings_ = settings;
  if (opened_ && !over_) request(TcpVerb::kSet, settings_);
}

void TcpConnection::shutdown() {
  closing_ = true;
  push();
}

void TcpConnection::close() {
  if (opened_) shutdown();
  released_ = true;
  discard();
  free_if_done();
}

void TcpConnection::abort() {
  if (opened_ && !over_) request(TcpVerb::kAbort);
  reset_ = true;
  released_ = true;
  queue_.clear();
  discard();
  free_if_done();
}

// ---- For the application ----

void TcpConnection::take(const TcpEvent& event) {
  if (event.opened) {
    opened_ = true;
    session_ = event.session;
    own_port_ = event.own_port;
    asked_ = taken_ = event.read_end;
    written_ = event.write_end;
    if (settings_ != 0) request(TcpVerb::kSet, settings_);  // made before it was open
  }
  if (event.peer_closed) peer_closed_ = true;
  // A FIN occupies a position, but is not a byte.
  read_end_ = event.read_end - peer_closed_;
  write_end_ = event.write_end;
  if (event.writable) waits_for_space_ = false;
  if (event.closed) {
    over_ = true;
    if (event.failed) reset_ = true;
    queue_.clear();
  }
  if (!reset_) ask();
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
  received_.push(data, length);
  if (released_) discard();
  free_if_done();
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
  application_.request({verb, session_, argument, toggle, 0, 0, 0});
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

void TcpConnection::push() {
  while (const size_t part =
             std::min<size_t>({queue_.size(), write_end_ - written_, kChunkBytes})) {
    send_part(queue_.data(), part);
    queue_.pop(part);
  }
  if (!queue_.empty()) request_space(queue_.size());
  if (closing_ && queue_.empty() && !close_sent_ && !over_) {
    close_sent_ = true;
    request(TcpVerb::kClose, written_);
  }
}

}  // namespace bombus
