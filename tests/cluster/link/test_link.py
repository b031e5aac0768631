# SPDX-License-Identifier: Apache-2.0
"""Links between boards: each packet arrives once and in order, whatever the wire does."""

from __future__ import annotations

from random import Random

import pytest

from tests.cluster.link.link_bench import WIRE, A, B, Links, packets
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

WIDTHS = (64, 128, 512)
TROUBLE = ("crc_error", "bad_word", "retry", "duplicate", "lost")


def some(random: Random, count: int, longest: int = 40) -> list[int]:
    """Lengths in words: mostly short ones, some long."""
    return [random.choice((random.randrange(9), random.randrange(longest))) for _ in range(count)]


@pytest.mark.parametrize("width", WIDTHS)
def test_all_lengths(benches: Benches, width: int) -> None:
    random = Random(width)
    links = Links(benches, width)
    links.train()
    lengths = list(range(256)) * 2
    random.shuffle(lengths)
    links.send(A, packets(random, lengths))
    links.send(B, packets(random, reversed(lengths)))
    links.settle()
    links.check()
    counts = links.counts()
    assert not any(counts[name] for name in TROUBLE), counts


@pytest.mark.parametrize("width", WIDTHS)
def test_any_pace(benches: Benches, width: int) -> None:
    """Bubbles at the input, stalls of the output and of the channel."""
    random = Random(width)
    links = Links(benches, width, seed=2)
    links.train()
    for gap, stall, channel in (
        *((0.0, 0.5, 0.0), (0.5, 0.0, 0.0), (0.0, 0.0, 0.5), (0.3, 0.3, 0.3)),
        *((0.9, 0.0, 0.0), (0.0, 0.9, 0.0), (0.0, 0.0, 0.9)),
    ):
        links.bench.pace(gap=gap, stall=stall)
        for wire in (WIRE + A, WIRE + B):
            links.bench.stall(wire, channel)
        for side in (A, B):
            links.send(side, packets(random, some(random, 150)))
        links.settle()
    links.check()
    counts = links.counts()
    assert not any(counts[name] for name in TROUBLE), counts


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    ("ber", "loss", "burst"),
    [(1e-4, 0, 1), (1e-6, 0, 1), (2e-5, 0, 40), (0, 0.002, 1), (1e-4, 0.002, 20)],
)
def test_faults(benches: Benches, width: int, ber: float, loss: float, burst: int) -> None:
    """Bit errors, bursts and lost beats, with stalls and without."""
    random = Random(f"{width} {ber} {loss} {burst}")
    links = Links(benches, width, seed=random.randrange(1000))
    links.train()
    links.noise(ber=ber, loss=loss, burst=burst)
    for stall in (0.0, 0.3):
        links.bench.pace(gap=stall, stall=stall)
        for wire in (WIRE + A, WIRE + B):
            links.bench.stall(wire, stall / 4)
        for side in (A, B):
            links.send(side, packets(random, some(random, 400)))
        links.settle()
    links.check()
    counts = links.counts()
    if ber > 1e-5 or loss:
        assert counts["retry"] and counts["resync"], counts
    assert not counts["lost"]
