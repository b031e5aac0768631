// SPDX-License-Identifier: Apache-2.0
// Drops frames that match an exact rule of rule_matcher, and the rest of their TCP flows, and frames for which not all
// rules were checked; all others, including those that only the host can judge, leave by the other one of two MAC
// ports. TCP segments leave without URG: their receivers then read all bytes, as the matcher does.
//
// TCP segments ahead of a gap wait in their slots, up to a quarter of these, until the gap is filled, at most
// for 300 us: the first three in the matcher, the others here. Those that find no room are dropped: TCP retransmits
// them. A segment that is in order always passes.
//
// What the matcher cannot examine passes, except for IPv4 packets with TCP or UDP, such as fragments, which could hide
// anything; both are counted. UNEXAMINED_PASSES=1 lets these pass, too.
//
// A segment that is held has another verdict made when what it follows has been released. That takes 50 cycles, in
// which the next packet is received.
#include "rpu.h"

#ifndef UNEXAMINED_PASSES
#define UNEXAMINED_PASSES 0
#endif

#define IS_EXACT 2u
#define IS_UNEXAMINED 4u
#define IS_AHEAD 16u
#define IS_BLOCKED 32u
#define ATTENTION 64u // one of the next two, which are only in the whole verdict
#define IS_UNCHECKED 0x1000u
#define IS_URGENT 0x2000u
#define SPECIAL (IS_EXACT | IS_UNEXAMINED | IS_BLOCKED | ATTENTION)
#define NUM_SLOTS 32
#define MAX_HELD 5
#define PATIENCE_US 8u // until more are too many
#define WAIT_US 300u
#define PERIOD_US 4u   // from one look at those that wait to the next, or
#define PERIOD 128     // packets
#define NEAR 0x100000u // what is farther away belongs to another stream

// What rule_matcher does or knows about the packet in a slot. Written, AGAIN only begins, and ANSWER waits.
enum { AGAIN = 0, SKIPPING = 64, BLOCK = 128, FLOW = 192, ANSWER = 256, SEQUENCE = 320, END = 384 };
#define ABOUT(packet) (RPU_ACCELERATOR + 0x1000 + RPU_SLOT(packet))
#define NO_FLOW 0xffffu

#define INLINE static inline __attribute__((always_inline))
#define SELDOM(condition) __builtin_expect(!!(condition), 0)
// Functions that are called seldom work on the state in memory, others on a copy in registers.
#define CALLED static __attribute__((noinline))
#define CALL(function) (state = *s, function, *s = state)

// A program that is reloaded is to start at once.
#define NOT_CLEARED __attribute__((section(".noinit")))

struct segment {
    struct segment *next; // of those that are held
    rpu_packet packet;
    volatile uint32_t *about;
    uint32_t flow, sequence;
    uint32_t since, turn; // of when it was held
    uint32_t unused;      // 32 bytes, so that no multiplication is needed
};
static struct segment segments[NUM_SLOTS] NOT_CLEARED; // by slot

INLINE struct segment *segment(rpu_packet packet) {
    return (struct segment *)((char *)segments + (packet >> 11 & 0x7e0));
}

// Up to where a flow has been released after another verdict. What follows, among the next NUM_SLOTS packets, may
// have been ahead when it had its own.
struct end {
    uint32_t flow, at, turn;
    uint32_t unused; // 16 bytes, so that no multiplication is needed
};
#define NUM_PLACES NUM_SLOTS
#define NUM_WAYS 4 // flows with a common set in the matcher, whose numbers follow each other
#define NUM_ENDS (2 * NUM_SLOTS)

static struct state {
    struct segment *held;  // the earliest first
    struct segment *last_held;
    struct segment *asked; // its verdict has begun
    uint32_t turn;         // number of the packet
    uint32_t now;          // of the last look at those that wait
    struct end last;
    // A bit for each flow, which some share: segments of it are held, or were ahead among the last PERIOD
    // packets or more; and the same of those since the last look at those that wait.
    uint32_t marks, new_marks;
} state;
// Before the last one, by flow; and what has lost its place to another flow.
static struct end places[NUM_PLACES] NOT_CLEARED, ends[NUM_ENDS] NOT_CLEARED, *newest;

// A segment that has its verdict, but those that precede it may still wait to be received.
static struct segment *late;
static uint32_t late_verdict, late_turn;

