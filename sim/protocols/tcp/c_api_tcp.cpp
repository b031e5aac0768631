// SPDX-License-Identifier: Apache-2.0
// The C interface of TCP sockets (bombus_tcp.h).
#include <algorithm>
#include <climits>

#include "call.h"
#include "tcp_sockets.h"

using namespace bombus;

namespace bombus {

namespace {

constexpr uint32_t kAwaited = BOMBUS_TCP_OPENED | BOMBUS_TCP_READABLE | BOMBUS_TCP_WRITABLE |
                              BOMBUS_TCP_SENT | BOMBUS_TCP_CLOSED;

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

// Throws if the connection could not be opened.
void check_opening(const TcpConnection& connection) {
  if (connection.is_opened() || !connection.is_over()) return;
  const char* reason = connection.error() == ENOBUFS
                           ? "all sessions are in use"
                           : "the peer has refused it, or has not answered";
  throw Failure(connection.error(), reason);
}

void check_sending(const TcpConnection& connection) {
  if (connection.is_reset()) {
    throw Failure(ECONNRESET, "the connection with " + connection.peer() + " was reset");
  }
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

uint64_t option_of(const TcpConnection& connection, uint32_t option) {
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
    case BOMBUS_TCP_NODELAY: return (connection.settings() & kNoDelay) != 0;
    case BOMBUS_TCP_KEEPALIVE: return (connection.settings() & kNoKeepalive) == 0;
    default: refuse_option(option, " of a connection");
  }
}

void set_option(TcpConnection& connection, uint32_t option, uint64_t value) {
  const bool is_delay = option == BOMBUS_TCP_NODELAY;
  if (!is_delay && option != BOMBUS_TCP_KEEPALIVE) {
    refuse_option(option, " of a connection that can be set");
  }
  if (value > 1) refuse("value: should be 0 or 1, not " + std::to_string(value));
  const uint32_t bit = is_delay ? kNoDelay : kNoKeepalive;
  const bool is_set = is_delay == (value == 1);
  connection.set((connection.settings() & ~bit) | (is_set ? bit : 0));
}

}  // namespace

}  // namespace bombus

extern "C" {

int bombus_tcp_set_pass_time(bombus_sim* sim, bombus_pass_time pass_time, void* context) {
  return call(sim, [&](Simulator&) {
    sockets(sim).set_pass_time(pass_time, context);
    return 0;
  });
}

int bombus_tcp_listen(bombus_sim* sim, const char* tile, uint32_t port, uint32_t backlog) {
  return call(sim,
              [&](Simulator&) { return sockets(sim).application(tile).listen(port, backlog); });
}

int bombus_tcp_accept(bombus_sim* sim, int listener, uint64_t timeout_us) {
  return call(sim, [&](Simulator&) {
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
                    uint32_t mac_port) {
  return call(sim,
              [&](Simulator&) { return sockets(sim).application(tile).open(ip, port, mac_port); });
}

int bombus_tcp_connect(bombus_sim* sim, const char* tile, uint32_t ip, uint32_t port,
                       uint32_t mac_port, uint64_t timeout_us) {
  if (sim != nullptr && timeout_us == 0) {
    return unsuccessful(sim, EINVAL, "timeout_us: should be 1 or more; bombus_tcp_open() is "
                                     "for programs that do not wait");
  }
  const int number = bombus_tcp_open(sim, tile, ip, port, mac_port);
  if (number < 0) return number;
  const int status = bombus_tcp_await(sim, number, BOMBUS_TCP_OPENED, timeout_us);
  if (status >= 0 && (status & BOMBUS_TCP_OPENED) != 0) return number;
  if (status >= 0) return unsuccessful(sim, ECONNRESET, "the design was reset");
  const std::string reason = sim->error;
  bombus_tcp_abort(sim, number);
  sim->error = reason;
  return status;
}

int bombus_tcp_send(bombus_sim* sim, int connection, const uint8_t* data, size_t length,
                    uint64_t timeout_us) {
  return call(sim, [&](Simulator&) {
    check_length(length, "length");
    check_pointer(data, "data");
    check_sending(sockets(sim).opened_connection(connection).socket);
    size_t sent = 0;
    // Sends as many bytes as there is space for. Done when all are sent or no more can be sent.
    const auto all_sent = [&] {
      TcpConnection* current = sockets(sim).find(connection);
      if (current == nullptr || current->is_over() || current->is_shut()) return true;
      sent += current->send(data + sent, length - sent);
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

int bombus_tcp_write(bombus_sim* sim, int connection, const uint8_t* data, size_t length) {
  return call(sim, [&](Simulator&) {
    if (length != 0) check_pointer(data, "data");
    TcpConnection& current = sockets(sim).opened_connection(connection).socket;
    check_sending(current);
    current.write(data, length);
    return 0;
  });
}

int bombus_tcp_receive(bombus_sim* sim, int connection, uint8_t* data, size_t capacity,
                       uint64_t timeout_us) {
  return call(sim, [&](Simulator&) {
    check_length(capacity, "capacity");
    check_pointer(data, "data");
    if (sockets(sim).opened_connection(connection)->received().empty()) {
      const int status =
          await_state(sim, connection, BOMBUS_TCP_READABLE, timeout_us, "nothing has come");
      if (status != 0) return status;
    }
    TcpConnection& current = sockets(sim).usable_connection(connection).socket;
    const size_t length = std::min(capacity, current.received().size());
    if (length == 0 && current.is_reset()) {
      throw Failure(ECONNRESET, "the connection with " + current.peer() + " was reset");
    }
    std::copy_n(current.received().data(), length, data);
    current.take_received(length);
    return static_cast<int>(length);
  });
}

int bombus_tcp_shutdown(bombus_sim* sim, int connection) {
  return call(sim, [&](Simulator&) {
    sockets(sim).opened_connection(connection)->shutdown();
    return 0;
  });
}

int bombus_tcp_close(bombus_sim* sim, int socket) {
  return call(sim, [&](Simulator&) {
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
  return call(sim, [&](Simulator&) {
    const auto found = sockets(sim).connection(connection);
    found.application.abort(found.socket);
    return 0;
  });
}

int bombus_tcp_await(bombus_sim* sim, int connection, uint32_t conditions, uint64_t timeout_us) {
  return call(sim, [&](Simulator&) {
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
  return call(sim, [&](Simulator&) {
    if (capacity != 0) check_pointer(news, "news");
    TcpApplication& application = sockets(sim).application(tile);
    application.take_all();
    const auto taken = application.take_news(capacity);
    std::copy(taken.begin(), taken.end(), news);
    return static_cast<int>(taken.size());
  });
}

int bombus_tcp_get(bombus_sim* sim, int socket, uint32_t option, uint64_t* value) {
  return call(sim, [&](Simulator&) {
    check_pointer(value, "value");
    TcpSockets& all = sockets(sim);
    *value = all.is_listener(socket) ? option_of(all.listener(socket).socket, option)
                                     : option_of(all.connection(socket).socket, option);
    return 0;
  });
}

int bombus_tcp_set(bombus_sim* sim, int socket, uint32_t option, uint64_t value) {
  return call(sim, [&](Simulator&) {
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
  return call(sim, [&](Simulator&) {
    if (capacity != 0) check_pointer(connections, "connections");
    const auto found = sockets(sim).application(tile).connections();
    std::copy_n(found.begin(), std::min(capacity, found.size()), connections);
    return static_cast<int>(found.size());
  });
}

}  // extern "C"
