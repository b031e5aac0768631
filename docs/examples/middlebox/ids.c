// SPDX-License-Identifier: Apache-2.0
// Drops frames that an exact rule of rule_matcher is about; the others leave by the other one of two MAC
// ports, also those that only the host can judge. It keeps what was found in the data memory.
#include "rpu.h"

#define IS_HIT 1u
#define IS_EXACT 2u
#define IS_UNEXAMINED 4u
#define HAS_MORE 8u
#define HITS(verdict) ((verdict) >> 4 & 15u)

#define NUM_REPORTS 64u
struct report {
    uint32_t sid;
    uint32_t row; // of the rule; bit 31: it is exact
};
struct reports {
    uint32_t count; // of reports, ever; the last ones are kept
    uint32_t suspects; // frames that have left, of which a prefilter or nothing is known
    struct report last[NUM_REPORTS];
};
#define REPORTS ((volatile struct reports *)0x10001000u) // behind all variables

static void report(rpu_packet packet, uint32_t verdict) {
    volatile uint32_t *hit = RPU_ACCELERATOR + RPU_SLOT(packet) * 16;
    uint32_t count = REPORTS->count;
    for (uint32_t left = HITS(verdict); left; left--, hit += 2, count++) {
        volatile struct report *to = &REPORTS->last[count % NUM_REPORTS];
        to->sid = hit[0];
        to->row = hit[1];
    }
    REPORTS->count = count;
}

int main(void) {
    REPORTS->count = REPORTS->suspects = 0;
    for (;;) {
        rpu_packet packet = rpu_receive();
        uint32_t verdict = RPU_VERDICT(packet);
        if (verdict & (IS_HIT | IS_UNEXAMINED)) {
            verdict = rpu_window(packet)->verdict;
            report(packet, verdict);
            if (verdict & IS_EXACT) {
                rpu_drop(packet);
                continue;
            }
            REPORTS->suspects++;
        }
        rpu_send(packet ^ RPU_PORT_BIT);
    }
}
