// SPDX-License-Identifier: Apache-2.0
// A connection of an application outside the design: bytes, ends, and the messages that these take.
#ifndef BOMBUS_TCP_CONNECTION_H_
#define BOMBUS_TCP_CONNECTION_H_

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>

#include "byte_queue.h"
#include "tcp_messages.h"

namespace bombus {

class TcpApplication;

class TcpConnection {
 public:
  // A requested connection, or one that a peer has opened; take() opens it.
  TcpConnection(TcpApplication& application, int number, uint32_t ip, uint16_t peer_port)
      : application_(application), number_(number), ip_(ip), peer_port_(peer_port) {}

  int number() const { return number_; }
  uint16_t session() const { return session_; }  // once it is open
  uint32_t ip() const { return ip_; }
  uint16_t peer_port() const { return peer_port_; }
  uint16_t own_port() const { return own_port_; }  // once it is open
  std::string peer() const;  // "10.77.0.1 port 80"

  // BOMBUS_TCP_OPENED ... BOMBUS_TCP_RESET, as far as they hold.
  uint32_t state() const;
  bool is_opened() const { return opened_; }
  bool is_reset() const { return reset_; }
  bool is_over() const { return over_; }
  bool is_released() const { return released_; }  // the program has closed it
  bool is_shut() const { return closing_; }
  bool at_end() const { return peer_closed_ && taken_ == read_end_; }
  // It has ended on both sides, the program has closed it, and no more events can arrive.
  bool is_done() const { return released_ && over_ && pending_reads_ == 0; }
  // An errno value: why it could not be opened, or ECONNRESET; else 0
  int error() const { return error_ == 0 && reset_ ? ECONNRESET : error_; }

  // ---- For programs ----

  const ByteQueue& received() const { return received_; }
  // Takes received bytes; length: at most those.
  void take_received(size_t length);
  // Bytes for which the send buffer has space, after those that wait.
  size_t space() const { return queue_.empty() ? write_end_ - written_ : 0; }
  size_t unsent() const { return queue_.size(); }
  void write(const uint8_t* data, size_t length);
  // Sends as many bytes as there is space for; if some are left, an event will report space.
  size_t send(const uint8_t* data, size_t length);
  // kNoDelay, kNoKeepalive
  uint32_t settings() const { return settings_; }
  void set(uint32_t settings);
  // An event will report space for about this many bytes.
  void request_space(size_t length);
  void shutdown();
  void close();
  void abort();

  // ---- For the application ----

  void take(const TcpEvent& event);
  void take_data(const uint8_t* data, size_t length);
  // It cannot be opened.
  void fail(int error);
  // Frees the session if it is not needed any more; the connection is done then.
  void free_if_done();

 private:
  void request(TcpVerb verb, uint32_t argument = 0, bool toggle = false);
  // Requests all bytes in the receive buffer.
  void ask();
  void send_part(const uint8_t* data, size_t length);
  // Sends the waiting bytes, then the end.
  void push();
  void discard() { take_received(received_.size()); }

  TcpApplication& application_;
  int number_;
  uint32_t ip_;
  uint16_t peer_port_;
  uint16_t own_port_ = 0;
  uint16_t session_ = 0;
  bool opened_ = false;

  // Places in the streams: positions modulo 2^32
  uint32_t asked_ = 0, taken_ = 0, read_end_ = 0;
  uint32_t written_ = 0, write_end_ = 0;
  ByteQueue received_;
  ByteQueue queue_;  // waits for space in the send buffer
  unsigned pending_reads_ = 0;

  uint32_t settings_ = 0;
  bool readable_toggle_ = false, writable_toggle_ = false;
  bool waits_for_space_ = false;
  bool peer_closed_ = false;
  bool closing_ = false, close_sent_ = false;
  bool reset_ = false;
  bool over_ = false;  // the session has ended
  bool released_ = false;
  bool freed_ = false;
  int error_ = 0;  // why it could not be opened
};

}  // namespace bombus
#endif
