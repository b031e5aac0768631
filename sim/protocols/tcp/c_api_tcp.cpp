// SPDX-License-Identifier: Apache-2.0
// The C interface of TCP sockets (bombus_tcp.h).
#include <algorithm>
#include <climits>
#include <string>
#include <system_error>

#include "call.h"
#include "tcp_sockets.h"

using namespace bombus;

namespace bombus {

namespace {

constexpr uint32_t kAwaited = BOMBUS_TCP_OPENED | BOMBUS_TCP_READABLE | BOMBUS_TCP_WRITABLE |
                              BOMBUS_TCP_SENT | BOMBUS_TCP_CLOSED;

// Runs a call. Its reason begins with the text of the errno value, as perror() writes it.
template <typename Function>
int socket_call(bombus_sim* sim, Function function) noexcept {
  const int result = call(sim, function);
  if (result >= 0) return result;
  std::string& reason = sim != nullptr ? sim->error : error_without_simulator();
  caught(reason, [&] {
    reason = std::generic_category().message(-result) + ": " + reason;
    return 0;
  });
  return result;
}

TcpSockets& sockets(bombus_sim* sim) { return sim->extensions.get<TcpSockets>(); }

int not_yet(bombus_sim* sim, uint64_t timeout_us, const std::string& what) {
  if (timeout_us == 0) return unsuccessful(sim, EAGAIN, what.c_str());
  const std::string text = what + " in " + std::to_string(timeout_us) + " us";
  return unsuccessful(sim, ETIMEDOUT, text.c_str());
}

// The state of a connection; one that no longer exists is closed.
uint32_t state_of(bombus_sim* sim, int number) {
  const TcpConnection* connection = sockets(sim).find(number);
  return connection != nullptr ? connection->state() : uint32_t{BOMBUS_TCP_CLOSED};
}

// 0: one of the conditions holds, or the connection no longer exists, or cannot be opened.
int await_state(bombus_sim* sim, int number, uint32_t conditions, uint64_t timeout_us,
                const char* what) {
  TcpApplication& application = sockets(sim).connection(number).application;
  const auto holds = [&] {
    const TcpConnection* connection = sockets(sim).find(number);
    if (connection == nullptr || (connection->is_over() && !connection->is_opened())) return true;
    return (connection->state() & conditions) != 0;
  };
  return sockets(sim).wait(application, timeout_us, holds) ? 0 : not_yet(sim, timeout_us, what);
}

// Why a connection has ended, or could not be opened.
[[noreturn]] void refuse_ended(const TcpConnection& connection) {
  const int error = connection.error();
  const bool was_open = connection.is_opened();
  const std::string peer = "the peer" + (was_open ? " " + connection.peer() : std::string());
  switch (error) {
    case ENOBUFS: throw Failure(error, "all sessions are in use");
    case EADDRINUSE: throw Failure(error, "the local port is in use");
    case ECONNABORTED: throw Failure(error, "it was idle, and the engine needed its session");
    case ETIMEDOUT: throw Failure(error, peer + " has not answered");
    case EHOSTUNREACH:
      throw Failure(error, peer + " has not answered, and the path has reported an error");
    case ECONNREFUSED:
      throw Failure(error, was_open ? peer + " has not answered, and reports a closed port"
                                    : peer + " has refused it");
    default: throw Failure(error, "the connection with " + connection.peer() + " was reset");
  }
}

// Throws if the connection could not be opened.
void check_opening(const TcpConnection& connection) {
  if (!connection.is_opened() && connection.is_over()) refuse_ended(connection);
}

void check_sending(const TcpConnection& connection) {
  if (connection.is_reset()) refuse_ended(connection);
  if (connection.is_shut() || connection.is_over()) {
    throw Failure(EPIPE, "the connection with " + connection.peer() + " has been shut down");
  }
}

void check_length(size_t length, const char* name) {
  if (length < 1 || length > INT_MAX) {
    refuse(std::string(name) + ": should be 1 to " + std::to_string(INT_MAX) + ", not " +
           std::to_string(length));
  }
}

void check_flags(uint32_t flags, uint32_t allowed) {
  if ((flags & ~allowed) == 0) return;
  refuse("flags: should be " + std::to_string(allowed) + " or 0, not " + std::to_string(flags));
}

[[noreturn]] void refuse_option(uint32_t option, const char* of) {
  throw Failure(ENOPROTOOPT, "there is no option " + std::to_string(option) + of);
}

uint64_t option_of(const TcpListener& listener, uint32_t option) {
  switch (option) {
    case BOMBUS_TCP_PORT: return listener.port;
    case BOMBUS_TCP_WAITING: return listener.waiting.size();
    case BOMBUS_TCP_BACKLOG: return listener.backlog;
    default: refuse_option(option, " of a listener");
  }
}

uint64_t buffer_of(size_t bytes) {
  if (bytes == 0) throw Failure(ENOPROTOOPT, "the design has no TCP engine that is known");
  return bytes;
}

uint64_t option_of(const TcpApplication& application, const TcpConnection& connection,
                   uint32_t option) {
  switch (option) {
    case BOMBUS_TCP_AVAILABLE: return connection.received().size();
    case BOMBUS_TCP_UNSENT: return connection.unsent();
    case BOMBUS_TCP_PEER_IP: return connection.ip();
    case BOMBUS_TCP_PEER_PORT: return connection.peer_port();
    case BOMBUS_TCP_PORT: return connection.own_port();
    case BOMBUS_TCP_SESSION:
      if (!connection.is_opened()) {
        throw Failure(ENOTCONN, "the connection with " + connection.peer() + " is not open");
      }
      return connection.session();
    case BOMBUS_TCP_STATE: return connection.state();
    case BOMBUS_TCP_AT_END: return connection.is_opened() && connection.at_end();
    case BOMBUS_TCP_ERROR: return static_cast<uint64_t>(connection.error());
    case BOMBUS_TCP_SOFT_ERROR: return static_cast<uint64_t>(connection.soft_error());
    case BOMBUS_TCP_MAC_PORT: return connection.mac_port();
    case BOMBUS_TCP_MSS: return connection.mss();
    case BOMBUS_TCP_SEND_BUFFER: return buffer_of(application.buffers().send);
    case BOMBUS_TCP_RECEIVE_BUFFER: return buffer_of(application.buffers().receive);
    case BOMBUS_TCP_CORK: return connection.is_cork();
    case BOMBUS_TCP_NODELAY: return connection.has_setting(kNoDelay);
    case BOMBUS_TCP_KEEPALIVE: return !connection.has_setting(kNoKeepalive);
    case BOMBUS_TCP_USER_TIMEOUT: return connection.user_timeout_ms();
    default: refuse_option(option, " of a connection");
  }
}

void set_option(TcpConnection& connection, uint32_t option, uint64_t value) {
  const auto check_value = [&](uint64_t most = 1) {
    if (value <= most) return;
    const std::string text = most <= 1 ? "0 or 1" : "0 to " + std::to_string(most);
    refuse("value: should be " + (most == 0 ? "0" : text) + ", not " + std::to_string(value));
  };
  switch (option) {
    case BOMBUS_TCP_NODELAY:
      check_value();
      return connection.set(kNoDelay, value == 1);
    case BOMBUS_TCP_KEEPALIVE:
      check_value();
      return connection.set(kNoKeepalive, value == 0);
    case BOMBUS_TCP_USER_TIMEOUT:
      check_value(kMostUserTimeoutMs);
      return connection.set_user_timeout(static_cast<uint32_t>(value));
    case BOMBUS_TCP_CORK:
      check_value();
      return connection.set_cork(value == 1);
    case BOMBUS_TCP_SOFT_ERROR:
      check_value(0);
      return connection.clear_soft_error();
    default: refuse_option(option, " of a connection that can be set");
  }
}

}  // namespace

}  // namespace bombus

