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

static void prepare_all(void) {
    rpu_packet taken[65]; // of up to 64 slots, and 0
    unsigned count = 0;
    while ((taken[count] = rpu_empty())) prepare(taken[count++], RPU_SLOT_BYTES);
    while (count) rpu_drop(taken[--count]);
}
