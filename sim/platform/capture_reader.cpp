// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "capture.h"
#include "capture_format.h"
#include "failure.h"

namespace bombus {

namespace {

constexpr size_t kLongestBlock = 1u << 24;
constexpr uint64_t kNanosecondsPerSecond = 1000000000;

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Reads numbers in either byte order.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "rb")) {
    if (!file_) throw Failure(errno, path + ": " + std::strerror(errno));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Failure(EINVAL, path_ + ": " + what);
  }
  // False at the end of the file.
  bool read(void* bytes, size_t length) {
    const size_t count = length == 0 ? 0 : std::fread(bytes, 1, length, file_.get());
    if (std::ferror(file_.get())) throw Failure(EIO, path_ + ": " + std::strerror(errno));
    if (count != 0 && count != length) fail("cut short");
    return count == length;
  }
  void need(void* bytes, size_t length) {
    if (!read(bytes, length)) fail("cut short");
  }

  void swap(bool swapped) { swapped_ = swapped; }
  uint32_t number(uint32_t x) const { return swapped_ ? __builtin_bswap32(x) : x; }
  uint16_t number(uint16_t x) const { return swapped_ ? __builtin_bswap16(x) : x; }

  // Allocates a frame; rejects impossible lengths.
  std::vector<uint8_t> frame(size_t length) const {
    if (length == 0 || length > kLongestFrame) fail("damaged record");
    return std::vector<uint8_t>(length);
  }
  void check_link_type(uint32_t link_type) const {
    if (link_type != kLinkTypeEthernet) fail("link type is not Ethernet");
  }

 private:
  std::string path_;
  std::unique_ptr<std::FILE, FileCloser> file_;
  bool swapped_ = false;
};

std::vector<CapturedFrame> read_pcap(Reader& reader, uint32_t magic) {
  PcapHeader header;
  reader.need(reinterpret_cast<uint8_t*>(&header) + sizeof magic, sizeof header - sizeof magic);
  reader.check_link_type(reader.number(header.link_type) & 0xFFFFu);
  const uint64_t fraction_ns = reader.number(magic) == kPcapNanoseconds ? 1 : 1000;

  std::vector<CapturedFrame> frames;
  PcapRecord record;
  while (reader.read(&record, sizeof record)) {
    CapturedFrame captured{reader.frame(reader.number(record.captured_length)),
                           reader.number(record.seconds) * kNanosecondsPerSecond +
                               reader.number(record.fraction) * fraction_ns};
    reader.need(captured.data.data(), captured.data.size());
    frames.push_back(std::move(captured));
  }
  return frames;
}

// The content of a pcapng block, between its two lengths.
class Block {
 public:
  Block(Reader& reader, std::vector<uint8_t> body) : reader_(reader), body_(std::move(body)) {}

  template <typename Number>
  Number at(size_t position) const {
    Number value;
    if (position + sizeof value > body_.size()) reader_.fail("damaged block");
    std::memcpy(&value, body_.data() + position, sizeof value);
    return reader_.number(value);
  }
  std::vector<uint8_t> frame(size_t position, size_t length) const {
    if (position > body_.size() || length > body_.size() - position) {
      reader_.fail("damaged block");
    }
    std::vector<uint8_t> data = reader_.frame(length);
    std::memcpy(data.data(), body_.data() + position, length);
    return data;
  }
  size_t size() const { return body_.size(); }
  // The first byte of an option after `position`, or `otherwise`.
  uint8_t option(size_t position, uint16_t wanted, uint8_t otherwise) const {
    while (position + 4 <= size()) {
      const auto code = at<uint16_t>(position);
      const auto length = at<uint16_t>(position + 2);
      if (code == kOptionEnd) break;
      if (code == wanted && length >= 1 && position + 4 < size()) return body_[position + 4];
      position += 4 + (length + 3u) / 4 * 4;
    }
    return otherwise;
  }

 private:
  Reader& reader_;
  std::vector<uint8_t> body_;
};

uint64_t nanoseconds(uint64_t ticks, uint8_t resolution) {
  __extension__ using Wide = unsigned __int128;
  Wide per_second = 1;
  if (resolution & 0x80) {
    per_second <<= resolution & 0x7F;
  } else {
    for (unsigned i = 0; i < resolution; ++i) per_second *= 10;
  }
  return static_cast<uint64_t>(static_cast<Wide>(ticks) * kNanosecondsPerSecond / per_second);
}

std::vector<CapturedFrame> read_pcapng(Reader& reader) {
  constexpr uint8_t kMicroseconds = 6, kFinest = 18, kFinestBinary = 0x80 | 63;
  std::vector<uint8_t> resolutions;  // of each interface of the section
  std::vector<CapturedFrame> frames;
  uint32_t type = kSectionBlock;  // the first word has already been read
  do {
    uint32_t length, magic = 0;
    reader.need(&length, sizeof length);
    if (type == kSectionBlock) {  // palindromic: the same in both byte orders
      reader.need(&magic, sizeof magic);
      reader.swap(__builtin_bswap32(magic) == kByteOrderMagic);
      if (reader.number(magic) != kByteOrderMagic) reader.fail("damaged block");
      resolutions.clear();
    }
    const size_t head = sizeof type + sizeof length + (magic ? sizeof magic : 0);
    length = reader.number(length);
    if (length < head + sizeof length || length > kLongestBlock || length % 4 != 0) {
      reader.fail("damaged block");
    }
    std::vector<uint8_t> body(length - head - sizeof length);
    uint32_t again;
    if (!body.empty()) reader.need(body.data(), body.size());
    reader.need(&again, sizeof again);
    if (reader.number(again) != length) reader.fail("damaged block");

    const Block block(reader, std::move(body));
    switch (magic ? kSectionBlock : reader.number(type)) {
      case kInterfaceBlock: {
        reader.check_link_type(block.at<uint16_t>(0));
        const uint8_t resolution = block.option(8, kOptionTimeResolution, kMicroseconds);
        if (resolution & 0x80 ? resolution > kFinestBinary : resolution > kFinest) {
          reader.fail("times are too fine");
        }
        resolutions.push_back(resolution);
        break;
      }
      case kPacketBlock: {
        const auto interface = block.at<uint32_t>(0);
        if (interface >= resolutions.size()) reader.fail("damaged block");
        const uint64_t ticks = static_cast<uint64_t>(block.at<uint32_t>(4)) << 32 |
                               block.at<uint32_t>(8);
        frames.push_back({block.frame(20, block.at<uint32_t>(12)),
                          nanoseconds(ticks, resolutions[interface])});
        break;
      }
      case kSimplePacketBlock: {  // has no timestamp
        if (resolutions.empty()) reader.fail("damaged block");
        frames.push_back({block.frame(4, block.at<uint32_t>(0)),
                          frames.empty() ? 0 : frames.back().time_ns});
        break;
      }
      default:
        break;
    }
  } while (reader.read(&type, sizeof type));
  return frames;
}

}  // namespace

std::vector<CapturedFrame> read_capture(const std::string& path) {
  Reader reader(path);
  uint32_t magic = 0;
  if (!reader.read(&magic, sizeof magic)) reader.fail("not a capture file, but empty");
  if (magic == kSectionBlock) return read_pcapng(reader);
  for (const bool swapped : {false, true}) {
    reader.swap(swapped);
    const uint32_t number = reader.number(magic);
    if (number == kPcapMicroseconds || number == kPcapNanoseconds) return read_pcap(reader, magic);
  }
  reader.fail("not a capture file (pcap or pcapng)");
}

}  // namespace bombus
