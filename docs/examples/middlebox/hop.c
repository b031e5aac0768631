// SPDX-License-Identifier: Apache-2.0
// A hop: decrements the TTL of IPv4 packets and drops those whose TTL has run out (RFC 1812, 5.3.1).
// All other frames leave unchanged by the other one of two MAC ports.
#include "rpu.h"

#define IPV4 0x0008u // EtherType 0x0800; words of memory are little-endian

int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        volatile uint32_t *header = rpu_window(packet)->header;
        if ((header[3] & 0xffff) == IPV4) { // bytes 12 and 13
            uint32_t word = header[5]; // bytes 20 to 23; the TTL is byte 22
            if ((word >> 16 & 0xff) <= 1) {
                rpu_drop(packet);
                continue;
            }
            header[5] = word - 0x10000;
            // The TTL is the upper byte of a 16-bit word that the checksum covers, so the checksum,
            // bytes 24 and 25, grows by 0x100 (RFC 1624).
            word = header[6];
            uint32_t sum = (rpu_reverse(word) >> 16) + 0x100;
            sum += sum >= 0xffff;
            header[6] = (word & 0xffff0000) | rpu_reverse(sum << 16);
        }
        rpu_send(packet ^ RPU_PORT_BIT);
    }
}
