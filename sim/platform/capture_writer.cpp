// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "bombus_sim.h"
#include "capture.h"
#include "capture_format.h"
#include "failure.h"

namespace bombus {

namespace {

constexpr size_t kBufferBytes = 65536;

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

size_t padding(size_t bytes) { return (4 - bytes % 4) % 4; }

}  // namespace

CaptureWriter::CaptureWriter(const std::string& path)
    : path_(path),
      next_generation_(ends_with(path, ".pcapng")),
      descriptor_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) throw Failure(errno, path + ": " + std::strerror(errno));
  if (next_generation_) {
    append_pcapng_header();
  } else {
    append_pcap_header();
  }
  flush();
  if (error_ != 0) {
    ::close(descriptor_);
    throw Failure(error_, path + ": " + std::strerror(error_));
  }
}

CaptureWriter::~CaptureWriter() {
  flush();
  if (descriptor_ >= 0) ::close(descriptor_);
}

void CaptureWriter::write(const std::vector<uint8_t>& frame, uint64_t time_ns, int direction) {
  if (error_ != 0) {
    ++lost_;
    return;
  }
  if (next_generation_) {
    append_pcapng(frame, time_ns, direction);
  } else {
    append_pcap(frame, time_ns);
  }
  frame_ends_.push_back(buffer_.size());
  if (buffer_.size() >= kBufferBytes) flush();
}

void CaptureWriter::flush() {
  if (buffer_.empty()) return;
  size_t done = 0;
  while (done < buffer_.size() && error_ == 0) {
    const ssize_t count = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
    if (count >= 0) {
      done += static_cast<size_t>(count);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  if (error_ != 0) {
    // A truncated frame would corrupt the file.
    const auto cut = std::upper_bound(frame_ends_.begin(), frame_ends_.end(), done);
    lost_ += static_cast<uint64_t>(frame_ends_.end() - cut);
    done = cut == frame_ends_.begin() ? 0 : *(cut - 1);
    // Only a regular file has a length to truncate; otherwise there is nothing to do.
    [[maybe_unused]] const int status =
        ftruncate(descriptor_, static_cast<off_t>(written_bytes_ + done));
  }
  written_bytes_ += done;
  buffer_.clear();
  frame_ends_.clear();
}

void CaptureWriter::close() {
  flush();
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0 && error_ == 0) error_ = errno;
  if (error_ != 0) {
    throw Failure(error_, path_ + ": " + std::strerror(error_) + "; " + std::to_string(lost_) +
                              " frames are missing at its end");
  }
}

void CaptureWriter::append(const void* bytes, size_t length) {
  const auto* first = static_cast<const uint8_t*>(bytes);
  buffer_.insert(buffer_.end(), first, first + length);
}

void CaptureWriter::append_pcap_header() {
  const PcapHeader header{kPcapNanoseconds, 2, 4, 0, 0, kLongestFrame, kLinkTypeEthernet};
  append(&header, sizeof header);
}

void CaptureWriter::append_pcap(const std::vector<uint8_t>& frame, uint64_t time_ns) {
  const auto length = static_cast<uint32_t>(frame.size());
  const PcapRecord record{static_cast<uint32_t>(time_ns / 1000000000u),
                          static_cast<uint32_t>(time_ns % 1000000000u), length, length};
  append(&record, sizeof record);
  append(frame.data(), frame.size());
}

void CaptureWriter::append_pcapng_header() {
  const PcapngSection section{kSectionBlock,    sizeof section, kByteOrderMagic, 1, 0,
                              kUnknownLength,   kUnknownLength, sizeof section};
  append(&section, sizeof section);
  const PcapngInterface interface{kInterfaceBlock, sizeof interface, kLinkTypeEthernet, 0, 0,
                                  kOptionTimeResolution, 1, 9, 0, sizeof interface};
  append(&interface, sizeof interface);
}

void CaptureWriter::append_pcapng(const std::vector<uint8_t>& frame, uint64_t time_ns,
                                  int direction) {
  constexpr uint32_t kInbound = 1, kOutbound = 2;
  const auto length = static_cast<uint32_t>(frame.size());
  const size_t pad = padding(frame.size());
  const PcapngTail tail{kOptionFlags, 4, direction == BOMBUS_RX ? kInbound : kOutbound, 0};
  const auto block = static_cast<uint32_t>(sizeof(PcapngPacket) + frame.size() + pad +
                                           sizeof tail + sizeof(uint32_t));
  const PcapngPacket packet{kPacketBlock, block, 0, static_cast<uint32_t>(time_ns >> 32),
                            static_cast<uint32_t>(time_ns), length, length};
  append(&packet, sizeof packet);
  append(frame.data(), frame.size());
  append("\0\0\0", pad);
  append(&tail, sizeof tail);
  append32(block);
}

}  // namespace bombus
