// SPDX-License-Identifier: Apache-2.0
// The verilated design as the runtime sees it: constants and pins. Everything specific to a design
// is in bombus_design.h, which the build writes next to the verilated model:
//
//   BOMBUS_DESIGN_NAME   string
//   BOMBUS_CLOCK_HZ      integer
//   BOMBUS_DATA_BYTES    bytes of a MAC port's beat
//   BOMBUS_MAX_FRAME_BYTES  of a MAC port
//   BOMBUS_REGISTER_BYTES  of the register map
//   BOMBUS_LARGEST_TABLE  entries of the largest table in it
//   BOMBUS_SECRETS(X)    X(address) for each word of a register that software fills at random
//   BOMBUS_MAC_PORTS(X)  X(0) X(1) ... for each MAC port
//   BOMBUS_RAISED_PORTS(X)  X(name, bits, is_output) for each raised port of the top
//   BOMBUS_STREAMS(X)    X("name", is_output, "tile") for each AXI-Stream among them
//   BOMBUS_BEAT_LINKS(X)  X("name") for each link of beats among them
//   BOMBUS_KIND_BITS, BOMBUS_LENGTH_BITS  of tuser, if the stream carries kinds of messages
//   BOMBUS_MESSAGE_KINDS(X)   X("stream", "kind") for each, in the order of their numbers
//   BOMBUS_MESSAGE_FIELDS(X)  X("stream", "kind", "field", offset, width) of their metadata
//   BOMBUS_FIELD_VALUES(X)    X("stream", "kind", "field", "value", number) for enums
//   BOMBUS_PARAMETERS(X)  X("tile", "kind", "parameter", value) for the parameters of each layer
//   BOMBUS_MAC_CLOCKS(X) X(0, hertz) for each MAC port with a clock of its own
//   BOMBUS_WAVE_FORMAT   "fst", "vcd" or ""
//   BOMBUS_ASSERTIONS    0 or 1
//   BOMBUS_TOP_SCOPE     scope of the top
//   BOMBUS_TABLES(X)     X(target, window, begin, end) for each writable table of next hops: its
//                        target at the register hub, the address of that one's window, and its
//                        addresses in it
//   BOMBUS_WATCH(X)      X("scope", "valid", "moves", bit) for each watchpoint of watchdog.h
#ifndef BOMBUS_DESIGN_H_
#define BOMBUS_DESIGN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "Vtop.h"
#include "bombus_design.h"

namespace bombus {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "byte 0 of a beat is the lowest byte of the verilated word");

#define BOMBUS_COUNT(n) +1
constexpr unsigned kMacPorts = 0 BOMBUS_MAC_PORTS(BOMBUS_COUNT);
#undef BOMBUS_COUNT
constexpr unsigned kDataBytes = BOMBUS_DATA_BYTES;
constexpr size_t kMaxFrameBytes = BOMBUS_MAX_FRAME_BYTES;
constexpr uint32_t kRegisterBytes = BOMBUS_REGISTER_BYTES;
constexpr uint64_t kLargestTable = BOMBUS_LARGEST_TABLE;
constexpr uint64_t kClockHz = BOMBUS_CLOCK_HZ;
constexpr uint64_t kPeriodPs = (1000000000000ull + kClockHz / 2) / kClockHz;

// Number of MAC port clocks, and core cycles per cycle of the slowest of them.
#define BOMBUS_COUNT(n, hz) +1
#define BOMBUS_SLOWEST(n, hz) slowest = slowest < (hz) ? slowest : (hz);
constexpr unsigned kMacClocks = 0 BOMBUS_MAC_CLOCKS(BOMBUS_COUNT);
constexpr uint64_t core_cycles_of_slowest() {
  uint64_t slowest = kClockHz;
  BOMBUS_MAC_CLOCKS(BOMBUS_SLOWEST)
  return (kClockHz + slowest - 1) / slowest;
}
#undef BOMBUS_SLOWEST
#undef BOMBUS_COUNT
static_assert(kDataBytes >= 8 && kDataBytes <= 64 && kDataBytes % 8 == 0);

// The signals of one MAC port. Wide ones are bytes in wire order.
struct MacPins {
  uint8_t* rx_tdata;
  uint8_t* rx_tkeep;
  CData* rx_tvalid;
  const CData* rx_tready;
  CData* rx_tlast;
  CData* rx_tuser;
  const uint8_t* tx_tdata;
  const uint8_t* tx_tkeep;
  const CData* tx_tvalid;
  CData* tx_tready;
  const CData* tx_tlast;
  const CData* tx_tuser;  // null unless the port has its own clock
};

// The clock of a MAC port.
struct MacClockPins {
  unsigned port;
  uint64_t hz;
  CData* clk;
  CData* rst;
  const CData* tx_tuser;
};

