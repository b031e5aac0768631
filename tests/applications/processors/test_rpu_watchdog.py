# SPDX-License-Identifier: Apache-2.0
"""The watchdog of a packet processor: which programs it stops, and which it must not."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

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
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

SLOTS = 8
# Into its own empty slot, in nearly every cycle.
_STORES = """
        rpu_packet packet = rpu_empty();
        for (;;)
            __asm__ volatile(".rept 1500\\n sw zero, 0(%0)\\n .endr"
                :: "r"(rpu_window(packet)->header));"""
STORES = program(_STORES)
# Sends a packet and reads the next one by the bus, which waits while the output stalls.
READS = program("""
    rpu_packet first = rpu_receive(), packet = rpu_receive();
    rpu_send(first);
    for (;;) {
        for (int n = 0; n < 100; n++) *(volatile uint32_t *)rpu_bytes(packet);
        rpu_send(packet);
        packet = rpu_receive();
    }
""")


# Programs that do nothing for long.
HARMLESS = {
    "waits with an empty slot": "rpu_empty(); for (;;) rpu_send(rpu_receive());",
    "waits with all but one": "while (rpu_empty()) {} for (;;) rpu_send(rpu_receive());",
    "loops, but nothing comes": "for (;;) {}",
}


@pytest.mark.parametrize("name", HARMLESS)
def test_one_for_which_nothing_waits_is_not_stopped(
    benches: Benches, tmp_path: Path, name: str
) -> None:
    """However many empty slots it holds, it hinders nobody. If something waits, it is stopped."""
    random = Random(28)
    processor = Processor(benches, program(HARMLESS[name]), tmp_path)
    processor.bench.control(CONTROL.pack(run=1, limit=1))
    processor.bench.run(4 * PERIOD)
    assert processor.status["stuck"] == 0
    sent = [message(random, 100) for _ in range(16)]
    processor.push(sent)
    processor.bench.run(4 * PERIOD)
    if "waits" in name:
        assert processor.sent() == sent
    assert processor.status["stuck"] == ("waits" not in name)


@pytest.mark.parametrize("text", [FORWARD, STORES], ids=["forward", "stores"])
def test_messages_that_wait_for_verdicts_are_not_the_cores_work(
    benches: Benches, tmp_path: Path, text: str
) -> None:
    """Nor those that wait for a slot."""
    random = Random(29)
    processor = Processor(benches, text, tmp_path, NumSlots=SLOTS, NeverJudges=1)
    processor.bench.control(CONTROL.pack(run=1, limit=2))
    processor.push([message(random, 60) for _ in range(SLOTS + 2)])
    processor.bench.run(16 * PERIOD)
    assert processor.status["slots"] == SLOTS and processor.bench.waiting()
    assert processor.status["stuck"] == 0


# Busy, but nothing that they do is for what comes: slots that are given back and taken again,
# frames of their own, stores that let a beat of a message in now and then.
BUSY = {
    **{
        f"drops {nops}": f"""
        rpu_packet packet = rpu_empty(), unused;
        for (;;)
            __asm__ volatile(".insn r 0x0b, 1, 0, %1, %0, x0\\n .rept {nops}\\n nop\\n .endr\\n"
                ".insn r 0x0b, 3, 0, %0, x0, x0\\n or %0, %0, %2"
                : "+&r"(packet), "=&r"(unused) : "r"(RPU_DROP));"""
        for nops in range(6)
    },
    "sends": "for (;;) { rpu_packet p = rpu_empty(); if (p) rpu_send(p | 60); }",
    "keeps out": _STORES,
}


@pytest.mark.parametrize("name", BUSY)
def test_one_that_takes_nothing_is_stopped(benches: Benches, tmp_path: Path, name: str) -> None:
    """However busy it is otherwise, also if its output stalls half of the time."""
    random = Random(30)
    processor = Processor(benches, program(BUSY[name]), tmp_path, width=64, SlotBytes=2048)
    processor.bench.pace(gap=0.0, stall=0.5)
    processor.bench.control(CONTROL.pack(run=1, limit=2))
    processor.bench.run(4 * PERIOD)
    assert processor.status["stuck"] == 0
    processor.push([message(random, 1000) for _ in range(3)])
    processor.bench.run(12 * PERIOD)
    assert processor.status["stuck"] == 1
    assert processor.bench.waiting() == 0


def test_a_message_of_others_does_not_free_one(benches: Benches, tmp_path: Path) -> None:
    """Messages that are too long, and dropped, are no progress of the core."""
    random = Random(31)
    processor = Processor(benches, LOOPS, tmp_path, NumSlots=SLOTS, SlotBytes=256)
    processor.bench.control(CONTROL.pack(run=1, limit=2))
    processor.push([message(random, 100) for _ in range(3)])
    for _ in range(16):
        processor.push([message(random, 300)])
        processor.bench.run(PERIOD // 4)
    assert processor.status["stuck"] == 1


@pytest.mark.parametrize("count", [2, SLOTS, SLOTS + 1])
def test_what_it_holds_is_work(benches: Benches, tmp_path: Path, count: int) -> None:
    """Nothing waits, since those before it do not send more than it has room for."""
    random = Random(32)
    processor = Processor(benches, HOLDS, tmp_path, NumSlots=SLOTS)
    processor.bench.control(CONTROL.pack(run=1, limit=1))
    processor.push([message(random, 60) for _ in range(count)])
    processor.bench.run(4 * PERIOD)
    assert processor.bench.waiting() == 0
    assert processor.status["stuck"] == 1


def test_watchdog_leaves_others_alone(benches: Benches, tmp_path: Path) -> None:
    """No packets for long; packets all the time; an output that stalls for long."""
    random = Random(22)
    processor = Processor(benches, FORWARD, tmp_path)
    processor.bench.control(CONTROL.pack(run=1, limit=1))
    processor.bench.run(3 * PERIOD)
    processor.bench.pace(gap=0.0, stall=1.0)
    sent = [message(random, 100) for _ in range(50)]
    processor.push(sent)
    processor.bench.run(3 * PERIOD)
    processor.bench.pace(gap=0.9, stall=0.0)
    processor.bench.drain(quiet=300)
    assert processor.sent() == sent
    assert processor.status["stuck"] == 0
    assert processor.bench.events[7] == 0


@pytest.mark.parametrize("length", [60, 100])
@pytest.mark.parametrize("count", range(SLOTS - 1, SLOTS + 3))
def test_what_was_kept_out_is_forgotten(
    benches: Benches, tmp_path: Path, count: int, length: int
) -> None:
    """The next program is not blamed for it, if nothing comes at all."""
    random = Random(34)
    processor = Processor(benches, STORES, tmp_path, NumSlots=SLOTS)
    processor.bench.control(CONTROL.pack(run=1, limit=2))
    processor.push([message(random, length) for _ in range(count)])
    processor.bench.run(30 * PERIOD)
    assert processor.status["stuck"] == 1
    processor.load(FORWARD)
    processor.bench.control(CONTROL.pack(run=1, limit=2))
    processor.bench.run(6 * PERIOD)
    assert processor.status["stuck"] == 0


def test_what_is_discarded_is_not_kept_out(benches: Benches, tmp_path: Path) -> None:
    random = Random(35)
    processor = Processor(benches, STORES, tmp_path, NumSlots=SLOTS)
    processor.bench.control(CONTROL.pack(run=1, discard=1, limit=2))
    processor.push([message(random, 60)])
    processor.bench.run(6 * PERIOD)
    assert processor.bench.waiting() == 0
    assert processor.status["stuck"] == 0


def test_a_period_with_a_stalled_output_does_not_count(benches: Benches, tmp_path: Path) -> None:
    """Wherever in a period it begins."""
    random = Random(36)
    for cycles in range(3500, 3900, 20):
        processor = Processor(benches, READS, tmp_path, width=64, NumSlots=SLOTS)
        processor.bench.control(0)
        processor.bench.run(40)
        processor.bench.control(CONTROL.pack(run=1, limit=1))
        processor.bench.run(cycles)
        processor.push([message(random, 2000), message(random, 60)])
        processor.bench.run(345)
        processor.bench.pace(stall=1.0)
        processor.bench.run(5 * PERIOD)
        assert processor.status["stuck"] == 0, cycles


def test_a_lower_limit_takes_effect(benches: Benches, tmp_path: Path) -> None:
    """Below the periods that have passed: in the next one."""
    random = Random(37)
    processor = Processor(benches, LOOPS, tmp_path, NumSlots=SLOTS)
    processor.bench.control(CONTROL.pack(run=1, limit=60))
    processor.push([message(random, 60) for _ in range(3)])
    processor.bench.run(20 * PERIOD)
    assert processor.status["stuck"] == 0
    processor.bench.control(CONTROL.pack(run=1, limit=16))
    processor.bench.run(2 * PERIOD)
    assert processor.status["stuck"] == 1
