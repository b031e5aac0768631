# SPDX-License-Identifier: Apache-2.0
"""axi_memory of sim/platform/models: data against a dictionary, latency and bandwidth as set."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from random import Random

import pytest

from tests.support.harness import PACES, Bench, Benches, Layout

pytestmark = pytest.mark.slow

READ, WRITE, DATA = range(3)  # streams in
RESPONSE = 1  # stream out; data read are stream 0
BYTES = 8
INCR = 1
ADDRESS = Layout(("id", 4), ("addr", 32), ("len", 8), ("size", 3), ("burst", 2))
W = Layout(("data", 64), ("strb", 8), ("last", 1))
R = Layout(("id", 4), ("data", 64), ("resp", 2), ("last", 1))
B = Layout(("id", 4), ("resp", 2))
SLVERR = 2


@dataclass(frozen=True)
class Burst:
    id: int
    addr: int
    beats: int
    size: int = 3
    burst: int = INCR

    @property
    def item(self) -> int:
        return ADDRESS.pack(
            id=self.id, addr=self.addr, len=self.beats - 1, size=self.size, burst=self.burst
        )

    @property
    def words(self) -> list[int]:
        """The word of each beat."""
        start = self.addr >> self.size
        return [(start + beat << self.size) // BYTES for beat in range(self.beats)]


def random_burst(random: Random) -> Burst:
    size = random.choice([0, 1, 2, 3, 3, 3])
    return Burst(random.randrange(16), random.randrange(4000), random.randrange(1, 17), size)


def write(bench: Bench, bursts: list[Burst], memory: dict[int, int], random: Random) -> None:
    for burst in bursts:
        bench.push([burst.item], WRITE)
        for beat, word in enumerate(burst.words):
            data, strobe = random.getrandbits(64), random.getrandbits(8)
            last = int(beat == burst.beats - 1)
            bench.push([W.pack(data=data, strb=strobe, last=last)], DATA)
            mask = sum(0xFF << 8 * lane for lane in range(BYTES) if strobe >> lane & 1)
            memory[word] = memory[word] & ~mask | data & mask


def bursts_read(bench: Bench) -> dict[int, list[list[int]]]:
    """Data by ID; bursts must not be mixed."""
    found: dict[int, list[list[int]]] = defaultdict(list)
    now: list[int] = []
    owner = None
    for item in bench.items(0):
        beat = R.unpack(item)
        assert beat["resp"] == 0
        assert owner in (None, beat["id"])
        owner = beat["id"]
        now.append(beat["data"])
        if beat["last"]:
            found[owner].append(now)
            now, owner = [], None
    assert not now
    return found


@pytest.mark.parametrize("in_order", [0, 1])
@pytest.mark.parametrize("latency", [3, 54])
def test_data(benches: Benches, latency: int, in_order: int) -> None:
    random = Random(latency)
    bench = benches("axi_memory", OutOfOrder=1 - in_order, ReadLatency=latency, BankCycles=9)
    memory: dict[int, int] = defaultdict(int)
    overtaken = False
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        written = [random_burst(random) for _ in range(150)]
        write(bench, written, memory, random)
        bench.drain(quiet=400)
        responses = [B.unpack(item) for item in bench.items(RESPONSE)]
        assert all(response["resp"] == 0 for response in responses)
        assert sorted(r["id"] for r in responses) == sorted(b.id for b in written)
        read = [random_burst(random) for _ in range(150)]
        bench.push([burst.item for burst in read], READ)
        bench.drain(quiet=400)
        wanted: dict[int, list[list[int]]] = defaultdict(list)
        for burst in read:
            wanted[burst.id].append([memory[word] for word in burst.words])
        assert bursts_read(bench) == wanted
        order = [R.get(item, "id") for item in bench.items(0) if R.get(item, "last")]
        overtaken |= order != [burst.id for burst in read]
    assert overtaken != bool(in_order)


@pytest.mark.parametrize("latency", [1, 2, 20, 100])
def test_latency(benches: Benches, latency: int) -> None:
    bench = benches("axi_memory", ReadLatency=latency, WriteLatency=latency)
    for n in range(5):
        bench.push([Burst(n, 64 * n, 4).item], READ)
        bench.drain(quiet=200)
        assert bench.received(0)[4 * n].cycle - bench.taken(READ)[n] == latency
        bench.push([Burst(n, 64 * n, 1).item], WRITE)
        bench.push([W.pack(data=n, strb=255, last=1)], DATA)
        bench.drain(quiet=200)
        assert bench.received(RESPONSE)[n].cycle - bench.taken(DATA)[n] == latency


@pytest.mark.parametrize(("beats", "every"), [(1, 1), (2, 3), (1, 2), (1, 4), (3, 2), (2, 1)])
@pytest.mark.parametrize("writing", [False, True])
def test_bandwidth(benches: Benches, beats: int, every: int, writing: bool) -> None:
    random = Random(1)
    bench = benches("axi_memory", BandwidthBeats=beats, BandwidthCycles=every)
    bursts = [Burst(n % 16, 128 * n, 16) for n in range(100)]
    bench.push([burst.item for burst in bursts], READ)
    if writing:
        write(bench, bursts, defaultdict(int), random)
    bench.drain(quiet=200)
    seen = [[received.cycle for received in bench.received(0)], bench.taken(DATA)]
    channels = [cycles for cycles in seen if cycles]
    assert [len(cycles) for cycles in channels] == [1600] * (1 + writing)
    # While all channels have something to move; each moves at most one beat a cycle.
    begin = max(cycles[0] for cycles in channels)
    end = min(cycles[-1] for cycles in channels)
    moved = sum(begin <= cycle <= end for cycles in channels for cycle in cycles)
    rate = min(beats / every, len(channels))
    assert rate * 0.97 <= moved / (end - begin + 1) <= rate * 1.01


def test_refresh_takes_its_share(benches: Benches) -> None:
    bench = benches("axi_memory", RefreshInterval=200, RefreshCycles=50)
    bench.push([Burst(n % 16, 128 * n, 16).item for n in range(100)], READ)
    bench.drain(quiet=200)
    cycles = [received.cycle for received in bench.received(0)]
    assert abs(cycles[-1] - cycles[0] - 1600 * 200 / 150) <= 60
    gaps = [b - a for a, b in pairwise(cycles) if b - a > 1]
    assert set(gaps) == {51}


def test_a_busy_bank_makes_wait(benches: Benches) -> None:
    bench = benches("axi_memory", BankCycles=30)
    for stride, period in ((256, 30), (64, 30 / 4)):  # one bank of four, and all in turn
        bench.forget()
        bench.push([Burst(3, stride * n, 1).item for n in range(40)], READ)
        bench.drain(quiet=200)
        cycles = [received.cycle for received in bench.received(0)]
        assert abs(cycles[-1] - cycles[0] - 39 * period) <= 30


def test_outstanding_is_bounded(benches: Benches) -> None:
    bench = benches("axi_memory", MaxReads=5, MaxWrites=3)
    bench.pace(stall=1.0)
    bench.push([Burst(n, 0, 1).item for n in range(16)], READ)
    bench.push([Burst(n, 0, 1).item for n in range(16)], WRITE)
    bench.push([W.pack(data=0, strb=0, last=1)] * 16, DATA)
    bench.run(300)
    # One more of each waits in the output registers.
    assert [len(bench.taken(stream)) for stream in (READ, WRITE)] == [6, 4]
    bench.pace()
    bench.drain(quiet=200)
    assert [len(bench.items(stream)) for stream in (0, RESPONSE)] == [16, 16]


def test_bursts_that_it_does_not_know(benches: Benches) -> None:
    bench = benches("axi_memory")
    wrong = [Burst(1, 0, 2, burst=0), Burst(2, 0, 2, burst=2), Burst(3, 0, 2, size=4)]
    wrong.append(Burst(4, 2**32 - 8, 2))
    for burst in wrong:
        bench.push([burst.item], READ)
        bench.push([burst.item], WRITE)
        bench.push([W.pack(data=7, strb=255, last=last) for last in (0, 1)], DATA)
    bench.push([Burst(5, 0, 1).item, Burst(6, 2**32 - 8, 1).item], READ)
    bench.drain(quiet=200)
    beats = [R.unpack(item) for item in bench.items(0)]
    assert sum(beat["resp"] == SLVERR for beat in beats) == 2 * len(wrong)
    assert [beat["data"] for beat in beats if beat["id"] in (5, 6)] == [0, 0]
    assert [B.unpack(item)["resp"] for item in bench.items(RESPONSE)] == [SLVERR] * len(wrong)
