// SPDX-License-Identifier: Apache-2.0
// A verilated design with its clock, its ports and virtual time.
#ifndef BOMBUS_SIMULATOR_H_
#define BOMBUS_SIMULATOR_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "beat_link.h"
#include "bombus_sim.h"
#include "design.h"
#include "failure.h"
#include "mac_port.h"
#include "port_clock.h"
#include "random.h"
#include "stream_port.h"
#include "table_writes.h"
#include "watchdog.h"
#include "wave.h"

namespace bombus {

class Simulator;

// Verilator keeps the context of the active model in a thread-local variable, and uses it even when
// it destroys a model. So each call of the C interface has a turn, during which the variable is
// set to this simulator's context. Turns can be nested.
class Turn {
 public:
  Turn() : before_(current_) {}
  explicit Turn(Simulator& simulator) : before_(current_) { enter(&simulator); }
  ~Turn() { enter(before_); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  static Simulator* current() { return current_; }

 private:
  static void enter(Simulator* simulator);

  static thread_local Simulator* current_;
  Simulator* before_;
};

// The caller ended a long call.
class Interrupted : public Failure {
 public:
  Interrupted();
};

class Simulator {
 public:
  // The longest jump of elapse_us(): half of the largest tick_us_i.
  static constexpr uint64_t kLongestJumpUs = 32768;

  // Must be called within a turn.
  explicit Simulator(const bombus_options& options);
  ~Simulator();
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  void reset();
  // Does not reset MACs with their own clocks.
  void reset_core();
  // Resets only the MAC side of a port with its own clock.
  void reset_port(unsigned index);

  // ---- Time ----

  uint64_t cycle() const { return cycle_; }
  uint64_t evaluated_cycles() const { return evaluated_; }
  uint64_t time_ps() const { return time_ps_; }

  // Until virtual time ends.
  uint64_t cycles_left() const {
    return time_ps_ < kEndOfTimePs ? (kEndOfTimePs - time_ps_) / kPeriodPs : 0;
  }

  // One cycle, or several idle ones at once, at most max_cycles.
  void advance(uint64_t max_cycles);
  void advance_cycles(uint64_t cycles);
  void elapse_us(uint64_t microseconds) {
    elapse_until(microseconds, [] { return false; });
  }
  // Runs for this long, or until there is a message. Returns whether there is one.
  bool await_message(StreamPort* stream, uint64_t microseconds) {
    return elapse_until(microseconds, [&] { return has_message(stream); });
  }

  // Real time drives the design's time: from now on only set_time_ps() moves it.
  void use_external_time() { external_time_ = true; }
  void use_virtual_time() { external_time_ = false; }
  void set_time_ps(uint64_t time_ps) {
    if (time_ps > time_ps_) time_ps_ = time_ps;
  }

  // Something is in flight or waiting.
  bool in_flight() const;
  // ... or a timer is armed.
  bool busy() const { return in_flight() || core_.busy; }
  // Nothing in flight for long enough that counters are up to date, too.
  bool calm() const { return calm_cycles_ > settle_cycles_; }
  // Advances until the design is calm, so that its tables are initialised; with a limit.
  void calm_down();
  bool settled() const { return calm() && next_frame_ps() == kNever; }
  // Something may have changed (time has jumped): evaluate some cycles before calling it calm.
  void stir() { calm_cycles_ = std::min<uint64_t>(calm_cycles_, settle_cycles_ - kStirCycles); }
  // When a waiting frame enters or leaves; kNever: none waits.
  uint64_t next_frame_ps() const;

  // ---- Ports ----

  MacPort& port(unsigned index) { return ports_[index]; }
  const MacPort& port(unsigned index) const { return ports_[index]; }
  // Cycles of the port's clock.
  uint64_t port_cycles(unsigned index) const;
  // Delivers frames whose delay is over.
  void deliver();

  // Long calls invoke `poll` now and then, which can end the call.
  void set_poll(bombus_poll poll, void* context) {
    poll_ = poll;
    poll_context_ = context;
  }
  // Throws Interrupted if `poll` ends the call, and Failure at the end of virtual time.
  void poll();

  // No cycle from `cycle` on is computed before `reached` has been called and has set a later one.
  // kNever: no limit.
  void set_horizon(uint64_t cycle, bombus_horizon reached, void* context) {
    horizon_ = cycle;
    horizon_reached_ = reached;
    horizon_context_ = context;
  }

  // False if not answered.
  bool read_register(uint32_t address, uint32_t& value) { return request(address, false, value); }
  bool write_register(uint32_t address, uint32_t value) { return request(address, true, value); }

