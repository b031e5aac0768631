// SPDX-License-Identifier: Apache-2.0
#include "simulator.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "clock.h"
#include "random.h"
#include "verilated.h"

namespace bombus {

namespace {

// Time for overlapping resets of two clocks, and until frames can cross (reset_handshake).
const uint64_t kResetCycles = 16 * kSlowestCycles;
const uint64_t kStartCycles = kMacClocks == 0 ? 0 : 24 * kSlowestCycles;
// After a reset, tables are initialised, one entry per cycle, and requests for them wait.
const uint64_t kInitialCycles = 100000 + kLargestTable;

constexpr uint64_t kPollNanoseconds = 50 * 1000 * 1000;

Vtop* make_top(VerilatedContext& context, uint64_t seed) {
  // To Verilator, 0 means "choose a seed".
  context.randSeed(static_cast<int>(seed % 0x7FFFFFFE) + 1);
  context.randReset(2);
  context.assertOn(true);
  Wave::prepare(context);
  return make_model(context);
}

}  // namespace

thread_local Simulator* Turn::current_ = nullptr;

void Turn::enter(Simulator* simulator) {
  current_ = simulator;
  Verilated::threadContextp(simulator ? simulator->context_.get() : nullptr);
}

Interrupted::Interrupted() : Failure(EINTR, "interrupted") {}

Simulator::Simulator(const bombus_options& options)
    : options_(options),
      context_(std::make_unique<VerilatedContext>()),
      top_(make_top(*context_, options.seed)),
      core_(core_pins(*top_)),
      secrets_(options.seed, 5000),
      watchdog_(*context_),
      table_writes_(*context_),
      pins_(raised_pins(*top_)) {
  for (const Pin& pin : pins_) {
    if (!pin.is_output) std::fill_n(pin.data, pin.bytes(), uint8_t{0});
  }
  const auto pins = mac_pins(*top_);
  ports_.reserve(kMacPorts);
  for (unsigned i = 0; i < kMacPorts; ++i) ports_.emplace_back(pins[i], i, options, errors_);
  const auto streams = raised_streams();
  streams_.reserve(streams.size());
  for (unsigned i = 0; i < streams.size(); ++i) {
    streams_.emplace_back(streams[i], pins_, i, options, errors_);
  }
  const auto links = raised_links();
  beat_links_.reserve(links.size());
  for (const char* link : links) beat_links_.emplace_back(link, pins_, errors_);
  Random phases(options.seed, 3000);
  for (const MacClockPins& clock : mac_clocks(*top_)) {
    ports_[clock.port].use_clock(clock);
    clocks_.emplace_back(clock, phases.next());
  }
  const Turn turn(*this);
  reset();
}

Simulator::~Simulator() {
  const Turn turn(*this);
  wave_.stop();
  finish(*top_);
}

void Simulator::reset() {
  for (auto& port : ports_) port.reset();
  for (auto& stream : streams_) stream.reset();
  for (auto& link : beat_links_) link.reset();
  const bombus_errors errors = errors_;
  context_->assertOn(false);  // resets in flip-flops of the design have no value at first
  for (const PortClock& clock : clocks_) *clock.pins().rst = 1;
  hold_core_reset();
  for (const PortClock& clock : clocks_) *clock.pins().rst = 0;
  context_->assertOn(true);
  errors_ = errors;  // ignore frames cut by the reset
  start();
  write_secrets();
}

void Simulator::reset_core() {
  for (auto& port : ports_) {
    if (!port.has_own_clock()) port.reset();
  }
  for (auto& stream : streams_) stream.reset();
  for (auto& link : beat_links_) link.reset();
  const uint64_t underruns = errors_.tx_underrun;
  hold_core_reset();
  start();
  write_secrets();
  errors_.tx_underrun = underruns;  // do not count frames cut by the reset
}

void Simulator::hold_core_reset() {
  core_.reg_valid = 0;
  core_.reg_write = 0;
  core_.rst = 1;
  for (uint64_t i = 0; i < kResetCycles; ++i) step();
  core_.rst = 0;
  watchdog_.reset();
  table_writes_.reset();
}

void Simulator::start() {
  for (uint64_t i = 0; i < kStartCycles; ++i) step();
  calm_cycles_ = 0;
  quiet_cycles_ = 0;
}

void Simulator::write_secrets() {
  if (errors_.register_timeout > 0) return;
  for (const uint32_t address : secret_words()) {
    write_register(address, static_cast<uint32_t>(secrets_.next()));
  }
  calm_cycles_ = 0;
}

void Simulator::reset_port(unsigned index) {
  for (const PortClock& clock : clocks_) {
    if (clock.pins().port != index) continue;
    ports_[index].reset();
    *clock.pins().rst = 1;
    for (uint64_t i = 0; i < kResetCycles; ++i) step();
    *clock.pins().rst = 0;
    start();
    return;
  }
  throw Failure(EINVAL, "MAC port " + std::to_string(index) + " has no clock of its own");
}

uint64_t Simulator::port_cycles(unsigned index) const {
  for (const PortClock& clock : clocks_) {
    if (clock.pins().port == index) return clock.cycles();
  }
  return cycle_;
}

void Simulator::step_port_clocks(uint64_t start_ps) {
  if (kMacClocks == 0) return;
  while (true) {
    // In time order, for the waveform; the design does not depend on it.
    const auto next = std::min_element(
        clocks_.begin(), clocks_.end(),
        [](const PortClock& a, const PortClock& b) { return a.when() < b.when(); });
    if (!next->is_due()) break;
    const auto into_half = static_cast<uint64_t>(next->when() * (kPeriodPs / 2));
    MacPort& port = ports_[next->pins().port];
    const uint64_t now_ps =
        external_time_ ? time_ps_ : time_ps_ + start_ps % kPeriodPs + into_half;
    if (*next->pins().clk) {
      *next->pins().clk = 0;
      port.drive(now_ps);
      // A single-beat frame may already be gone when the core's cycle is evaluated.
      if (port.active()) calm_cycles_ = quiet_cycles_ = 0;
    } else {
      if (!*next->pins().rst) port.sample(cycle_, now_ps);
      *next->pins().clk = 1;
    }
    next->advance();
    context_->time(start_ps + into_half);
    evaluate(*top_);
    wave_.dump(start_ps + into_half);
  }
  for (PortClock& clock : clocks_) clock.end_half_cycle();
}

void Simulator::reach_horizon() {
  if (horizon_reached_ != nullptr && horizon_reached_(horizon_context_) != 0) throw Interrupted();
  if (cycle_ < horizon_) return;
  throw Failure(EDEADLK, "cycle " + std::to_string(cycle_) + " needs beats of links that are not "
                         "given yet (bombus_set_horizon)");
}

void Simulator::step() {
  if (cycle_ >= horizon_) reach_horizon();
  for (auto& port : ports_) {
    if (!port.has_own_clock()) port.drive(time_ps_);
  }
  for (auto& stream : streams_) stream.drive();
  for (auto& link : beat_links_) link.drive(cycle_);
  if (time_ps_ >= next_tick_ps_) {
    const uint64_t tick = std::min(undelivered_us(), kMaxTick);
    delivered_us_ += tick;
    next_tick_ps_ = (delivered_us_ + 1) * kPicosecondsPerMicrosecond;
    core_.tick_us = static_cast<uint16_t>(tick);
  } else {
    core_.tick_us = 0;
  }

  // Falling edge: combinational outputs settle with the new inputs.
  context_->time(cycle_ * kPeriodPs);
  core_.clk = 0;
  evaluate(*top_);
  wave_.dump(cycle_ * kPeriodPs);

  bool active = core_.in_flight;
  if (!core_.rst) {
    watchdog_.look(cycle_);
    table_writes_.look();
  }
  if (!core_.rst) {  // outputs of the design are ignored during reset
    for (auto& port : ports_) {
      // Checked before the edge too: a single-beat frame may be taken completely now and not yet be
      // visible in the design.
      active |= port.active();
      if (!port.has_own_clock()) port.sample(cycle_, time_ps_);
      active |= port.active();
    }
    for (auto& stream : streams_) {
      active |= stream.active();
      messages_received_ += stream.sample();
      active |= stream.active();
    }
    for (auto& link : beat_links_) link.sample(cycle_);
  }
  register_answered_ = core_.reg_valid && core_.reg_ready;
  if (register_answered_) register_value_ = core_.reg_rdata;
  calm_cycles_ = active ? 0 : calm_cycles_ + 1;
  quiet_cycles_ = active || core_.busy || core_.reg_valid ? 0 : quiet_cycles_ + 1;

  step_port_clocks(cycle_ * kPeriodPs);
  core_.clk = 1;
  context_->time(cycle_ * kPeriodPs + kPeriodPs / 2);
  evaluate(*top_);
  wave_.dump(cycle_ * kPeriodPs + kPeriodPs / 2);
  step_port_clocks(cycle_ * kPeriodPs + kPeriodPs / 2);

  ++cycle_;
  ++evaluated_;
  if (!external_time_) time_ps_ += kPeriodPs;
}

void Simulator::skip(uint64_t cycles) {
  cycle_ += cycles;
  calm_cycles_ += cycles;
  quiet_cycles_ += cycles;
  for (PortClock& clock : clocks_) clock.skip(cycles);
  if (!external_time_) time_ps_ += cycles * kPeriodPs;
}

uint64_t Simulator::next_frame_ps() const {
  uint64_t next = kNever;
  for (const auto& port : ports_) next = std::min(next, port.next_ps());
  return next;
}

bool Simulator::in_flight() const {
  if (calm_cycles_ == 0 || next_frame_ps() != kNever) return true;
  return std::any_of(ports_.begin(), ports_.end(), [](const MacPort& p) { return p.active(); });
}

void Simulator::deliver() {
  for (auto& port : ports_) port.deliver(time_ps_);
}

void Simulator::advance(uint64_t max_cycles) {
  if (max_cycles == 0) return;
  poll_sometimes();
  if (quiet_cycles_ > settle_cycles_ && !is_linked() && !external_time_ && !wave_.running() &&
      undelivered_us() < kHalfTick) {
    // Up to the next frame, but no further than one tick can carry.
    uint64_t until_ps = time_ps_ + kHalfTick * kPicosecondsPerMicrosecond;
    until_ps = std::min(until_ps, next_frame_ps());
    if (until_ps > time_ps_) {
      skip(std::min(max_cycles, (until_ps - time_ps_ + kPeriodPs - 1) / kPeriodPs));
      deliver();
      return;
    }
  }
  step();
  deliver();
}

void Simulator::calm_down() {
  for (uint64_t i = 0; i < kInitialCycles && !calm(); ++i) advance(1);
}

void Simulator::advance_cycles(uint64_t cycles) {
  if (cycles > cycles_left()) {
    throw Failure(EINVAL, "cycles exceeds the limit of 106 days of virtual time");
  }
  const uint64_t end = cycle_ + cycles;
  while (cycle_ < end) advance(end - cycle_);
}

bool Simulator::elapse_until(uint64_t microseconds, const std::function<bool()>& condition) {
  if (microseconds > cycles_left() * kPeriodPs / kPicosecondsPerMicrosecond) {
    throw Failure(EINVAL, "microseconds exceeds the limit of 106 days of virtual time");
  }
  const uint64_t end_ps = time_ps_ + microseconds * kPicosecondsPerMicrosecond;
  while (!condition()) {
    if (time_ps_ >= end_ps) return false;
    poll_sometimes();
    const uint64_t next_ps = next_frame_ps();
    if (!calm() || next_ps <= time_ps_ || is_linked()) {
      step();
    } else {
      const uint64_t jump_us = core_.busy ? options_.timer_step_us : kHalfTick;
      time_ps_ = std::min({end_ps, next_ps, time_ps_ + jump_us * kPicosecondsPerMicrosecond});
      stir();
      step();
    }
    deliver();
  }
  return true;
}

bool Simulator::request(uint32_t address, bool write, uint32_t& value) {
  // The design may still be working on a request that timed out; its answer would be mistaken for
  // that of this one.
  if (errors_.register_timeout > 0) {
    throw Failure(EIO, "an earlier register request was never answered: no further one is made");
  }
  core_.reg_valid = 1;
  core_.reg_write = write;
  std::memcpy(core_.reg_addr, &address, core_.reg_addr_bytes);
  core_.reg_wdata = write ? value : 0;
  bool answered = false;
  for (uint64_t i = 0; i < kInitialCycles && !answered; ++i) {
    step();
    deliver();
    answered = register_answered_;
  }
  core_.reg_valid = 0;
  if (!answered) {
    ++errors_.register_timeout;
    return false;
  }
  // A write takes effect some cycles later: evaluate these before skipping any.
  if (write) stir();
  if (!write) value = register_value_;
  return true;
}

const Pin& Simulator::pin(const std::string& name) const {
  if (const Pin* pin = find_pin(pins_, name)) return *pin;
  throw Failure(ENOENT, "the design file raises no port " + name);
}

void Simulator::read_pin(const Pin& pin, uint8_t* data) const {
  std::copy_n(pin.data, pin.bytes(), data);
}

void Simulator::write_pin(const Pin& pin, const uint8_t* data) {
  std::copy_n(data, pin.bytes(), pin.data);
  // The design may react now: evaluate some cycles before skipping any.
  calm_cycles_ = 0;
  quiet_cycles_ = 0;
}

StreamPort& Simulator::stream(const std::string& name) {
  for (StreamPort& stream : streams_) {
    if (stream.name() == name) return stream;
  }
  throw Failure(ENOENT, "the design file raises no stream " + name);
}

const BeatLink* Simulator::beat_link_of(const Pin& pin) const {
  for (const BeatLink& link : beat_links_) {
    if (link.has_pin(pin)) return &link;
  }
  return nullptr;
}

const StreamPort* Simulator::stream_of(const Pin& pin) const {
  for (const StreamPort& stream : streams_) {
    if (stream.has_pin(pin)) return &stream;
  }
  return nullptr;
}

void Simulator::send_message(StreamPort& stream, Message message) {
  stream.send(std::move(message));
  calm_cycles_ = 0;
  quiet_cycles_ = 0;
}

bool Simulator::has_message(StreamPort* stream) {
  if (stream != nullptr) return !stream->received().empty();
  return std::any_of(streams_.begin(), streams_.end(),
                     [](StreamPort& each) { return !each.received().empty(); });
}

void Simulator::poll() {
  if (time_ps_ >= kEndOfTimePs) throw Failure(EOVERFLOW, "virtual time is at its end, 106 days");
  if (poll_ == nullptr) return;
  const uint64_t now_ns = monotonic_ns();
  if (now_ns - polled_ns_ < kPollNanoseconds) return;
  polled_ns_ = now_ns;
  if (poll_(poll_context_) != 0) throw Interrupted();
}

void Simulator::wave_start(const std::string& path) { wave_.start(*top_, path); }

}  // namespace bombus

// Verilator calls these (VL_USER_STOP, VL_USER_FATAL) instead of ending the process.
void vl_stop(const char* file, int line, const char* scope) {
  if (bombus::Simulator* simulator = bombus::Turn::current()) simulator->assertion_failed();
  std::fprintf(stderr, "%s:%d: stopped in %s\n", file, line, scope);
}

void vl_fatal(const char* file, int line, const char* scope, const char* message) {
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + scope + ": " +
                           message);
}
