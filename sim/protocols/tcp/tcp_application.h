// SPDX-License-Identifier: Apache-2.0
// The sockets of one application outside the design: its listeners and connections, and the
// messages that belong to them.
#ifndef BOMBUS_TCP_APPLICATION_H_
#define BOMBUS_TCP_APPLICATION_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "bombus_tcp.h"
#include "simulator.h"
#include "tcp_connection.h"
#include "tcp_messages.h"

namespace bombus {

struct TcpListener {
  uint16_t port;
  uint32_t backlog;  // 0: no limit
  std::deque<int> waiting;  // numbers of connections
};

// State shared by all applications.
struct TcpCommon {
  int last_number = 0;      // of a socket
  unsigned unanswered = 0;  // connections requested from the engine
};

class TcpApplication {
 public:
  TcpApplication(Simulator& simulator, StreamPort& out, StreamPort& in, std::string tile,
                 TcpCommon& common);
  TcpApplication(const TcpApplication&) = delete;
  TcpApplication& operator=(const TcpApplication&) = delete;

  const std::string& tile() const { return tile_; }
  StreamPort& out() { return out_; }
  const TcpBuffers& buffers() const { return buffers_; }

  // ---- For programs. Numbers are those of sockets. ----

  // These throw Failure.
  int listen(uint32_t port, uint32_t backlog);
  // own_port: 0: the engine chooses one.
  int open(uint32_t ip, uint32_t port, uint32_t mac_port, uint32_t own_port);
  // Ends a listener; connections that wait there are reset.
  void close_listener(int number);
  // These end a connection, and remove it if no more events can arrive.
  void close(TcpConnection& connection);
  void abort(TcpConnection& connection);

  // Null if there is none.
  TcpListener* listener(int number);
  TcpConnection* connection(int number);

  // Handles all received messages.
  void take_all();
  // Moves the oldest news.
  std::vector<bombus_tcp_news> take_news(size_t most);
  // Those that are or were open and whose sessions are not free, by session.
  std::vector<int> connections() const;

  // ---- For connections ----

  void request(const TcpRequest& request) { send(messages_.request(request)); }
  void read(TcpConnection& connection, uint32_t start, uint32_t length);
  void send_data(uint16_t session, uint32_t start, const uint8_t* data, size_t length) {
    send(messages_.data(session, start, data, length));
  }

 private:
  static constexpr size_t kMostNews = 65536;

  // Throws Failure if another tile has the port, or a listener of this one.
  void check_unused(uint16_t port) const;
  void forget_waiting(const TcpConnection& connection);
  void send(Message message) { simulator_.send_message(in_, std::move(message)); }
  void take_data(const Message& message);
  void take_event(const TcpEvent& event);
  void take_connecting(const TcpEvent& event);
  void take_opened(const TcpEvent& event);
  // A requested connection ends before it is open.
  void take_failed(TcpConnection& connection, const TcpEvent& event);
  struct Opening {
    TcpConnection* connection;
    uint32_t mac_port;
    uint16_t own_port;  // 0: any
  };
  // The request for a connection that an event answers, which is then forgotten; null: none. Of
  // those to the same peer, with ports that the engine chooses, it is the oldest one; if there was
  // no session for it, the newest one, since earlier ones have got theirs.
  TcpConnection* answered(const TcpEvent& event);
  TcpConnection& add(uint32_t ip, uint16_t peer_port, uint32_t mac_port);
  void fail(TcpConnection& connection, int error);
  void add_news(const TcpConnection& connection);
  void remove_if_done(TcpConnection& connection);

  Simulator& simulator_;
  StreamPort& out_;
  StreamPort& in_;
  std::string tile_;
  TcpMessages messages_;
  uint16_t port_;  // that the design gives the application; 0: any
  TcpBuffers buffers_;
  TcpCommon& common_;

  std::map<int, TcpListener> listeners_;
  std::unordered_map<int, std::unique_ptr<TcpConnection>> connections_;
  std::map<uint16_t, TcpConnection*> sessions_;
  std::deque<Opening> openings_;         // not answered, the oldest first
  std::deque<TcpConnection*> reads_;     // in the order of the bytes to arrive
  std::deque<int> news_;                 // changed connections, the oldest change first
  std::unordered_map<int, uint32_t> changes_;  // of each in news_: its last state
};

}  // namespace bombus
#endif
