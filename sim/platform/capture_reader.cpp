// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "capture.h"
#include "capture_format.h"
#include "failure.h"

namespace bombus {

namespace {

constexpr size_t kLongestBlock = 1u << 24;
constexpr uint64_t kNanosecondsPerSecond = 1000000000;
constexpr uint32_t kFcsBytes = 4;

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Reads numbers in either byte order, and counts frames for messages.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "rb")) {
    if (!file_) throw Failure(errno, path + ": " + std::strerror(errno));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Failure(EINVAL, path_ + ": " + what);
  }
  [[noreturn]] void fail_frame(const std::string& what) const {
    fail("frame " + std::to_string(frames_.size() + 1) + " " + what);
  }
  [[noreturn]] void fail_cut() const {
    fail("the file ends within a record, after " + std::to_string(frames_.size()) + " frames");
  }
  // False at the end of the file.
  bool read(void* bytes, size_t length) {
    const size_t count = length == 0 ? 0 : std::fread(bytes, 1, length, file_.get());
    if (std::ferror(file_.get())) throw Failure(EIO, path_ + ": " + std::strerror(errno));
    if (count != 0 && count != length) fail_cut();
    return count == length;
  }
  void need(void* bytes, size_t length) {
    if (length != 0 && !read(bytes, length)) fail_cut();
  }

  void swap(bool swapped) { swapped_ = swapped; }
  uint64_t number(uint64_t x) const { return swapped_ ? __builtin_bswap64(x) : x; }
  uint32_t number(uint32_t x) const { return swapped_ ? __builtin_bswap32(x) : x; }
  uint16_t number(uint16_t x) const { return swapped_ ? __builtin_bswap16(x) : x; }

  // Rejects lengths of a frame that are impossible, and frames of which a part is missing.
  void check_lengths(uint32_t captured, uint32_t original) const {
    if (captured == 0) fail_frame("is empty");
    if (captured > kLongestFrame) {
      fail_frame("has " + std::to_string(captured) + " bytes; " + std::to_string(kLongestFrame) +
                 " is the most");
    }
    if (captured < original) {
      fail_frame("was cut when it was captured: " + std::to_string(captured) + " of " +
                 std::to_string(original) + " bytes; capture with a larger snap length");
    }
    if (captured > original) {
      fail_frame("is damaged: " + std::to_string(captured) + " bytes, of " +
                 std::to_string(original));
    }
  }
  void check_link_type(uint32_t link_type) const {
    if (link_type == kLinkTypeEthernet) return;
    const char* name = link_type_name(link_type);
    fail("link type " + std::to_string(link_type) +
         (*name ? " (" + std::string(name) + ")" : std::string()) + " is not Ethernet");
  }
  // Appends a frame without its `fcs_bytes`.
  void add(std::vector<uint8_t> data, uint64_t time_ns, uint32_t fcs_bytes) {
    if (fcs_bytes != 0 && fcs_bytes != kFcsBytes) {
      fail_frame("has an FCS of " + std::to_string(fcs_bytes) + " bytes; Ethernet has 4");
    }
    if (data.size() <= fcs_bytes) fail_frame("is empty");
    data.resize(data.size() - fcs_bytes);
    frames_.push_back({std::move(data), time_ns});
  }
  uint64_t last_time_ns() const { return frames_.empty() ? 0 : frames_.back().time_ns; }
  std::vector<CapturedFrame> take() { return std::move(frames_); }

 private:
  static const char* link_type_name(uint32_t link_type) {
    switch (link_type) {
      case 0: return "BSD loopback";
      case 9: return "PPP";
      case 12: case 14: case 101: case 228: case 229: return "raw IP";
      case 105: case 127: return "Wi-Fi";
      case 113: case 276: return "Linux cooked, as of the interface any";
      case 274: return "Ethernet with preamble";
      default: return "";
    }
  }

  std::string path_;
  std::unique_ptr<std::FILE, FileCloser> file_;
  bool swapped_ = false;
  std::vector<CapturedFrame> frames_;
};