template <typename T>
uint8_t* bytes_of(T& signal) {
  return reinterpret_cast<uint8_t*>(&signal);
}

inline std::array<MacPins, kMacPorts> mac_pins(Vtop& top) {
#define BOMBUS_PINS(n)                                                                      \
  MacPins{bytes_of(top.mac##n##_rx_tdata_i), bytes_of(top.mac##n##_rx_tkeep_i),             \
          &top.mac##n##_rx_tvalid_i,         &top.mac##n##_rx_tready_o,                     \
          &top.mac##n##_rx_tlast_i,          &top.mac##n##_rx_tuser_i,                      \
          bytes_of(top.mac##n##_tx_tdata_o), bytes_of(top.mac##n##_tx_tkeep_o),             \
          &top.mac##n##_tx_tvalid_o,         &top.mac##n##_tx_tready_i,                     \
          &top.mac##n##_tx_tlast_o,          nullptr},
// A port that the top does not have, as its layers are in another design: it takes nothing.
#define BOMBUS_NO_PINS(n)                                                                   \
  MacPins{nothing,      nothing,      &nothing[0],  &taken,       &nothing[0],  &nothing[0], \
          nothing,      nothing,      &taken,       &nothing[0],  &taken,       nullptr},
  [[maybe_unused]] static uint8_t nothing[kDataBytes];
  [[maybe_unused]] static const CData taken = 0;
  return {{BOMBUS_MAC_PINS(BOMBUS_PINS, BOMBUS_NO_PINS)}};
#undef BOMBUS_NO_PINS
#undef BOMBUS_PINS
}

// A raised port of the top. Its value is in the bytes of a word, lowest first.
struct Pin {
  const char* name;
  unsigned bits;
  bool is_output;
  uint8_t* data;

  size_t bytes() const { return (bits + 7) / 8; }
};

inline std::vector<Pin> raised_pins([[maybe_unused]] Vtop& top) {
#define BOMBUS_PIN(name, bits, is_output) Pin{#name, bits, is_output != 0, bytes_of(top.name)},
  return {BOMBUS_RAISED_PORTS(BOMBUS_PIN)};
#undef BOMBUS_PIN
}

// Null if there is none of that name.
inline const Pin* find_pin(const std::vector<Pin>& pins, const std::string& name) {
  for (const Pin& pin : pins) {
    if (pin.name == name) return &pin;
  }
  return nullptr;
}

inline const Pin& need_pin(const std::vector<Pin>& pins, const std::string& name) {
  const Pin* pin = find_pin(pins, name);
  if (pin == nullptr) throw std::logic_error("the design has no port " + name);
  return *pin;
}

// Names of links of beats: <name>_tx_data_o and so on.
inline std::vector<const char*> raised_links() {
#define BOMBUS_LINK(name) name,
  return {BOMBUS_BEAT_LINKS(BOMBUS_LINK)};
#undef BOMBUS_LINK
}

// An AXI-Stream of raised ports: <name>_tdata_o and so on.
struct Stream {
  const char* name;
  bool is_output;
  const char* tile;
};

inline std::vector<Stream> raised_streams() {
#define BOMBUS_STREAM(name, is_output, tile) Stream{name, is_output != 0, tile},
  return {BOMBUS_STREAMS(BOMBUS_STREAM)};
#undef BOMBUS_STREAM
}

// Words of registers that software fills with random values after reset.
inline const std::vector<uint32_t>& secret_words() {
#define BOMBUS_ADDRESS(address) address,
  static const std::vector<uint32_t> words{BOMBUS_SECRETS(BOMBUS_ADDRESS)};
  return words;
#undef BOMBUS_ADDRESS
}

// A parameter of a layer in the design.
struct LayerParameter {
  std::string_view tile;
  std::string_view kind;
  std::string_view name;
  uint64_t value;
};

inline const std::vector<LayerParameter>& layer_parameters() {
#define BOMBUS_PARAMETER(tile, kind, name, value) LayerParameter{tile, kind, name, value},
  static const std::vector<LayerParameter> parameters{BOMBUS_PARAMETERS(BOMBUS_PARAMETER)};
  return parameters;
#undef BOMBUS_PARAMETER
}

inline std::array<MacClockPins, kMacClocks> mac_clocks([[maybe_unused]] Vtop& top) {
#define BOMBUS_PINS(n, hz)                                              \
  MacClockPins{n, hz, &top.mac##n##_clk_i, &top.mac##n##_rst_i,         \
               &top.mac##n##_tx_tuser_o},
  return {{BOMBUS_MAC_CLOCKS(BOMBUS_PINS)}};
#undef BOMBUS_PINS
}

}  // namespace bombus
#endif
