// SPDX-License-Identifier: Apache-2.0
#include "wave.h"

#include <cerrno>

#include "Vtop.h"
#include "bombus_design.h"
#include "failure.h"

#if VM_TRACE_FST
#include "verilated_fst_c.h"
#elif VM_TRACE
#include "verilated_vcd_c.h"
#endif

namespace bombus {

#if VM_TRACE

class WaveFile {
 public:
#if VM_TRACE_FST
  VerilatedFstC trace;
#else
  VerilatedVcdC trace;
#endif
};

void Wave::prepare(VerilatedContext& context) { context.traceEverOn(true); }

void Wave::start(Vtop& top, const std::string& path) {
  stop();
  file_ = std::make_unique<WaveFile>();
  constexpr int kAllLevels = 99;
  top.trace(&file_->trace, kAllLevels);
  file_->trace.open(path.c_str());
  if (!file_->trace.isOpen()) {
    file_.reset();
    throw Failure(EIO, path + ": cannot be written");
  }
}

void Wave::stop() {
  if (file_) file_->trace.close();
  file_.reset();
}

void Wave::write(uint64_t time_ps) { file_->trace.dump(time_ps); }

#else

class WaveFile {};

void Wave::prepare(VerilatedContext&) {}

void Wave::start(Vtop&, const std::string&) {
  throw Failure(ENOTSUP, "built without waveforms");
}

void Wave::stop() {}
void Wave::write(uint64_t) {}

#endif

Wave::Wave() = default;
Wave::~Wave() = default;

}  // namespace bombus
