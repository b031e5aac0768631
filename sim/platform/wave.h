// SPDX-License-Identifier: Apache-2.0
// Waveforms, in the format that the design was built for; does nothing if built without.
#ifndef BOMBUS_WAVE_H_
#define BOMBUS_WAVE_H_

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>

#include "design.h"
#include "failure.h"
#include "verilated.h"

#if VM_TRACE_FST
#include "verilated_fst_c.h"
#elif VM_TRACE
#include "verilated_vcd_c.h"
#endif

namespace bombus {

#if VM_TRACE

class Wave {
 public:
  static void prepare(VerilatedContext& context) { context.traceEverOn(true); }

  void start(Vtop& top, const std::string& path) {
    stop();
    trace_ = std::make_unique<Trace>();
    constexpr int kAllLevels = 99;
    top.trace(trace_.get(), kAllLevels);
    trace_->open(path.c_str());
    if (!trace_->isOpen()) {
      trace_.reset();
      throw Failure(EIO, path + ": cannot be written");
    }
  }
  void stop() {
    if (trace_) trace_->close();
    trace_.reset();
  }
  bool running() const { return trace_ != nullptr; }
  void dump(uint64_t time_ps) {
    if (trace_) trace_->dump(time_ps);
  }

 private:
#if VM_TRACE_FST
  using Trace = VerilatedFstC;
#else
  using Trace = VerilatedVcdC;
#endif
  std::unique_ptr<Trace> trace_;
};

#else

class Wave {
 public:
  static void prepare(VerilatedContext&) {}
  [[noreturn]] void start(Vtop&, const std::string&) {
    throw Failure(ENOTSUP, "built without waveforms");
  }
  void stop() {}
  static constexpr bool running() { return false; }
  void dump(uint64_t) {}
};

#endif

}  // namespace bombus
#endif
