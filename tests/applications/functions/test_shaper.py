# SPDX-License-Identifier: Apache-2.0
"""The layer shaper in its bench: order, rates, bursts, priorities, turns, full queues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

import pytest

from tests.support.harness import PACES, Beats, Bench, Benches, Message, consecutive, pack_meta

pytestmark = pytest.mark.slow

CLASSES = 4
UNIT = 1 << 24
LIMIT = 4_000_000
MHZ = 250
LONGEST = 9600


@dataclass(frozen=True)
class Class:
    step: int = 0  # 2^-24 bytes per cycle
    burst: int = 0
    quantum: int = 1514


@dataclass(frozen=True)
class Sent:
    cycle: int  # of the first beat
    number: int  # of the class
    place: int  # among those pushed
    length: int


class Shaper:
    def __init__(self, bench: Bench, width: int) -> None:
        self.bench, self.beats = bench, Beats(width)

    def set(self, classes: Mapping[int, Class], round_robin: bool = False) -> None:
        value = int(round_robin)
        for n in range(CLASSES):
            each = classes.get(n, Class())
            value |= (each.quantum << 56 | each.burst << 32 | each.step) << 8 + 72 * n
        self.bench.control(value)
        self.bench.run(3)

    def message(self, number: int, length: int, place: int = 0, mark: int = 0) -> Message:
        data = Random(place).randbytes(length)
        meta = pack_meta(length=length, tos=number << 2, ip=place, l4__ip_tx__reserved=mark)
        return Message(data, meta)

    def push(self, frames: Sequence[tuple[int, int]]) -> list[Message]:
        """Frames: class and length."""
        self.bench.forget()
        sent = [self.message(*each, place) for place, each in enumerate(frames)]
        self.bench.push(self.beats.stream(sent))
        return sent

    def sent(self) -> list[Sent]:
        found, begins = [], True
        for cycle, item in self.bench.received(0):
            beat = self.beats.layout.unpack(item)
            if begins:
                message = Message(b"", beat["meta"])
                found.append(Sent(cycle, message["tos"] >> 2, message["ip"], beat["length"]))
            begins = bool(beat["last"])
        return found

    def run(self, frames: Sequence[tuple[int, int]], limit: int = LIMIT) -> list[Sent]:
        wanted = self.push(frames)
        self.bench.drain(limit=limit, quiet=20_000)
        got = self.beats.messages(self.bench.items(0), lengths=True)
        assert all(each == wanted[each["ip"]] for each in got)
        return self.sent()


def opened(
    benches: Benches, width: int = 64, *, by_mark: int = 0, overhead: int = 0, drops: int = 1
) -> Shaper:
    bench = benches(
        "shaper",
        DataWidth=width,
        QueueBeats=512 if width == 512 else 2048,
        ByMark=by_mark,
        OverheadBytes=overhead,
        DropsWhenFull=drops,
    )
    return Shaper(bench, width)


@pytest.fixture
def shaper(benches: Benches) -> Shaper:
    return opened(benches)


@pytest.mark.parametrize("width", [64, 512])
def test_order_within_each_class(benches: Benches, width: int) -> None:
    """Nothing is lost, changed or overtaken in its class, at every length and pace."""
    random = Random(width)
    shaper = opened(benches, width)
    for pace, robin in zip(PACES, (False, True, True, False, True), strict=True):
        shaper.bench.reset()
        shaper.bench.pace(**pace)
        shaper.set({n: Class(quantum=300 + 100 * n) for n in range(CLASSES)}, robin)
        lengths = [*range(1, 140), LONGEST, 0]
        random.shuffle(lengths)
        frames = [(random.randrange(8), length) for length in lengths]
        sent = shaper.run(frames)
        lost = shaper.bench.events[0]
        assert len(sent) == len(frames) - lost and (lost == 0 or pace["stall"] > 0)
        for n in range(8):
            places = [each.place for each in sent if each.number == n]
            assert places == sorted(places)


def test_latency_and_rate(benches: Benches) -> None:
    shaper = opened(benches, 512)
    sent = shaper.run([(n % 4, 60) for n in range(400)])
    taken = shaper.bench.taken(0)
    assert consecutive(taken) and consecutive([each.cycle for each in sent])
    assert sent[0].cycle - taken[0] == 4
    (alone,) = shaper.run([(0, 1500)])
    assert alone.cycle - shaper.bench.taken(0)[-1] == 4


@pytest.mark.parametrize("rate_percent", [3, 25, 60])
def test_rates(shaper: Shaper, rate_percent: int) -> None:
    """A class with its queue never empty sends within 1% of its rate over a part of 10 ms; the
    bytes between any two frames are within the rate and the burst, to the byte.
    """
    step = 8 * UNIT * rate_percent // 100
    burst = 1514
    shaper.set({1: Class(step, burst)})
    shaper.bench.run(5)
    random = Random(rate_percent)
    frames = [(1, random.randrange(60, 1515)) for _ in range(18)]
    sent = shaper.run(frames)
    assert len(sent) == len(frames)
    check_conforms(sent, step, burst)
    span = sent[-1].cycle - sent[0].cycle
    count = sum(each.length for each in sent[:-1])
    assert count * UNIT / step == pytest.approx(span, abs=(burst + 1514) * UNIT / step)


def check_conforms(sent: Sequence[Sent], step: int, burst: int) -> None:
    """No interval of frames has more bytes than burst and rate allow."""
    for first in range(len(sent)):
        total = 0
        for each in sent[first:]:
            total += each.length
            cycles = each.cycle - sent[first].cycle
            # Output registers may move a frame's first beat by the beats before it.
            assert total * UNIT <= burst * UNIT + step * (cycles + 4)


def departures(
    frames: Sequence[int], taken: Sequence[int], limit: Class, width: int, overhead: int = 0
) -> list[int]:
    """Cycles of the first beats of a class's frames, of these lengths: a model of the bucket.

    `taken`: the cycle in which each frame's last beat was taken.
    """
    cycles = []
    tokens, now = limit.burst * UNIT, 0
    free = 0
    for length, arrival in zip(frames, taken, strict=True):
        earliest = max(arrival + 4, free)
        tokens = min(limit.burst * UNIT, tokens + limit.step * (earliest - now))
        missing = min(length + overhead, limit.burst) * UNIT - tokens
        wait = max(0, -(-missing // limit.step))
        now = earliest + wait
        tokens = min(limit.burst * UNIT, tokens + limit.step * wait) - (length + overhead) * UNIT
        cycles.append(now)
        free = now + max(1, -(-length // (width // 8)))
    return cycles


RATES = (  # bytes per cycle of a line of 8, burst, lengths
    *((4.0, 16, (1,) * 300 + (8,) * 300), (200.5, 8, (8,) * 400), (7.99, 24, (8,) * 1000)),
    *((0.37, 8, (8, 1, 7) * 30), (3.3, 9, tuple(range(1, 9)) * 20), (8.5, 60, (60,) * 40)),
    *((7.9, 1600, (1514,) * 8), (2.5, 100, (*range(60, 120), 1514, 9600, 60, 60))),
    (5.1, 3000, tuple(Random(1).choices(range(1, 1515), k=20))),
    *((0.999, 64, (64,) * 20), (7.5, 16, (8,) * 400 + (16,) * 200)),
)


@pytest.mark.parametrize("overhead", [0, 24])
def test_departures(benches: Benches, overhead: int) -> None:
    """Each frame of a class departs in the cycle that the model gives: the rate and the bursts are
    exact to the byte, of one beat to the longest, also at rates above the line's.
    """
    shaper = opened(benches, overhead=overhead)
    for rate, burst, lengths in RATES:
        limit = Class(round(rate * UNIT), burst + overhead)
        for number in (0, 3):
            shaper.bench.reset()
            shaper.set({number: limit})
            sent = shaper.run([(number, length) for length in lengths])
            assert [each.length for each in sent] == list(lengths)
            beats = [shaper.beats.count(length) for length in lengths]
            taken = shaper.bench.taken(0)
            ends = [taken[sum(beats[: n + 1]) - 1] for n in range(len(lengths))]
            wanted = departures(lengths, ends, limit, 64, overhead)
            assert [each.cycle for each in sent] == wanted, (rate, burst)


class Model:
    """Departures of several classes, cycle by cycle, while the output is never stalled."""

    def __init__(self, classes: Mapping[int, Class], round_robin: bool) -> None:
        self.limits = [classes.get(n, Class()) for n in range(CLASSES)]
        self.round_robin, self.turn = round_robin, 0
        self.tokens = [each.burst * UNIT for each in self.limits]
        self.deficits = [0] * CLASSES
        self.queues: list[list[int]] = [[] for _ in range(CLASSES)]

    def _ready(self, number: int) -> bool:
        limit, queue = self.limits[number], self.queues[number]
        if not queue or not limit.step:
            return bool(queue)
        return self.tokens[number] >= min(queue[0], limit.burst) * UNIT

    def _choice(self, ready: Sequence[bool]) -> int | None:
        if not self.round_robin:
            return ready.index(True) if any(ready) else None
        if ready[self.turn] and self.deficits[self.turn] >= self.queues[self.turn][0]:
            return self.turn
        if any(ready):
            after = [(self.turn + n) % CLASSES for n in range(1, CLASSES + 1)]
            following = next(n for n in after if ready[n])
            if not ready[self.turn]:
                self.deficits[self.turn] = 0
            self.turn = following
            self.deficits[following] += self.limits[following].quantum
        return None

    def run(self, frames: Sequence[tuple[int, int, int]], width: int) -> list[tuple[int, int, int]]:
        """Frames in: class, length and cycle of arrival; out: cycle, class and length."""
        left, found, free = sorted(frames, key=lambda each: each[2]), [], 0
        now = left[0][2]
        while left or any(self.queues):
            while left and left[0][2] + 4 <= now:
                number, length, _ = left.pop(0)
                self.queues[number].append(length)
            chosen = self._choice([self._ready(n) for n in range(CLASSES)])
            sends = chosen is not None and now >= free
            for n, limit in enumerate(self.limits):
                spent = self.queues[n][0] if sends and n == chosen else 0
                self.tokens[n] = min(limit.burst * UNIT, self.tokens[n] - spent * UNIT + limit.step)
            if chosen is not None and sends:
                length = self.queues[chosen].pop(0)
                self.deficits[chosen] -= length
                found.append((now, chosen, length))
                free = now + -(-length // (width // 8))
            now += 1
        return found


@pytest.mark.parametrize("round_robin", [False, True])
def test_choices(shaper: Shaper, round_robin: bool) -> None:
    """Four classes with and without limits: each frame departs as a model of buckets, priorities
    and turns says, in bursts of arrivals with idle cycles between them.
    """
    random = Random(round_robin)
    for _ in range(12):
        longest = random.choice((8, 24, 200, 1514))
        classes = {
            n: Class(
                random.choice((0, random.randrange(UNIT // 4, 4 * UNIT), 9 * UNIT)),
                random.choice((8, longest, 3 * longest)),
                random.choice((longest, 50, 1514)),
            )
            for n in range(CLASSES)
        }
        shaper.bench.reset()
        shaper.set(classes, round_robin)
        frames = [
            (random.randrange(CLASSES), random.randint(1, longest))
            for _ in range(min(600, 16_000 // longest))
        ]
        shaper.bench.pace(gap=random.choice((0.0, 0.5)))
        sent = shaper.run(frames)
        assert len(sent) == len(frames)
        taken, ends = shaper.bench.taken(0), []
        beat = -1
        for _, length in frames:
            beat += shaper.beats.count(length)
            ends.append(taken[beat])
        arrivals = [(*frame, end) for frame, end in zip(frames, ends, strict=True)]
        wanted = Model(classes, round_robin).run(arrivals, 64)
        assert [(each.cycle, each.number, each.length) for each in sent] == wanted


@pytest.mark.sweep
@pytest.mark.parametrize("beats", [2_000, 100_000])
@pytest.mark.parametrize("length", [1, 8, 9, 60, 64, 1514, 9600])
def test_rates_over_10_ms(benches: Benches, length: int, beats: int) -> None:
    """Frames of one length wait all the time; about `beats` beats leave in 10 ms."""
    shaper = opened(benches, drops=0)
    cycles = 10_000 * MHZ
    each = shaper.beats.count(length)
    count = max(8, beats // each)
    step = count * length * UNIT // cycles
    limit = Class(step, length + 1 + step // UNIT)
    shaper.set({0: limit})
    shaper.push([(0, length)] * (count + 50))
    shaper.bench.run(cycles)
    sent = shaper.sent()
    ends = shaper.bench.taken(0)[each - 1 :: each]
    wanted = departures([length] * len(sent), ends[: len(sent)], limit, 64)
    assert [one.cycle for one in sent] == wanted
    span = sent[-1].cycle - sent[0].cycle
    assert span > 0.7 * cycles
    assert (len(sent) - 1) * length * UNIT / span == pytest.approx(step, rel=0.01)


@pytest.mark.sweep
@pytest.mark.parametrize("round_robin", [False, True])
def test_rates_of_all_classes_over_10_ms(benches: Benches, round_robin: bool) -> None:
    """Four classes at once, with frames of all lengths: each sends within 1% of its rate, and in no
    interval more than its rate and burst.
    """
    shaper = opened(benches, 512, drops=0)
    cycles = 10_000 * MHZ
    bytes_in_10_ms = {0: 400_000, 1: 3_000_000, 2: 1_000_000, 3: 200_000}
    limits = {n: Class(count * UNIT // cycles, 2 * 1514) for n, count in bytes_in_10_ms.items()}
    shaper.set(limits, round_robin)
    random = Random(round_robin)
    frames: list[tuple[float, int, int]] = []
    for n, limit in limits.items():
        dues = [0.0] * 10  # as many frames wait in each queue
        while dues[-10] < cycles:
            length = random.randrange(60, 1515)
            frames.append((dues[-10], n, length))
            dues.append(dues[-1] + length * UNIT / limit.step)
    frames.sort()
    shaper.push([(n, length) for _, n, length in frames])
    shaper.bench.run(cycles)
    sent = shaper.sent()
    for n, limit in limits.items():
        mine = [each for each in sent if each.number == n]
        check_conforms(mine[:300], limit.step, limit.burst)
        mine = mine[10:]  # after the burst of the beginning
        span = mine[-1].cycle - mine[0].cycle
        assert span > 0.9 * cycles
        total = sum(each.length for each in mine[1:])
        assert total * UNIT / span == pytest.approx(limit.step, rel=0.01), n


def test_bursts_are_exact_to_the_byte(shaper: Shaper) -> None:
    """Frames of together exactly the burst leave at once; with one byte more, the last one waits
    for its byte.
    """
    step = UNIT // 1000  # a byte in about 1000 cycles
    lengths = [100, 60, 333, 1000, 7]
    for more in (0, 1, 2):
        shaper.bench.reset()
        shaper.set({2: Class(step, sum(lengths))})
        sent = shaper.run([(2, each) for each in (*lengths[:-1], lengths[-1] + more)])
        gap = sent[-1].cycle - sent[-2].cycle
        assert sent[-2].cycle - sent[0].cycle < 300
        # In the meantime the bucket has gained some of it.
        low = max(0, 1000 * more - 600)
        assert (low <= gap <= 1000 * more + 200) if more else gap < 200


def test_a_frame_longer_than_the_bucket(shaper: Shaper) -> None:
    """It is sent, from a full bucket; the next one waits until the debt is paid."""
    shaper.set({0: Class(UNIT, 100)})
    first, second, third = shaper.run([(0, 1000), (0, 100), (0, 100)])
    assert second.cycle - first.cycle == pytest.approx(1000, abs=130)
    assert third.cycle - second.cycle == pytest.approx(100, abs=5)


def test_overhead(benches: Benches) -> None:
    shaper = opened(benches, overhead=24)
    shaper.set({0: Class(UNIT, 88)})
    sent = shaper.run([(0, 64)] * 20)
    assert {b.cycle - a.cycle for a, b in pairwise(sent)} == {88}


@pytest.mark.parametrize("width", [64, 512])
def test_strict_priority(benches: Benches, width: int) -> None:
    """A frame of class 0 waits for at most one frame of the others, whatever waits there: the
    bound is the beats of the longest frame, and the latency.
    """
    shaper = opened(benches, width)
    random = Random(9)
    longest = 1514
    frames: list[tuple[int, int]] = []
    for _ in range(120):
        low = [(random.randrange(1, 4), random.randrange(60, longest + 1)) for _ in range(3)]
        frames += [*low, (0, 64)]
    shaper.bench.stall(0, 0.0)
    sent = shaper.run(frames)
    ends = []
    beat = -1
    for _, length in frames:
        beat += shaper.beats.count(length)
        ends.append(beat)
    taken = shaper.bench.taken(0)
    waits = [each.cycle - taken[ends[each.place]] for each in sent if each.number == 0]
    bound = 4 + shaper.beats.count(longest)
    print(f"class 0 waits {min(waits)} to {max(waits)} cycles; bound {bound}")
    assert max(waits) <= bound
    assert max(waits) > bound // 2


def test_strict_priority_of_classes_that_wait(shaper: Shaper) -> None:
    shaper.bench.stall(0, 1.0)
    shaper.push([(n % 4, 100) for n in range(40)])
    shaper.bench.run(800)
    shaper.bench.stall(0, 0.0)
    shaper.bench.drain()
    numbers = [each.number for each in shaper.sent()]
    assert numbers[3:] == sorted(numbers[3:]) and len(numbers) == 40


def test_round_robin_shares(shaper: Shaper) -> None:
    """Of classes that all wait, each sends in proportion to its quantum, whatever its lengths."""
    quanta = {0: 800, 1: 800, 2: 800, 3: 1600}  # below a frame of class 1
    shaper.set({n: Class(quantum=each) for n, each in quanta.items()}, True)
    lengths = {0: 60, 1: 1514, 2: 700, 3: 1000}
    shaper.bench.stall(0, 1.0)
    shaper.push([(n, length) for n, length in lengths.items() for _ in range(15_000 // length)])
    shaper.bench.run(9000)
    shaper.bench.stall(0, 0.0)
    shaper.bench.drain()
    assert shaper.bench.events[0] == 0
    total = dict.fromkeys(quanta, 0)
    for each in shaper.sent():
        total[each.number] += each.length
        if total[each.number] > 13_000:  # from here on, a class has no frames
            break
    share = {n: total[n] / quanta[n] for n in quanta}
    assert max(share.values()) - min(share.values()) < 1 + max(lengths.values()) / 800


@pytest.mark.parametrize("drops", [0, 1])
def test_full_queues(benches: Benches, drops: int) -> None:
    """Of class 1, frames are dropped and counted, or all wait; class 0 loses none."""
    shaper = opened(benches, drops=drops)
    shaper.bench.stall(0, 1.0)
    frames = [(1, 1500)] * 20 + [(0, 64)] * 5 + [(1, 60)] * 3
    shaper.push(frames)
    shaper.bench.run(6000)
    assert bool(shaper.bench.waiting()) is not bool(drops)
    shaper.bench.stall(0, 0.0)
    shaper.bench.drain()
    sent = shaper.sent()
    lost = shaper.bench.events[0]
    assert len(sent) + lost == len(frames) and (lost > 5 if drops else lost == 0)
    assert sum(each.number == 0 for each in sent) == 5
    assert sum(each.length == 60 for each in sent) == 3  # there is room for short ones


def test_marks(benches: Benches) -> None:
    shaper = opened(benches, by_mark=1)
    sent = [shaper.message(0, 64, n, mark=n % 4) for n in range(40)]
    shaper.bench.stall(0, 1.0)
    shaper.bench.forget()
    shaper.bench.push(shaper.beats.stream(sent))
    shaper.bench.run(600)
    shaper.bench.stall(0, 0.0)
    shaper.bench.drain()
    classes = [each.place % 4 for each in shaper.sent()]
    assert classes[3:] == sorted(classes[3:]) and len(classes) == 40


def test_reset_in_traffic(shaper: Shaper) -> None:
    shaper.bench.stall(0, 0.5)
    shaper.push([(n % 4, 500) for n in range(30)])
    shaper.bench.run(700)
    shaper.bench.reset()
    shaper.bench.stall(0, 0.0)
    assert len(shaper.run([(n % 4, 60 + n) for n in range(40)])) == 40
    assert shaper.bench.status == 0
