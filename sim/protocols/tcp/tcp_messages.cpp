// SPDX-License-Identifier: Apache-2.0
#include "tcp_messages.h"

#include <algorithm>

namespace bombus {

namespace {

const char* const kEvent = "tcp_event";
const char* const kData = "tcp_data";
const char* const kRead = "tcp_read";
const char* const kRequest = "tcp_request";

}  // namespace

bool TcpMessages::are_carried(const StreamPort& out, const StreamPort& in) {
  const auto carries = [](const StreamPort& stream, const char* kind) {
    return MessageKind::is_carried(stream.name(), kind);
  };
  return out.is_output() && !in.is_output() && carries(out, kEvent) && carries(out, kData) &&
         carries(in, kData) && carries(in, kRead) && carries(in, kRequest);
}

TcpMessages::TcpMessages(const StreamPort& out, const StreamPort& in)
    : user_bytes_(in.user_bytes()),
      event_(out.name(), kEvent),
      data_out_(out.name(), kData),
      data_in_(in.name(), kData),
      read_(in.name(), kRead),
      request_(in.name(), kRequest),
      event_fields_{event_.field("port"),
                    event_.field("session"),
                    event_.field("changes.opened"),
                    event_.field("changes.readable"),
                    event_.field("changes.writable"),
                    event_.field("changes.peer_closed"),
                    event_.field("changes.closed"),
                    event_.field("changes.failed"),
                    event_.field("changes.reported"),
                    event_.field("changes.connecting"),
                    event_.field("cause"),
                    event_.field("mss"),
                    event_.field("read_end"),
                    event_.field("write_end"),
                    event_.field("tuple.mac_port"),
                    event_.field("tuple.ip"),
                    event_.field("tuple.peer_port"),
                    event_.field("tuple.own_port")},
      data_fields_{data_in_.field("session"), data_in_.field("start")},
      read_fields_{read_.field("port"), read_.field("session"), read_.field("start"),
                   read_.field("length")},
      request_fields_{request_.field("request"),   request_.field("session"),
                      request_.field("argument"),  request_.field("toggle"),
                      request_.field("mac_port"),  request_.field("peer_port"),
                      request_.field("port"),      request_.field("own_port")} {
  // In the order of TcpVerb
  const std::array<const char*, kTcpVerbs> names{"release", "readable", "writable", "close",
                                                 "abort",   "free",     "listen",   "connect",
                                                 "unlisten", "set",     "close_both"};
  for (size_t i = 0; i < names.size(); ++i) {
    verbs_[i] = request_.value("request", std::string("request_") + names[i]);
  }
  // In the order of TcpCause
  const std::array<const char*, kTcpCauses> causes{
      "none",       "reset",       "timeout",     "evicted",
      "no_session", "port_in_use", "unreachable", "refused"};
  for (size_t i = 0; i < causes.size(); ++i) {
    causes_[i] = event_.value("cause", std::string("cause_") + causes[i]);
  }
}

TcpEvent TcpMessages::event(const Message& message) const {
  const auto& fields = event_fields_;
  const auto narrow = [&](Field field) { return static_cast<uint16_t>(field.of(message)); };
  const auto wide = [&](Field field) { return static_cast<uint32_t>(field.of(message)); };
  const auto flag = [&](Field field) { return field.of(message) != 0; };
  const auto found = std::find(causes_.begin(), causes_.end(), fields.cause.of(message));
  const auto cause =
      found == causes_.end() ? TcpCause::kNone : static_cast<TcpCause>(found - causes_.begin());
  return {narrow(fields.port),     narrow(fields.session), flag(fields.opened),
          flag(fields.readable),   flag(fields.writable),  flag(fields.peer_closed),
          flag(fields.closed),     flag(fields.failed),    flag(fields.reported),
          flag(fields.connecting), cause,                  wide(fields.mss),
          wide(fields.read_end),
          wide(fields.write_end),  wide(fields.mac_port),  wide(fields.ip),
          narrow(fields.peer_port), narrow(fields.own_port)};
}

Message TcpMessages::request(const TcpRequest& request) const {
  Message message = request_.make(user_bytes_);
  const auto& fields = request_fields_;
  fields.request.set(message, verbs_[static_cast<size_t>(request.verb)]);
  fields.session.set(message, request.session);
  fields.argument.set(message, request.argument);
  fields.toggle.set(message, request.toggle);
  fields.mac_port.set(message, request.mac_port);
  fields.peer_port.set(message, request.peer_port);
  fields.port.set(message, request.port);
  fields.own_port.set(message, request.own_port);
  return message;
}

Message TcpMessages::read(uint16_t port, uint16_t session, uint32_t start, uint32_t length) const {
  Message message = read_.make(user_bytes_);
  read_fields_.port.set(message, port);
  read_fields_.session.set(message, session);
  read_fields_.start.set(message, start);
  read_fields_.length.set(message, length);
  return message;
}

Message TcpMessages::data(uint16_t session, uint32_t start, const uint8_t* bytes,
                          size_t length) const {
  Message message = data_in_.make(user_bytes_, bytes, length);
  data_fields_.session.set(message, session);
  data_fields_.start.set(message, start);
  return message;
}

}  // namespace bombus