void read_pcap(Reader& reader, uint32_t magic) {
  PcapHeader header;
  reader.need(reinterpret_cast<uint8_t*>(&header) + sizeof magic, sizeof header - sizeof magic);
  const uint16_t major = reader.number(header.version_major);
  const uint16_t minor = reader.number(header.version_minor);
  if (major != 2 || minor < 4) {  // before 2.4, the order of the two lengths differs
    reader.fail("version " + std::to_string(major) + "." + std::to_string(minor) +
                " of pcap; 2.4 is read");
  }
  const uint32_t link_type = reader.number(header.link_type);
  reader.check_link_type(link_type & kPcapLinkTypeMask);
  const uint32_t fcs_bytes =
      link_type & kPcapFcsPresent ? 2 * (link_type >> kPcapFcsLengthShift) : 0;
  const uint64_t fraction_ns = reader.number(magic) == kPcapNanoseconds ? 1 : 1000;

  PcapRecord record;
  while (reader.read(&record, sizeof record)) {
    const uint32_t length = reader.number(record.captured_length);
    reader.check_lengths(length, reader.number(record.original_length));
    std::vector<uint8_t> data(length);
    reader.need(data.data(), data.size());
    const uint64_t time_ns = reader.number(record.seconds) * kNanosecondsPerSecond +
                             reader.number(record.fraction) * fraction_ns;
    reader.add(std::move(data), time_ns, fcs_bytes);
  }
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
    const auto first = body_.begin() + static_cast<std::ptrdiff_t>(position);
    return {first, first + static_cast<std::ptrdiff_t>(length)};
  }
  size_t size() const { return body_.size(); }
  uint8_t byte(size_t position) const { return body_[position]; }
  // Position of the value of an option of at least `bytes`, searched from `position`; 0 if there
  // is none.
  size_t option(size_t position, uint16_t wanted, size_t bytes) const {
    while (position + 4 <= size()) {
      const auto code = at<uint16_t>(position);
      const auto length = at<uint16_t>(position + 2);
      if (code == kOptionEnd) break;
      if (code == wanted && length >= bytes && position + 4 + bytes <= size()) return position + 4;
      position += 4 + padded(length);
    }
    return 0;
  }
  static size_t padded(size_t length) { return (length + 3) / 4 * 4; }

 private:
  Reader& reader_;
  std::vector<uint8_t> body_;
};

struct Interface {  // of a pcapng section
  uint32_t link_type;
  uint32_t snap_length;  // 0: no limit
  uint8_t resolution;
  uint64_t offset_seconds;  // two's complement
  uint32_t fcs_bytes;
};

Interface read_interface(const Reader& reader, const Block& block) {
  constexpr size_t kOptions = 8;
  constexpr uint8_t kMicroseconds = 6, kFinest = 18, kFinestBinary = 0x80 | 63;
  Interface interface{block.at<uint16_t>(0), block.at<uint32_t>(4), kMicroseconds, 0, 0};
  if (const size_t at = block.option(kOptions, kOptionTimeResolution, 1)) {
    interface.resolution = block.byte(at);
  }
  if (interface.resolution & 0x80 ? interface.resolution > kFinestBinary
                                  : interface.resolution > kFinest) {
    reader.fail("times are too fine");
  }
  if (const size_t at = block.option(kOptions, kOptionTimeOffset, sizeof(uint64_t))) {
    interface.offset_seconds = block.at<uint64_t>(at);
  }
  if (const size_t at = block.option(kOptions, kOptionFcsLength, 1)) {
    // The specification says bits, and gives 4 as an example; programs write bytes.
    const uint8_t value = block.byte(at);
    interface.fcs_bytes = value == 8 * kFcsBytes ? kFcsBytes : value;
  }
  return interface;
}

uint64_t nanoseconds(uint64_t ticks, const Interface& interface) {
  __extension__ using Wide = unsigned __int128;
  const uint8_t resolution = interface.resolution;
  Wide per_second = 1;
  if (resolution & 0x80) {
    per_second <<= resolution & 0x7F;
  } else {
    for (unsigned i = 0; i < resolution; ++i) per_second *= 10;
  }
  return static_cast<uint64_t>(static_cast<Wide>(ticks) * kNanosecondsPerSecond / per_second) +
         interface.offset_seconds * kNanosecondsPerSecond;
}

