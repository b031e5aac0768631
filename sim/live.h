// SPDX-License-Identifier: Apache-2.0
// Joins MAC ports to file descriptors and runs a simulator in real time.
#ifndef BOMBUS_LIVE_H_
#define BOMBUS_LIVE_H_

#include <array>
#include <cstdint>

#include "simulator.h"

namespace bombus {

class Live {
 public:
  explicit Live(Simulator& simulator) : simulator_(simulator) { descriptors_.fill(-1); }

  // -1: none. Failure if the descriptor cannot be made non-blocking.
  void attach(unsigned port, int descriptor);

  // For so long, or until a signal comes. Failure (ENODEV) when what a port is attached to
  // is gone.
  void run(uint32_t milliseconds);

  uint64_t file_errors(unsigned port) const { return file_errors_[port]; }

 private:
  void read_frames();
  void read_frames(unsigned port);
  // After a read or write has failed.
  void check_there(unsigned port, int error);
  void write_frames();
  // True: a signal came.
  bool sleep(uint64_t until_ps);
  uint64_t real_time_ps();

  Simulator& simulator_;
  std::array<int, kMacPorts> descriptors_;
  std::array<bool, kMacPorts> down_{};  // a packet socket's interface, or it is deleted next
  std::array<uint64_t, kMacPorts> file_errors_{};
  bool started_ = false;
  uint64_t start_ps_ = 0;  // real time at virtual time 0; wraps
};

}  // namespace bombus
#endif
