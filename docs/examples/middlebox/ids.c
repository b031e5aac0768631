// SPDX-License-Identifier: Apache-2.0
// Drops frames that match an exact rule of rule_matcher, and the rest of their TCP flows; all others, including
// those that only the host can judge, leave by the other one of two MAC ports.
//
// TCP segments ahead of a gap wait in their slots, up to half of these, until the gap is filled, at most for
// 300 us: the first three in the matcher, the others here. Those that find no room are dropped: TCP retransmits
// them. A segment that is in order always passes.
#include "rpu.h"

#define IS_EXACT 2u
#define IS_AHEAD 16u
#define IS_BLOCKED 32u
#define NUM_SLOTS 16
#define MAX_HELD 5
#define WAIT_US 300u

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
    uint32_t again; // its flow has gone on since its last verdict
};
static struct held held[NUM_SLOTS]; // more than MAX_HELD until it is known which are still ahead
static unsigned count;              // of held segments

static void finish(rpu_packet packet, uint32_t verdict) {
    if (!(verdict & (IS_EXACT | IS_BLOCKED))) {
        rpu_send(packet ^ RPU_PORT_BIT);
        return;
    }
    if (verdict & IS_EXACT) BLOCK(packet);
    rpu_drop(packet);
}

static void finish_in_order(rpu_packet packet, uint32_t flow, uint32_t verdict) {
    finish(packet, verdict);
    for (unsigned n = 0; n < count; n++)
        if (held[n].flow == flow) held[n].again = 1;
}

// Its flow may have gone on since its verdict: so it is not dropped before it has had another one.
static void hold(rpu_packet packet, uint32_t flow) {
    held[count++] = (struct held){packet, flow, rpu_time(), 1};
}

// TCP sequence number. The headers of a packet that has a flow are in its first beat.
static uint32_t sequence(rpu_packet packet) {
    volatile uint8_t *frame = (volatile uint8_t *)rpu_window(packet);
    volatile uint8_t *ip = frame + (frame[12] == 8 ? 14 : 18);
    volatile uint8_t *at = ip + 4 * (ip[0] & 15) + 4;
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

// Finishes a segment that was held. Segments of its flow that precede it may have their verdicts, but wait to be received.
static void release(rpu_packet packet, uint32_t flow, uint32_t verdict) {
    for (unsigned n = 0; n < NUM_SLOTS; n++) {
        rpu_packet next = rpu_poll();
        if (!next) break;
        uint32_t next_flow = FLOW(next);
        uint32_t next_verdict = RPU_VERDICT(next);
        if (next_verdict & IS_AHEAD) {
            hold(next, next_flow);
            continue;
        }
        if (next_flow == flow && (int32_t)(sequence(next) - sequence(packet)) > 0) {
            finish_in_order(packet, flow, verdict);
            finish_in_order(next, flow, next_verdict);
            return;
        }
        finish_in_order(next, next_flow, next_verdict);
    }
    finish_in_order(packet, flow, verdict);
}

// Releases the segments that are in order now.
static void retry(void) {
    for (unsigned n = 0; n < count;) {
        struct held each = held[n];
        if (each.again) {
            uint32_t verdict = VERDICT_AGAIN(each.packet);
            held[n].again = 0;
            if (!(verdict & IS_AHEAD)) {
                held[n] = held[--count];
                release(each.packet, each.flow, verdict);
                n = 0;
                continue;
            }
        }
        n++;
    }
    while (count > MAX_HELD) rpu_drop(held[--count].packet); // all are ahead
}

// Skips the missing bytes before a segment that has waited too long.
static void give_up(void) {
    uint32_t now = rpu_time();
    for (unsigned n = 0; n < count; n++) {
        struct held old = held[n];
        if (now - old.since <= WAIT_US) continue;
        held[n] = held[--count];
        release(old.packet, old.flow, VERDICT_SKIPPING(old.packet));
        retry();
        return;
    }
}

// Runs from a segment that is ahead until none is held.
static void reorder(rpu_packet packet) {
    unsigned turn = 0;
    do {
        if (!packet || !(++turn & 15)) give_up();
        if (packet) {
            uint32_t verdict = RPU_VERDICT(packet);
            if (verdict & IS_AHEAD)
                hold(packet, FLOW(packet));
            else
                finish_in_order(packet, FLOW(packet), verdict);
            retry();
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
