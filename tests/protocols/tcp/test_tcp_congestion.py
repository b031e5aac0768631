# SPDX-License-Identifier: Apache-2.0
"""Congestion windows: NewReno step by step, CUBIC against the curves of RFC 9438."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import pytest

from tests.support.harness import Bench, Benches, Layout

pytestmark = pytest.mark.slow

OPENED, ACKED, LOST, DUP_ACK, PARTIAL, RECOVERED, TIMEOUT, MARKED = range(1, 9)
ITEM = Layout(
    ("kind", 4),
    ("late", 1),
    ("selective", 1),
    ("mss", 14),
    ("acked", 32),
    ("flight", 32),
    ("session", 4),
    ("repairs", 1),
)
MOST = 2_097_152
BETA = 11 / 16
C = 0.4  # segments per second cubed


@dataclass
class Reno:
    """The model of RFC 5681, RFC 3465 (slow start) and RFC 6582, with the module's rounding."""

    window: int = 0
    threshold: int = 0

    def happens(
        self,
        kind: int,
        *,
        mss: int,
        acked: int = 0,
        flight: int = 0,
        late: int = 0,
        selective: int = 0,
        repairs: int = 0,
    ) -> None:
        half = max(flight // 2, 2 * mss)
        if kind == OPENED:
            self.window = mss if late else min(10 * mss, max(2 * mss, 14_600))
            self.threshold = 2 * MOST - 1
        elif kind == ACKED:
            grown = self.window
            if self.window < self.threshold:
                grown += min(acked, mss) if repairs else acked
            else:
                leading = self.window.bit_length() - 1
                grown += (mss * mss >> (leading + 1) if leading >= 8 else 0) | 1
            if grown < MOST:
                self.window = grown
        elif kind in (LOST, TIMEOUT, MARKED):
            # What limited transmit has sent, beyond the window, does not count (RFC 5681, 3.2).
            beyond = kind == LOST and flight > self.window
            self.threshold = max(flight // 2 - mss, 2 * mss) if beyond else half
            extra = 0 if selective else 3 * mss
            self.window = {LOST: self.threshold + extra, TIMEOUT: mss, MARKED: half}[kind]
        elif kind == DUP_ACK and not selective:
            if self.window + mss < MOST:
                self.window += mss
        elif kind == PARTIAL and not selective:
            self.window = max(self.window - acked, 0) + mss
        elif kind == RECOVERED:
            self.window = self.threshold


def happen(bench: Bench, **values: int) -> tuple[int, int]:
    """The window before and after."""
    bench.forget()
    bench.push([ITEM.pack(**{"late": 0, "selective": 0, "acked": 0, "flight": 0, **values})])
    bench.run(7)
    (item,) = bench.items()
    return item & 0xFFFFFFFF, item >> 32 & 0xFFFFFFFF


@pytest.mark.parametrize("seed", range(3))
def test_windows_of_many_sessions(benches: Benches, seed: int) -> None:
    random = Random(seed)
    bench = benches("tcp_congestion", MaxWindow=MOST)
    sizes = [random.choice([28, 536, 1460, 4000, 8960]) for _ in range(16)]
    models = [Reno() for _ in range(16)]
    for session, model in enumerate(models):
        happen(bench, kind=OPENED, session=session, mss=sizes[session])
        model.happens(OPENED, mss=sizes[session])
    session = 0
    for _ in range(3000):
        session = session if random.random() < 0.5 else random.randrange(16)
        kind = random.choices(range(1, 9), (1, 60, 3, 5, 3, 3, 1, 2))[0]
        values = {
            "mss": sizes[session],
            "acked": random.randint(1, random.choice([100, 5000, 65_536])),
            "flight": random.randint(0, random.choice([5000, 1_048_576])),
            "late": random.randint(0, 1),
            "selective": random.randint(0, 1),
            "repairs": random.randint(0, 1),
        }
        model = models[session]
        if kind == RECOVERED and model.threshold > MOST:
            kind = LOST  # comes first
        before = model.window
        model.happens(kind, **values)
        assert happen(bench, kind=kind, session=session, **values) == (before, model.window)


def test_long_windows_grow_by_a_segment_per_round_trip(benches: Benches) -> None:
    most = 1 << 28
    bench = benches("tcp_congestion", MaxWindow=most)
    for mss in (1460, 8960):
        happen(bench, kind=OPENED, session=3, mss=mss)
        for bit in range(18, 28):
            for window in (1 << bit, (1 << bit) + 0x1300, (2 << bit) - 100_000):
                # The window is half of what was in flight when the peer told of a mark.
                happen(bench, kind=MARKED, session=3, mss=mss, flight=2 * window)
                before, after = happen(bench, kind=ACKED, session=3, mss=mss, acked=mss)
                assert before == window
                assert after - before == mss * mss >> (bit + 1) | 1


# Memories begin with random contents. With some seeds a curve and a target are of different epochs,
# as in no hardware, where all begin with 0 and are written together.
CUBIC = {"MaxWindow": MOST, "Cubic": 1, "seed": 2}


def cubed(
    bench: Bench, mss: int, rtt_us: int, seconds: float, session: int, part_segments: int = 10
) -> list[tuple[float, int]]:
    """The windows at the end of each round trip while everything allowed is acknowledged."""
    found = []
    window, past = happen(bench, kind=0, session=session, mss=mss)[1], 0
    while past < seconds * 1_000_000:
        bench.control(rtt_us)
        bench.run(1)
        bench.control(0)
        past += rtt_us
        left = window
        while left > 0:
            part = min(left, part_segments * mss)
            window = happen(bench, kind=ACKED, session=session, mss=mss, acked=part, flight=window)[
                1
            ]
            left -= part
            if past <= 3 * rtt_us:
                bench.run(2200)
        bench.run(150)
        found.append((past / 1_000_000, window))
    return found


def follows_its_curve(bench: Bench, session: int, segments: int, mss: int) -> None:
    """A new connection grows to so many segments, loses one, and then follows CUBIC's curve."""
    happen(bench, kind=OPENED, session=session, mss=mss)
    window = 0
    while window < segments * mss:
        window = happen(bench, kind=ACKED, session=session, mss=mss, acked=mss)[1]
    most = window
    lost = happen(bench, kind=LOST, session=session, mss=mss, flight=most, selective=1)[1]
    assert lost == pytest.approx(most * BETA, abs=16)
    assert happen(bench, kind=RECOVERED, session=session, mss=mss)[1] == lost
    k = ((most - lost) / mss / C) ** (1 / 3)
    reached = cubed(bench, mss, 50_000, 1.5 * k, session)
    for time, window in reached:
        curve = C * (time - k) ** 3 * mss + most
        reno = lost + time / 0.05 * 0.5 * mss  # at most
        assert window >= min(curve, 1.5 * lost) * 0.93
        assert window <= max(curve * 1.03, reno)


@pytest.mark.parametrize(("segments", "mss"), [(400, 1460), (100, 8960), (100, 536)])
def test_cubic_follows_its_curve(benches: Benches, segments: int, mss: int) -> None:
    follows_its_curve(benches("tcp_congestion", **CUBIC), 3, segments, mss)


@pytest.mark.parametrize("others", (13, 14, 15, 16))
def test_cubic_forgets_the_curves_of_connections_before(benches: Benches, others: int) -> None:
    """Also of one that many short ones have followed."""
    bench, session = benches("tcp_congestion", **CUBIC), 3
    follows_its_curve(bench, session, 400, 1460)
    for _ in range(others):
        happen(bench, kind=OPENED, session=session, mss=1460)
    follows_its_curve(bench, session, 100, 1460)


def test_cubic_gives_way_to_others(benches: Benches) -> None:
    """A window that has not recovered to the level of the last loss aims lower (RFC 9438, 4.7)."""
    bench = benches("tcp_congestion", **CUBIC)
    session, mss = 0, 1460
    happen(bench, kind=OPENED, session=session, mss=mss)
    window = 0
    while window < 200 * mss:
        window = happen(bench, kind=ACKED, session=session, mss=mss, acked=mss)[1]
    for _ in range(2):
        lost = happen(bench, kind=MARKED, session=session, mss=mss, flight=window)[1]
        most, window = window, lost
    aim = (most - (most >> 3) - (most >> 5)) / mss
    k = ((aim - lost / mss) / C) ** (1 / 3)
    reached = cubed(bench, mss, 50_000, k + 0.1, session)
    assert reached[-1][1] / mss == pytest.approx(aim, rel=0.04)


def test_cubic_is_no_slower_than_reno(benches: Benches) -> None:
    """With short round trips, where the curve hardly rises (RFC 9438, 4.3)."""
    bench = benches("tcp_congestion", **CUBIC)
    session, mss = 9, 1460
    happen(bench, kind=OPENED, session=session, mss=mss)
    window = happen(bench, kind=MARKED, session=session, mss=mss, flight=40 * mss)[1]
    reached = cubed(bench, mss, 1_000, 0.1, session, part_segments=1)
    segments = (reached[-1][1] - window) / mss
    assert 100 * 0.53 * 0.3 < segments < 100 * 0.53  # by shifts, a little less
