#include "pcap.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace bombus {

namespace {

constexpr uint32_t kMagicMicroseconds = 0xA1B2C3D4;
constexpr uint32_t kMagicNanoseconds = 0xA1B23C4D;
constexpr uint32_t kLinkTypeEthernet = 1;
constexpr uint32_t kSnapLength = 262144;

struct FileHeader {
  uint32_t magic;
  uint16_t version_major, version_minor;
  uint32_t timezone, accuracy, snap_length, link_type;
};
static_assert(sizeof(FileHeader) == 24);

struct RecordHeader {
  uint32_t seconds, fraction, captured_length, original_length;
};
static_assert(sizeof(RecordHeader) == 16);

File open_file(const std::string& path, const char* mode) {
  File file(std::fopen(path.c_str(), mode));
  if (!file) throw std::runtime_error(path + ": " + std::strerror(errno));
  return file;
}

}  // namespace

PcapWriter::PcapWriter(const std::string& path) : file_(open_file(path, "wb")) {
  const FileHeader header{kMagicNanoseconds, 2, 4, 0, 0, kSnapLength, kLinkTypeEthernet};
  std::fwrite(&header, sizeof header, 1, file_.get());
}

void PcapWriter::write(const std::vector<uint8_t>& frame, uint64_t time_ns) {
  const auto length = static_cast<uint32_t>(frame.size());
  const RecordHeader record{static_cast<uint32_t>(time_ns / 1000000000u),
                            static_cast<uint32_t>(time_ns % 1000000000u), length, length};
  std::fwrite(&record, sizeof record, 1, file_.get());
  std::fwrite(frame.data(), 1, frame.size(), file_.get());
}

std::vector<CapturedFrame> read_pcap(const std::string& path) {
  const File file = open_file(path, "rb");
  FileHeader header;
  if (std::fread(&header, sizeof header, 1, file.get()) != 1) {
    throw std::runtime_error(path + ": not a pcap file");
  }
  const uint32_t swapped_magic = __builtin_bswap32(header.magic);
  const bool swapped = swapped_magic == kMagicMicroseconds || swapped_magic == kMagicNanoseconds;
  const auto number = [swapped](uint32_t x) { return swapped ? __builtin_bswap32(x) : x; };
  const uint32_t magic = number(header.magic);
  if (magic != kMagicMicroseconds && magic != kMagicNanoseconds) {
    throw std::runtime_error(path + ": not a classic pcap file (pcapng is not supported)");
  }
  if ((number(header.link_type) & 0xFFFFu) != kLinkTypeEthernet) {
    throw std::runtime_error(path + ": link type is not Ethernet");
  }
  const uint64_t fraction_ns = magic == kMagicNanoseconds ? 1 : 1000;

  std::vector<CapturedFrame> frames;
  RecordHeader record;
  while (std::fread(&record, sizeof record, 1, file.get()) == 1) {
    const uint32_t length = number(record.captured_length);
    if (length > kSnapLength) throw std::runtime_error(path + ": damaged record");
    CapturedFrame frame;
    frame.time_ns = number(record.seconds) * 1000000000ull + number(record.fraction) * fraction_ns;
    frame.data.resize(length);
    if (std::fread(frame.data.data(), 1, length, file.get()) != length) {
      throw std::runtime_error(path + ": cut short");
    }
    frames.push_back(std::move(frame));
  }
  return frames;
}

}  // namespace bombus
