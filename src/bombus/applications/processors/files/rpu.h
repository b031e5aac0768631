// SPDX-License-Identifier: Apache-2.0
// Interface of firmware to its packet processor.
#pragma once
#include <stdint.h>

// A packet in one word: its length, the number of its slot, the MAC port on which a frame arrived
// and by which it leaves, RPU_PACKET, so that no packet is 0, and the lowest bits of the
// accelerator's verdict.
typedef uint32_t rpu_packet;
#define RPU_LENGTH(packet) ((packet) & 0x3fffu)
#define RPU_PACKET 0x8000u
#define RPU_SLOT(packet) ((packet) >> 16 & 0x3fu)
#define RPU_PORT(packet) ((packet) >> 22 & 3u)
#define RPU_PORT_BIT 0x400000u // the lowest bit of the port
#define RPU_VERDICT(packet) ((packet) >> 24 & 0x7fu) // the rest is in the window
#define RPU_DROP 0x80000000u

// The first bytes of each packet, and its metadata, in the order of the struct of its kind from the
// lowest bit on. What is written here is sent.
struct rpu_window {
    uint32_t header[16];
    uint32_t meta[4];
    uint32_t verdict; // of the accelerator; read only
    uint32_t unused[11];
};
#define RPU_WINDOWS ((volatile struct rpu_window *)(0x10000000u + 0x8000u))
static inline volatile struct rpu_window *rpu_window(rpu_packet packet) {
    return &RPU_WINDOWS[RPU_SLOT(packet)];
}

#define RPU_CUSTOM(op, result, value) \
    __asm__ volatile(".insn r 0x0b, " #op ", 0, %0, %1, x0" : "=r"(result) : "r"(value) : "memory")

// Waits for a packet. A program must take what comes, by this or rpu_poll: the watchdog stops one for
// which packets wait, or that holds some, and that has taken, sent and dropped none for a millisecond.
static inline rpu_packet rpu_receive(void) {
    rpu_packet packet;
    RPU_CUSTOM(0, packet, 0);
    return packet;
}

// The next packet, or 0.
static inline rpu_packet rpu_poll(void) {
    rpu_packet packet;
    RPU_CUSTOM(2, packet, 0);
    return packet;
}

// Sends a packet and gives its slot back. Its length may have changed, up to that of a slot, or of a
// frame without the headers that the design puts before it.
static inline void rpu_send(rpu_packet packet) {
    uint32_t unused;
    RPU_CUSTOM(1, unused, packet);
}

// Gives the slot back.
static inline void rpu_drop(rpu_packet packet) { rpu_send(packet | RPU_DROP); }

// The same through memory: the next packet, or 0; a packet to send.
#define RPU_RECEIVE_WORD (*(volatile rpu_packet *)0x20000000u)
#define RPU_SEND_WORD (*(volatile rpu_packet *)0x20000004u)

// An empty slot, as a packet of length 0, or 0 if there is none. Length, bytes and metadata must be
// set. It is the one that has been free for longest. The last free slot is left for what comes, so
// that a program holds at most one less than there are.
static inline rpu_packet rpu_empty(void) {
    rpu_packet packet;
    RPU_CUSTOM(3, packet, 0);
    return packet;
}

// Addresses a frame that frame_loop with `keeps_flow` passes on, to a processor of a group under
// flow_hash: the tile's number in the group (a power of two of tiles, up to 16), and the number of the
// processor in its tile, from 0. Valid as long as no slot of the group and no lane is moved.
static inline void rpu_address(rpu_packet packet, uint32_t tile, uint32_t lane) {
    rpu_window(packet)->meta[1] = (-(lane ^ tile) & 3) << 4 | tile;
}

// All bytes of the packets, slot by slot, including those of the window. Accessing a slot that the
// program does not hold causes an access fault.
#define RPU_BYTES ((volatile uint8_t *)0x20100000u)
#ifndef RPU_SLOT_BYTES
#define RPU_SLOT_BYTES 2048u
#endif
static inline volatile void *rpu_bytes(rpu_packet packet) {
    return RPU_BYTES + RPU_SLOT(packet) * RPU_SLOT_BYTES;
}

// The accelerator: words on the bus, and instructions of two operands, op from 4 to 7 (a literal).
#define RPU_ACCELERATOR ((volatile uint32_t *)0x20010000u)
#define RPU_ACCELERATE(op, result, first, second) \
    __asm__ volatile(".insn r 0x0b, " #op ", 0, %0, %1, %2" \
                     : "=r"(result) : "r"(first), "r"(second) : "memory")

// Time in microseconds; the lower word wraps. The timer interrupt comes from rpu_alarm's time on and stays
// until the alarm is moved or cancelled.
#define RPU_TIMER ((volatile uint32_t *)0x20000010)
static inline uint32_t rpu_time(void) { return RPU_TIMER[0]; }
static inline uint64_t rpu_time64(void) {
    uint32_t high, low;
    do {
        high = RPU_TIMER[1];
        low = RPU_TIMER[0];
    } while (high != RPU_TIMER[1]);
    return (uint64_t)high << 32 | low;
}
static inline void rpu_no_alarm(void) { RPU_TIMER[3] = 0xffffffff; }
static inline void rpu_alarm(uint64_t time) {
    RPU_TIMER[2] = 0xffffffff;  // so that no intermediate value matches
    RPU_TIMER[3] = (uint32_t)(time >> 32);
    RPU_TIMER[2] = (uint32_t)time;
}

// 32 words shared by all packet processors. A word written by one is seen by all in the same cycle.
// A word at index 16 or above is also a message: rpu_message returns its index, or -1, and gives
// its word. Messages from the host have indexes below 16; rpu_report leaves a word for the host to
// read.
#define RPU_SHARED ((volatile uint32_t *)0x20000080u)
#define RPU_MESSAGES ((volatile uint32_t *)0x20000020u)
static inline int rpu_message(uint32_t *word) {
    uint32_t first = RPU_MESSAGES[0];
    if (!first) return -1;
    *word = RPU_MESSAGES[1];
    return first & 31;
}

static inline void rpu_report(uint32_t word) { RPU_MESSAGES[1] = word; }

// Enables interrupts. They are handled by `trap_handler`, a function with
// __attribute__((interrupt("machine"))).
#define RPU_PACKET_INTERRUPT 0x800u
#define RPU_MESSAGE_INTERRUPT 0x8u
#define RPU_TIMER_INTERRUPT 0x80u
static inline void rpu_interrupts(uint32_t which) {
    __asm__ volatile("csrw mie, %0" : : "r"(which));
    __asm__ volatile("csrsi mstatus, 8");
}

static inline uint32_t rpu_cycles(void) {
    uint32_t cycles;
    __asm__ volatile("rdcycle %0" : "=r"(cycles));
    return cycles;
}

// Bytes in reverse order: from network order and back.
static inline uint32_t rpu_reverse(uint32_t value) {
    uint32_t result;
    __asm__(".insn i 0x13, 5, %0, %1, 0x698" : "=r"(result) : "r"(value));
    return result;
}
