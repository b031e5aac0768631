// SPDX-License-Identifier: Apache-2.0
// The sockets of all applications outside the design, and how a program waits for them.
#ifndef BOMBUS_TCP_SOCKETS_H_
#define BOMBUS_TCP_SOCKETS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "bombus_tcp.h"
#include "extensions.h"
#include "simulator.h"
#include "tcp_application.h"

namespace bombus {

class TcpSockets : public Extension {
 public:
  explicit TcpSockets(Simulator& simulator) : simulator_(simulator) {}

  // A socket and the application to which it belongs.
  template <typename Socket>
  struct Owned {
    TcpApplication& application;
    Socket& socket;
    Socket* operator->() const { return &socket; }
  };

  // All of these throw Failure if there is none.
  // tile: null: the first tile that has an application.
  TcpApplication& application(const char* tile);
  Owned<TcpListener> listener(int number);
  // A connection that the program may have closed, but whose session is not free.
  Owned<TcpConnection> connection(int number);
  // One that the program has not closed.
  Owned<TcpConnection> usable_connection(int number);
  // One that is open, or was.
  Owned<TcpConnection> opened_connection(int number);

  bool is_listener(int number);
  // Null if there is none.
  TcpConnection* find(int number);

  // Lets time pass until a condition holds, at most so long; returns whether it does. Sockets
  // may end meanwhile. Throws Failure.
  bool wait(TcpApplication& application, uint64_t timeout_us,
            const std::function<bool()>& condition);
  void set_pass_time(bombus_pass_time pass_time, void* context) {
    pass_time_ = pass_time;
    pass_time_context_ = context;
  }

  // Forgets all sockets.
  void reset() override {
    applications_.clear();
    common_.unanswered = 0;
  }

 private:
  [[noreturn]] void refuse_number(int number, const char* wanted);

  Simulator& simulator_;
  std::map<std::string, std::unique_ptr<TcpApplication>> applications_;  // by tile
  TcpCommon common_;
  bombus_pass_time pass_time_ = nullptr;
  void* pass_time_context_ = nullptr;
};

}  // namespace bombus
#endif