extern "C" {

int bombus_tcp_set_pass_time(bombus_sim* sim, bombus_pass_time pass_time, void* context) {
  return socket_call(sim, [&](Simulator&) {
    sockets(sim).set_pass_time(pass_time, context);
    return 0;
  });
}

int bombus_tcp_listen(bombus_sim* sim, const char* tile, uint32_t port, uint32_t backlog) {
  return socket_call(sim,
              [&](Simulator&) { return sockets(sim).application(tile).listen(port, backlog); });
}

int bombus_tcp_accept(bombus_sim* sim, int listener, uint64_t timeout_us) {
  return socket_call(sim, [&](Simulator&) {
    TcpApplication& application = sockets(sim).listener(listener).application;
    const auto ready = [&] {
      TcpSockets& all = sockets(sim);
      return !all.is_listener(listener) || !all.listener(listener)->waiting.empty();
    };
    if (!sockets(sim).wait(application, timeout_us, ready)) {
      return not_yet(sim, timeout_us, "no connection");
    }
    auto& waiting = sockets(sim).listener(listener)->waiting;
    const int connection = waiting.front();
    waiting.pop_front();
    return connection;
  });
}

int bombus_tcp_open(bombus_sim* sim, const char* tile, uint32_t ip, uint32_t port,
                    uint32_t mac_port, uint32_t own_port) {
  return socket_call(sim, [&](Simulator&) {
    return sockets(sim).application(tile).open(ip, port, mac_port, own_port);
  });
}

int bombus_tcp_connect(bombus_sim* sim, const char* tile, uint32_t ip, uint32_t port,
                       uint32_t mac_port, uint32_t own_port, uint64_t timeout_us) {
  const int number = socket_call(sim, [&](Simulator&) {
    if (timeout_us == 0) {
      refuse("timeout_us: should be 1 or more; bombus_tcp_open() is for programs that do not wait");
    }
    return sockets(sim).application(tile).open(ip, port, mac_port, own_port);
  });
  if (number < 0) return number;
  const int status = bombus_tcp_await(sim, number, BOMBUS_TCP_OPENED, timeout_us);
  if (status >= 0 && (status & BOMBUS_TCP_OPENED) != 0) return number;
  if (status >= 0) {
    return socket_call(sim, [](Simulator&) -> int {
      throw Failure(ECONNRESET, "the design was reset");
    });
  }
  const std::string reason = sim->error;
  bombus_tcp_abort(sim, number);
  sim->error = reason;
  return status;
}

int bombus_tcp_send(bombus_sim* sim, int connection, const uint8_t* data, size_t length,
                    uint32_t flags, uint64_t timeout_us) {
  return socket_call(sim, [&](Simulator&) {
    check_flags(flags, BOMBUS_TCP_MORE);
    check_length(length, "length");
    check_pointer(data, "data");
    check_sending(sockets(sim).opened_connection(connection).socket);
    size_t sent = 0;
    // Sends as many bytes as there is space for. Done when all are sent or no more can be sent.
    const auto all_sent = [&] {
      TcpConnection* current = sockets(sim).find(connection);
      if (current == nullptr || current->is_over() || current->is_shut()) return true;
      sent += current->send(data + sent, length - sent, flags == BOMBUS_TCP_MORE);
      return sent == length;
    };
    TcpApplication& application = sockets(sim).connection(connection).application;
    const bool is_done = sockets(sim).wait(application, timeout_us, all_sent);
    if (sent != 0) return static_cast<int>(sent);
    if (!is_done) return not_yet(sim, timeout_us, "there is no space for the bytes");
    check_sending(sockets(sim).usable_connection(connection).socket);
    return 0;
  });
}

int bombus_tcp_write(bombus_sim* sim, int connection, const uint8_t* data, size_t length,
                     uint32_t flags) {
  return socket_call(sim, [&](Simulator&) {
    check_flags(flags, BOMBUS_TCP_MORE);
    if (length != 0) check_pointer(data, "data");
    TcpConnection& current = sockets(sim).opened_connection(connection).socket;
    check_sending(current);
    current.write(data, length, flags == BOMBUS_TCP_MORE);
    return 0;
  });
}

int bombus_tcp_receive(bombus_sim* sim, int connection, uint8_t* data, size_t capacity,
                       uint32_t flags, uint64_t timeout_us) {
  return socket_call(sim, [&](Simulator&) {
    check_flags(flags, BOMBUS_TCP_PEEK);
    check_length(capacity, "capacity");
    check_pointer(data, "data");
    if (sockets(sim).opened_connection(connection)->received().empty()) {
      const int status =
          await_state(sim, connection, BOMBUS_TCP_READABLE, timeout_us, "nothing has come");
      if (status != 0) return status;
    }
    TcpConnection& current = sockets(sim).usable_connection(connection).socket;
    const size_t length = std::min(capacity, current.received().size());
    if (length == 0 && current.is_reset() && !current.is_read_shut()) refuse_ended(current);
    std::copy_n(current.received().data(), length, data);
    if (flags != BOMBUS_TCP_PEEK) current.take_received(length);
    return static_cast<int>(length);
  });
}

int bombus_tcp_shutdown(bombus_sim* sim, int connection, int how) {
  return socket_call(sim, [&](Simulator&) {
    if (how < BOMBUS_TCP_SHUT_READ || how > BOMBUS_TCP_SHUT_BOTH) {
      refuse("how: should be 0 to 2, not " + std::to_string(how));
    }
    TcpConnection& current = sockets(sim).opened_connection(connection).socket;
    if (how != BOMBUS_TCP_SHUT_WRITE) current.shut_reading();
    if (how != BOMBUS_TCP_SHUT_READ) current.shutdown();
    return 0;
  });
}

int bombus_tcp_close(bombus_sim* sim, int socket) {
  return socket_call(sim, [&](Simulator&) {
    if (sockets(sim).is_listener(socket)) {
      sockets(sim).listener(socket).application.close_listener(socket);
    } else {
      const auto connection = sockets(sim).usable_connection(socket);
      connection.application.close(connection.socket);
    }
    return 0;
  });
}

int bombus_tcp_abort(bombus_sim* sim, int connection) {
  return socket_call(sim, [&](Simulator&) {
    const auto found = sockets(sim).connection(connection);
    found.application.abort(found.socket);
    return 0;
  });
}

int bombus_tcp_await(bombus_sim* sim, int connection, uint32_t conditions, uint64_t timeout_us) {
  return socket_call(sim, [&](Simulator&) {
    if (conditions == 0 || (conditions & ~kAwaited) != 0) {
      refuse("conditions: should be some of those of bombus_tcp_await(), not " +
             std::to_string(conditions));
    }
    const bool is_end = conditions == BOMBUS_TCP_CLOSED;
    const auto found =
        is_end ? sockets(sim).connection(connection) : sockets(sim).usable_connection(connection);
    check_opening(found.socket);
    const bool waits_for_space = (conditions & BOMBUS_TCP_WRITABLE) != 0;
    if (waits_for_space && found->unsent() == 0 && found->space() == 0) found->request_space(1);
    const std::string peer = found->peer();
    const std::string what = is_end ? "the session has not ended"
                             : conditions == BOMBUS_TCP_OPENED ? "no connection with " + peer
                             : waits_for_space || conditions == BOMBUS_TCP_SENT
                                 ? "there is no space for the bytes"
                                 : "nothing has come";
    const int status = await_state(sim, connection, conditions, timeout_us, what.c_str());
    if (status != 0) return status;
    if (const TcpConnection* current = sockets(sim).find(connection)) check_opening(*current);
    return static_cast<int>(state_of(sim, connection));
  });
}

int bombus_tcp_poll(bombus_sim* sim, const char* tile, bombus_tcp_news* news, size_t capacity) {
  return socket_call(sim, [&](Simulator&) {
    if (capacity != 0) check_pointer(news, "news");
    TcpApplication& application = sockets(sim).application(tile);
    application.take_all();
    const auto taken = application.take_news(capacity);
    std::copy(taken.begin(), taken.end(), news);
    return static_cast<int>(taken.size());
  });
}

int bombus_tcp_get(bombus_sim* sim, int socket, uint32_t option, uint64_t* value) {
  return socket_call(sim, [&](Simulator&) {
    check_pointer(value, "value");
    TcpSockets& all = sockets(sim);
    if (all.is_listener(socket)) {
      *value = option_of(all.listener(socket).socket, option);
    } else {
      const auto connection = all.connection(socket);
      *value = option_of(connection.application, connection.socket, option);
    }
    return 0;
  });
}

int bombus_tcp_set(bombus_sim* sim, int socket, uint32_t option, uint64_t value) {
  return socket_call(sim, [&](Simulator&) {
    if (!sockets(sim).is_listener(socket)) {
      set_option(sockets(sim).usable_connection(socket).socket, option, value);
      return 0;
    }
    if (option != BOMBUS_TCP_BACKLOG) refuse_option(option, " of a listener that can be set");
    if (value > UINT32_MAX) refuse("backlog: should be at most " + std::to_string(UINT32_MAX));
    sockets(sim).listener(socket)->backlog = static_cast<uint32_t>(value);
    return 0;
  });
}

int bombus_tcp_connections(bombus_sim* sim, const char* tile, int32_t* connections,
                           size_t capacity) {
  return socket_call(sim, [&](Simulator&) {
    if (capacity != 0) check_pointer(connections, "connections");
    const auto found = sockets(sim).application(tile).connections();
    std::copy_n(found.begin(), std::min(capacity, found.size()), connections);
    return static_cast<int>(found.size());
  });
}

}  // extern "C"
