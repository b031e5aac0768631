// SPDX-License-Identifier: Apache-2.0
// Capture files, link type Ethernet: classic pcap and pcapng.
#ifndef BOMBUS_CAPTURE_H_
#define BOMBUS_CAPTURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "frame.h"

namespace bombus {

// Writes a capture file with times in nanoseconds: pcapng if the name ends in .pcapng, else classic
// pcap. Only pcapng records the direction of a frame.
class CaptureWriter {
 public:
  // Throws Failure if the file cannot be written.
  explicit CaptureWriter(const std::string& path);
  ~CaptureWriter();
  CaptureWriter(const CaptureWriter&) = delete;
  CaptureWriter& operator=(const CaptureWriter&) = delete;

  void write(const std::vector<uint8_t>& frame, uint64_t time_ns, int direction);
  // Writes buffered data to the kernel.
  void flush();
  // Frames that could not be written. The file ends before the first of them.
  uint64_t lost() const { return lost_; }
  // Completes the file. Throws Failure if frames were lost.
  void close();

 private:
  void append(const void* bytes, size_t length);
  void append32(uint32_t value) { append(&value, sizeof value); }
  void append_pcap_header();
  void append_pcapng_header();
  void append_pcap(const std::vector<uint8_t>& frame, uint64_t time_ns);
  void append_pcapng(const std::vector<uint8_t>& frame, uint64_t time_ns, int direction);

  std::string path_;
  bool next_generation_;
  int descriptor_;
  int error_ = 0;              // errno of the first write that failed
  std::vector<uint8_t> buffer_;
  std::vector<size_t> frame_ends_;  // ends of the frames in the buffer
  uint64_t written_bytes_ = 0;
  uint64_t lost_ = 0;
};

struct CapturedFrame {
  std::vector<uint8_t> data;
  uint64_t time_ns;  // since the file's epoch
};

// Reads classic pcap (microseconds and nanoseconds) and pcapng, of either byte order: all frames,
// each whole, without an FCS that the file holds. Throws Failure if the file is neither, is damaged
// or cut short, or has frames of another link type than Ethernet or of which a part is missing.
std::vector<CapturedFrame> read_capture(const std::string& path);

}  // namespace bombus
#endif
