// SPDX-License-Identifier: Apache-2.0
// The host of packet processors, behind rpu_host: frames to it and from it, and its memory, which a
// processor writes and reads by requests with tags.
//
// Each request sends a packet and gives its slot back; it never waits. An answer comes from port
// RPU_HOST_PORT like any other frame, into a free slot, in the order in which the host finishes. A
// program that keeps slots while it waits for answers must leave one that it always frees without an
// answer, and request no more than it can wait for: what finds rpu_host full (32 KiB, from all
// processors) is lost and counted.
#pragma once
#include "rpu.h"

#ifndef RPU_HOST_PORT
#define RPU_HOST_PORT 2u // mac_port of rpu_host
#endif

// The processor's number in Python (`bombus.processors`), written when the program is loaded: to
// choose addresses of its own. The host knows the sender of a request by itself.
__attribute__((weak, section(".data.rpu_number"))) uint32_t rpu_number = 63;

// What is asked for: bits of a word in the metadata of the frame, beside the bytes between data and
// address (23:22) and the tag (15:0).
#define RPU_HOST_FRAME 0u
#define RPU_HOST_WRITE 1u // answered only if it fails
#define RPU_HOST_WRITE_ANSWERED 2u
#define RPU_HOST_READ 3u

static inline void rpu_host_request(rpu_packet packet, uint32_t length, uint32_t what, uint32_t tag) {
    rpu_window(packet)->meta[1] = what << 30 | tag;
    rpu_send((packet & ~(RPU_PORT(~0u) * RPU_PORT_BIT | RPU_LENGTH(~0u))) | RPU_HOST_PORT * RPU_PORT_BIT | length);
}

// Sends a frame to the host, with a tag of up to 16 bits that tells it why.
static inline void rpu_host_send(rpu_packet packet, uint32_t tag) {
    rpu_host_request(packet, RPU_LENGTH(packet), RPU_HOST_FRAME, tag);
}

// Writes the bytes of a packet to an address of the host's memory. The slot must have room for
// RPU_HOST_BEHIND bytes more. what: RPU_HOST_WRITE or RPU_HOST_WRITE_ANSWERED; the answer has no bytes.
#define RPU_HOST_BEHIND 7u // an address, at a multiple of 4
static inline void rpu_host_write(rpu_packet packet, uint32_t address, uint32_t what, uint32_t tag) {
    uint32_t length = RPU_LENGTH(packet), gap = -length & 3u;
    *(volatile uint32_t *)((volatile uint8_t *)rpu_bytes(packet) + length + gap) = address;
    rpu_host_request(packet, length + gap + 4, what, tag | gap << 22);
}

// Reads bytes of the host's memory. The packet is one that is no longer needed, or an empty one; the
// answer has the bytes.
static inline void rpu_host_read(rpu_packet packet, uint32_t address, uint32_t length, uint32_t tag) {
    rpu_window(packet)->header[0] = address;
    rpu_window(packet)->header[1] = length;
    rpu_host_request(packet, 8, RPU_HOST_READ, tag);
}

// What a packet from RPU_HOST_PORT is: the request that it answers, or RPU_HOST_FRAME for a frame that
// the host sends on its own account; its tag; whether the request failed, because of its address
// or its length.
static inline uint32_t rpu_host_answer(rpu_packet packet) { return rpu_window(packet)->meta[2]; }
#define RPU_HOST_TAG(answer) ((answer) & 0xffffu)
#define RPU_HOST_WHAT(answer) ((answer) >> 17 & 3u)
#define RPU_HOST_FAILED(answer) ((answer) >> 19 & 1u)