// An Enhanced Packet Block, or the Packet Block that it replaced, which differ in one field.
void read_packet(Reader& reader, const Block& block, const std::vector<Interface>& interfaces,
                 bool obsolete) {
  constexpr size_t kData = 20;
  const uint32_t index = obsolete ? block.at<uint16_t>(0) : block.at<uint32_t>(0);
  if (index >= interfaces.size()) {
    reader.fail_frame("is of interface " + std::to_string(index) +
                      ", which is not described before");
  }
  const Interface& interface = interfaces[index];
  reader.check_link_type(interface.link_type);
  const uint64_t ticks = static_cast<uint64_t>(block.at<uint32_t>(4)) << 32 |
                         block.at<uint32_t>(8);
  const auto length = block.at<uint32_t>(12);
  reader.check_lengths(length, block.at<uint32_t>(16));
  uint32_t fcs_bytes = interface.fcs_bytes;
  if (const size_t at = block.option(kData + Block::padded(length), kOptionFlags, 4)) {
    const uint32_t own = block.at<uint32_t>(at) >> kFlagsFcsShift & kFlagsFcsMask;
    if (own != 0) fcs_bytes = own;
  }
  reader.add(block.frame(kData, length), nanoseconds(ticks, interface), fcs_bytes);
}

void read_simple_packet(Reader& reader, const Block& block,
                        const std::vector<Interface>& interfaces) {
  if (interfaces.empty()) reader.fail_frame("is of interface 0, which is not described before");
  const Interface& interface = interfaces.front();
  reader.check_link_type(interface.link_type);
  const auto original = block.at<uint32_t>(0);
  const uint32_t limit = interface.snap_length;
  const uint32_t length = limit == 0 ? original : std::min(original, limit);
  reader.check_lengths(length, original);
  // This block has no time stamp.
  reader.add(block.frame(4, length), reader.last_time_ns(), interface.fcs_bytes);
}

void read_pcapng(Reader& reader) {
  std::vector<Interface> interfaces;  // of the section
  uint32_t type = kSectionBlock;  // the first word has already been read
  do {
    uint32_t length, magic = 0;
    reader.need(&length, sizeof length);
    if (type == kSectionBlock) {  // palindromic: the same in both byte orders
      reader.need(&magic, sizeof magic);
      reader.swap(__builtin_bswap32(magic) == kByteOrderMagic);
      if (reader.number(magic) != kByteOrderMagic) reader.fail("unknown byte order");
      interfaces.clear();
    }
    const size_t head = sizeof type + sizeof length + (magic ? sizeof magic : 0);
    length = reader.number(length);
    if (length < head + sizeof length || length > kLongestBlock || length % 4 != 0) {
      reader.fail("damaged block");
    }
    std::vector<uint8_t> body(length - head - sizeof length);
    uint32_t again;
    reader.need(body.data(), body.size());
    reader.need(&again, sizeof again);
    if (reader.number(again) != length) reader.fail("damaged block");

    const Block block(reader, std::move(body));
    switch (reader.number(type)) {
      case kSectionBlock: {
        const auto major = block.at<uint16_t>(0);
        if (major != 1) reader.fail("version " + std::to_string(major) + " of pcapng; 1 is read");
        break;
      }
      case kInterfaceBlock:
        interfaces.push_back(read_interface(reader, block));
        break;
      case kPacketBlock:
      case kObsoletePacketBlock:
        read_packet(reader, block, interfaces, reader.number(type) == kObsoletePacketBlock);
        break;
      case kSimplePacketBlock:
        read_simple_packet(reader, block, interfaces);
        break;
      default:  // names, statistics, secrets, and blocks of one program: to be skipped
        break;
    }
  } while (reader.read(&type, sizeof type));
}

// The name of another format that begins with these bytes (first byte lowest), or "".
const char* other_format(uint32_t magic) {
  if ((magic & 0xFFFF) == 0x8B1F) return "compressed with gzip";
  switch (magic) {
    case 0xFD2FB528: return "compressed with zstd";
    case 0x184D2204: return "compressed with lz4";
    case 0x6F6F6E73: return "a file of snoop";
    case 0xA1B2CD34:
    case 0x34CDB2A1: return "of the modified pcap format of Kuznetzov";
    default: return "";
  }
}

}  // namespace

std::vector<CapturedFrame> read_capture(const std::string& path) {
  Reader reader(path);
  uint32_t magic = 0;
  if (!reader.read(&magic, sizeof magic)) reader.fail("not a capture file, but empty");
  if (magic == kSectionBlock) {
    read_pcapng(reader);
    return reader.take();
  }
  for (const bool swapped : {false, true}) {
    reader.swap(swapped);
    const uint32_t number = reader.number(magic);
    if (number == kPcapMicroseconds || number == kPcapNanoseconds) {
      read_pcap(reader, magic);
      return reader.take();
    }
  }
  const std::string other = other_format(magic);
  reader.fail("not a capture file (pcap or pcapng)" + (other.empty() ? "" : ", but " + other));
}

}  // namespace bombus
