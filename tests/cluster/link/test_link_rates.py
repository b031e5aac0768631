# SPDX-License-Identifier: Apache-2.0
"""What a link between boards costs: words of the wire, cycles, and goodput under bit errors."""

from __future__ import annotations

from random import Random

import pytest

from tests.cluster.link.link_bench import WIRE, WORD, A, Links, packets
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

WIDTHS = [
    pytest.param(64, marks=pytest.mark.sweep),
    128,
    pytest.param(512, marks=pytest.mark.sweep),
]
LATENCY = 75  # of the bench's wires


def goodput(links: Links, words: int, count: int) -> float:
    """Payload bits per cycle of one direction, as a part of the wire's, in steady state."""
    random = Random(words)
    links.bench.forget()
    links.send(A, packets(random, [words] * count))
    links.bench.run(100)
    while len(links.bench.taken(A)) < count * max(1, -(-words * 64 // links.width)) * 0.9:
        links.bench.run(200)
    links.bench.run(500)
    cycles = [each.cycle for each in links.bench.received(A)]
    first, last = len(cycles) // 5, len(cycles) * 4 // 5
    beats = max(1, -(-words * 64 // links.width))
    return (last - first) / beats * words * 64 / ((cycles[last] - cycles[first]) * links.width)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("size", "least"), [(64, 0.85), (256, 0.95), (2040, 0.95)])
def test_payload_efficiency(benches: Benches, width: int, size: int, least: float) -> None:
    links = Links(benches, width, BufferBeats=512)
    links.train()
    found = goodput(links, size // WORD, 40_000 // (size // WORD))
    print(f"payload efficiency {width} bits, {size} bytes: {found:.4f}")
    assert found >= least


@pytest.mark.parametrize("width", WIDTHS)
def test_added_latency(benches: Benches, width: int) -> None:
    """From the beat with the header at the sender to the first beat at the receiver: a constant
    and the beats of the packet.
    """
    links = Links(benches, width)
    links.train()
    for words in (1, 8, 32):
        links.bench.forget()
        links.send(A, packets(Random(1), [words]))
        links.bench.run(400)
        begun, came = links.bench.taken(A)[0], links.bench.received(A)[0].cycle
        on_wire = len([each for each in links.bench.received(WIRE) if each.item >> 31 & 1])
        beats = -(-(words + 1) * 64 // width)
        print(f"latency {width} bits, {words} words: {came - begun - LATENCY - (beats - 1)}")
        assert came - begun - LATENCY - (beats - 1) <= 14, on_wire


@pytest.mark.parametrize("width", WIDTHS[:2])
def test_goodput_with_bit_errors(benches: Benches, width: int) -> None:
    """97% of the error-free goodput at 1e-6."""
    found = []
    for ber in (0.0, 1e-6):
        links = Links(benches, width, seed=5, BufferBeats=512)
        links.train()
        links.noise(ber=ber)
        found.append(goodput(links, 32, 8000))
    print(f"goodput at 1e-6, {width} bits: {found[1] / found[0]:.4f}")
    assert found[1] >= 0.97 * found[0]
