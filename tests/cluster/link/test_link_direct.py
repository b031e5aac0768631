# SPDX-License-Identifier: Apache-2.0
"""Links without retry: packets pass as they come, errors are counted, and the link recovers."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from tests.cluster.link.link_bench import WIRE, A, B, Links, Packet, packets
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

WIDTHS = (64, 128, pytest.param(256, marks=pytest.mark.sweep), 512)
LATENCY = 76  # of the bench's wires: 75 and a register
ADDED = 2  # cycles of the link, with the beat of the wire that the header takes
TROUBLE = ("crc_error", "bad_word", "retry", "lost")


def direct(benches: Benches, width: int, seed: int = 1, **parameters: int) -> Links:
    links = Links(benches, width, seed=seed, Check=0, **parameters)
    links.train()
    return links


def some(random: Random, count: int) -> list[int]:
    return [random.choice((random.randrange(9), random.randrange(40))) for _ in range(count)]


def in_order(came: Sequence[Packet], sent: Sequence[Packet]) -> bool:
    rest = iter(sent)
    return all(any(each == other for other in rest) for each in came)


def recovers(links: Links, random: Random) -> None:
    """Without faults, all that is sent arrives."""
    links.train()
    links.bench.run(20_000)  # what was counted to be lost has been reported
    for side in (A, B):
        assert not links.bench.waiting(side)
        links.sent[side].clear()
    links.bench.forget()
    before = links.counts()
    for side in (A, B):
        links.send(side, packets(random, some(random, 100)))
    links.bench.run(20_000)
    links.check()
    assert all(links.counts()[name] == before[name] for name in TROUBLE)


@pytest.mark.parametrize("width", WIDTHS)
def test_all_lengths_at_any_pace(benches: Benches, width: int) -> None:
    random = Random(width)
    links = direct(benches, width, seed=2)
    lengths = list(range(256))
    for gap, stall, channel in (
        *((0.0, 0.0, 0.0), (0.0, 0.5, 0.0), (0.5, 0.0, 0.0), (0.0, 0.0, 0.5)),
        *((0.3, 0.3, 0.3), (0.9, 0.0, 0.0), (0.0, 0.9, 0.0), (0.0, 0.0, 0.9)),
    ):
        links.bench.pace(gap=gap, stall=stall)
        for wire in (WIRE + A, WIRE + B):
            links.bench.stall(wire, channel)
        random.shuffle(lengths)
        if not gap + stall + channel:
            for side in (A, B):
                links.send(side, packets(random, lengths))
        for side in (A, B):
            links.send(side, packets(random, some(random, 150)))
        links.settle()
    links.check()
    counts = links.counts()
    assert not any(counts[name] for name in TROUBLE), counts


@pytest.mark.parametrize("width", WIDTHS)
def test_added_latency(benches: Benches, width: int) -> None:
    """Of the first beat: a constant, for packets of any length."""
    links = direct(benches, width)
    for words in (0, 1, 8, 32, 255):
        links.bench.forget()
        links.send(A, packets(Random(1), [words]))
        links.bench.run(600)
        begun, came = links.bench.taken(A), [each.cycle for each in links.bench.received(A)]
        assert came[0] - begun[0] - LATENCY == ADDED
        assert came[-1] - begun[-1] - LATENCY <= ADDED + 1


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("ber", "loss"), [(1e-4, 0.0), (0.0, 0.002)])
def test_errors_are_counted(benches: Benches, width: int, ber: float, loss: float) -> None:
    """Packets may be lost or wrong, none is doubled or overtakes another, all that are missing are
    counted, and afterwards the link is as before.
    """
    random = Random(f"{width} {ber}")
    links = direct(benches, width, seed=4)
    links.noise(ber=ber, loss=loss)
    for side in (A, B):
        links.send(side, packets(random, some(random, 400)))
    while any(links.bench.waiting(side) for side in (A, B)):
        links.bench.run(1000)
        assert links.bench.cycle < 200_000
    links.noise()
    links.bench.run(20_000)
    counts = links.counts()
    assert counts["lost"] and counts["bad_word"] and counts["resync"] > 2, counts
    assert counts["crc_error"] or not ber, counts
    for side in (A, B):
        came = links.received(side)
        sent = links.sent[side]
        whole = [each for each in came if each in sent]
        assert in_order(whole, sent)
        # A packet that lost a beat, or whose payload is wrong, is not in `whole`.
        assert len(came) + links.counts(1 - side)["lost"] == len(sent) > len(whole)
        assert len(whole) > len(sent) // 4
    recovers(links, random)


@pytest.mark.parametrize("width", WIDTHS)
def test_wrong_payload_is_counted(benches: Benches, width: int) -> None:
    """One wrong beat in an interval between States is one error."""
    links = direct(benches, width)
    links.send(A, packets(Random(1), [255] * 60))
    links.bench.run(300)
    found = 0
    for _ in range(12):
        before = links.counts(B)
        links.noise(ber=1 / width)
        links.bench.run(1)
        links.noise()
        links.bench.run(2500)
        links.send(A, packets(Random(1), [255] * 10))
        links.bench.run(200)
        after = links.counts(B)
        assert after["crc_error"] - before["crc_error"] <= 1
        found += after["crc_error"] - before["crc_error"]
    assert found


@pytest.mark.parametrize("width", WIDTHS)
def test_a_state_that_waits_for_a_packet(benches: Benches, width: int) -> None:
    """A packet that pauses for longer than the time between two States is no error."""
    random = Random(width)
    links = direct(benches, width)
    links.bench.stall(WIRE + A, 0.8)
    for _ in range(6):
        for _ in range(4):
            links.send(A, packets(random, [12] * 20))
            links.bench.run(1000)
        slow = packets(random, [24])
        beats = links.beats(slow[0])
        links.sent[A].extend(slow)
        links.bench.push(beats[:1], A)
        links.bench.run(2600)
        links.bench.push(beats[1:], A)
        links.bench.run(1000)
    links.bench.run(4000)
    links.check()
    assert not any(links.counts()[name] for name in TROUBLE), links.counts()


@pytest.mark.parametrize("width", (pytest.param(64, marks=pytest.mark.sweep), 128))
def test_states_that_come_together(benches: Benches, width: int) -> None:
    """A channel that holds beats and closes the gaps between them makes no error."""
    random = Random(width)
    links = direct(benches, width)
    links.send(A, packets(random, [30] * 500))
    for _ in range(30):
        for _ in range(3):
            links.send(B, packets(random, [random.randrange(1, 9)]))
            links.bench.run(random.randrange(60, 160))
        links.faults(holds=1 << B)
        links.bench.run(random.randrange(200, 400))
        links.faults(holds=0)
    links.settle()
    links.check()
    assert not any(links.counts()[name] for name in TROUBLE), links.counts()


@pytest.mark.parametrize("width", WIDTHS)
def test_outages(benches: Benches, width: int) -> None:
    """The channel goes down and comes back at any time, also within packets."""
    random = Random(width)
    links = direct(benches, width, seed=3)
    links.bench.pace(gap=0.2, stall=0.2)
    for side in (A, B):
        links.send(side, packets(random, some(random, 800)))
    for wire in (WIRE + A, WIRE + B):
        links.bench.stall(wire, 0.0)
    for _ in range(16):
        links.faults(down=random.randrange(1, 4))
        links.bench.run(random.randrange(1, 400))
        links.faults(down=0)
        links.train()
        links.bench.run(random.randrange(400))
    links.train()
    for _ in range(200):
        if not any(links.bench.waiting(side) for side in (A, B)):
            break
        links.bench.run(500)
    links.bench.run(5000)
    for side in (A, B):
        # Cut packets end with zeros: what comes is always made of whole packets.
        came = links.received(side)
        assert len(came) + links.counts(1 - side)["lost"] == len(links.sent[side])
        whole = [each for each in came if each in links.sent[side]]
        assert in_order(whole, links.sent[side])
        assert len(whole) > len(links.sent[side]) // 2
    counts = links.counts()
    assert counts["down"] >= 16
    assert counts["lost"]
    assert counts["crc_error"]
    links.bench.pace()
    recovers(links, random)


@pytest.mark.parametrize("width", WIDTHS)
def test_outages_in_long_packets(benches: Benches, width: int) -> None:
    """What a cut packet leaves undone uses room at the receiver: the next packet waits for it."""
    random = Random(width)
    room = 257 * 64 // width + 8  # beats; for no more than the longest packet
    links = direct(benches, width, seed=6, BufferBeats=room, Latency=8)
    longest = 255 * 64 // width
    for cut in range(16, 16 + longest // 2, longest // 12):
        links.bench.pace(stall=1.0)
        for wire in (WIRE + A, WIRE + B):
            links.bench.stall(wire, 0.0)
        links.bench.forget()
        links.sent[A].clear()
        lost = links.counts(B)["lost"]
        links.send(A, packets(random, [0, 255, *[40] * 8]))
        links.bench.run(cut)
        links.faults(down=3)
        links.bench.run(200)
        links.faults(down=0)
        links.train()
        links.bench.run(2000)
        links.bench.pace()
        links.bench.run(5000)
        # All are whole; the cut one ends with zeros.
        sent, came = links.sent[A], links.received(A)
        assert len(came) + links.counts(B)["lost"] - lost == len(sent)
        assert came[0] == sent[0]
        assert came[2:] == sent[len(sent) - len(came) + 2 :]
    recovers(links, random)


@pytest.mark.parametrize("width", WIDTHS)
def test_reset_of_a_board(benches: Benches, width: int) -> None:
    random = Random(width)
    links = direct(benches, width, seed=5)
    for _ in range(3):
        links.send(A, packets(random, some(random, 300)))
        links.bench.run(random.randrange(100, 600))
        links.faults(resets=1 << B)
        links.bench.run(random.randrange(1, 200))
        links.faults(resets=0)
        links.train()
        links.bench.run(20_000)
        assert not links.bench.waiting(A)
        recovers(links, random)
