# SPDX-License-Identifier: Apache-2.0
"""Counters and the time."""

from __future__ import annotations

from random import Random

import pytest

from tests.support.harness import SEEDS, Bench, Benches, Layout

pytestmark = pytest.mark.slow

NUM_EVENTS = 5
STREAMS = 2
BANK_WIDTH = 20
NUM_BANK = 2 * STREAMS + NUM_EVENTS

CONTROL = Layout(("bank_index", 4), ("bank_read", 1), ("tick", 16))
STATUS = Layout(("bank_ready", 1), ("bank_data", BANK_WIDTH), ("time", 32))


def status(bench: Bench, name: str) -> int:
    return STATUS.get(bench.status, name)


def read_bank(bench: Bench, index: int) -> int:
    bench.control(CONTROL.pack(bank_index=index, bank_read=1))
    for _ in range(3 * NUM_BANK):
        if status(bench, "bank_ready"):
            value = status(bench, "bank_data")
            bench.control(0)
            return value
        bench.run()
    raise AssertionError(f"counter {index} does not answer")


def random_event(random: Random, everything: bool) -> tuple[int, list[int]]:
    """An item, and what each counter must go up by."""
    messages = [1 if everything else random.randrange(2) for _ in range(STREAMS)]
    sizes = [0x3FFF if everything else random.getrandbits(14) for _ in range(STREAMS)]
    events = [1 if everything else random.randrange(2) for _ in range(NUM_EVENTS)]
    item, steps = 0, []
    for index, (message, size) in enumerate(zip(messages, sizes, strict=True)):
        item |= message << index | size << (STREAMS + 14 * index)
        steps += [message, message * size]
    for index, event in enumerate(events):
        item |= event << (15 * STREAMS + index)
    return item, steps + events


def feed(bench: Bench, random: Random, count: int, everything: bool) -> list[int]:
    totals = [0] * NUM_BANK
    items = []
    for _ in range(count):
        item, steps = random_event(random, everything)
        items.append(item)
        totals = [total + step for total, step in zip(totals, steps, strict=True)]
    bench.push(items)
    return totals


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_no_event_is_lost(benches: Benches, seed: int, everything: bool) -> None:
    random = Random(seed)
    bench = benches("registers", seed=seed)
    totals = feed(bench, random, 1000, everything)
    bench.run(1000 + NUM_BANK)
    assert any(total >> BANK_WIDTH for total in totals), "none of the counters wraps"
    for index in random.sample(range(NUM_BANK), NUM_BANK):
        assert read_bank(bench, index) == totals[index] % (1 << BANK_WIDTH)


def test_counters_start_at_zero(benches: Benches) -> None:
    random = Random(1)
    bench = benches("registers")
    for _ in range(5):
        feed(bench, random, 40, everything=True)
        bench.run(random.randrange(40))
        bench.reset(1)
        assert [read_bank(bench, index) for index in range(NUM_BANK)] == [0] * NUM_BANK
    # An event in the first cycle out of reset counts.
    bench.reset(1)
    totals = feed(bench, random, 1, everything=True)
    bench.run(2 * NUM_BANK)
    assert [read_bank(bench, index) for index in range(NUM_BANK)] == totals


def test_a_counter_lags_by_no_more_than_promised(benches: Benches) -> None:
    random = Random(2)
    bench = benches("registers")
    feed(bench, random, 3000, everything=True)
    start = bench.cycle
    for _ in range(100):
        index = random.choice([0, 2, *range(4, NUM_BANK)])  # those that count by one
        value = read_bank(bench, index)
        now = bench.cycle - start
        assert now - NUM_BANK <= value <= now
        bench.run(random.randrange(5))


def test_time_counts_ticks_and_wraps(benches: Benches) -> None:
    random = Random(6)
    bench = benches("registers")
    now = 0
    for _ in range(200):
        tick, cycles = random.choice([0, 1, 1, 0xFFFF, random.getrandbits(16)]), 1500
        bench.control(CONTROL.pack(tick=tick))
        bench.run(cycles)
        now += tick * cycles
        assert status(bench, "time") == now % (1 << 32)
    assert now >> 32
