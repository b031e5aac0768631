# SPDX-License-Identifier: Apache-2.0
"""Links between boards: each packet arrives once and in order, whatever the wire does."""

from __future__ import annotations

from random import Random

import pytest

from tests.cluster.link.link_bench import (
    HEADER,
    WIRE,
    WORD,
    A,
    B,
    Links,
    Packet,
    packets,
)
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

WIDTHS = (64, 128, pytest.param(256, marks=pytest.mark.sweep), 512)
SWEPT = [pytest.param(width, marks=pytest.mark.sweep) for width in (64, 256)]
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


def test_buffer_full_of_short_packets(benches: Benches) -> None:
    """The receiver's buffer fills with packets of one beat, then they leave it."""
    links = Links(benches, 64, BufferBeats=512)
    links.train()
    links.bench.stall(A, 1.0)
    links.send(A, packets(Random(1), [0] * 1200))
    links.bench.run(2500)
    links.bench.stall(A, 0.0)
    links.settle()
    links.check()


@pytest.mark.parametrize("width", [*SWEPT, 128, 512])
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


def lose_a_beat(links: Links) -> None:
    """The wire from A loses the next beat with words of packets."""
    before = links.counts(A)["beat_out"]
    while links.counts(A)["beat_out"] == before:
        links.faults(losses=(1 << 32) - 1, clean=1 << B)
        links.bench.run(1)
        links.faults(losses=0, clean=0)


