// SPDX-License-Identifier: Apache-2.0
// Messages of streams whose layers declare kinds: tuser holds, from bit 0 on, the number of the
// kind, the length of the message, and the metadata of the kind. The layout is that of the design.
#ifndef BOMBUS_MESSAGE_KINDS_H_
#define BOMBUS_MESSAGE_KINDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stream_port.h"

namespace bombus {

// Bits of tuser; at most 64.
struct Field {
  unsigned offset;
  unsigned width;

  uint64_t of(const Message& message) const;
  // Keeps the low bits of a value.
  void set(Message& message, uint64_t value) const;
};

// A kind of messages that a stream carries. Field names are those of the manifest.
class MessageKind {
 public:
  // Throws std::logic_error if the stream does not carry it.
  MessageKind(const std::string& stream, const std::string& name);

  static bool is_carried(const std::string& stream, const std::string& name);

  // These throw std::logic_error if there is none of that name.
  Field field(const std::string& name) const;
  uint64_t value(const std::string& field, const std::string& name) const;

  bool is_kind_of(const Message& message) const;
  // A message of this kind whose fields are 0. `user_bytes`: of the stream's tuser.
  Message make(size_t user_bytes, const uint8_t* data = nullptr, size_t length = 0) const;

 private:
  std::string stream_;
  std::string name_;
  unsigned number_;
};

}  // namespace bombus
#endif
