// SPDX-License-Identifier: Apache-2.0
// Connects MAC ports to file descriptors and runs a simulator in real time.
#ifndef BOMBUS_LIVE_H_
#define BOMBUS_LIVE_H_

#include <cstdint>
#include <vector>

#include "simulator.h"

namespace bombus {

class Live {
 public:
  explicit Live(Simulator& simulator) : simulator_(simulator) {}

  // -1: none. Throws Failure if the descriptor cannot be made non-blocking.
  void attach(unsigned port, int descriptor);

  // Runs for this long, or until a signal arrives. Throws Failure(ENODEV) if the interface or
  // program attached to a port is gone.
  void run(uint32_t milliseconds);

  uint64_t file_errors(unsigned port) const { return file_errors_[port]; }

 private:
  void read_frames();
  void read_frames(unsigned port);
  // Called after a failed read or write.
  void check_there(unsigned port, int error);
  void write_frames();
  // True if a signal arrived.
  bool sleep(uint64_t until_ps);
  // At the first `run`: initialises the design and sets its real time.
  void start();
  void set_capture_epoch();
  uint64_t real_time_ps();

  Simulator& simulator_;
  std::vector<int> descriptors_ = std::vector<int>(kMacPorts, -1);
  // The packet socket's interface is down, perhaps about to be deleted
  std::vector<bool> down_ = std::vector<bool>(kMacPorts);
  std::vector<uint64_t> file_errors_ = std::vector<uint64_t>(kMacPorts);
  bool started_ = false;
  uint64_t start_ps_ = 0;  // real time at virtual time 0; wraps
};

}  // namespace bombus
#endif
