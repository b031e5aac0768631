// SPDX-License-Identifier: Apache-2.0
// Messages between the TCP engine and an application (docs/protocols/tcp/tcp.md), as values.
#ifndef BOMBUS_TCP_MESSAGES_H_
#define BOMBUS_TCP_MESSAGES_H_

#include <array>
#include <cstdint>

#include "message_kinds.h"

namespace bombus {

// cause_e in tcp_pkg
enum class TcpCause {
  kNone,
  kReset,
  kTimeout,
  kEvicted,
  kNoSession,
  kPortInUse,
  kUnreachable,
  kRefused,
};
constexpr size_t kTcpCauses = 8;

// From the engine: an event of a session.
struct TcpEvent {
  uint16_t port;  // of the application
  uint16_t session;
  bool opened, readable, writable, peer_closed, closed, failed, reported, connecting;
  TcpCause cause;
  uint32_t mss;
  uint32_t read_end, write_end;
  uint32_t mac_port, ip;
  uint16_t peer_port, own_port;
};

enum class TcpVerb {
  kRelease,
  kReadable,
  kWritable,
  kClose,
  kAbort,
  kFree,
  kListen,
  kConnect,
  kUnlisten,
  kSet,
  kCloseBoth
};
constexpr size_t kTcpVerbs = 11;

// Bits of `argument` in kSet: settings_t in tcp_pkg
constexpr uint32_t kNoDelay = 1;
constexpr uint32_t kNoKeepalive = 2;
constexpr uint32_t kUserTimeoutBit = 16;  // and up
constexpr uint32_t kUserTimeoutUnitUs = 65'536;
constexpr uint32_t kMostUserTimeoutMs = 4'294'836;  // 65,534 units

// To the engine. Fields that a request does not need are 0.
struct TcpRequest {
  TcpVerb verb;
  uint16_t session;
  uint32_t argument;
  bool toggle;
  uint32_t mac_port;
  uint16_t peer_port;
  uint16_t port;  // of the application
  uint16_t own_port;  // 0: any
};

// Translates for a pair of streams.
class TcpMessages {
 public:
  // `out`: stream that carries tcp_event and tcp_data; `in`: tcp_data, tcp_read and tcp_request.
  TcpMessages(const StreamPort& out, const StreamPort& in);
  static bool are_carried(const StreamPort& out, const StreamPort& in);

  bool is_data(const Message& message) const { return data_out_.is_kind_of(message); }
  TcpEvent event(const Message& message) const;

  Message request(const TcpRequest& request) const;
  // Requests bytes of the receive buffer. port: of the application.
  Message read(uint16_t port, uint16_t session, uint32_t start, uint32_t length) const;
  // Bytes for the send buffer.
  Message data(uint16_t session, uint32_t start, const uint8_t* bytes, size_t length) const;

 private:
  size_t user_bytes_;
  MessageKind event_, data_out_, data_in_, read_, request_;
  struct {
    Field port, session, opened, readable, writable, peer_closed, closed, failed, reported;
    Field connecting, cause, mss, read_end, write_end, mac_port, ip, peer_port, own_port;
  } event_fields_;
  struct {
    Field session, start;
  } data_fields_;
  struct {
    Field port, session, start, length;
  } read_fields_;
  struct {
    Field request, session, argument, toggle, mac_port, peer_port, port, own_port;
  } request_fields_;
  std::array<uint64_t, kTcpVerbs> verbs_;    // of the field `request`
  std::array<uint64_t, kTcpCauses> causes_;  // of the field `cause`
};

}  // namespace bombus
#endif
