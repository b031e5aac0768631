// SPDX-License-Identifier: Apache-2.0
// Layout of capture files: classic pcap (draft-ietf-opsawg-pcap) and the blocks of pcapng
// (draft-ietf-opsawg-pcapng) used here.
#ifndef BOMBUS_CAPTURE_FORMAT_H_
#define BOMBUS_CAPTURE_FORMAT_H_

#include <cstdint>

namespace bombus {

constexpr uint32_t kLinkTypeEthernet = 1;

constexpr uint32_t kPcapMicroseconds = 0xA1B2C3D4;
constexpr uint32_t kPcapNanoseconds = 0xA1B23C4D;
// The field of the link type. Frames end with their FCS if kPcapFcsPresent is set; bits 31:28 are
// its length in units of two bytes.
constexpr uint32_t kPcapLinkTypeMask = 0xFFFF;
constexpr uint32_t kPcapFcsPresent = 1u << 26;
constexpr unsigned kPcapFcsLengthShift = 28;

struct PcapHeader {
  uint32_t magic;
  uint16_t version_major, version_minor;
  uint32_t timezone, accuracy, snap_length, link_type;
};
static_assert(sizeof(PcapHeader) == 24);

struct PcapRecord {
  uint32_t seconds, fraction, captured_length, original_length;
};
static_assert(sizeof(PcapRecord) == 16);

constexpr uint32_t kSectionBlock = 0x0A0D0D0A;
constexpr uint32_t kInterfaceBlock = 1;
constexpr uint32_t kObsoletePacketBlock = 2;
constexpr uint32_t kSimplePacketBlock = 3;
constexpr uint32_t kPacketBlock = 6;
constexpr uint32_t kByteOrderMagic = 0x1A2B3C4D;
constexpr uint32_t kUnknownLength = 0xFFFFFFFF;
constexpr uint16_t kOptionEnd = 0;
constexpr uint16_t kOptionFlags = 2;           // of a packet: bits 1:0, 1 inbound, 2 outbound
constexpr unsigned kFlagsFcsShift = 5;         // bits 8:5, bytes of the FCS, 0: unknown
constexpr uint32_t kFlagsFcsMask = 0xF;
constexpr uint16_t kOptionTimeResolution = 9;  // of an interface: 10^-n, or 2^-n with bit 7
constexpr uint16_t kOptionFcsLength = 13;
constexpr uint16_t kOptionTimeOffset = 14;     // of an interface: seconds, signed

struct PcapngSection {
  uint32_t type, length, magic;
  uint16_t version_major, version_minor;
  uint32_t section_length_low, section_length_high, length_again;
};
static_assert(sizeof(PcapngSection) == 28);

struct PcapngInterface {
  uint32_t type, length;
  uint16_t link_type, reserved;
  uint32_t snap_length;  // 0: no limit
  uint16_t option, option_length;
  uint32_t resolution;  // one byte and padding
  uint32_t end_of_options, length_again;
};
static_assert(sizeof(PcapngInterface) == 32);

struct PcapngPacket {
  uint32_t type, length, interface, time_high, time_low, captured_length, original_length;
};
static_assert(sizeof(PcapngPacket) == 28);

struct PcapngTail {  // after the frame, before the second block length
  uint16_t option, option_length;
  uint32_t flags;
  uint32_t end_of_options;
};
static_assert(sizeof(PcapngTail) == 12);

}  // namespace bombus
#endif