// In a TCP segment with IPv4, with at most one VLAN tag: the matcher reports URG of no others. RFC 1624.
CALLED void clear_urgent(rpu_packet packet) {
    volatile uint8_t *ip = (volatile uint8_t *)rpu_bytes(packet) + 14;
    if (ip[-2] != 0x08 || ip[-1] != 0) ip += 4; // not the EtherType of IPv4
    volatile uint16_t *tcp = (volatile uint16_t *)(ip + 4 * (ip[0] & 15));
    uint16_t flags = tcp[6], pointer = tcp[9], sum = tcp[8];
    uint32_t total = (uint16_t)~sum + (uint16_t)~flags + (flags & ~0x2000u) + (uint16_t)~pointer;
    total = (total & 0xffff) + (total >> 16);
    total = (total & 0xffff) + (total >> 16);
    tcp[6] = flags & ~0x2000u;
    tcp[9] = 0;
    tcp[8] = ~total;
}

INLINE void refuse(rpu_packet packet, uint32_t verdict) {
    if (verdict & IS_EXACT) ABOUT(packet)[BLOCK] = 0;
    rpu_drop(packet);
}

INLINE uint32_t number(const volatile uint8_t *at) { return (uint32_t)at[0] << 8 | at[1]; }

INLINE int is_tag(uint32_t type) {
    return type == 0x8100 || type == 0x88a8 || type == 0x9100 || type == 0x9200 || type == 0x9300;
}

// Whether the matcher would find the payload of an IPv4 packet with TCP or UDP, of so many bytes with what follows it.
static int is_regular(const volatile uint8_t *ip, uint32_t room) {
    uint32_t header = 4 * (ip[0] & 15u), total = number(ip + 2);
    if (header < 20 || header > 32 || total < header || total > room || number(ip + 6) & 0xbfffu) return 0;
    uint32_t size = total - header;
    if (ip[9] == 17) return size >= 8 && number(ip + header + 4) >= 8 && number(ip + header + 4) <= size;
    return size >= 20 && ip[header + 12] >> 4 >= 5 && 4u * (ip[header + 12] >> 4) <= size;
}

// Whether it is IPv4 with TCP or UDP that the matcher cannot examine. What it could passes while it is disabled.
static int is_suspect(rpu_packet packet) {
    const volatile uint8_t *bytes = rpu_bytes(packet);
    uint32_t length = RPU_LENGTH(packet), at = 12;
    while (at + 2 <= length && is_tag(number(bytes + at))) at += 4;
    uint32_t tags = at - 12, ip = at + 2;
    if (ip + 20 > length || number(bytes + at) != 0x0800) return 0;
    if (bytes[ip + 9] != 6 && bytes[ip + 9] != 17) return 0;
    return tags > 4 || bytes[ip] >> 4 != 4 || !is_regular(bytes + ip, length - ip);
}

// Numbers of packets that were not examined, modulo 65,536: dropped in the upper half, others in the lower half.
static uint32_t num_dropped, num_passed;

CALLED void finish_unexamined(rpu_packet packet) {
    int drops = !UNEXAMINED_PASSES && is_suspect(packet);
    if (drops)
        num_dropped++;
    else
        num_passed++;
    rpu_report(num_dropped << 16 | (num_passed & 0xffffu));
    if (drops)
        rpu_drop(packet);
    else
        rpu_send(packet ^ RPU_PORT_BIT);
}

// By the whole verdict.
CALLED void finish_whole(rpu_packet packet, uint32_t verdict) {
    if (verdict & (IS_EXACT | IS_BLOCKED | IS_UNCHECKED)) {
        refuse(packet, verdict);
        return;
    }
    if (verdict & IS_UNEXAMINED) {
        finish_unexamined(packet);
        return;
    }
    if (verdict & IS_URGENT) clear_urgent(packet);
    rpu_send(packet ^ RPU_PORT_BIT);
}

CALLED void finish_special(rpu_packet packet) {
    uint32_t verdict = RPU_VERDICT(packet);
    if (verdict & ATTENTION)
        finish_whole(packet, rpu_window(packet)->verdict);
    else if (verdict & (IS_EXACT | IS_BLOCKED))
        refuse(packet, verdict);
    else
        finish_unexamined(packet);
}

INLINE void finish(rpu_packet packet) {
    if (SELDOM(RPU_VERDICT(packet) & SPECIAL))
        finish_special(packet);
    else
        rpu_send(packet ^ RPU_PORT_BIT);
}

INLINE int is_recent(struct state *s, const struct end *it) { return s->turn - it->turn < NUM_SLOTS; }

INLINE uint32_t mark(uint32_t flow) { return 1u << flow / NUM_WAYS % 32; }

INLINE struct end *place(uint32_t flow) { return &places[flow / NUM_WAYS % NUM_PLACES]; }

CALLED const struct end *find(uint32_t flow, uint32_t turn) {
    const struct end *it = newest;
    while (turn - it->turn < NUM_SLOTS && it->flow != flow) it = it == ends ? ends + NUM_ENDS - 1 : it - 1;
    return turn - it->turn < NUM_SLOTS ? it : 0;
}

