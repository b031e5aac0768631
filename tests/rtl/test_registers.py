# SPDX-License-Identifier: Apache-2.0
"""Counters, the register ports of tiles and host, and the time."""

from __future__ import annotations

from random import Random

import pytest
from harness import SEEDS, Bench, Benches, Layout

NUM_EVENTS = 5
BANK_STREAMS, TILE_STREAMS = 2, 4
BANK_WIDTH = 20
NUM_BANK = 2 * BANK_STREAMS + NUM_EVENTS
NUM_TILE = 2 * TILE_STREAMS + NUM_EVENTS

CONTROL = Layout(
    *(("bank_index", 4), ("bank_read", 1), ("valid", 1), ("write", 1)),
    *(("addr", 12), ("wdata", 32), ("host", 1), ("tick", 16)),
)
STATUS = Layout(
    *(("bank_ready", 1), ("bank_data", BANK_WIDTH), ("tile_ready", 1), ("tile_rdata", 32)),
    *(("host_ready", 1), ("host_rdata", 32), ("table_write", 1), ("table_index", 9)),
    *(("table_wdata", 32), ("time", 32), ("gateway", 32), ("netmask", 32), ("ip", 32)),
    ("mac", 48),
)


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


def access(
    bench: Bench, address: int, data: int | None = None, *, host: bool = False
) -> tuple[int, list[tuple[int, int]]]:
    """A transaction: what is read, and what is written to the table."""
    writes = []
    bench.control(
        CONTROL.pack(valid=1, write=data is not None, addr=address, wdata=data or 0, host=host)
    )
    target = "host" if host else "tile"
    for _ in range(64):
        bench.run()
        if status(bench, "table_write"):
            writes.append((status(bench, "table_index"), status(bench, "table_wdata")))
        if status(bench, f"{target}_ready"):
            value = status(bench, f"{target}_rdata")
            bench.run()  # the request is there until the end of the cycle of the answer
            bench.control(0)
            assert not status(bench, f"{target}_rdata")
            return value, writes
    raise AssertionError(f"{address:#x} does not answer")


def random_event(random: Random, streams: int, everything: bool) -> tuple[int, list[int]]:
    """An item, and what each counter must go up by."""
    messages = [1 if everything else random.randrange(2) for _ in range(streams)]
    sizes = [0x3FFF if everything else random.getrandbits(14) for _ in range(streams)]
    events = [1 if everything else random.randrange(2) for _ in range(NUM_EVENTS)]
    item, steps = 0, []
    for index, (message, size) in enumerate(zip(messages, sizes, strict=True)):
        item |= message << index | size << (streams + 14 * index)
        steps += [message, message * size]
    for index, event in enumerate(events):
        item |= event << (15 * streams + index)
    return item, steps + events


def feed(bench: Bench, stream: int, random: Random, count: int, everything: bool) -> list[int]:
    streams = (BANK_STREAMS, TILE_STREAMS)[stream]
    totals = [0] * (2 * streams + NUM_EVENTS)
    items = []
    for _ in range(count):
        item, steps = random_event(random, streams, everything)
        items.append(item)
        totals = [total + step for total, step in zip(totals, steps, strict=True)]
    bench.push(items, stream)
    return totals


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_no_event_is_lost(benches: Benches, seed: int, everything: bool) -> None:
    random = Random(seed)
    bench = benches("registers", seed=seed)
    totals = feed(bench, 0, random, 1000, everything)
    bench.run(1000 + NUM_BANK)
    assert any(total >> BANK_WIDTH for total in totals), "none of the counters wraps"
    for index in random.sample(range(NUM_BANK), NUM_BANK):
        assert read_bank(bench, index) == totals[index] % (1 << BANK_WIDTH)


