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

// Bytes of a session's buffers in the engine; 0: unknown.
struct TcpBuffers {
  size_t send, receive;
};

class TcpConnection {
 public:
  // A requested connection, or one that a peer has opened; take() opens it.
  TcpConnection(TcpApplication& application, int number, uint32_t ip, uint16_t peer_port,
                uint32_t mac_port)
      : application_(application), number_(number), ip_(ip), peer_port_(peer_port),
        mac_port_(mac_port) {}

  int number() const { return number_; }
  uint16_t session() const { return session_; }  // of a requested connection: once it is known
  uint32_t ip() const { return ip_; }
  uint16_t peer_port() const { return peer_port_; }
  uint16_t own_port() const { return own_port_; }  // once it is open
  uint32_t mac_port() const { return mac_port_; }
  uint32_t mss() const { return mss_; }  // as the last event says; 0: it is not open
  std::string peer() const;  // "10.77.0.1 port 80"

  // BOMBUS_TCP_OPENED ... BOMBUS_TCP_REPORTED, as far as they hold.
  uint32_t state() const;
  bool is_opened() const { return opened_; }
  bool is_reset() const { return reset_; }
  bool is_over() const { return over_; }
  bool is_released() const { return released_; }  // the program has closed it
  bool is_shut() const { return closing_; }
  bool is_read_shut() const { return read_shut_; }
  bool at_end() const { return read_shut_ || (peer_closed_ && taken_ == read_end_); }
  // It has ended on both sides, the program has closed it, and no more events can arrive.
  bool is_done() const { return released_ && over_ && pending_reads_ == 0; }
  // An errno value: why it could not be opened, or why it has ended; else 0
  int error() const { return error_ == 0 && reset_ ? ECONNRESET : error_; }
  // An errno value: the last error that the path has reported; else 0
  int soft_error() const { return soft_error_; }
  void clear_soft_error() { soft_error_ = 0; }

  // ---- For programs ----

  const ByteQueue& received() const { return received_; }
  // Takes received bytes; length: at most those.
  void take_received(size_t length);
  // Bytes for which the send buffer has space, after those that wait.
  size_t space() const { return room() > queue_.size() ? room() - queue_.size() : 0; }
  // Bytes that wait for space; a short segment that is held back does not.
  size_t unsent() const { return queue_.size() > room() ? queue_.size() - room() : 0; }
  // more: a short segment at the end is held back until the next call.
  void write(const uint8_t* data, size_t length, bool more);
  // Sends as many bytes as there is space for; if some are left, an event will report space.
  size_t send(const uint8_t* data, size_t length, bool more);
  // kNoDelay, kNoKeepalive
  bool has_setting(uint32_t bit) const { return (settings_ & bit) != 0; }
  void set(uint32_t bit, bool value);
  uint32_t user_timeout_ms() const { return user_timeout_ms_; }  // 0: that of the engine
  void set_user_timeout(uint32_t ms);  // at most kMostUserTimeoutMs
  // Whether all short segments are held back.
  bool is_cork() const { return cork_; }
  void set_cork(bool cork);
  // An event will report space for about this many bytes more.
  void request_space(size_t length);
  void shutdown();
  // Received bytes are discarded from now on.
  void shut_reading();
  // Sends what waits, and the end. Bytes of the peer that were not taken, or that arrive later,
  // reset the connection (RFC 9293, 3.6.1). One that is not open yet is given up.
  void close();
  void abort();

  // ---- For the application ----

  // A requested connection has got a session.
  void begin(uint16_t session);
  void take(const TcpEvent& event);
  void take_data(const uint8_t* data, size_t length);
  // The path has reported an error.
  void report(TcpCause cause);
  // It cannot be opened.
  void fail(int error);
  // An errno value for a connection that the engine has ended. RFC 5461, 2.2; as in Linux, an error
  // that the path has reported is the reason why the peer does not answer.
  int error_of(TcpCause cause, int reset) const {
    if (cause == TcpCause::kEvicted) return ECONNABORTED;
    if (cause != TcpCause::kTimeout) return reset;
    return soft_error_ != 0 ? soft_error_ : ETIMEDOUT;
  }
  // Frees the session if it is not needed any more; the connection is done then.
  void free_if_done();

 private:
  void request(TcpVerb verb, uint32_t argument = 0, bool toggle = false);
  void send_settings();
  // Requests all bytes in the receive buffer.
  void ask();
  void send_part(const uint8_t* data, size_t length);
  // Space in the send buffer, for the bytes of queue_ first.
  size_t room() const { return write_end_ - written_; }
  bool holds_back() const { return (cork_ || more_) && !closing_; }
  // Bytes of a segment that is not held back.
  size_t whole_segment() const;
  // Bytes of queue_ that can be sent now, in one message.
  size_t sendable() const;
  // Sends the waiting bytes, then the end.
  void push();
  void discard() { take_received(received_.size()); }

  TcpApplication& application_;
  int number_;
  uint32_t ip_;
  uint16_t peer_port_;
  uint32_t mac_port_;
  uint32_t mss_ = 0;
  uint16_t own_port_ = 0;
  uint16_t session_ = 0;
  bool has_session_ = false;
  bool opened_ = false;

  // Places in the streams: positions modulo 2^32
  uint32_t asked_ = 0, taken_ = 0, read_end_ = 0;
  uint32_t written_ = 0, write_end_ = 0;
  ByteQueue received_;
  ByteQueue queue_;  // waits for space in the send buffer, or to fill a segment
  unsigned pending_reads_ = 0;

  uint32_t settings_ = 0;  // the bits
  uint32_t user_timeout_ms_ = 0;
  bool cork_ = false, more_ = false;
  bool readable_toggle_ = false, writable_toggle_ = false;
  bool waits_for_space_ = false;
  bool peer_closed_ = false;
  bool read_shut_ = false;
  bool closing_ = false, close_sent_ = false, close_both_sent_ = false;
  bool reset_ = false;
  bool over_ = false;  // the session has ended
  bool released_ = false;
  bool freed_ = false;
  int error_ = 0;
  int soft_error_ = 0;
};

}  // namespace bombus
#endif
