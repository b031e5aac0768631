// SPDX-License-Identifier: Apache-2.0
#include "tcp_sockets.h"

#include <cerrno>

#include "arguments.h"
#include "failure.h"

namespace bombus {

TcpApplication& TcpSockets::application(const char* tile) {
  auto& streams = simulator_.streams();
  for (StreamPort& out : streams) {
    if (tile != nullptr && out.tile() != tile) continue;
    for (StreamPort& in : streams) {
      if (in.tile() != out.tile() || !TcpMessages::are_carried(out, in)) continue;
      auto& known = applications_[out.tile()];
      if (!known) {
        known = std::make_unique<TcpApplication>(simulator_, out, in, out.tile(), common_);
      }
      return *known;
    }
  }
  throw Failure(ENOENT, (tile ? "tile " + std::string(tile) + " is" : "there is") +
                            std::string(" no tile that raises the messages of a TCP application "
                                        "to the top"));
}

TcpSockets::Owned<TcpListener> TcpSockets::listener(int number) {
  for (auto& [tile, application] : applications_) {
    if (TcpListener* found = application->listener(number)) return {*application, *found};
  }
  refuse_number(number, "listener");
}

TcpSockets::Owned<TcpConnection> TcpSockets::connection(int number) {
  for (auto& [tile, application] : applications_) {
    if (TcpConnection* found = application->connection(number)) return {*application, *found};
  }
  refuse_number(number, "connection");
}

TcpSockets::Owned<TcpConnection> TcpSockets::usable_connection(int number) {
  const auto found = connection(number);
  if (found->is_released()) {
    throw Failure(EBADF, "the connection with " + found->peer() + " has been closed");
  }
  return found;
}

TcpSockets::Owned<TcpConnection> TcpSockets::opened_connection(int number) {
  const auto found = usable_connection(number);
  if (!found->is_opened()) {
    throw Failure(ENOTCONN, "the connection with " + found->peer() + " is not open");
  }
  return found;
}

bool TcpSockets::is_listener(int number) {
  for (auto& [tile, application] : applications_) {
    if (application->listener(number) != nullptr) return true;
  }
  return false;
}

TcpConnection* TcpSockets::find(int number) {
  for (auto& [tile, application] : applications_) {
    if (TcpConnection* found = application->connection(number)) return found;
  }
  return nullptr;
}

void TcpSockets::refuse_number(int number, const char* wanted) {
  const std::string text = "socket " + std::to_string(number);
  if (find(number) != nullptr || is_listener(number)) {
    refuse(text + " is not a " + wanted);
  }
  const bool was_given = number >= 1 && number <= common_.last_number;
  throw Failure(EBADF, was_given ? text + " has been closed" : "there is no " + text);
}

bool TcpSockets::wait(TcpApplication& application, uint64_t timeout_us,
                      const std::function<bool()>& condition) {
  const auto now_us = [this] { return simulator_.time_ps() / kPicosecondsPerMicrosecond; };
  if (timeout_us > simulator_.cycles_left() * kPeriodPs / kPicosecondsPerMicrosecond) {
    refuse("timeout_us exceeds the limit of 106 days of virtual time");
  }
  const std::string tile = application.tile();
  const uint64_t end_us = now_us() + timeout_us;
  while (true) {
    // A function that lets time pass may have reset the design, and the applications with it.
    TcpApplication& current = this->application(tile.c_str());
    current.take_all();
    if (condition()) return true;
    const uint64_t now = now_us();
    if (now >= end_us) return false;
    if (pass_time_ == nullptr) {
      simulator_.await_message(&current.out(), end_us - now);
    } else if (pass_time_(pass_time_context_, end_us - now) != 0) {
      throw Interrupted();
    }
  }
}

}  // namespace bombus
