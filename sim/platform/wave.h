// SPDX-License-Identifier: Apache-2.0
// Waveforms, in the format that the design was built for; does nothing if built without.
#ifndef BOMBUS_WAVE_H_
#define BOMBUS_WAVE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "design.h"

namespace bombus {

class WaveFile;

class Wave {
 public:
  static void prepare(VerilatedContext& context);

  Wave();
  ~Wave();

  // Throws Failure if the file cannot be written, or if built without waveforms.
  void start(Vtop& top, const std::string& path);
  void stop();
  bool running() const { return file_ != nullptr; }
  void dump(uint64_t time_ps) {
    if (file_) write(time_ps);
  }

 private:
  void write(uint64_t time_ps);

  std::unique_ptr<WaveFile> file_;
};

}  // namespace bombus
#endif
