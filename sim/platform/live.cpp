// SPDX-License-Identifier: Apache-2.0
#include "live.h"

#include <fcntl.h>
#include <poll.h>
#include <linux/if_packet.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "clock.h"
#include "failure.h"

namespace bombus {

namespace {

// Cycles between polls of the file descriptors: short compared with the latency of a packet, long
// compared with a system call.
constexpr unsigned kBatchCycles = 32;
// Further frames wait in the kernel, which drops them as for a real interface.
constexpr size_t kMaxWaiting = 64;
// A MAC pads shorter frames from the kernel.
constexpr size_t kMinFrameBytes = 60;
// Maximum delay of a protocol timer.
constexpr uint64_t kTimerPs = 1000 * kPicosecondsPerMicrosecond;

uint64_t monotonic_ps() { return monotonic_ns() * kPicosecondsPerNanosecond; }

// Whether a packet socket's interface was deleted; an interface that is only down can be brought up
// again.
bool is_unbound(int descriptor) {
  sockaddr_ll address{};
  socklen_t length = sizeof address;
  return getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length) == 0 &&
         address.sll_family == AF_PACKET && address.sll_ifindex <= 0;
}

// The design runs on real time as long as this object lives.
class ExternalTime {
 public:
  explicit ExternalTime(Simulator& simulator) : simulator_(simulator) {
    simulator_.use_external_time();
  }
  ~ExternalTime() { simulator_.use_virtual_time(); }
  ExternalTime(const ExternalTime&) = delete;
  ExternalTime& operator=(const ExternalTime&) = delete;

 private:
  Simulator& simulator_;
};

}  // namespace

void Live::attach(unsigned port, int descriptor) {
  if (descriptor != -1) {
    const int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0) {
      throw Failure(errno, "file descriptor " + std::to_string(descriptor) + ": " +
                               std::strerror(errno));
    }
  }
  descriptors_[port] = descriptor;
  // Register accesses before the first `run` let virtual time pass, and frames leave in it.
  if (!started_) set_capture_epoch();
}

void Live::set_capture_epoch() {
  const uint64_t epoch_ns = wall_clock_ns() - simulator_.time_ps() / kPicosecondsPerNanosecond;
  for (unsigned i = 0; i < kMacPorts; ++i) simulator_.port(i).set_capture_epoch(epoch_ns);
}

void Live::start() {
  if (started_) return;
  started_ = true;
  set_capture_epoch();
  // Frames already wait in the kernel. While TCP clears its tables, no port listens: it would
  // answer a SYN with a reset.
  simulator_.calm_down();
  start_ps_ = monotonic_ps() - simulator_.time_ps();
  set_capture_epoch();
}

uint64_t Live::real_time_ps() { return monotonic_ps() - start_ps_; }

void Live::run(uint32_t milliseconds) {
  const uint64_t received = simulator_.messages_received();
  start();
  constexpr uint64_t kPicosecondsPerMillisecond = 1000 * kPicosecondsPerMicrosecond;
  const uint64_t end_ps = real_time_ps() + milliseconds * kPicosecondsPerMillisecond;
  const ExternalTime external(simulator_);
  for (uint64_t now_ps = real_time_ps(); now_ps < end_ps; now_ps = real_time_ps()) {
    simulator_.set_time_ps(now_ps);
    simulator_.poll();
    read_frames();
    const bool work = !simulator_.calm() || simulator_.next_frame_ps() <= simulator_.time_ps();
    for (unsigned i = 0; i < (work ? kBatchCycles : 1); ++i) simulator_.advance(1);
    write_frames();
    if (simulator_.messages_received() != received) break;  // the program may want to answer
    if (!work && simulator_.calm()) {
      uint64_t until_ps = std::min(end_ps, simulator_.next_frame_ps());
      if (simulator_.busy()) until_ps = std::min(until_ps, now_ps + kTimerPs);
      if (sleep(until_ps)) break;
      // The timers see the time slept only now, and their effects appear a little later.
      simulator_.set_time_ps(real_time_ps());
      simulator_.stir();
    }
  }
  for (unsigned i = 0; i < kMacPorts; ++i) simulator_.port(i).flush_capture();
}

void Live::read_frames() {
  for (unsigned i = 0; i < kMacPorts; ++i) {
    if (descriptors_[i] >= 0) read_frames(i);
  }
}

void Live::read_frames(unsigned port) {
  std::vector<uint8_t> buffer(kMaxFrameBytes + 1);
  while (simulator_.port(port).rx_waiting() < kMaxWaiting) {
    const ssize_t length = read(descriptors_[port], buffer.data(), buffer.size());
    if (length < 0) return check_there(port, errno);
    if (length == 0) return check_there(port, ENODEV);
    down_[port] = false;
    if (static_cast<size_t>(length) > kMaxFrameBytes) {
      ++file_errors_[port];
      continue;
    }
    Frame frame;
    frame.data.assign(buffer.begin(), buffer.begin() + length);
    if (frame.data.size() < kMinFrameBytes) frame.data.resize(kMinFrameBytes);
    simulator_.port(port).send(std::move(frame), simulator_.time_ps());
  }
}

void Live::check_there(unsigned port, int error) {
  // The socket reports once that its interface is down, but not that it is deleted afterwards.
  if (error == ENETDOWN) down_[port] = true;
  // EBADFD: the TAP was deleted. ENODEV: its peer was closed.
  const bool gone = error == EBADFD || error == EBADF || error == ENODEV ||
                    (down_[port] && is_unbound(descriptors_[port]));
  if (!gone) return;
  throw Failure(ENODEV, "the interface of MAC port " + std::to_string(port) + " was deleted");
}

void Live::write_frames() {
  for (unsigned i = 0; i < kMacPorts; ++i) {
    if (descriptors_[i] < 0) continue;
    auto& frames = simulator_.port(i).received();
    for (; !frames.empty(); frames.pop_front()) {
      const auto& data = frames.front().data;
      // If the queue is full or the interface down, the frame is lost, as on a wire.
      if (write(descriptors_[i], data.data(), data.size()) < 0) {
        ++file_errors_[i];
        check_there(i, errno);
      }
    }
  }
}

bool Live::sleep(uint64_t until_ps) {
  std::vector<pollfd> polled(kMacPorts);
  for (unsigned i = 0; i < kMacPorts; ++i) polled[i] = {descriptors_[i], POLLIN, 0};
  const uint64_t now_ps = real_time_ps();
  const uint64_t left_ns =
      until_ps > now_ps ? (until_ps - now_ps) / kPicosecondsPerNanosecond + 1 : 0;
  const timespec timeout{static_cast<time_t>(left_ns / 1000000000u),
                         static_cast<long>(left_ns % 1000000000u)};
  return ppoll(polled.data(), polled.size(), &timeout, nullptr) < 0 && errno == EINTR;
}

}  // namespace bombus
