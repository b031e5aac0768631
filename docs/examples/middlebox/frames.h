// SPDX-License-Identifier: Apache-2.0
// Frames that firmware makes itself: slots are filled once, and again after another frame has been
// in them, so that sending takes little time.
#pragma once
#include "rpu.h"

// From and to addresses of local administration, with an EtherType for experiments.
static const uint32_t HEADER[4] = {0x00000002, 0x00020200, 0x01000000, 0x0000b588};
#define OWN_WORD 4 // of the window: the first one behind the header

// Fills a slot with what all frames have in common.
static void prepare(rpu_packet packet, uint32_t bytes) {
    volatile uint32_t *word = rpu_bytes(packet);
    for (unsigned n = 0; n < (bytes + 3) / 4; n++) word[n] = n < OWN_WORD ? HEADER[n] : 0;
}

// Up to 64 slots: twice as many turns reach all, since the one that has been free for longest comes first. A slot is
// held all the time, so that a simulator skips no cycle.
static void prepare_all(void) {
    uint32_t prepared[2] = {0, 0}; // bit by bit
    rpu_packet packet, last = 0;
    for (unsigned turns = 2 * 64, waits = 100000; turns && waits;) {
        if (!(packet = rpu_poll()) && !(packet = rpu_empty())) { // what comes meanwhile is dropped
            waits--; // slots of the program before may still be on their way out
            continue;
        }
        turns--;
        uint32_t slot = RPU_SLOT(packet), bit = 1u << slot % 32;
        if (!(prepared[slot / 32] & bit)) prepare(packet, RPU_SLOT_BYTES);
        prepared[slot / 32] |= bit;
        if (last) rpu_drop(last);
        last = packet;
    }
    if (last) rpu_drop(last);
}
