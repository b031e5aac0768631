// SPDX-License-Identifier: Apache-2.0
// The verilated design as the runtime sees it: constants and pins, defined in design.cpp. The files
// that include no more than this are compiled once for all designs.
#ifndef BOMBUS_DESIGN_H_
#define BOMBUS_DESIGN_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

class VerilatedContext;
class Vtop;

namespace bombus {

extern const char* const kDesignName;
extern const char* const kWaveFormat;  // "fst", "vcd" or ""
extern const bool kAssertions;
extern const unsigned kMacPorts;
extern const unsigned kMacClocks;      // MAC ports with a clock of their own
extern const unsigned kDataBytes;      // of a MAC port's beat
extern const size_t kMaxFrameBytes;    // of a MAC port
extern const uint32_t kRegisterBytes;  // of the register map
extern const uint64_t kLargestTable;   // entries of the largest table in it
extern const uint64_t kClockHz;
extern const uint64_t kPeriodPs;
extern const uint64_t kSlowestCycles;  // core cycles per cycle of the slowest MAC port clock

constexpr unsigned kMaxDataBytes = 64;

// ---- The model ----

Vtop* make_model(VerilatedContext& context);
void delete_model(Vtop* top);
void evaluate(Vtop& top);
void finish(Vtop& top);

// ---- Pins ----

// The signals of the core that every design has.
struct CorePins {
  uint8_t& clk;
  uint8_t& rst;
  uint16_t& tick_us;
  const uint8_t& in_flight;
  const uint8_t& busy;
  uint8_t& reg_valid;
  uint8_t& reg_write;
  uint8_t* reg_addr;  // bytes, lowest first
  size_t reg_addr_bytes;
  uint32_t& reg_wdata;
  const uint8_t& reg_ready;
  const uint32_t& reg_rdata;
};

CorePins core_pins(Vtop& top);

// The signals of one MAC port. Wide ones are bytes in wire order.
struct MacPins {
  uint8_t* rx_tdata;
  uint8_t* rx_tkeep;
  uint8_t* rx_tvalid;
  const uint8_t* rx_tready;
  uint8_t* rx_tlast;
  uint8_t* rx_tuser;
  const uint8_t* tx_tdata;
  const uint8_t* tx_tkeep;
  const uint8_t* tx_tvalid;
  uint8_t* tx_tready;
  const uint8_t* tx_tlast;
  const uint8_t* tx_tuser;  // null unless the port has its own clock
};

// The clock of a MAC port.
struct MacClockPins {
  unsigned port;
  uint64_t hz;
  uint8_t* clk;
  uint8_t* rst;
  const uint8_t* tx_tuser;
};

std::vector<MacPins> mac_pins(Vtop& top);
std::vector<MacClockPins> mac_clocks(Vtop& top);

// A raised port of the top. Its value is in the bytes of a word, lowest first.
struct Pin {
  const char* name;
  unsigned bits;
  bool is_output;
  uint8_t* data;

  size_t bytes() const { return (bits + 7) / 8; }
  bool is_zero() const {
    return std::all_of(data, data + bytes(), [](uint8_t byte) { return byte == 0; });
  }
};

std::vector<Pin> raised_pins(Vtop& top);

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
std::vector<const char*> raised_links();

// An AXI-Stream of raised ports: <name>_tdata_o and so on.
struct Stream {
  const char* name;
  bool is_output;
  const char* tile;
};

std::vector<Stream> raised_streams();

// ---- Registers and parameters ----

// Words of registers that software fills with random values after reset.
const std::vector<uint32_t>& secret_words();

// A parameter of a layer in the design.
struct LayerParameter {
  std::string_view tile;
  std::string_view kind;
  std::string_view name;
  uint64_t value;
};

const std::vector<LayerParameter>& layer_parameters();

}  // namespace bombus
#endif
