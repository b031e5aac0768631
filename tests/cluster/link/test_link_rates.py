# SPDX-License-Identifier: Apache-2.0
"""What a link between boards costs: words of the wire, cycles, and goodput under bit errors."""

from __future__ import annotations

from random import Random

import pytest

from tests.cluster.link.link_bench import WORD, A, B, Links, packets
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

WIDTHS = [
    pytest.param(64, marks=pytest.mark.sweep),
    128,
    pytest.param(256, marks=pytest.mark.sweep),
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
    deep = max(512, 2**16 // width)  # beats: four of the longest packets, or more
    links = Links(benches, width, BufferBeats=deep, RetryBeats=deep)
    links.train()
    found = goodput(links, size // WORD, 40_000 // (size // WORD))
    print(f"payload efficiency {width} bits, {size} bytes: {found:.4f}")
    assert found >= least


def test_the_rest_of_a_buffer_is_given_back(benches: Benches) -> None:
    """A buffer for little more than the longest packet, which does not begin before almost all of
    it is free: the last beats are given back when the State before them is old, after 1.5 times
    the beats that cause a State at once.
    """
    buffer, beats = 134, 128
    links = Links(benches, 128, BufferBeats=buffer)
    links.train()
    share = goodput(links, 255, 60)
    # It is sent, received, and leaves the buffer; then a State comes back.
    most = 2 * beats + 2 * LATENCY + 1.5 * (buffer // 8)
    cycles = 255 * 64 / 128 / share
    print(f"cycles of a packet in a buffer of {buffer}: {cycles:.1f}")
    assert cycles <= most


def shares(links: Links, words: int, count: int) -> list[tuple[float, float]]:
    """Of both directions at once, in steady state: the payload's share of the wire's bits, and the
    share of cycles in which the wire has words of packets.
    """
    random = Random(words)
    links.bench.forget()
    for side in (A, B):
        links.send(side, packets(random, [words] * count))
    beats = max(1, -(-words * 64 // links.width))
    links.bench.run(400)
    first, before = links.bench.cycle, links.counts()
    came = [len(links.bench.received(side)) for side in (A, B)]
    links.bench.run(count * beats * 3 // 4)
    cycles, after = links.bench.cycle - first, links.counts()
    assert all(links.bench.waiting(side) for side in (A, B)), "the traffic has ended"
    payload = [(len(links.bench.received(side)) - came[side]) / beats * words for side in (A, B)]
    wire = (after["beat_out"] - before["beat_out"]) / 2
    return [(each * 64 / links.width / cycles, wire / cycles) for each in payload]


@pytest.mark.parametrize("check", [0, 1])
@pytest.mark.parametrize("width", [128, pytest.param(512, marks=pytest.mark.sweep)])
@pytest.mark.parametrize(("size", "least"), [(64, 0.85), (256, 0.95), (2040, 0.95)])
def test_payload_efficiency_of_both_directions(
    benches: Benches, width: int, size: int, least: float, check: int
) -> None:
    links = Links(benches, width, BufferBeats=512, Check=check)
    links.train()
    found = shares(links, size // WORD, 40_000 // (size // WORD))
    print(f"both directions, check {check}, {width} bits, {size} bytes: {found}")
    assert min(payload for payload, _ in found) >= least


@pytest.mark.parametrize("width", [128, pytest.param(512, marks=pytest.mark.sweep)])
def test_raw_stream(benches: Benches, width: int) -> None:
    """Long packets without check in one direction: the wire has nothing else in 99.8% of cycles."""
    links = Links(benches, width, BufferBeats=512, Check=0)
    links.train()
    words = 255 // (width // 64) * (width // 64)
    links.send(A, packets(Random(1), [words] * (120_000 // words)))
    links.bench.run(400)
    first, before = links.bench.cycle, links.counts(A)["beat_out"]
    links.bench.run(120_000 // (width // 64) * 3 // 4)
    share = (links.counts(A)["beat_out"] - before) / (links.bench.cycle - first)
    print(f"raw stream {width} bits: {share:.5f}")
    assert links.bench.waiting(A)
    assert share >= 0.998


@pytest.mark.parametrize("width", WIDTHS)
def test_added_latency(benches: Benches, width: int) -> None:
    """From the beat with the header at the sender to the first beat at the receiver: 3 cycles, one
    of the bench, and the beats of the packet. The sender takes longer if the last beat is not full,
    the receiver if the packet is within a beat of the wire.
    """
    links = Links(benches, width)
    links.train()
    for words in (1, 2, 3, 8, 9, 32):
        waits = words % (width // 64) != 0
        beats = -(-(words + 1) * 64 // width)
        found = []
        for pause in (390, 400, 410):  # a control word can be before the packet
            links.bench.forget()
            links.send(A, packets(Random(1), [words]))
            links.bench.run(pause)
            begun, came = links.bench.taken(A)[0], links.bench.received(A)[0].cycle
            found.append(came - begun - LATENCY - (beats - 1))
        print(f"latency {width} bits, {words} words: {found}")
        # More words wait for the end of a beat.
        assert min(found) <= 4 + waits * (1 + (width > 128)) + (beats == 1)


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
