// SPDX-License-Identifier: Apache-2.0
// Everything specific to a design is in bombus_design.h, which the build writes next to the
// verilated model:
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
#include "design.h"

#include "Vtop.h"
#include "bombus_design.h"

namespace bombus {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "byte 0 of a beat is the lowest byte of the verilated word");
static_assert(BOMBUS_DATA_BYTES >= 8 && BOMBUS_DATA_BYTES <= kMaxDataBytes &&
              BOMBUS_DATA_BYTES % 8 == 0);

namespace {

#define BOMBUS_SLOWEST(n, hz) slowest = slowest < (hz) ? slowest : (hz);
constexpr uint64_t slowest_cycles() {
  uint64_t slowest = BOMBUS_CLOCK_HZ;
  BOMBUS_MAC_CLOCKS(BOMBUS_SLOWEST)
  return (BOMBUS_CLOCK_HZ + slowest - 1) / slowest;
}
#undef BOMBUS_SLOWEST

}  // namespace

// All are initialised before any code runs.
const char* const kDesignName = BOMBUS_DESIGN_NAME;
const char* const kWaveFormat = BOMBUS_WAVE_FORMAT;
const bool kAssertions = BOMBUS_ASSERTIONS != 0;
#define BOMBUS_COUNT(n) +1
const unsigned kMacPorts = 0 BOMBUS_MAC_PORTS(BOMBUS_COUNT);
#undef BOMBUS_COUNT
#define BOMBUS_COUNT(n, hz) +1
const unsigned kMacClocks = 0 BOMBUS_MAC_CLOCKS(BOMBUS_COUNT);
#undef BOMBUS_COUNT
const unsigned kDataBytes = BOMBUS_DATA_BYTES;
const size_t kMaxFrameBytes = BOMBUS_MAX_FRAME_BYTES;
const uint32_t kRegisterBytes = BOMBUS_REGISTER_BYTES;
const uint64_t kLargestTable = BOMBUS_LARGEST_TABLE;
const uint64_t kClockHz = BOMBUS_CLOCK_HZ;
const uint64_t kPeriodPs = (1000000000000ull + BOMBUS_CLOCK_HZ / 2) / BOMBUS_CLOCK_HZ;
const uint64_t kSlowestCycles = slowest_cycles();

Vtop* make_model(VerilatedContext& context) { return new Vtop(&context); }

// In its own context: Verilator uses that of the thread.
void delete_model(Vtop* top) {
  Verilated::threadContextp(top->contextp());
  delete top;
}

void evaluate(Vtop& top) { top.eval(); }
void finish(Vtop& top) { top.final(); }

namespace {

template <typename T>
uint8_t* bytes_of(T& signal) {
  return reinterpret_cast<uint8_t*>(&signal);
}

}  // namespace

CorePins core_pins(Vtop& top) {
  return {top.clk_i,       top.rst_i,
          top.tick_us_i,   top.in_flight_o,
          top.busy_o,      top.reg_valid_i,
          top.reg_write_i, bytes_of(top.reg_addr_i),
          sizeof(top.reg_addr_i),
          top.reg_wdata_i, top.reg_ready_o,
          top.reg_rdata_o};
}

std::vector<MacPins> mac_pins(Vtop& top) {
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
  [[maybe_unused]] static const uint8_t taken = 0;
  return {BOMBUS_MAC_PINS(BOMBUS_PINS, BOMBUS_NO_PINS)};
#undef BOMBUS_NO_PINS
#undef BOMBUS_PINS
}

std::vector<MacClockPins> mac_clocks([[maybe_unused]] Vtop& top) {
#define BOMBUS_PINS(n, hz)                                              \
  MacClockPins{n, hz, &top.mac##n##_clk_i, &top.mac##n##_rst_i,         \
               &top.mac##n##_tx_tuser_o},
  return {BOMBUS_MAC_CLOCKS(BOMBUS_PINS)};
#undef BOMBUS_PINS
}

std::vector<Pin> raised_pins([[maybe_unused]] Vtop& top) {
#define BOMBUS_PIN(name, bits, is_output) Pin{#name, bits, is_output != 0, bytes_of(top.name)},
  return {BOMBUS_RAISED_PORTS(BOMBUS_PIN)};
#undef BOMBUS_PIN
}

std::vector<const char*> raised_links() {
#define BOMBUS_LINK(name) name,
  return {BOMBUS_BEAT_LINKS(BOMBUS_LINK)};
#undef BOMBUS_LINK
}

std::vector<Stream> raised_streams() {
#define BOMBUS_STREAM(name, is_output, tile) Stream{name, is_output != 0, tile},
  return {BOMBUS_STREAMS(BOMBUS_STREAM)};
#undef BOMBUS_STREAM
}

const std::vector<uint32_t>& secret_words() {
#define BOMBUS_ADDRESS(address) address,
  static const std::vector<uint32_t> words{BOMBUS_SECRETS(BOMBUS_ADDRESS)};
  return words;
#undef BOMBUS_ADDRESS
}

const std::vector<LayerParameter>& layer_parameters() {
#define BOMBUS_PARAMETER(tile, kind, name, value) LayerParameter{tile, kind, name, value},
  static const std::vector<LayerParameter> parameters{BOMBUS_PARAMETERS(BOMBUS_PARAMETER)};
  return parameters;
#undef BOMBUS_PARAMETER
}

}  // namespace bombus
