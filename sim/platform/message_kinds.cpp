// SPDX-License-Identifier: Apache-2.0
#include "message_kinds.h"

#include <stdexcept>

#include "bombus_design.h"

namespace bombus {

namespace {

constexpr Field kNumber{0, BOMBUS_KIND_BITS};
constexpr Field kLength{BOMBUS_KIND_BITS, BOMBUS_LENGTH_BITS};

struct CarriedKind {
  std::string stream, name;
};

struct CarriedField {
  std::string stream, kind, name;
  Field place;
};

struct CarriedValue {
  std::string stream, kind, field, name;
  uint64_t value;
};

// In the order of their numbers, for each stream.
const std::vector<CarriedKind>& carried_kinds() {
#define BOMBUS_KIND(stream, kind) {stream, kind},
  static const std::vector<CarriedKind> kinds{BOMBUS_MESSAGE_KINDS(BOMBUS_KIND)};
#undef BOMBUS_KIND
  return kinds;
}

const std::vector<CarriedField>& carried_fields() {
#define BOMBUS_FIELD(stream, kind, name, offset, width) {stream, kind, name, {offset, width}},
  static const std::vector<CarriedField> fields{BOMBUS_MESSAGE_FIELDS(BOMBUS_FIELD)};
#undef BOMBUS_FIELD
  return fields;
}

const std::vector<CarriedValue>& carried_values() {
#define BOMBUS_VALUE(stream, kind, field, name, value) {stream, kind, field, name, value},
  static const std::vector<CarriedValue> values{BOMBUS_FIELD_VALUES(BOMBUS_VALUE)};
#undef BOMBUS_VALUE
  return values;
}

// -1 if the stream does not carry it.
int kind_number(const std::string& stream, const std::string& name) {
  int number = 0;
  for (const CarriedKind& kind : carried_kinds()) {
    if (kind.stream != stream) continue;
    if (kind.name == name) return number;
    ++number;
  }
  return -1;
}

}  // namespace

uint64_t Field::of(const Message& message) const {
  uint64_t value = 0;
  for (unsigned bit = 0; bit < width; ++bit) {
    const unsigned at = offset + bit;
    value |= static_cast<uint64_t>(message.user[at / 8] >> at % 8 & 1) << bit;
  }
  return value;
}

void Field::set(Message& message, uint64_t value) const {
  for (unsigned bit = 0; bit < width; ++bit) {
    const unsigned at = offset + bit;
    const auto mask = static_cast<uint8_t>(1u << at % 8);
    uint8_t& byte = message.user[at / 8];
    byte = static_cast<uint8_t>(value >> bit & 1 ? byte | mask : byte & ~mask);
  }
}

MessageKind::MessageKind(const std::string& stream, const std::string& name)
    : stream_(stream), name_(name) {
  const int number = kind_number(stream, name);
  if (number < 0) throw std::logic_error(stream + " carries no " + name);
  number_ = static_cast<unsigned>(number);
}

bool MessageKind::is_carried(const std::string& stream, const std::string& name) {
  return kind_number(stream, name) >= 0;
}

Field MessageKind::field(const std::string& name) const {
  for (const CarriedField& each : carried_fields()) {
    if (each.stream == stream_ && each.kind == name_ && each.name == name) {
      return {kLength.offset + kLength.width + each.place.offset, each.place.width};
    }
  }
  throw std::logic_error(name_ + " of " + stream_ + " has no field " + name);
}

uint64_t MessageKind::value(const std::string& field, const std::string& name) const {
  for (const CarriedValue& each : carried_values()) {
    if (each.stream == stream_ && each.kind == name_ && each.field == field && each.name == name) {
      return each.value;
    }
  }
  throw std::logic_error(field + " of " + name_ + " has no value " + name);
}

bool MessageKind::is_kind_of(const Message& message) const {
  return kNumber.of(message) == number_;
}

Message MessageKind::make(size_t user_bytes, const uint8_t* data, size_t length) const {
  Message message;
  message.data.assign(data, data + length);
  message.user.resize(user_bytes);
  kNumber.set(message, number_);
  kLength.set(message, length);
  return message;
}

}  // namespace bombus
