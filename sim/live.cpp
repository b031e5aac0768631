#include "live.h"

#include <fcntl.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace bombus {

namespace {

// Between two looks at the file descriptors: short beside a packet's way
// through a design, long beside a system call.
constexpr unsigned kBatchCycles = 32;
// More wait in the kernel, which drops there as it would with a real interface.
constexpr size_t kMaxWaiting = 64;
// A MAC pads what the kernel sends shorter.
constexpr size_t kMinFrameBytes = 60;
// How late a protocol timer may be.
constexpr uint64_t kTimerPs = 1000 * kPicosecondsPerMicrosecond;

uint64_t monotonic_ps() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (static_cast<uint64_t>(now.tv_sec) * 1000000000ull + static_cast<uint64_t>(now.tv_nsec)) *
         kPicosecondsPerNanosecond;
}

}  // namespace

bool Live::attach(unsigned port, int descriptor) {
  if (descriptor >= 0) {
    const int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0) return false;
  }
  descriptors_[port] = descriptor;
  return true;
}

uint64_t Live::real_time_ps() {
  if (!started_) {
    started_ = true;
    start_ps_ = monotonic_ps() - simulator_.time_ps();
  }
  return monotonic_ps() - start_ps_;
}

void Live::run(uint32_t milliseconds) {
  const uint64_t end_ps = real_time_ps() + milliseconds * 1000 * kPicosecondsPerMicrosecond;
  simulator_.use_external_time();
  for (uint64_t now_ps = real_time_ps(); now_ps < end_ps; now_ps = real_time_ps()) {
    simulator_.set_time_ps(now_ps);
    read_frames();
    const bool work = !simulator_.calm() || simulator_.next_frame_ps() <= simulator_.time_ps();
    for (unsigned i = 0; i < (work ? kBatchCycles : 1); ++i) simulator_.advance(1);
    write_frames();
    if (!work && simulator_.calm()) {
      uint64_t until_ps = std::min(end_ps, simulator_.next_frame_ps());
      if (simulator_.busy()) until_ps = std::min(until_ps, now_ps + kTimerPs);
      if (sleep(until_ps)) break;
      // The time slept reaches the timers now; what they start shows a little later.
      simulator_.set_time_ps(real_time_ps());
      simulator_.stir();
    }
  }
  simulator_.use_virtual_time();
}

void Live::read_frames() {
  uint8_t buffer[kMaxFrameBytes + 1];
  for (unsigned i = 0; i < kMacPorts; ++i) {
    if (descriptors_[i] < 0) continue;
    while (simulator_.port(i).rx_waiting() < kMaxWaiting) {
      const ssize_t length = read(descriptors_[i], buffer, sizeof buffer);
      if (length <= 0) break;
      if (static_cast<size_t>(length) > kMaxFrameBytes) {
        ++file_errors_[i];
        continue;
      }
      Frame frame;
      frame.data.assign(buffer, buffer + length);
      if (frame.data.size() < kMinFrameBytes) frame.data.resize(kMinFrameBytes);
      simulator_.port(i).send(std::move(frame), simulator_.time_ps());
    }
  }
}

void Live::write_frames() {
  for (unsigned i = 0; i < kMacPorts; ++i) {
    if (descriptors_[i] < 0) continue;
    auto& frames = simulator_.port(i).received();
    for (; !frames.empty(); frames.pop_front()) {
      const auto& data = frames.front().data;
      // A full queue or an interface that is down: lost, as on a wire.
      if (write(descriptors_[i], data.data(), data.size()) < 0) ++file_errors_[i];
    }
  }
}

bool Live::sleep(uint64_t until_ps) {
  std::array<pollfd, kMacPorts> polled;
  for (unsigned i = 0; i < kMacPorts; ++i) polled[i] = {descriptors_[i], POLLIN, 0};
  const uint64_t now_ps = real_time_ps();
  const uint64_t left_ns =
      until_ps > now_ps ? (until_ps - now_ps) / kPicosecondsPerNanosecond + 1 : 0;
  const timespec timeout{static_cast<time_t>(left_ns / 1000000000u),
                         static_cast<long>(left_ns % 1000000000u)};
  return ppoll(polled.data(), polled.size(), &timeout, nullptr) < 0 && errno == EINTR;
}

}  // namespace bombus
