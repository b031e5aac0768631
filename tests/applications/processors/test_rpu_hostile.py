# SPDX-License-Identifier: Apache-2.0
"""Programs of a packet processor that break its rules harm nobody else."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from bombus.design import rtl
from tests.applications.processors.rpu_bench import (
    CONTROL,
    FORWARD,
    HOLDS,
    LOOPS,
    PERIOD,
    Processor,
    message,
    program,
)
from tests.support.harness import Benches, Message

pytestmark = pytest.mark.slow

# A payload in the longest frame: behind the headers of Ethernet, IPv4 and UDP.
LONGEST = rtl.constant("bombus_pkg::MaxFrameBytes") - 14 - 20 - 8
SLOTS = 8
# The bench's events: an open input has closed; the core gets the last free slot.
CLOSES, TAKES_LAST = 9, 10
# In every cycle but that of the jump, something that takes the place of what comes or goes.
SIX_STORES = " ".join(f"word[0] = {value};" for value in range(1, 7))
STORES = program(f"""
    rpu_packet packet = rpu_receive();
    rpu_send(rpu_receive());
    volatile uint32_t *word = rpu_window(packet)->header;
    for (;;) for (int n = 0; n < 400; n++) {{ {SIX_STORES * 2} }}
""")
EMPTIES = program("rpu_send(rpu_receive()); for (;;) rpu_empty();")
STRAYS = program("""
    rpu_send(rpu_receive());
    *(volatile uint32_t *)0x10004000u = 1;
    for (;;) rpu_send(rpu_receive());
""")
FORGES = program("""
    rpu_send(rpu_receive());
    for (uint32_t slot = 0;; slot++) rpu_send((slot & 0xff) << 16 | 0x8010);
""")
HOSTILE = {
    "loops": LOOPS,
    "stores": STORES,
    "holds": HOLDS,
    "empties": EMPTIES,
    "strays": STRAYS,
    "forges": FORGES,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_firmware_is_stopped(benches: Benches, tmp_path: Path, name: str) -> None:
    """Messages are always accepted, and the next program is not affected."""
    random = Random(21)
    processor = Processor(benches, HOSTILE[name], tmp_path)
    processor.bench.control(CONTROL.pack(run=1, limit=1))
    sent = [message(random, random.choice([60, 64, 300])) for _ in range(200)]
    processor.push(sent, random)
    processor.bench.run(2 * PERIOD + 2000)
    assert processor.bench.waiting() == 0, "it blocks others"
    status = processor.status
    assert status["stuck"] == 1
    assert status["slots"] == 0
    assert status["busy"] == 0
    assert status["exception"] == (name == "strays")
    if name == "strays":
        assert status["cause"] == 7
    by_firmware, _, discarded, bad, empty, exceptions, stuck = processor.bench.events[1:8]
    assert stuck == 1
    assert exceptions == (name == "strays")
    assert (bad > 100) == (name == "forges")
    assert (empty > 0) == (name == "empties")
    assert discarded > 100
    came = processor.sent()
    assert came[0] in sent[:2]
    assert len(came) + by_firmware + discarded == len(sent) + empty
    processor.load(FORWARD)
    assert processor.status["stuck"] == 0
    assert processor.status["exception"] == 0
    more = [message(random, 100) for _ in range(50)]
    processor.push(more)
    processor.bench.drain(quiet=300)
    assert processor.sent() == more


@pytest.mark.parametrize("slots", [16, 64])
def test_the_next_program_starts_without_slots(
    benches: Benches, tmp_path: Path, slots: int
) -> None:
    """However short the stop before it is."""
    random = Random(24)
    processor = Processor(benches, HOLDS, tmp_path, NumSlots=slots)
    processor.push([message(random, 60) for _ in range(slots)])
    processor.bench.run(40 * slots)
    assert processor.status["slots"] == slots - 1  # the first one was sent
    for stop in (1, 10):
        processor.bench.control(0)
        processor.bench.run(stop)
        processor.bench.control(CONTROL.pack(run=1, limit=1))
        processor.bench.run(4 * slots)
        assert processor.status["slots"] == 0
    processor.bench.run(3 * PERIOD)
    assert processor.status["stuck"] == 0


@pytest.mark.parametrize(("base", "stride"), [(0x20100000, 2048), (0x10008000, 128)])
def test_a_store_behind_the_last_slot_changes_nothing(
    benches: Benches, tmp_path: Path, base: int, stride: int
) -> None:
    """Neither behind the packet memory nor behind the window."""
    random = Random(25)
    program = """
#include "rpu.h"
__attribute__((interrupt("machine"))) void trap_handler(void) {
    uint32_t pc;
    __asm__ volatile("csrr %0, mepc" : "=r"(pc));
    __asm__ volatile("csrw mepc, %0" ::"r"(pc + 4));
}
int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        *(volatile uint32_t *)(BEHIND + RPU_SLOT(packet) * STRIDE + 8) = 0xdeadbeef;
        rpu_send(packet);
    }
}
"""
    behind = f"#define BEHIND {base + SLOTS * stride:#x}u\n#define STRIDE {stride}u\n"
    processor = Processor(benches, behind + program, tmp_path, NumSlots=SLOTS, SlotBytes=2048)
    sent = [message(random, 100) for _ in range(3 * SLOTS)]
    processor.push(sent)
    processor.bench.drain(quiet=500)
    assert processor.sent() == sent
    assert processor.bench.events[6] == len(sent)  # exceptions


def test_a_waiting_instruction_keeps_no_packet_back(benches: Benches, tmp_path: Path) -> None:
    """One that is no access, but whose PC and immediate make an address of the window."""
    program = """