def test_counters_start_at_zero(benches: Benches) -> None:
    random = Random(1)
    bench = benches("registers")
    for _ in range(5):
        feed(bench, 0, random, 40, everything=True)
        bench.run(random.randrange(40))
        bench.reset(1)
        assert [read_bank(bench, index) for index in range(NUM_BANK)] == [0] * NUM_BANK
    # An event in the first cycle out of reset counts.
    bench.reset(1)
    totals = feed(bench, 0, random, 1, everything=True)
    bench.run(2 * NUM_BANK)
    assert [read_bank(bench, index) for index in range(NUM_BANK)] == totals


def test_a_counter_lags_by_no_more_than_promised(benches: Benches) -> None:
    random = Random(2)
    bench = benches("registers")
    feed(bench, 0, random, 3000, everything=True)
    start = bench.cycle
    for _ in range(100):
        index = random.choice([0, 2, *range(4, NUM_BANK)])  # those that count by one
        value = read_bank(bench, index)
        now = bench.cycle - start
        assert now - NUM_BANK <= value <= now
        bench.run(random.randrange(5))


# ---- Tile ----


@pytest.mark.parametrize("seed", SEEDS)
def test_tile_counters(benches: Benches, seed: int) -> None:
    random = Random(seed)
    bench = benches("registers", seed=seed)
    for rounds in range(3):
        bench.reset()
        totals = feed(bench, 1, random, 2000, everything=rounds == 0)
        bench.run(2000 + NUM_TILE)
        for index in range(NUM_TILE):
            low, _ = access(bench, 8 * index)
            high, _ = access(bench, 8 * index + 4)
            assert high << 32 | low == totals[index]
    assert access(bench, 8 * NUM_TILE) == (0, [])


def test_tile_counter_passes_32_bits(benches: Benches) -> None:
    """The high word belongs to the low word that was read last."""
    random = Random(5)
    bench = benches("registers")
    count = (1 << 32) // 0x3FFF + 1000
    item, _ = random_event(random, TILE_STREAMS, everything=True)
    before = 0
    for _ in range(8):
        bench.push([item] * (count // 8), 1)
        bench.run(count // 8)
        low, _ = access(bench, 8)
        bench.push([item] * 50, 1)
        bench.run(60)
        high, _ = access(bench, 12)
        assert high << 32 | low > before
        before = high << 32 | low
    assert before >> 32 == 1


def test_table_writes(benches: Benches) -> None:
    random = Random(3)
    bench = benches("registers")
    for index in random.sample(range(32), 32):
        word = random.getrandbits(32)
        assert access(bench, 0x800 + 4 * index, word) == (0, [(index, word)])
    assert access(bench, 0x10, 0xFFFF) == (0, []), "counters are read only"
    assert access(bench, 0x804) == (0, []), "the table is write only"
    assert access(bench, 8)[0] == 0


# ---- Host and time ----

HOST_FIELDS = {0x00: "mac", 0x04: "mac", 0x08: "ip", 0x0C: "netmask", 0x10: "gateway"}


def test_host_registers(benches: Benches) -> None:
    random = Random(4)
    bench = benches("registers")
    host = {"mac": 0x020304050607, "ip": 0x0A000001, "netmask": 0xFFFFFF00, "gateway": 0}
    initial = dict(host)

    def compare() -> None:
        assert {name: status(bench, name) for name in host} == host

    compare()
    for _ in range(100):
        address = random.choice([*HOST_FIELDS, 0x14, 0x800])
        word = random.getrandbits(32)
        access(bench, address, word, host=True)
        if address == 0x00:
            host["mac"] = host["mac"] >> 32 << 32 | word
        elif address == 0x04:
            host["mac"] = host["mac"] & 0xFFFFFFFF | (word & 0xFFFF) << 32
        elif address in HOST_FIELDS:
            host[HOST_FIELDS[address]] = word
        compare()
        mac = host["mac"]
        expected = [mac & 0xFFFFFFFF, mac >> 32, host["ip"], host["netmask"], host["gateway"], 0]
        assert [access(bench, address, host=True)[0] for address in range(0, 24, 4)] == expected
    bench.reset()
    host = initial
    compare()


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