@pytest.mark.parametrize(
    ("latency", "retry", "naks"), [(75, 512, 1), (450, 1024, 1), (450, 512, 2)]
)
def test_repetitions_of_a_lost_beat(benches: Benches, latency: int, retry: int, naks: int) -> None:
    """A lost beat costs one repetition, and nothing of a packet that is broken off to go back is in
    the packets after it. If a round trip is longer than the time of a Nak, it is sent again, and so
    are packets that have arrived. `latency`: of the wires, in cycles; `retry`: beats of the retry
    buffer, and cycles of a Nak.
    """
    random = Random(1)
    links = Links(benches, 128, seed=8, BufferBeats=1024, Latency=latency, RetryBeats=retry)
    links.train()
    count, before = 10, links.counts()
    # The sender has gone back for the last time when it loses the next beat.
    pause = 2 * latency + 320 + (naks - 1) * 2 * retry
    links.send(A, packets(random, [random.randrange(128, 256) for _ in range(count * pause // 60)]))
    for _ in range(count):
        links.bench.run(pause)
        lose_a_beat(links)
    assert links.bench.waiting(A), "the traffic has ended"
    links.settle()
    links.check()
    counts = {name: value - before[name] for name, value in links.counts().items()}
    assert counts["retry"] == count * naks, counts
    assert counts["resync"] == count, counts
    assert (counts["duplicate"] > 0) == (naks > 1), counts


def short_outages(links: Links, random: Random, count: int) -> None:
    for _ in range(count):
        links.faults(down=random.randrange(1, 4))
        links.bench.run(random.randrange(1, 400))
        links.faults(down=0)
        links.bench.run(random.randrange(3000))


@pytest.mark.parametrize("width", WIDTHS)
def test_outages(benches: Benches, width: int) -> None:
    """The channel goes down and comes back at any time: nothing is lost or doubled."""
    random = Random(width)
    links = Links(benches, width, seed=3)
    links.train()
    links.noise(ber=1e-5)
    links.bench.pace(gap=0.2, stall=0.2)
    for wire in (WIRE + A, WIRE + B):
        links.bench.stall(wire, 0.0)
    for side in (A, B):
        links.send(side, packets(random, some(random, 1500)))
    short_outages(links, random, 12)
    links.settle()
    links.check()
    counts = links.counts()
    assert counts["down"] >= 12
    assert not counts["lost"]


@pytest.mark.parametrize("width", [*SWEPT, 128, 512])
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.sweep)])
def test_reset_of_a_board(benches: Benches, width: int, seed: int) -> None:
    """One board is reset in traffic: packets in flight are lost and counted, those that follow
    arrive once and in order, and the credits are right again.
    """
    random = Random(f"{width} {seed}")
    links = Links(benches, width, seed=seed)
    links.train()
    for _ in range(4):
        before = links.counts(A)
        links.send(A, packets(random, some(random, 600)))
        links.bench.run(random.randrange(200, 900))
        links.faults(resets=1 << B)
        links.bench.run(random.randrange(1, 200))
        links.faults(resets=0)
        links.train()
        links.bench.run(40_000 * 64 // width + 4000)
        assert not links.bench.waiting(A)
        came = whole(links, A)
        lost = links.counts(A)["lost"] - before["lost"]
        # Those that arrived, in order. Missing are those that were counted, and a few that the
        # other board had acknowledged but not yet passed on.
        rest = iter(links.sent[A])
        assert all(any(each == other for other in rest) for each in came)
        assert len(links.sent[A]) - len(came) <= lost + width // 8
        assert lost
        links.bench.forget()
        links.sent[A].clear()
    links.send(A, packets(random, some(random, 300)))
    links.bench.run(30_000)
    assert links.received(A) == links.sent[A]


@pytest.mark.parametrize("width", [*SWEPT, 128, 512])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_drain(benches: Benches, width: int, seed: int) -> None:
    """The channel dies in traffic with errors: what has not arrived is returned, once and in order.
    Afterwards the link is as before.
    """
    random = Random(f"{width} {seed}")
    links = Links(benches, width, seed=seed)
    links.train()
    returned = 0
    for _ in range(6):
        links.noise(ber=2e-5, loss=0.001)
        links.bench.pace(gap=random.choice((0.0, 0.3)), stall=random.choice((0.0, 0.3)))
        for wire in (WIRE + A, WIRE + B):
            links.bench.stall(wire, 0.0)
        for side in (A, B):
            links.send(side, packets(random, some(random, 400)))
        links.bench.run(random.randrange(100, 200_000 // width))
        links.faults(down=random.randrange(4))
        links.bench.run(random.randrange(1, 300))
        links.drain()
        for _ in range(400):
            links.bench.run(50)
            if links.status("drained") == 3 and not any(map(links.bench.waiting, (A, B))):
                break
        links.bench.run(2000)
        assert links.status("drained") == 3
        # At each side are packets of the other, and those that were returned.
        there = [links.received(A), links.received(B)]
        for side in (A, B):
            sent = set(links.sent[side])
            arrived = [each for each in there[side] if each in sent]
            again = [each for each in there[1 - side] if each in sent]
            assert arrived + again == links.sent[side]
            returned += len(again)
            links.sent[side].clear()
        links.bench.forget()
        links.noise()
        links.end_drain()
        links.faults(down=0)
        links.train()
        for side in (A, B):
            links.send(side, packets(random, some(random, 100)))
        links.bench.run(20_000)
        links.check()
        for side in (A, B):
            links.sent[side].clear()
        links.bench.forget()
    assert returned > 100
    assert not links.counts()["lost"]


def test_drain_after_a_reset_of_the_neighbour(benches: Benches) -> None:
    """It does not know what it has received: that is given up and counted, the rest is returned."""
    width = 128
    random = Random(width)
    links = Links(benches, width, seed=4)
    links.train()
    links.send(A, packets(random, some(random, 250)))
    links.bench.run(1000)
    links.faults(down=3)
    links.bench.run(100)
    links.faults(resets=1 << B)
    links.bench.run(10)
    links.faults(resets=0)
    links.bench.run(10)
    links.drain()
    assert links.status("known") == 1 << A
    links.bench.run(10_000)
    assert links.status("drained") == 3
    arrived, returned = whole(links, A), links.received(B)
    sent = links.sent[A]
    assert arrived == sent[: len(arrived)]
    assert returned == sent[len(sent) - len(returned) :]
    assert len(arrived) + len(returned) < len(sent)
    assert 0 < len(sent) - len(arrived) - len(returned) <= links.counts(A)["lost"]
    links.end_drain()
    links.faults(down=0)
    links.train()
    links.bench.forget()
    for side in (A, B):
        links.sent[side].clear()
        links.send(side, packets(random, some(random, 100)))
    links.bench.run(20_000)
    links.check()


def test_drain_without_the_neighbour(benches: Benches) -> None:
    """It is not reset, and does not take part: the link begins anew when the channel is back."""
    width = 128
    random = Random(width)
    links = Links(benches, width, seed=6)
    links.train()
    links.send(A, packets(random, some(random, 250)))
    links.bench.run(1000)
    links.faults(down=3)
    links.bench.run(100)
    links.faults(disables=1 << A)
    links.bench.run(10)
    links.faults(drains=1 << A, known=0)
    links.bench.run(10_000)
    assert links.status("drained") == 1 << A
    arrived, returned = links.received(A), links.received(B)
    sent = links.sent[A]
    assert arrived == sent[: len(arrived)]
    assert returned == sent[len(sent) - len(returned) :]
    assert 0 < len(sent) - len(arrived) - len(returned) <= links.counts(A)["lost"]
    links.end_drain()
    links.faults(down=0)
    links.train()
    links.bench.forget()
    for side in (A, B):
        links.sent[side].clear()
        links.send(side, packets(random, some(random, 100)))
    links.bench.run(20_000)
    links.check()


def test_all_lost_packets_are_counted(benches: Benches) -> None:
    """The link begins anew while packets that a drain has given up are still counted."""
    links = Links(benches, 512, seed=7)
    links.train()
    links.faults(losses=(1 << 32) - 1, clean=1 << B)
    sent = packets(Random(1), [0] * 195)
    links.send(A, sent)
    links.bench.run(600)
    links.faults(down=3)
    links.bench.run(20)
    links.faults(disables=3)
    links.bench.run(10)
    links.faults(down=0, losses=0, clean=0, drains=1 << A, known=0)
    links.bench.run(5)
    links.faults(drains=0, disables=0)
    links.bench.run(10_000)
    came, returned = links.received(A), links.received(B)
    assert len(came) + len(returned) < 20
    assert links.counts(A)["lost"] == len(sent) - len(came) - len(returned)


def whole(links: Links, side: int) -> list[Packet]:
    """What has arrived, without packets that the reset has cut."""
    found, beats = [], []
    for item in links.bench.items(side):
        header = item >> links.width + 1
        if beats and beats[0] >> links.width + 1 != header:
            beats = []
        beats.append(item)
        if item >> links.width & 1:
            sent = HEADER.get(header, "length")
            data = b"".join(
                (each & ((1 << links.width) - 1)).to_bytes(links.beat_bytes, "little")
                for each in beats
            )
            if len(beats) == max(1, -(-sent * WORD // links.beat_bytes)):
                found.append(Packet(header, data[: sent * WORD]))
            beats = []
    return found