INLINE const struct end *known_of(struct state *s, uint32_t flow) {
    const struct end *it = place(flow);
    if (!is_recent(s, it)) return 0;
    return SELDOM(it->flow != flow) ? find(flow, s->turn) : it;
}

CALLED void lose(const struct end *it, uint32_t turn) {
    newest = newest == ends + NUM_ENDS - 1 ? ends : newest + 1;
    newest->flow = it->flow;
    newest->at = it->at;
    newest->turn = turn;
}

INLINE void remember(struct state *s) {
    struct end *it = place(s->last.flow);
    if (SELDOM(it->flow != s->last.flow) && is_recent(s, it)) lose(it, s->turn);
    it->flow = s->last.flow;
    it->at = s->last.at;
    it->turn = s->last.turn;
}

INLINE int is_next(struct state *s, uint32_t flow, uint32_t sequence) {
    if (!SELDOM(s->last.flow != flow)) return s->last.at - sequence < NEAR;
    const struct end *known = known_of(s, flow);
    return known && known->at - sequence < NEAR;
}

INLINE void hold(struct state *s, struct segment *it, uint32_t sequence) {
    it->sequence = sequence;
    it->since = s->now;
    it->turn = s->turn;
    it->next = 0;
    if (s->held)
        s->last_held->next = it;
    else
        s->held = it;
    s->last_held = it;
}

INLINE void ask(struct state *s, struct segment *it) {
    s->asked = it;
    it->about[AGAIN] = 0;
}

// Asks about a segment that was held and follows what has been released. Returns whether there is one.
INLINE int go_on(struct state *s, uint32_t flow, uint32_t end) {
    if (SELDOM(s->last.flow != flow)) {
        remember(s);
        const struct end *known = known_of(s, flow);
        s->last.flow = flow;
        s->last.at = known && end - known->at >= NEAR ? known->at : end;
    } else if (!SELDOM(end - s->last.at >= NEAR)) {
        s->last.at = end;
    }
    s->last.turn = s->turn;
    struct segment *next = s->held, *before;
    if (!next) return 0;
    if (next->flow == flow && s->last.at - next->sequence < NEAR) {
        s->held = next->next;
    } else {
        do {
            before = next;
            next = next->next;
            if (!SELDOM(next)) return 0;
        } while (next->flow != flow || s->last.at - next->sequence >= NEAR);
        if (!(before->next = next->next)) s->last_held = before;
    }
    ask(s, next);
    return 1;
}

INLINE int collect(struct state *s) {
    struct segment *it = s->asked;
    s->asked = 0;
    uint32_t verdict = it->about[ANSWER], end = it->about[END];
    rpu_packet packet = it->packet;
    if (!SELDOM(verdict & (IS_AHEAD | SPECIAL))) {
        rpu_send(packet ^ RPU_PORT_BIT);
    } else if (!SELDOM(!(verdict & IS_AHEAD))) {
        if (s->last.flow == it->flow) s->last.flow = NO_FLOW; // it has started again, at a lower number
        hold(s, it, it->about[SEQUENCE]);
        return 0;
    } else {
        finish_whole(packet, verdict);
    }
    return go_on(s, it->flow, end);
}

CALLED void settle(void) {
    while (state.asked) collect(&state);
}

CALLED void release_late(void) {
    struct segment *it = late;
    late = 0;
    uint32_t end = it->about[END];
    finish_whole(it->packet, late_verdict);
    go_on(&state, it->flow, end);
    settle();
}

// One that is held no longer. It is dropped if it is still ahead.
static void let_go(struct segment *it, uint32_t verdict) {
    struct segment **link = &state.held, *before = 0;
    for (; *link != it; link = &before->next) before = *link;
    if (!(*link = it->next)) state.last_held = before;
    if (verdict & IS_AHEAD) {
        rpu_drop(it->packet);
        return;
    }
    late = it;
    late_verdict = verdict;
    late_turn = state.turn;
}

// Skips the missing bytes before a segment that has waited too long.
static void give_up(void) {
    struct segment *old = state.held;
    while (old && state.now - old->since <= WAIT_US) old = old->next;
    if (!old) return;
    for (struct segment *each = state.held; each; each = each->next)
        if (each->flow == old->flow && (int32_t)(each->sequence - old->sequence) < 0) old = each;
    let_go(old, old->about[SKIPPING]);
}