#include "rpu.h"
int main(void) {
    for (;;) {
        rpu_packet packet;
        __asm__ volatile(".insn r CUSTOM_0, 0, 0x40, %0, x0, x0" : "=r"(packet)::"memory");
        rpu_send(packet);
    }
}
"""
    processor = Processor(benches, program, tmp_path)
    sent = message(Random(26), 100)
    processor.push([sent])
    processor.bench.drain(quiet=500)
    assert processor.sent() == [sent]


# Takes empty slots and gives them back, at random; sends what comes.
HOARDS = """
#include "rpu.h"
static rpu_packet held[64];
int main(void) {
    uint32_t random = 1, count = 0;
    for (;;) {
        rpu_packet packet;
        random = random * 1103515245 + 12345;
        switch (random >> 29) {
        case 0: case 1: case 2:
            if ((packet = rpu_empty())) held[count++] = packet;
            break;
        case 3:
            if ((packet = rpu_poll())) rpu_send(packet);
            break;
        case 4:
            while ((packet = rpu_empty())) held[count++] = packet;
            break;
        default:
            if (!count) break;
            rpu_drop(held[--count]);
            for (uint32_t n = random >> 24 & 7; n; n--) __asm__ volatile("nop");
            if ((packet = rpu_empty())) held[count++] = packet;
        }
    }
}
"""


@pytest.mark.parametrize("gap", [0.0, 0.95, 0.99])
def test_the_last_slot_is_for_what_comes(benches: Benches, tmp_path: Path, gap: float) -> None:
    """Empty slots that the core takes close no input that was open, but for a cycle."""
    random = Random(27)
    processor = Processor(benches, HOARDS, tmp_path, NumSlots=4)
    most = 0
    for _ in range(500):
        processor.bench.run(random.randrange(1, 20))
        most = max(most, processor.status["slots"])
    assert most == 3
    processor.bench.pace(gap=gap, stall=0.2)
    sent = [message(random, random.choice([60, 64, 300])) for _ in range(600)]
    processor.push(sent, random)
    processor.bench.drain(quiet=3000)
    assert processor.sent() == sent
    assert processor.bench.events[CLOSES] == processor.bench.events[TAKES_LAST] == 0


def test_discard(benches: Benches, tmp_path: Path) -> None:
    """Messages already received are still processed; new ones are dropped."""
    random = Random(23)
    processor = Processor(benches, HOLD, tmp_path)
    processor.push([message(random, 100) for _ in range(30)])
    processor.bench.run(300)
    processor.bench.control(CONTROL.pack(run=1, discard=1))
    processor.bench.run(100)
    assert processor.bench.waiting() == 0
    assert processor.bench.events[3] == 30 - 16
    assert processor.status["slots"] == 16
    processor.bench.control(CONTROL.pack(run=0, discard=1))
    processor.bench.run(100)
    assert processor.status["slots"] == 0
    assert processor.counts == (0, 16, 0)
    processor.load(FORWARD)
    sent = [message(random, 100) for _ in range(50)]
    processor.push(sent)
    processor.bench.drain(quiet=300)
    assert processor.sent() == sent


BAD = """
#include "rpu.h"
int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        rpu_send(packet ^ 0x10000);
        rpu_send((packet & ~0x3fffu) + 4000);
        rpu_send(packet);
    }
}
"""


@pytest.mark.parametrize(
    ("slot_bytes", "longest"), [(256, 256), (8192, 8192), (16384, LONGEST)], ids=str
)
def test_longest_descriptor(
    benches: Benches, tmp_path: Path, slot_bytes: int, longest: int
) -> None:
    """No longer than a slot, nor than what fits into a frame with its headers."""
    program = """
#include "rpu.h"
int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        rpu_send((packet & ~0x3fffu) | (rpu_window(packet)->header[0] & 0x3fff));
    }
}
"""
    lengths = [0, 1, 100, longest - 1, longest, longest + 1, 9600, 9601, 12000, 16376, 16383, 64]
    meta = message(Random(33), 64).meta
    processor = Processor(benches, program, tmp_path, NumSlots=4, SlotBytes=slot_bytes)
    processor.push([Message(each.to_bytes(4, "little") + bytes(60), meta) for each in lengths])
    processor.bench.drain(quiet=500)
    good = [each for each in lengths if each <= longest]
    assert [len(each.payload) for each in processor.sent()] == good
    bad = len(lengths) - len(good)
    assert processor.counts == (0, bad, bad)


def test_bad_descriptors_send_nothing(benches: Benches, tmp_path: Path) -> None:
    """A slot that the core does not have; a length past the slot, which loses the packet."""
    random = Random(5)
    processor = Processor(benches, BAD, tmp_path)
    processor.push([message(random, 100) for _ in range(20)])
    processor.bench.drain(quiet=500)
    assert processor.sent() == []
    assert processor.counts == (0, 20, 60)
    assert processor.bench.status & 1 == 0, "slots are free again"


HOLD = """
#include "rpu.h"
int main(void) {
    for (int i = 0; i < 8; i++) rpu_receive();
    for (;;) {}
}
"""


def test_a_new_program_gets_all_slots(benches: Benches, tmp_path: Path) -> None:
    """Messages of the old program are dropped; waiting ones go to the new one."""
    random = Random(6)
    processor = Processor(benches, HOLD, tmp_path)
    sent = [message(random, 100) for _ in range(30)]
    processor.push(sent)
    processor.bench.run(300)
    assert processor.bench.waiting() == 2 * (30 - 16), "beats of those that have no slot"
    processor.bench.control(0)
    processor.bench.run(100)
    assert processor.counts == (0, 8, 0)
    processor.load(FORWARD)
    processor.bench.drain(quiet=300)
    assert processor.sent() == sent[8:]
    assert processor.bench.status & 1 == 0
