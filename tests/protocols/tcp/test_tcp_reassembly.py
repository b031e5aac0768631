# SPDX-License-Identifier: Apache-2.0
"""Payload that comes behind gaps, by segments that a test makes: any place, length and order."""

from __future__ import annotations

from random import Random

import pytest

from bombus.protocols.tcp.model import Endpoint, State
from bombus.protocols.tcp.segment import WORD, Segment, distance
from tests.protocols.tcp.tcp_world import ByHand, World
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

RING = 65536
BUSY = 13  # event of the bench: a cycle in which the engine is busy


class Stream:
    """A session, and its expected received data: a set of positions, without ranges."""

    def __init__(self, world: World, gaps: int, first: int, **options: object) -> None:
        self.world = world
        self.gaps = gaps
        peer = Endpoint((first - 1) % WORD, now=world.now, **options)  # type: ignore[arg-type]
        world.peers[1] = peer
        peer.connect()
        world.flush(1)
        world.run(lambda: peer.state is State.ESTABLISHED and 1 in world.by_peer)
        world.run(lambda: world.sessions[world.by_peer[1]].opened)
        self.session = world.by_peer[1]
        self.state = world.sessions[self.session]
        self.listener = ByHand()
        world.peers[1] = self.listener  # type: ignore[assignment]
        self.first = first
        self.bytes = Random(first).randbytes(1 << 18)
        self.next = 0  # in order up to here
        self.end: int | None = None  # the place of the FIN
        self.ahead: set[int] = set()
        self.latest: list[int] = []  # places of segments behind gaps, the last that came first
        self.stamps = peer.timestamps
        self.most = 3 if peer.timestamps else 4  # blocks of a segment
        self.blocks = min(gaps, self.most) if peer.sack_permitted else 0

    def ranges(self, ahead: set[int]) -> list[tuple[int, int]]:
        starts = sorted(place for place in ahead if place - 1 not in ahead)
        ends = sorted(place + 1 for place in ahead if place + 1 not in ahead)
        return list(zip(starts, ends, strict=True))

    def segment(self, start: int, length: int, *flags: str) -> Segment:
        return Segment(
            (self.first + start) % WORD,
            self.state.first,
            frozenset({"ack", *flags}),
            1000,
            self.bytes[start : start + length],
            timestamps=(self.world.now // 1024, 0) if self.stamps else None,
        )

    def send(self, start: int, length: int, fin: bool = False) -> None:
        """A segment and its outcome."""
        self.listener.heard.clear()
        segment = self.segment(start, length, *(["fin"] if fin else []))
        before = self.next
        twice = self._twice(start, start + length)
        self.world.send_to_engine(1, segment)
        self.world.settle()
        self.world.run_to(self.world.now + 30)
        self.world.settle()
        self._expect(start, length)
        heard = self.listener.heard
        if length and (start != before or start + length > self.next):
            assert heard, "what is not expected next is answered at once"
        if fin:
            self.end = start + length
        ends = self.next == self.end
        for answer in heard:
            assert distance(answer.ack, self.first) == self.next + ends
            told = [
                (distance(left, self.first), distance(right, self.first))
                for left, right in answer.sacks
            ]
            assert told == [*twice, *self.sacks()][: self.most]
            twice = []  # is told of once

    def sacks(self) -> list[tuple[int, int]]:
        """The ranges as RFC 2018, 4, has them: that of the segment before, and so on."""
        ranges = self.ranges(self.ahead)
        told: list[tuple[int, int]] = []
        for place in self.latest:
            told += [each for each in ranges if each[0] <= place < each[1] and each not in told]
        return told[: self.blocks]

    def _twice(self, start: int, end: int) -> list[tuple[int, int]]:
        """Bytes received before, as reported by RFC 2883, 4."""
        edge = distance(self.state.released, self.first) + RING
        if start == end or not self.blocks:
            return []
        if start < self.next:
            return [(start, min(end, self.next))]
        known = any(left <= start and end <= right for left, right in self.ranges(self.ahead))
        return [(start, end)] if known and end <= edge else []

    def _expect(self, start: int, length: int) -> None:
        edge = distance(self.state.released, self.first) + RING
        end = start + length
        if not length or end <= self.next or end > edge:
            return
        if start > self.next:
            ahead = self.ahead | set(range(start, end))
            if len(self.ranges(ahead)) <= self.gaps:
                self.ahead = ahead
                self.latest.insert(0, start)
            return
        self.next = end
        while self.next in self.ahead:
            self.next += 1
        self.ahead = {place for place in self.ahead if place > self.next}

    def check(self) -> None:
        """The buffer holds these bytes and no others that count."""
        got = {distance(place, self.first): byte for place, byte in self.state.got.items()}
        read = distance(self.state.released, self.first)
        wanted = set(range(read, self.next)) | self.ahead
        assert wanted <= got.keys()
        assert all(got[place] == self.bytes[place] for place in wanted)


@pytest.mark.parametrize("gaps", (0, 1, 4))
@pytest.mark.parametrize("seed", range(1, 4))
@pytest.mark.parametrize("options", ({}, {"timestamps": False}, {"sack_permitted": False}))
def test_segments_at_any_place(
    benches: Benches, gaps: int, seed: int, options: dict[str, bool]
) -> None:
    random = Random(seed)
    world = World(benches("tcp_core", NumGaps=gaps), seed)
    stream = Stream(world, gaps, (WORD - random.randrange(1, 60_000)) % WORD, **options)
    unit = random.choice([1, 100, 1000])
    for _ in range(200):
        start = stream.next + unit * random.choice([0, 0, *range(-3, 20)])
        if random.random() < 0.1:
            start = stream.next + RING - random.randrange(3 * unit)
        length = random.choice([unit, unit, 0, random.randrange(1, 3 * unit)])
        if start >= 0 and start + length <= len(stream.bytes):
            stream.send(start, length)
        if random.random() < 0.05:
            stream.check()
            world.want(stream.session)
            world.settle()
            world.read(stream.session)
            world.settle()
            world.run_to(world.now + 30)
    stream.check()
    assert stream.next > 0


def test_gap_that_fills_gives_all_bytes_and_tells_of_them(benches: Benches) -> None:
    world = World(benches("tcp_core"))
    stream = Stream(world, 4, WORD - 500)
    told: list[int] = []
    world.on_report = lambda _session, _state, report: told.append(report["read_end"])
    world.want(stream.session, 400)
    for place in (100, 300, 200):
        stream.send(place, 100)
    assert not told
    stream.send(0, 100)
    assert told == [(WORD - 100) % WORD]
    assert world.read(stream.session) == stream.bytes[:400]


def test_end_behind_a_gap_is_kept(benches: Benches) -> None:
    """RFC 9293, 3.10.7.4: SHLD-31."""
    world = World(benches("tcp_core"))
    stream = Stream(world, 4, 77)
    stream.send(100, 100, fin=True)
    stream.send(0, 100)
    assert stream.next == 200
    assert stream.state.peer_closed


def test_next_session_begins_without_ranges(benches: Benches) -> None:
    """Of the same number, with the same places."""
    world = World(benches("tcp_core"))
    world.numbers = range(1)
    for _ in range(2):
        stream = Stream(world, 4, 1000)
        stream.send(0, 100)
        stream.send(200, 100)
        stream.check()
        stream.send(100, 50)
        assert stream.next == 150
        world.request(stream.session, "abort")
        world.run(lambda: 1 not in world.by_peer)


def test_connection_that_ends_before_a_gap_is_told_of_leaves_the_engine_idle(
    benches: Benches,
) -> None:
    """An answer that is due is not tried for ever."""
    world = World(benches("tcp_core"))
    stream = Stream(world, 4, 1000)
    world.send_to_engine(1, stream.segment(100, 100))
    world.send_to_engine(1, stream.segment(0, 0, "rst"))
    world.settle()
    assert not stream.listener.heard, "the reset should come before the answer"
    busy = world.counts[BUSY]
    world.bench.run(1000)
    world.settle()
    assert world.counts[BUSY] == busy


@pytest.mark.parametrize("lost", ((3,), (2, 9), (1, 5, 6, 11), (1, 4, 7, 10)))
@pytest.mark.parametrize("timestamps", (False, True))
def test_peer_sends_again_what_was_lost_and_nothing_else(
    benches: Benches, lost: tuple[int, ...], timestamps: bool
) -> None:
    """All of it in one round trip, since SACK tells of each gap."""
    world = World(benches("tcp_core"), delay_us=(1000, 1000))
    peer = Endpoint(5, timestamps=timestamps)
    world.peers[1] = peer
    peer.connect()
    world.flush(1)
    world.run(lambda: 1 in world.by_peer and world.sessions[world.by_peer[1]].opened)
    size = 1448 if timestamps else 1460
    places = [6 + size * index for index in lost]

    def loses(_: int, segment: Segment) -> bool:
        if segment.payload and segment.seq in places:
            places.remove(segment.seq)
            return True
        return False

    world.loses = loses
    begin = world.now
    data = Random(1).randbytes(16 * size)
    peer.send(data)
    world.flush(1)
    world.run(lambda: not peer.unacknowledged)
    session = world.by_peer[1]
    world.want(session)
    world.settle()
    assert world.read(session) == data
    assert not places
    assert peer.resent_bytes == size * len(lost)
    assert world.now - begin < 6_000, "two round trips of 2 ms, and a delayed answer"
