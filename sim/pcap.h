// Capture files: classic pcap, link type Ethernet.
#ifndef BOMBUS_PCAP_H_
#define BOMBUS_PCAP_H_

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace bombus {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

class PcapWriter {
 public:
  // Throws std::runtime_error if the file cannot be made.
  explicit PcapWriter(const std::string& path);
  void write(const std::vector<uint8_t>& frame, uint64_t time_ns);

 private:
  File file_;
};

struct CapturedFrame {
  std::vector<uint8_t> data;
  uint64_t time_ns;  // since the epoch of the file
};

// Reads microsecond and nanosecond files of either byte order. Throws
// std::runtime_error if the file is not such a one, or cut short.
std::vector<CapturedFrame> read_pcap(const std::string& path);

}  // namespace bombus
#endif