// Drops those that are too many. Of a flow that goes on, a segment is not held for so long. What it follows is not
// among the packets that were inside when it came.
static void shed(void) {
    unsigned left = MAX_HELD;
    for (struct segment *it = state.held, *next; it && !late; it = next) {
        next = it->next;
        if (left)
            left--;
        else if (state.now - it->since >= PATIENCE_US && state.turn - it->turn >= NUM_SLOTS)
            let_go(it, it->about[AGAIN]);
    }
}

// All that is not done at each packet.
CALLED void tidy_up(void) {
    settle();
    if (state.turn - state.last.turn >= NUM_SLOTS) state.last.flow = NO_FLOW;
    if (late && state.turn - late_turn >= NUM_SLOTS) release_late();
    state.now = rpu_time(); // not before any segment has been held
    if (!late) give_up();
    if (!late) shed();
    state.marks = state.new_marks;
    state.new_marks = late ? mark(late->flow) : 0;
    for (struct segment *it = state.held; it; it = it->next) state.new_marks |= mark(it->flow);
}

// A segment in order, of which others are held.
CALLED void go_on_behind(struct segment *it) {
    if (late && it->flow == late->flow && (int32_t)(it->about[SEQUENCE] - late->sequence) > 0) release_late();
    uint32_t end = it->about[END];
    finish(it->packet);
    go_on(&state, it->flow, end);
}

// A SYN, after which what has been released of its flow belongs to the stream before; or a FIN in order.
CALLED void start_again(struct segment *it) {
    settle();
    if (state.last.flow != it->flow) remember(&state);
    state.last.flow = it->flow;
    state.last.at = it->about[END];
    state.last.turn = state.turn;
}

INLINE void in_order(struct state *s, struct segment *it) {
    if (!SELDOM((s->marks | s->new_marks) & mark(it->flow))) {
        finish(it->packet);
        if (SELDOM(s->asked)) CALL(settle());
        return;
    }
    // Of what belongs to a flow, only a SYN that begins it and a FIN have no bytes.
    if (it->flow != NO_FLOW && SELDOM(it->about[SEQUENCE] == it->about[END]))
        CALL(start_again(it));
    else if (s->asked)
        CALL(settle());
    struct segment *each = s->held;
    while (each && each->flow != it->flow) each = each->next;
    if (SELDOM(each || (late && late->flow == it->flow)))
        CALL(go_on_behind(it));
    else
        finish(it->packet);
}

// No packet is there: what has been released was not followed by any.
INLINE void forget(struct state *s) {
    s->turn += NUM_SLOTS;
    s->last.flow = NO_FLOW;
}

INLINE void idle(struct state *s) {
    if (s->asked) {
        CALL(settle());
        return;
    }
    forget(s);
    if (late || rpu_time() - s->now >= PERIOD_US) CALL(tidy_up());
}

// Runs from a segment that is ahead until none is held.
CALLED void reorder(rpu_packet packet) {
    struct state copy = state, *s = &copy;
    s->now = rpu_time();
    do {
        if (SELDOM(!packet)) {
            idle(s);
            continue;
        }
        s->turn++;
        struct segment *it = segment(packet);
        it->packet = packet;
        uint32_t flow = it->flow = it->about[FLOW];
        if (SELDOM(!(RPU_VERDICT(packet) & IS_AHEAD))) {
            in_order(s, it);
        } else {
            uint32_t sequence = it->about[SEQUENCE];
            s->new_marks |= mark(flow);
            // If another one of its flow is asked about, this one comes after it.
            int asks = s->asked && collect(s);
            if (!(asks && flow == s->last.flow) && is_next(s, flow, sequence)) {
                while (SELDOM(s->asked)) collect(s);
                ask(s, it);
            } else {
                hold(s, it, sequence);
            }
        }
        if (SELDOM(!(s->turn % PERIOD))) CALL(tidy_up());
    } while ((packet = rpu_poll()) || s->held || s->asked || late);
    forget(s);
    state = *s;
}

int main(void) {
    for (unsigned n = 0; n < NUM_SLOTS; n++) segments[n].about = ABOUT(n << 16);
    state.turn = NUM_SLOTS;
    state.last.flow = NO_FLOW;
    // None is remembered.
    for (unsigned n = 0; n < NUM_PLACES; n++) places[n].turn = 0;
    newest = ends;
    ends[0].turn = 0;
    for (;;) {
        rpu_packet packet = rpu_receive();
        uint32_t verdict = RPU_VERDICT(packet);
        if (!(verdict & (IS_AHEAD | SPECIAL)))
            rpu_send(packet ^ RPU_PORT_BIT);
        else if (!(verdict & (IS_AHEAD | IS_UNEXAMINED | ATTENTION)))
            refuse(packet, verdict);
        else if (verdict & IS_AHEAD)
            reorder(packet);
        else
            finish_special(packet);
    }
}
