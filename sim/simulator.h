// A verilated design with its clock, its ports and virtual time.
#ifndef BOMBUS_SIMULATOR_H_
#define BOMBUS_SIMULATOR_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bombus_sim.h"
#include "design.h"
#include "mac_port.h"
#include "watchdog.h"
#include "wave.h"

namespace bombus {

class Simulator {
 public:
  explicit Simulator(const bombus_options& options);
  ~Simulator();
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  void reset();

  // ---- Time ----

  uint64_t cycle() const { return cycle_; }
  uint64_t evaluated_cycles() const { return evaluated_; }
  uint64_t time_ps() const { return time_ps_; }

  // One cycle, or several at once (at most max_cycles) when nothing happens in them.
  void advance(uint64_t max_cycles);
  void advance_cycles(uint64_t cycles);
  void elapse_us(uint64_t microseconds);

  // Real time drives the design's time: from now on only set_time_ps() moves it.
  void use_external_time() { external_time_ = true; }
  void use_virtual_time() { external_time_ = false; }
  void set_time_ps(uint64_t time_ps) {
    if (time_ps > time_ps_) time_ps_ = time_ps;
  }

  // Something is in flight or waiting.
  bool in_flight() const;
  // ... or a timer is armed.
  bool busy() const { return in_flight() || top_->busy_o; }
  // Nothing in flight for so long that counters are up to date as well.
  bool calm() const { return calm_cycles_ > kSettleCycles; }
  bool settled() const { return calm() && next_frame_ps() == kNever; }
  // Something may have changed (time has jumped): look at some cycles before
  // calling it calm.
  void stir() { calm_cycles_ = std::min<uint64_t>(calm_cycles_, kSettleCycles - kStirCycles); }
  // When a waiting frame goes in or out; kNever: none waits.
  uint64_t next_frame_ps() const;

  // ---- Ports ----

  MacPort& port(unsigned index) { return ports_[index]; }
  const MacPort& port(unsigned index) const { return ports_[index]; }
  // Frames whose delay is over come out.
  void deliver();

  // False: not answered.
  bool read_register(uint32_t address, uint32_t& value) { return request(address, false, value); }
  bool write_register(uint32_t address, uint32_t value) { return request(address, true, value); }

  // ---- Watching ----

  void wave_start(const std::string& path);
  void wave_stop() { wave_.stop(); }
  const bombus_errors& errors() const { return errors_; }
  Watchdog& watchdog() { return watchdog_; }

 private:
  // A counter may lag its event by 64 cycles; the rest is margin.
  static constexpr uint64_t kSettleCycles = 96;
  // After a jump in time a timer that fires needs some cycles to send something.
  static constexpr uint64_t kStirCycles = 8;
  // The widest tick that tick_us_i can take, and half of it.
  static constexpr uint64_t kMaxTick = 65535;
  static constexpr uint64_t kHalfTick = 32768;

  void step();
  void skip(uint64_t cycles);
  bool request(uint32_t address, bool write, uint32_t& value);
  uint64_t undelivered_us() const {
    return time_ps_ / kPicosecondsPerMicrosecond - delivered_us_;
  }

  bombus_options options_;
  bombus_errors errors_{};
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vtop> top_;
  Watchdog watchdog_;
  Wave wave_;
  std::vector<MacPort> ports_;

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
