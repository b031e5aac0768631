// SPDX-License-Identifier: Apache-2.0
// Drops frames that match an exact rule of rule_matcher, and the rest of their TCP flows; all others, including
// those that only the host can judge, leave by the other one of two MAC ports.
//
// TCP segments ahead of a gap wait in their slots, up to half of these, until the gap is filled, at most for half a
// millisecond. Those that find no room are dropped: TCP retransmits them. A segment that is in order always passes.
#include "rpu.h"

#define IS_EXACT 2u
#define IS_AHEAD 16u
#define IS_BLOCKED 32u
#define MAX_HELD 8
#define WAIT_US 500u

// Accesses to rule_matcher about a packet.
#define MATCHER(op, packet) RPU_ACCELERATOR[0x1000 + 64 * (op) + RPU_SLOT(packet)]
#define VERDICT_AGAIN(packet) MATCHER(0, packet)
#define VERDICT_SKIPPING(packet) MATCHER(1, packet)
#define BLOCK(packet) (MATCHER(2, packet) = 0)
#define FLOW(packet) MATCHER(3, packet)
#define NO_FLOW 0xffffu

struct held {
    rpu_packet packet;
    uint32_t flow;
    uint32_t since;
};
static struct held held[MAX_HELD];
static unsigned count; // of held segments

static void finish(rpu_packet packet, uint32_t verdict) {
    if (!(verdict & (IS_EXACT | IS_BLOCKED))) {
        rpu_send(packet ^ RPU_PORT_BIT);
        return;
    }
    if (verdict & IS_EXACT) BLOCK(packet);
    rpu_drop(packet);
}

// Finishes the segments of a flow that are in order now.
static void retry(uint32_t flow) {
    for (unsigned n = 0; n < count;) {
        if (held[n].flow == flow) {
            rpu_packet packet = held[n].packet;
            uint32_t verdict = VERDICT_AGAIN(packet);
            if (!(verdict & IS_AHEAD)) {
                finish(packet, verdict);
                held[n] = held[--count];
                n = 0;
                continue;
            }
        }
        n++;
    }
}

// Skips the missing bytes before a segment that has waited too long.
static void give_up(void) {
    uint32_t now = rpu_time();
    for (unsigned n = 0; n < count; n++) {
        struct held old = held[n];
        if (now - old.since <= WAIT_US) continue;
        held[n] = held[--count];
        finish(old.packet, VERDICT_SKIPPING(old.packet));
        retry(old.flow);
        return;
    }
}

// A segment that was ahead when it arrived: the gap may have been filled since.
static void hold(rpu_packet packet, uint32_t flow) {
    uint32_t verdict = VERDICT_AGAIN(packet);
    if (!(verdict & IS_AHEAD)) {
        finish(packet, verdict);
        retry(flow);
    } else if (count == MAX_HELD) {
        rpu_drop(packet);
    } else {
        held[count++] = (struct held){packet, flow, rpu_time()};
    }
}

// Runs from a segment that is ahead until none is held.
static void reorder(rpu_packet packet) {
    unsigned turn = 0;
    do {
        if (!packet || !(++turn & 15)) give_up();
        if (packet) {
            uint32_t verdict = RPU_VERDICT(packet);
            uint32_t flow = FLOW(packet);
            if (verdict & IS_AHEAD) {
                hold(packet, flow);
            } else {
                finish(packet, verdict);
                if (flow != NO_FLOW) retry(flow);
            }
        }
        packet = count ? rpu_poll() : 0;
    } while (count || packet);
}

int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        uint32_t verdict = RPU_VERDICT(packet);
        if (!(verdict & (IS_EXACT | IS_AHEAD | IS_BLOCKED)))
            rpu_send(packet ^ RPU_PORT_BIT);
        else if (verdict & IS_AHEAD)
            reorder(packet);
        else
            finish(packet, verdict);
    }
}
