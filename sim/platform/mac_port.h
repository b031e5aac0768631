// SPDX-License-Identifier: Apache-2.0
// Drives and monitors one MAC port: streams queued frames into rx, captures frames from tx, and
// checks that tx follows AXI-Stream and the requirements of a MAC.
#ifndef BOMBUS_MAC_PORT_H_
#define BOMBUS_MAC_PORT_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "bombus_sim.h"
#include "capture.h"
#include "design.h"
#include "frame.h"
#include "impairment.h"
#include "random.h"

namespace bombus {

class MacPort {
 public:
  MacPort(const MacPins& pins, unsigned index, const bombus_options& options,
          bombus_errors& errors);

  // The port has its own clock.
  void use_clock(const MacClockPins& clock) {
    has_own_clock_ = true;
    period_ps_ = (kPicosecondsPerSecond + clock.hz - 1) / clock.hz;
    pins_.tx_tuser = clock.tx_tuser;
  }
  bool has_own_clock() const { return has_own_clock_; }

  // ---- Each cycle of its clock ----

  // drive() sets the inputs, the model settles, then sample() reads the outputs at the clock edge.
  void drive(uint64_t now_ps);
  void sample(uint64_t cycle, uint64_t now_ps) {
    if (offering_) sample_rx(cycle, now_ps);
    if (*pins_.tx_tvalid | tx_waiting_ | !capture_.data.empty()) sample_tx(cycle, now_ps);
  }

  // A frame is being received or sent.
  bool active() const {
    return offering_ || position_ < current_.data.size() || tx_waiting_ || !capture_.data.empty();
  }
  // When the next waiting frame is sent, or leaves the impairment.
  uint64_t next_ps() const;

  // ---- Frames ----

  void send(Frame frame, uint64_t now_ps);
  size_t rx_waiting() const { return rx_impairment_.size(); }
  // Delivers captured frames that the impairment releases by now.
  void deliver(uint64_t now_ps);
  std::deque<Frame>& received() { return received_; }
  std::deque<bombus_frame_info>& sent() { return sent_; }
  bombus_frame_info info(const Frame& frame) const;
  uint64_t captured_frames() const { return statistics_.tx_frames; }
  // Queues the frames of a capture file: all now, or at their times relative to the first.
  size_t send_capture(const std::string& path, bool keep_time, uint64_t now_ps);

  // ---- Environment ----

  // While down, the port receives nothing, and frames sent are lost.
  void set_link(bool up) { is_up_ = up; }
  void set_pace(double rx_bubble, double tx_stall);
  void set_line_rate(double bits_per_second);
  void set_impairment(int direction, const bombus_impairment* impairment);
  // Throws Failure if the file cannot be written.
  void start_capture(const std::string& path, uint32_t directions);
  // Throws Failure if the file is incomplete. Does nothing if there is no capture.
  void stop_capture();
  // Wall-clock time at virtual time 0 (wraps), for time stamps of captures; 0: virtual time.
  void set_capture_epoch(uint64_t nanoseconds) { capture_epoch_ns_ = nanoseconds; }
  void flush_capture() {
    if (capture_file_) capture_file_->flush();
  }
  bombus_port_statistics statistics() const;

  // Discards everything on the wire and waiting; inputs become idle.
  void reset();

 private:
  Impairment& impairment(int direction) {
    return direction == BOMBUS_RX ? rx_impairment_ : tx_impairment_;
  }
  uint64_t wire_time_ps(size_t bytes) const {
    return static_cast<uint64_t>(static_cast<double>(bytes + kWireOverhead) * ps_per_byte_);
  }
  void idle_rx();
  bool beat_available(uint64_t now_ps);
  void offer_beat();
  void sample_rx(uint64_t cycle, uint64_t now_ps);
  void sample_tx(uint64_t cycle, uint64_t now_ps);
  void finish_capture(uint64_t cycle, uint64_t now_ps);
  void write_capture(const Frame& frame, uint64_t now_ps, int direction) {
    if (capture_file_ && (captured_directions_ & (1u << direction))) {
      const uint64_t now_ns = capture_epoch_ns_ + now_ps / kPicosecondsPerNanosecond;
      capture_file_->write(frame.data, now_ns, direction);
    }
  }

  // Preamble and SFD 8, FCS 4, gap 12.
  static constexpr size_t kWireOverhead = 24;
  static constexpr size_t kSentKept = 65536;

  MacPins pins_;
  bool has_own_clock_ = false;
  bool is_up_ = true;
  uint64_t period_ps_ = kPeriodPs;
  uint64_t driven_ps_ = 0;  // time at which this cycle's inputs were set
  unsigned index_;
  uint64_t seed_;
  bombus_errors& errors_;

  Impairment rx_impairment_, tx_impairment_;
  Random bubble_random_, stall_random_;
  double rx_bubble_, tx_stall_;
  double ps_per_byte_ = 0;  // 0: no line rate

  // rx
  Frame current_;              // being streamed
  size_t position_ = 0;        // offset of the next beat in it
  bool offering_ = false;      // tvalid is high
  uint64_t rx_free_ps_ = 0;    // when the wire is free for the next frame
  std::deque<bombus_frame_info> sent_;

  // tx
  Frame capture_;            // received so far
  bool tx_waiting_ = false;  // a beat was offered and not taken
  uint8_t waiting_data_[kMaxDataBytes];
  uint64_t waiting_keep_ = 0;
  bool waiting_last_ = false;
  uint64_t tx_start_ps_ = 0;  // start of the frame being captured
  uint64_t tx_free_ps_ = 0;
  std::deque<Frame> received_;

  std::unique_ptr<CaptureWriter> capture_file_;
  uint32_t captured_directions_ = 0;
  uint64_t capture_epoch_ns_ = 0;
  bombus_port_statistics statistics_{};
};

}  // namespace bombus
#endif
