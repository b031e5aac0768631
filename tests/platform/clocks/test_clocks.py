# SPDX-License-Identifier: Apache-2.0
"""async_fifo and mac_clock_crossing, with two clocks at their true ratio."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random

import pytest

from tests.support.axi_stream import AxiStream
from tests.support.harness import PACES, Bench, Benches, Received, consecutive

pytestmark = pytest.mark.slow

CORE, MAC = 0, 1  # clocks
RX, TX = 0, 1  # ways: from the MAC to the core, and back
MAX_FRAME = 9600


@dataclass(frozen=True)
class Clocks:
    """Frequencies in MHz."""

    core: Fraction
    mac: Fraction

    def __str__(self) -> str:
        return f"{float(self.core):g}:{float(self.mac):g}"

    def set(self, bench: Bench, random: Random) -> None:
        common = self.core.numerator * self.mac.numerator
        core, mac = (int(common / clock) for clock in (self.core, self.mac))
        bench.clock(CORE, core)
        bench.clock(MAC, mac, phase=random.randrange(mac))

    @property
    def core_per_mac(self) -> Fraction:
        return self.core / self.mac


RATIOS = [
    Clocks(Fraction(core), Fraction(mac))
    for core, mac in (
        ("250", "322.265625"),
        ("322.265625", "250"),
        ("250", "156.25"),
        ("156.25", "250"),
        ("250", "250"),  # in step, at any phase
        ("250", "250.01"),  # drifts through all phases
        ("125", "322.265625"),
        ("322.265625", "125"),
    )
]


def start(bench: Bench, clocks: Clocks, random: Random) -> None:
    clocks.set(bench, random)
    bench.reset(40)
    bench.run(100)  # until both sides have agreed that it is over
    bench.forget()


# ---- async_fifo: four kinds each way ----

DEPTHS = (4, 16, 64, 16) * 2
STAGES = (2, 2, 2, 3) * 2
FIFOS = range(8)


@pytest.mark.parametrize("clocks", RATIOS, ids=str)
def test_fifo_keeps_all_in_order(benches: Benches, clocks: Clocks) -> None:
    random = Random(1)
    bench = benches("async_fifo")
    start(bench, clocks, random)
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        sent = [[random.getrandbits(32) for _ in range(2000)] for _ in FIFOS]
        for stream, items in enumerate(sent):
            bench.push(items, stream)
        bench.drain()
        assert [bench.items(stream) for stream in FIFOS] == sent
    assert bench.combinational == 0, "ready is not a register"


@pytest.mark.parametrize("clocks", RATIOS, ids=str)
def test_fifo_swings_between_full_and_empty(benches: Benches, clocks: Clocks) -> None:
    random = Random(2)
    bench = benches("async_fifo", seed=2)
    start(bench, clocks, random)
    sent = [[random.getrandbits(32) for _ in range(3000)] for _ in FIFOS]
    for stream, items in enumerate(sent):
        bench.push(items, stream)
    for _ in range(100):
        bench.pace(gap=random.choice([0, 0.5, 1]), stall=random.choice([0, 0.5, 1]))
        bench.run(random.randrange(150))
    bench.pace()
    bench.drain()
    assert [bench.items(stream) for stream in FIFOS] == sent


@pytest.mark.parametrize("clocks", RATIOS, ids=str)
def test_fifo_uses_every_entry(benches: Benches, clocks: Clocks) -> None:
    bench = benches("async_fifo")
    start(bench, clocks, Random(3))
    for _ in range(3):  # at other places of the ring
        bench.forget()
        bench.pace(stall=1.0)
        for stream in FIFOS:
            bench.push(range(100), stream)
        bench.run(600)
        # One more is in the output register.
        assert [100 - bench.waiting(stream) for stream in FIFOS] == [d + 1 for d in DEPTHS]
        levels = [bench.status >> 16 * stream & 0xFFFF for stream in FIFOS]
        assert levels == [depth | depth << 8 for depth in DEPTHS]
        bench.pace()
        bench.drain()
        assert [bench.items(stream) for stream in FIFOS] == [list(range(100))] * len(FIFOS)


@pytest.mark.parametrize("clocks", RATIOS, ids=str)
def test_fifo_moves_a_beat_in_every_cycle_of_the_slower_clock(
    benches: Benches, clocks: Clocks
) -> None:
    bench = benches("async_fifo")
    start(bench, clocks, Random(4))
    for stream in FIFOS:
        bench.push(range(1000), stream)
    bench.drain()
    for stream in FIFOS:
        if DEPTHS[stream] < 16:
            continue
        forward = stream < len(FIFOS) // 2  # from clock 0
        source, sink = (clocks.core, clocks.mac) if forward else (clocks.mac, clocks.core)
        cycles = [received.cycle for received in bench.received(stream)][100:]
        wanted = (len(cycles) - 1) * max(1, sink / source)
        assert abs(cycles[-1] - cycles[0] - wanted) <= 2


def test_fifo_latency(benches: Benches) -> None:
    """Both clocks in phase, so that their cycles are the same."""
    bench = benches("async_fifo")
    start(bench, RATIOS[4], Random(5))
    cycles = []
    for _ in range(10):
        bench.forget()
        for stream in FIFOS:
            bench.push([7], stream)
        bench.drain()
        there, back = (
            [bench.received(s)[0].cycle - bench.taken(s)[0] for s in way]
            for way in (FIFOS[:4], FIFOS[4:])
        )
        # One clock has counted more cycles than the other; over a round trip this cancels out.
        cycles += [a + b for a, b in zip(there, back, strict=True)]
    per_way = [stages + 1 for stages in STAGES[:4]]
    assert all(
        2 * wanted <= got <= 2 * (wanted + 1)
        for got, wanted in zip(cycles, per_way * 10, strict=True)
    ), cycles


# ---- mac_clock_crossing ----


@dataclass(frozen=True)
class Frame:
    data: bytes
    bad: bool = False


def push(bench: Bench, way: int, frames: list[Frame], random: Random, width: int) -> None:
    axi = AxiStream(width)
    for frame in frames:
        bench.push(list(axi.beats(frame.data, random, bad=frame.bad)), way)


def received(bench: Bench, way: int, width: int) -> list[tuple[Frame, list[int]]]:
    axi = AxiStream(width)
    got: list[Received] = bench.received(way)
    ends = [axi.layout.unpack(item) for _, item in got]
    bad = [bool(end["tuser"]) for end in ends if end["tlast"]]
    frames = axi.frames(got)
    return [(Frame(data, b), cycles) for (data, cycles), b in zip(frames, bad, strict=True)]


def frames_of(bench: Bench, way: int, width: int) -> list[Frame]:
    return [frame for frame, _ in received(bench, way, width)]


def numbered(random: Random, count: int, lengths: list[int]) -> list[Frame]:
    """Frames that differ: a number, where it fits, then noise."""
    frames = []
    for n in range(count):
        length = random.choice(lengths)
        data = (n.to_bytes(4, "little") + random.randbytes(max(length - 4, 0)))[:length]
        frames.append(Frame(data, random.random() < 0.1))
    return frames


def is_part_in_order(part: list[Frame], whole: list[Frame]) -> bool:
    rest = iter(whole)
    return all(frame in rest for frame in part)


WIDTHS = [64, 512]


def crossing(benches: Benches, width: int, *, seed: int = 1, **more: int) -> Bench:
    depth = 2048 if width == 64 else 512
    return benches("mac_clock_crossing", seed=seed, **({"DataWidth": width, "Depth": depth} | more))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("clocks", RATIOS, ids=str)
def test_crossing_carries_every_length(benches: Benches, clocks: Clocks, width: int) -> None:
    random = Random(6)
    bench = crossing(benches, width)
    start(bench, clocks, random)
    lengths = [*range(1, 201), MAX_FRAME - 1, MAX_FRAME]
    for pace in PACES:
        random.shuffle(lengths)
        sent = [Frame(random.randbytes(length), random.random() < 0.1) for length in lengths]
        bench.forget()
        bench.pace(**pace)
        for way in (RX, TX):
            push(bench, way, sent, random, width)
        bench.drain()
        arrived = frames_of(bench, RX, width)
        assert is_part_in_order(arrived, sent)
        assert len(arrived) + bench.events[0] == len(sent)
        assert bench.events[1] == 0
        sending = received(bench, TX, width)
        assert [frame for frame, _ in sending] == sent
        if not pace["stall"]:  # a MAC must never run dry inside a frame
            assert all(consecutive(cycles) for _, cycles in sending)
            if clocks.core_per_mac >= 1:
                assert bench.events[0] == 0


@pytest.mark.parametrize("clocks", [c for c in RATIOS if c.core_per_mac >= 1], ids=str)
@pytest.mark.parametrize("width", WIDTHS)
def test_crossing_starts_early_and_never_runs_dry(
    benches: Benches, clocks: Clocks, width: int
) -> None:
    random = Random(7)
    bench = crossing(benches, width, TxStartBeats=4)
    start(bench, clocks, random)
    for gap in (0.0, 0.9):
        # Gaps only occur between frames.
        bench.forget()
        sent = numbered(random, 200, [*range(1, 300), 1514, MAX_FRAME])
        for frame in sent:
            push(bench, TX, [frame], random, width)
            if gap:
                bench.run(random.randrange(400))
        bench.drain()
        sending = received(bench, TX, width)
        assert [frame for frame, _ in sending] == sent
        assert all(consecutive(cycles) for _, cycles in sending)


@pytest.mark.parametrize(
    ("clocks", "width", "gap"),
    [(RATIOS[0], 512, 0.53), (Clocks(Fraction(200), Fraction("156.25")), 64, 0.25)],
    ids=["100G", "10G"],
)
def test_crossing_carries_the_smallest_frames_at_line_rate(
    benches: Benches, clocks: Clocks, width: int, gap: float
) -> None:
    """64 bytes with FCS, 84 on the wire: 149 million frames a second at 100 Gbit/s."""
    random = Random(10)
    bench = crossing(benches, width)
    start(bench, clocks, random)
    sent = numbered(random, 3000, [60])
    bench.pace(gap=gap)
    for way in (RX, TX):
        push(bench, way, sent, random, width)
    bench.drain()
    for way in (RX, TX):
        assert frames_of(bench, way, width) == sent
    assert bench.events[:2] == [0, 0]


@pytest.mark.parametrize("length", [1, 60, 64, 65, 1514, MAX_FRAME])
@pytest.mark.parametrize("width", WIDTHS)
def test_crossing_drops_what_does_not_fit(benches: Benches, width: int, length: int) -> None:
    random = Random(length)
    bench = crossing(benches, width)
    depth = 2048 if width == 64 else 512
    start(bench, RATIOS[0], random)
    beats = -(-length // (width // 8))
    longest = -(-MAX_FRAME // (width // 8)) + 1
    count = 3 * depth // beats + 3
    for stall in (1.0, 0.9):
        bench.forget()
        bench.pace(stall=stall)
        sent = numbered(random, count, [length])
        push(bench, RX, sent, random, width)
        while bench.waiting(RX):
            bench.run(100)
        bench.run(1000 + count)  # at most one drop is reported per cycle of the slower core
        dropped = bench.events[0]
        bench.pace()
        bench.drain()
        assert bench.events[0] == dropped
        arrived = frames_of(bench, RX, width)
        assert dropped and len(arrived) + dropped == count
        if stall == 1.0:  # frames that fit are kept, in order, and no others
            assert arrived == sent[: len(arrived)]
            # No room is left for the longest frame plus the beats in the crossing.
            kept = -(-(depth - longest - 2) // beats)
            assert kept <= len(arrived) <= kept + 4 // beats + 1
        elif length >= 4:
            assert is_part_in_order(arrived, sent)


@pytest.mark.parametrize("width", WIDTHS)
def test_crossing_marks_what_is_too_long(benches: Benches, width: int) -> None:
    random = Random(8)
    bench = crossing(benches, width)
    start(bench, RATIOS[4], random)
    size = width // 8
    lengths = [9600, 60, 9600 + 1, 61, 9600 + size, 62, 9601 + size, 63, 40000, 40001, 64]
    sent = [Frame(random.randbytes(length)) for length in lengths]
    for way in (RX, TX):
        push(bench, way, sent, random, width)
    bench.drain()
    cut = MAX_FRAME + size
    wanted = [f if len(f.data) <= MAX_FRAME else Frame(f.data[:cut], True) for f in sent]
    for way in (RX, TX):
        assert frames_of(bench, way, width) == wanted
        assert bench.events[way] == 0


@pytest.mark.parametrize("clocks", RATIOS, ids=str)
@pytest.mark.parametrize("side", [CORE, MAC])
def test_crossing_survives_a_reset_of_one_side(benches: Benches, clocks: Clocks, side: int) -> None:
    width = 64
    size = width // 8
    random = Random(9)
    bench = crossing(benches, width, seed=9, MaxBytes=200, Depth=64)
    start(bench, clocks, random)
    into, out_of = (RX, TX) if side == CORE else (TX, RX)  # of the side that is reset
    for _ in range(300):
        bench.forget()
        bench.pace(gap=random.choice([0, 0.3, 0.97]), stall=random.choice([0, 0.3, 0.9]))
        sent = [numbered(random, 25, list(range(5, 130))) for _ in (RX, TX)]
        for way in (RX, TX):
            push(bench, way, sent[way], random, width)
        bench.run(random.randrange(5, 600))
        bench.hold_reset(side)
        bench.run(random.randrange(8, 60))  # an edge of either clock at least
        bench.hold_reset()
        before = len(bench.items(into))
        bench.run(40)
        bench.pace(gap=0.1, stall=0.1)
        bench.drain()

        # The side that continues sends complete frames; others are dropped or discarded.
        assert bench.events[into] <= len(sent[into])
        arrived = AxiStream(width).frames(bench.received(into)[before:])
        whole = [frame.data for frame in sent[into]]
        assert all(data in whole for data, _ in arrived)
        # It receives complete frames, in order; the cut one is marked bad.
        got = frames_of(bench, out_of, width)
        cut = [n for n, frame in enumerate(got) if frame not in sent[out_of]]
        assert len(cut) <= 1
        if cut:
            frame = got[cut[0]]
            assert frame.bad and cut[0] == len(got) - 1
            begin = frame.data[:-size]
            assert begin[-size:] == frame.data[-size:]
            assert any(f.data.startswith(begin) for f in sent[out_of])
        assert is_part_in_order([f for n, f in enumerate(got) if n not in cut], sent[out_of])

        # Everything works again.
        bench.run(200)
        bench.forget()
        after = numbered(random, 3, list(range(5, 130)))
        for way in (RX, TX):
            push(bench, way, after, random, width)
        bench.drain()
        assert [frames_of(bench, way, width) for way in (RX, TX)] == [after, after]
        assert bench.events[:2] == [0, 0]
