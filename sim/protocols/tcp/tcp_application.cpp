// SPDX-License-Identifier: Apache-2.0
#include "tcp_application.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <optional>
#include <utility>

#include "arguments.h"

namespace bombus {

namespace {

constexpr std::string_view kPort = "tcp_port";  // parameter of an application

// The TCP port that the design gives to a tile; 0: none.
uint16_t given_port(const std::string& tile) {
  for (const LayerParameter& each : layer_parameters()) {
    if (each.tile == tile && each.name == kPort) return static_cast<uint16_t>(each.value);
  }
  return 0;
}

// A parameter of the design's engine: the least one, if there are several; nothing without one.
std::optional<uint64_t> engine_parameter(std::string_view name) {
  std::optional<uint64_t> least;
  for (const LayerParameter& each : layer_parameters()) {
    if (each.kind != "tcp" || each.name != name) continue;
    least = std::min(least.value_or(UINT64_MAX), each.value);
  }
  return least;
}

TcpBuffers engine_buffers() {
  return {engine_parameter("send_bytes").value_or(0),
          engine_parameter("receive_bytes").value_or(0)};
}

uint16_t checked_port(uint32_t port, const char* name = "port", uint32_t least = 1) {
  if (port < least || port > 65535) {
    refuse(std::string(name) + ": should be " + std::to_string(least) + " to 65535, not " +
           std::to_string(port));
  }
  return static_cast<uint16_t>(port);
}

}  // namespace

TcpApplication::TcpApplication(Simulator& simulator, StreamPort& out, StreamPort& in,
                               std::string tile, TcpCommon& common)
    : simulator_(simulator),
      out_(out),
      in_(in),
      tile_(std::move(tile)),
      messages_(out, in),
      port_(given_port(tile_)),
      buffers_(engine_buffers()),
      common_(common) {}

// ---- For programs ----

int TcpApplication::listen(uint32_t wanted, uint32_t backlog) {
  const uint16_t port = checked_port(wanted);
  const std::string text = std::to_string(port);
  if (port_ != 0 && port_ != port) {
    refuse("tile " + tile_ + " has port " + std::to_string(port_) + " only, not " + text);
  }
  check_unused(port);
  request({TcpVerb::kListen, 0, port, false, 0, 0, 0, 0});
  listeners_[++common_.last_number] = {port, backlog, {}};
  return common_.last_number;
}

void TcpApplication::check_unused(uint16_t port) const {
  const std::string text = std::to_string(port);
  for (const LayerParameter& each : layer_parameters()) {
    if (each.name == kPort && each.value == port && each.tile != tile_) {
      throw Failure(EADDRINUSE, "port " + text + " is that of tile " + std::string(each.tile));
    }
  }
  for (const auto& [number, listener] : listeners_) {
    if (listener.port == port) throw Failure(EADDRINUSE, "already listening on port " + text);
  }
}

int TcpApplication::open(uint32_t ip, uint32_t wanted, uint32_t mac_port, uint32_t wanted_own) {
  const uint16_t port = checked_port(wanted);
  const uint16_t own_port = checked_port(wanted_own, "own_port", 0);
  if (own_port != 0) {
    check_unused(own_port);
    if (own_port == port_) {  // by which connections of peers are known
      throw Failure(EADDRINUSE, "port " + std::to_string(port_) + " is that of tile " + tile_);
    }
  }
  if (mac_port >= kMacPorts) refuse("no MAC port " + std::to_string(mac_port));
  TcpConnection& connection = add(ip, port, mac_port);
  // The engine would lose a request beyond those for which it has room.
  if (common_.unanswered == engine_parameter("num_sessions")) {
    fail(connection, ENOBUFS);
    return connection.number();
  }
  ++common_.unanswered;
  openings_.push_back({&connection, mac_port, own_port});
  request({TcpVerb::kConnect, 0, ip, false, mac_port, port, port_, own_port});
  return connection.number();
}

void TcpApplication::close_listener(int number) {
  const std::deque<int> waiting = std::move(listeners_.at(number).waiting);
  request({TcpVerb::kUnlisten, 0, listeners_.at(number).port, false, 0, 0, 0, 0});
  listeners_.erase(number);
  for (const int each : waiting) {
    if (TcpConnection* left = connection(each)) abort(*left);
  }
}

void TcpApplication::close(TcpConnection& connection) {
  connection.close();
  forget_waiting(connection);
  remove_if_done(connection);
}

void TcpApplication::abort(TcpConnection& connection) {
  connection.abort();
  forget_waiting(connection);
  remove_if_done(connection);
}

// A program may end a connection that it has not accepted.
void TcpApplication::forget_waiting(const TcpConnection& connection) {
  for (auto& [number, listener] : listeners_) {
    auto& waiting = listener.waiting;
    const auto found = std::find(waiting.begin(), waiting.end(), connection.number());
    if (found != waiting.end()) waiting.erase(found);
  }
}

TcpListener* TcpApplication::listener(int number) {
  const auto found = listeners_.find(number);
  return found == listeners_.end() ? nullptr : &found->second;
}

TcpConnection* TcpApplication::connection(int number) {
  const auto found = connections_.find(number);
  return found == connections_.end() ? nullptr : found->second.get();
}

void TcpApplication::take_all() {
  auto& received = out_.received();
  while (!received.empty()) {
    const Message message = std::move(received.front());
    received.pop_front();
    if (messages_.is_data(message)) {
      take_data(message);
    } else {
      take_event(messages_.event(message));
    }
  }
}

std::vector<bombus_tcp_news> TcpApplication::take_news(size_t most) {
  std::vector<bombus_tcp_news> taken;
  for (; taken.size() < most && !news_.empty(); news_.pop_front()) {
    const int number = news_.front();
    const TcpConnection* known = connection(number);
    taken.push_back({number, known ? known->state() : changes_.at(number)});
    changes_.erase(number);
  }
  return taken;
}

std::vector<int> TcpApplication::connections() const {
  std::vector<int> numbers;
  for (const auto& [session, connection] : sessions_) {
    if (connection->is_opened()) numbers.push_back(connection->number());
  }
  return numbers;
}

// ---- For connections ----

void TcpApplication::read(TcpConnection& connection, uint32_t start, uint32_t length) {
  reads_.push_back(&connection);
  send(messages_.read(port_, connection.session(), start, length));
}

// ---- Messages ----

void TcpApplication::take_data(const Message& message) {
  if (reads_.empty()) throw Failure(EIO, "the design has sent bytes that were not asked for");
  TcpConnection& connection = *reads_.front();
  reads_.pop_front();
  connection.take_data(message.data.data(), message.data.size());
  add_news(connection);
  remove_if_done(connection);
}

void TcpApplication::take_event(const TcpEvent& event) {
  if (event.connecting) return take_connecting(event);
  if (event.opened) return take_opened(event);
  if (event.failed && !event.closed) {
    const int error = event.cause == TcpCause::kPortInUse ? EADDRINUSE : ENOBUFS;
    if (TcpConnection* connection = answered(event)) fail(*connection, error);
    return;
  }
  const auto found = sessions_.find(event.session);
  if (found == sessions_.end()) return;
  TcpConnection& connection = *found->second;
  if (event.closed && !connection.is_opened()) return take_failed(connection, event);
  connection.take(event);
  add_news(connection);
  remove_if_done(connection);
}

void TcpApplication::take_connecting(const TcpEvent& event) {
  TcpConnection* connection = answered(event);
  if (connection == nullptr) return;
  sessions_[event.session] = connection;
  connection->begin(event.session);
}

void TcpApplication::take_opened(const TcpEvent& event) {
  const auto found = sessions_.find(event.session);
  const bool requested = found != sessions_.end();
  TcpConnection& connection =
      requested ? *found->second : add(event.ip, event.peer_port, event.mac_port);
  sessions_[event.session] = &connection;
  connection.take(event);
  add_news(connection);
  if (requested) return;
  for (auto& [number, listener] : listeners_) {
    if (listener.port != event.own_port) continue;
    if (listener.backlog != 0 && listener.waiting.size() >= listener.backlog) break;
    listener.waiting.push_back(connection.number());
    return;
  }
  abort(connection);
}

void TcpApplication::take_failed(TcpConnection& connection, const TcpEvent& event) {
  sessions_.erase(event.session);
  request({TcpVerb::kFree, event.session, event.write_end, false, 0, 0, 0, 0});
  fail(connection, connection.error_of(event.cause, ECONNREFUSED));
}

TcpConnection* TcpApplication::answered(const TcpEvent& event) {
  uint16_t own_port = event.own_port;
  const auto fits = [&](const Opening& each) {
    return each.own_port == own_port && each.mac_port == event.mac_port &&
           each.connection->ip() == event.ip && each.connection->peer_port() == event.peer_port;
  };
  auto found = std::find_if(openings_.begin(), openings_.end(), fits);
  if (found == openings_.end()) {
    own_port = 0;  // the engine has chosen it
    found = std::find_if(openings_.begin(), openings_.end(), fits);
    if (found == openings_.end()) return nullptr;
    if (event.failed) {
      found = std::prev(std::find_if(openings_.rbegin(), openings_.rend(), fits).base());
    }
  }
  TcpConnection* connection = found->connection;
  openings_.erase(found);
  --common_.unanswered;
  return connection;
}

TcpConnection& TcpApplication::add(uint32_t ip, uint16_t peer_port, uint32_t mac_port) {
  const int number = ++common_.last_number;
  auto made = std::make_unique<TcpConnection>(*this, number, ip, peer_port, mac_port);
  return *(connections_[number] = std::move(made));
}

void TcpApplication::fail(TcpConnection& connection, int error) {
  connection.fail(error);
  add_news(connection);
  remove_if_done(connection);
}

void TcpApplication::add_news(const TcpConnection& connection) {
  const auto [at, is_new] = changes_.try_emplace(connection.number(), 0);
  at->second = connection.state();
  if (!is_new) return;
  news_.push_back(connection.number());
  if (news_.size() > kMostNews) {
    changes_.erase(news_.front());
    news_.pop_front();
  }
}

void TcpApplication::remove_if_done(TcpConnection& connection) {
  if (!connection.is_done()) return;
  const auto session = sessions_.find(connection.session());
  if (session != sessions_.end() && session->second == &connection) sessions_.erase(session);
  connections_.erase(connection.number());
}

}  // namespace bombus
