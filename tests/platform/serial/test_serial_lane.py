# SPDX-License-Identifier: Apache-2.0
"""Links over serial lanes: alignment, clocks, damaged symbols, resets of a transceiver."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from bombus.base.macros import CHECKS
from tests.cluster.link.link_bench import A, B, Links, packets
from tests.support.harness import Benches, Layout

pytestmark = pytest.mark.slow

FAULTS = Layout(("errors", 32), ("shift", 2), ("rx_reset", 2), ("tx_reset", 2))
UP = 0b1111  # both links, and both lanes
# MHz of the boards and of the two lanes, which differ by parts per million on real boards.
CLOCKS = [
    pytest.param((50, 125, 125), id="in step"),
    pytest.param((62.5, 125, 125.5), id="drifting"),
    pytest.param((250, 125.5, 125), id="fast boards"),
    pytest.param((31.5, 125, 124.5), id="slow boards"),
]


class Lanes(Links):
    """Two links over lanes of 16 bits; `faults` are those of the lanes."""

    def faults(self, **values: int) -> None:
        self._faults |= values
        self.bench.control(FAULTS.pack(**self._faults))

    def start(self, clocks: tuple[float, ...], *, shift: int = 0) -> None:
        rates = [Fraction(clock).limit_denominator(100) for clock in clocks]
        common = 1
        for rate in rates:
            common *= rate.numerator
        for number, rate in enumerate(rates):
            period = int(common / rate)
            self.bench.clock(number, period, phase=Random(number).randrange(period))
        self.faults(shift=shift)
        self.bench.reset(40)
        self.wait_up()

    def wait_up(self, limit: int = 60_000) -> None:
        for _ in range(limit // 500):
            if self.bench.status == UP:
                self.bench.run(12_000)  # until both receivers are in step
                return
            self.bench.run(500)
        raise AssertionError(f"status {self.bench.status:04b}")


def lanes(benches: Benches, seed: int = 1, **parameters: int) -> Lanes:
    return Lanes(benches, 64, seed=seed, name="serial_lane", macros={CHECKS: 1}, **parameters)


def both_ways(links: Lanes, random: Random, count: int) -> None:
    lengths = [0, 1, 2, 3, 31, 32, 255, *(random.randrange(64) for _ in range(count))]
    for side in (A, B):
        links.send(side, packets(random, random.sample(lengths, len(lengths))))
    links.settle()
    links.check()


@pytest.mark.parametrize("clocks", CLOCKS)
@pytest.mark.parametrize("shift", range(4))
def test_packets_at_every_alignment(
    benches: Benches, clocks: tuple[float, ...], shift: int
) -> None:
    """Bytes shifted in each direction: all packets arrive, and no beat is lost or damaged."""
    links = lanes(benches)
    links.start(clocks, shift=shift)
    links.bench.forget()
    both_ways(links, Random(shift), 60)
    counts = links.counts()
    wrong = ("crc_error", "bad_word", "retry", "lost", "down")
    assert not {name: counts[name] for name in wrong if counts[name]}


def test_rate_of_the_lane(benches: Benches) -> None:
    """A beat in four cycles of the lane, but for the idle symbols: one in 256 cycles here."""
    links = lanes(benches)
    links.start((125, 125, 125))
    links.send(A, packets(Random(1), [127] * 80))
    links.settle()
    links.check()
    cycles = [each.cycle for each in links.bench.received(A)][500:-500]
    per_beat = (cycles[-1] - cycles[0]) / (len(cycles) - 1)
    assert 4 * 257 / 256 <= per_beat < 4.15, per_beat


@pytest.mark.parametrize("chance", [1e-4, 1e-3])
def test_damaged_symbols(benches: Benches, chance: float) -> None:
    """Wrong bits, wrong K flags, false commas: each packet arrives once and in order."""
    links = lanes(benches, seed=2)
    links.start((62.5, 125, 125.5), shift=2)
    links.faults(errors=int(chance * 2**32))
    both_ways(links, Random(3), 100)
    counts = links.counts()
    assert counts["retry"] > 0
    assert counts["lost"] == 0


@pytest.mark.parametrize("which", ["rx_reset", "tx_reset"])
def test_reset_of_a_transceiver(benches: Benches, which: str) -> None:
    """In traffic: the lane and the link come back, also with another alignment."""
    links = lanes(benches)
    links.start((62.5, 125, 125.5))
    random = Random(4)
    for turn, length in enumerate((1, 300, 30_000)):
        for side in (A, B):
            links.send(side, packets(random, [random.randrange(40) for _ in range(60)]))
        links.bench.run(600)
        links.faults(**{which: 1 + turn % 2})
        links.bench.run(length)
        links.faults(**{which: 0}, shift=turn + 1)
        links.settle()
        links.check()
    links.wait_up()
    assert links.counts()["lost"] == 0