  // Raised ports. Throws Failure if there is none of that name.
  const Pin& pin(const std::string& name) const;
  // Value that the design drives after the last cycle.
  void read_pin(const Pin& pin, uint8_t* data) const;
  // Takes effect in the next cycle.
  void write_pin(const Pin& pin, const uint8_t* data);

  // Streams among the raised ports. Throws Failure if there is none of that name.
  StreamPort& stream(const std::string& name);
  std::vector<StreamPort>& streams() { return streams_; }
  const StreamPort* stream_of(const Pin& pin) const;
  const BeatLink* beat_link_of(const Pin& pin) const;
  void send_message(StreamPort& stream, Message message);
  // A message of this stream, or (null) of any stream, waits for the program.
  bool has_message(StreamPort* stream);
  uint64_t messages_received() const { return messages_received_; }

  // Links of beats among the raised ports.
  std::vector<BeatLink>& beat_links() { return beat_links_; }

  // ---- Observation ----

  void wave_start(const std::string& path);
  void wave_stop() { wave_.stop(); }
  const bombus_errors& errors() const { return errors_; }
  void assertion_failed() { ++errors_.assertions_failed; }
  Watchdog& watchdog() { return watchdog_; }
  const TableWrites& table_writes() const { return table_writes_; }

 private:
  // A counter may lag its event by 64 cycles, and a frame may take this long to cross between two
  // clocks, unseen by either side; the rest is margin.
  const uint64_t settle_cycles_ = 96 + (kMacClocks == 0 ? 0 : 16 * kSlowestCycles);
  // After a jump in time a timer that fires needs some cycles to send something.
  static constexpr uint64_t kStirCycles = 8;
  // The widest tick that tick_us_i can take, and half of it.
  static constexpr uint64_t kMaxTick = 65535;
  static constexpr uint64_t kHalfTick = kLongestJumpUs;
  static constexpr uint64_t kPollSteps = 64;
  // Half of the range of 64 bits: 106 days.
  static constexpr uint64_t kEndOfTimePs = 1ull << 63;

  struct ModelDeleter {
    void operator()(Vtop* top) const { delete_model(top); }
  };
  friend class Turn;

  bool elapse_until(uint64_t microseconds, const std::function<bool()>& condition);
  void hold_core_reset();
  // After a reset: runs until frames can cross.
  void start();
  // New random words for the secrets of layers, before traffic.
  void write_secrets();
  void step();
  void reach_horizon();
  // A peer may send in any cycle, and counts those between its beats: none is skipped.
  bool is_linked() const {
    return horizon_ != kNever || std::any_of(beat_links_.begin(), beat_links_.end(),
                                             [](const BeatLink& link) { return link.in_use(); });
  }
  // Evaluates the edges of other clocks in the half cycle of the core that begins at `start_ps`.
  void step_port_clocks(uint64_t start_ps);
  void poll_sometimes() {
    if (++steps_ % kPollSteps == 0) poll();
  }
  void skip(uint64_t cycles);
  bool request(uint32_t address, bool write, uint32_t& value);
  uint64_t undelivered_us() const {
    return time_ps_ / kPicosecondsPerMicrosecond - delivered_us_;
  }

  bombus_options options_;
  bombus_errors errors_{};
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vtop, ModelDeleter> top_;
  CorePins core_;
  Random secrets_;
  Watchdog watchdog_;
  TableWrites table_writes_;
  Wave wave_;
  std::vector<MacPort> ports_;
  std::vector<Pin> pins_;
  std::vector<StreamPort> streams_;
  std::vector<BeatLink> beat_links_;
  uint64_t messages_received_ = 0;
  std::vector<PortClock> clocks_;

  bombus_poll poll_ = nullptr;
  void* poll_context_ = nullptr;
  bombus_horizon horizon_reached_ = nullptr;
  void* horizon_context_ = nullptr;
  uint64_t horizon_ = kNever;
  uint64_t polled_ns_ = 0;  // when it was last polled
  uint64_t steps_ = 0;

  uint64_t cycle_ = 0;
  uint64_t evaluated_ = 0;
  uint64_t time_ps_ = 0;
  uint64_t delivered_us_ = 0;   // through tick_us_i
  uint64_t next_tick_ps_ = kPicosecondsPerMicrosecond;
  bool external_time_ = false;
  bool register_answered_ = false;  // in the last cycle
  uint32_t register_value_ = 0;
  uint64_t calm_cycles_ = 0;    // since something was in flight
  uint64_t quiet_cycles_ = 0;   // since something was in flight or a timer armed
};

}  // namespace bombus
#endif
