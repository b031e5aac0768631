// SPDX-License-Identifier: Apache-2.0
// Stores each frame in the host's memory and reads it back before it leaves by the other one of two
// MAC ports. Frames that the host sends leave by the port in their tag. Frames beyond those for which
// there is a tag are dropped.
//
// It keeps no slot while it waits, so that answers always find one.
#include "rpu_host.h"

#define TAGS 16u
#define PLACE_BYTES 2048u
#define LONGEST (RPU_SLOT_BYTES - RPU_HOST_BEHIND)

static rpu_packet sent[TAGS]; // the frame that has the tag, as it came; 0: none

static uint32_t place(uint32_t tag) { return (rpu_number * TAGS + tag) * PLACE_BYTES; }

static void store(rpu_packet packet) {
    uint32_t tag = 0;
    while (tag < TAGS && sent[tag]) tag++;
    if (tag == TAGS || RPU_LENGTH(packet) > LONGEST) {
        rpu_drop(packet);
    } else {
        sent[tag] = packet;
        rpu_host_write(packet, place(tag), RPU_HOST_WRITE_ANSWERED, tag);
    }
}

static void leave(rpu_packet packet, uint32_t port) {
    rpu_send((packet & ~(3 * RPU_PORT_BIT)) | (port & 1) * RPU_PORT_BIT);
}

static void take(rpu_packet packet) {
    uint32_t answer = rpu_host_answer(packet), tag = RPU_HOST_TAG(answer);
    uint32_t what = RPU_HOST_WHAT(answer);
    if (what == RPU_HOST_FRAME) {
        leave(packet, tag);
    } else if (tag >= TAGS || !sent[tag] || RPU_HOST_FAILED(answer)) {
        if (tag < TAGS) sent[tag] = 0;
        rpu_drop(packet);
    } else if (what == RPU_HOST_READ) {
        leave(packet, RPU_PORT(sent[tag]) ^ 1);
        sent[tag] = 0;
    } else {
        rpu_host_read(packet, place(tag), RPU_LENGTH(sent[tag]), tag);
    }
}

int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        if (RPU_PORT(packet) == RPU_HOST_PORT)
            take(packet);
        else
            store(packet);
    }
}
