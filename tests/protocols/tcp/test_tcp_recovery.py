# SPDX-License-Identifier: Apache-2.0
"""What the engine sends again when the peer tells by SACK what has come (RFC 6675)."""

from __future__ import annotations

from random import Random

import pytest

from bombus.protocols.tcp.model import Endpoint
from bombus.protocols.tcp.segment import WORD, Segment, distance
from tests.protocols.tcp.tcp_world import ByHand, World
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

MSS = 1448
UNACCEPTABLE, TIMEOUT, REPEAT, HOLE = 0, 3, 4, 7  # events of tcp_core
NO_DELAY = 1  # setting of a session


def opened(world: World, **options: object) -> tuple[Endpoint, int]:
    peer = Endpoint(5, now=world.now, **options)  # type: ignore[arg-type]
    world.peers[1] = peer
    peer.connect()
    world.flush(1)
    world.run(lambda: 1 in world.by_peer and world.sessions[world.by_peer[1]].opened)
    return peer, world.by_peer[1]


def lose_once(world: World, first: int, numbers: set[int]) -> set[int]:
    """The link loses these of the segments that carry new bytes. The set that is returned gets
    empty."""
    left = set(numbers)
    count, end = 0, 0

    def loses(target: int, segment: Segment) -> bool:
        nonlocal count, end
        behind = distance(segment.seq, first) + len(segment.payload)
        if target < 0 or not segment.payload or behind <= end:
            return False
        end = behind
        count += 1
        if count - 1 not in left:
            return False
        left.remove(count - 1)
        return True

    world.loses = loses
    return left


@pytest.mark.parametrize(
    "lost", ({0}, {1}, {0, 2, 4}, {2, 3}, {1, 2, 3, 5}, {0, 3, 6}, {0, 2, 4, 6}), ids=str
)
@pytest.mark.parametrize("seed", (1, 2))
def test_gaps_of_a_window_are_filled_in_a_round_trip(
    benches: Benches, lost: set[int], seed: int
) -> None:
    """And nothing else is sent again."""
    world = World(benches("tcp_core"), seed, delay_us=(1000, 1000))
    peer, session = opened(world)
    data = Random(1).randbytes(10 * MSS)
    left = lose_once(world, world.sessions[session].first, lost)
    begin = world.now
    world.write(session, data)
    world.run(lambda: len(peer.received) == len(data))
    assert peer.read() == data
    assert not left
    assert world.now - begin < 3_500, "a trip to the peer, back, and to it again: 1 ms each"
    assert world.counts[REPEAT] == len(lost)
    assert world.counts[HOLE] == len(lost)
    assert world.counts[TIMEOUT] == 0


def test_nagle_does_not_hold_a_lost_tail_back(benches: Benches) -> None:
    """The last segment is short. It is lost with the first and the one before it, which is lost
    twice, and is sent again while that is missing (RFC 6675, 4: RescueRxt): Nagle's algorithm is
    for new bytes (RFC 9293, 3.7.4).
    """
    world = World(benches("tcp_core", Nagle=1), delay_us=(1000, 1000))
    peer, session = opened(world)
    data = Random(1).randbytes(5 * MSS + 100)
    first, begin = world.sessions[session].first, world.now
    sent: list[int] = []  # places, in segments

    def loses(target: int, segment: Segment) -> bool:
        if target < 0 or not segment.payload:
            return False
        sent.append(distance(segment.seq, first) // MSS)
        return sent[-1] == 4 or (sent[-1] in (0, 5) and sent.count(sent[-1]) == 1)

    world.loses = loses
    world.request(session, "set", NO_DELAY)
    world.write(session, data)
    world.settle()
    assert sent == [0, 1, 2, 3, 4, 5]
    world.request(session, "set", 0)
    world.run_to(begin + 10_000)
    assert sent[6:] == [0, 4, 5]
    world.loses = lambda *_: False
    world.run(lambda: len(peer.received) == len(data))
    assert peer.read() == data


@pytest.mark.parametrize("sacks", (1, 4))
@pytest.mark.parametrize("seed", range(1, 6))
def test_stream_with_losses_goes_on_without_timeouts(
    benches: Benches, sacks: int, seed: int
) -> None:
    random = Random(seed)
    world = World(benches("tcp_core", NumSacks=sacks, SendBytes=2**20), seed, delay_us=(500, 500))
    peer, session = opened(world)
    data = random.randbytes(400 * MSS)
    # Three segments follow each of them: the window is never smaller.
    lost = {begin + each for begin in range(20, 380, 60) for each in random.sample(range(4), 2)}
    left = lose_once(world, world.sessions[session].first, lost)
    world.write(session, data)
    world.run(lambda: len(peer.received) == len(data))
    got = peer.read()
    assert got == data
    assert not left
    assert world.counts[TIMEOUT] == 0
    if sacks == 4:
        assert world.counts[REPEAT] == len(lost)


@pytest.mark.parametrize("seed", range(1, 4))
def test_lost_acknowledgements_cause_no_needless_retransmission(
    benches: Benches, seed: int
) -> None:
    """Two of three are lost, and the blocks that they told of come with the third.

    With later seeds, these come behind later segments: what they name may have been sent again.
    """
    late = 0 if seed == 1 else 2
    random = Random(seed)
    world = World(benches("tcp_core", SendBytes=2**20), seed, delay_us=(500, 500))
    world.sacks_wait = (0, seed - 1)
    peer, session = opened(world)
    data = random.randbytes(400 * MSS)
    lost = set(range(20, 380, 60)) | set(range(22, 380, 60)) | set(range(24, 380, 60))
    left = lose_once(world, world.sessions[session].first, lost)
    loses_data = world.loses
    acknowledged = 0

    def loses(target: int, segment: Segment) -> bool:
        nonlocal acknowledged
        if target >= 0 or not segment.sacks:
            return loses_data(target, segment)
        acknowledged += 1
        return acknowledged % 3 != 0

    world.loses = loses
    world.write(session, data)
    world.run(lambda: len(peer.received) == len(data))
    assert peer.read() == data
    assert not left
    assert world.counts[TIMEOUT] == 0
    assert len(lost) <= world.counts[REPEAT] <= len(lost) + late


class Sender:
    """The engine has sent ten segments. Places are in segments behind the first one. All that is
    written fits the ring of 65,536 bytes."""

    size = 1460

    def __init__(self, world: World, segments: int = 40, *, sack_permitted: bool = True) -> None:
        self.world = world
        peer, session = opened(world, timestamps=False, sack_permitted=sack_permitted)
        self.first = world.sessions[session].first
        self.place = peer._nxt
        self.peer = ByHand()
        world.peers[1] = self.peer  # type: ignore[assignment]
        world.write(session, bytes(segments * self.size))
        self.window = 60_000
        self.sends(*range(10))

    def ack(self, place: int, *blocks: tuple[float, float], payload: bytes = b"") -> None:
        sacks = tuple(
            tuple((self.first + round(edge * self.size)) % WORD for edge in block)
            for block in blocks
        )
        self.world.send_to_engine(
            1,
            Segment(
                self.place,
                (self.first + place * self.size) % WORD,
                frozenset({"ack"}),
                self.window,
                payload=payload,
                sacks=sacks,  # type: ignore[arg-type]
            ),
        )
        self.place = (self.place + len(payload)) % WORD

    def sends(self, *places: int) -> None:
        """These segments and no others."""
        self.world.settle()
        self.world.run_to(self.world.now + 30)
        heard = [distance(each.seq, self.first) / self.size for each in self.peer.heard]
        assert heard == [*places]
        assert all(len(each.payload) == self.size for each in self.peer.heard)
        self.peer.heard.clear()


def test_many_bytes_behind_a_gap_begin_recovery_at_once(benches: Benches) -> None:
    """Half the window is lost: nothing new is sent, since too much is still in flight."""
    sender = Sender(World(benches("tcp_core")))
    sender.ack(0, (1, 4))
    sender.sends(0)
    sender.ack(0, (1, 6))  # 4 of 10, and the one that was sent again: the window is full
    sender.sends()
    sender.ack(0, (1, 7))
    sender.sends(10)


def test_every_block_of_an_acknowledgement_counts(benches: Benches) -> None:
    """Each of those before it that told of them may have been lost."""
    sender = Sender(World(benches("tcp_core")))
    sender.ack(0, (7, 10), (3, 4), (1, 2))
    sender.sends(0, 2, 4, 5, 6)


def test_later_blocks_alone_begin_recovery(benches: Benches) -> None:
    sender = Sender(World(benches("tcp_core")))
    sender.ack(0, (5, 6))
    sender.sends(10)
    sender.ack(0, (5, 6), (3, 4), (1, 2))
    sender.sends(0)


@pytest.mark.parametrize("wait", (0, 1))
def test_a_late_block_takes_no_window_back(benches: Benches, wait: int) -> None:
    """It comes behind an acknowledgement that opens the window."""
    world = World(benches("tcp_core"))
    sender = Sender(world)
    world.sacks_wait = (wait, wait)
    sender.window = 0
    sender.ack(9, (5, 6), (3, 4))
    sender.window = 60_000
    sender.ack(9)
    sender.sends(*range(10, 28))


@pytest.mark.parametrize("wait", (0, 1))
def test_a_late_block_behind_data_counts(benches: Benches, wait: int) -> None:
    """Though its sequence number is one that has been received by then."""
    world = World(benches("tcp_core"))
    sender = Sender(world)
    sender.ack(0, (5, 6))
    sender.sends(10)  # limited transmit (RFC 3042)
    world.sacks_wait = (wait, wait)
    sender.ack(0, (5, 6), (3, 4), (1, 2), payload=bytes(100))
    sender.ack(0, (5, 6), payload=bytes(100))
    sender.sends(*[11] * wait, 0)  # the first of those that are late lets another one out
    assert world.counts[UNACCEPTABLE] == 0


def test_blocks_of_a_keepalive_are_not_answered_each(benches: Benches) -> None:
    world = World(benches("tcp_core"))
    sender = Sender(world)
    sender.place -= 1
    sender.ack(0, (5, 6), (3, 3.5), (1, 1.5))
    sender.sends(10, 11)


def test_further_blocks_count_once(benches: Benches) -> None:
    """One that tells of something new was the first one of an acknowledgement that was lost."""
    sender = Sender(World(benches("tcp_core")))
    sender.ack(0, (4, 4.3), (2, 2.3))
    sender.sends(10, 11)  # limited transmit (RFC 3042)
    sender.ack(0, (4, 4.3), (2, 2.3))
    sender.sends()
    sender.ack(0, (4, 4.6), (2, 2.3))
    sender.sends(0)


@pytest.mark.parametrize("blocks", ((), ((7, 8), (5, 6), (3, 4), (1, 2))), ids=len)
def test_blocks_say_nothing_without_sack(
    benches: Benches, blocks: tuple[tuple[int, int], ...]
) -> None:
    """A peer has not agreed to it, but sends blocks."""
    sender = Sender(World(benches("tcp_core")), sack_permitted=False)
    sender.ack(0)  # a new window
    sender.sends()
    sender.ack(0, *blocks)
    sender.sends(10)
    sender.ack(0)
    sender.sends(11)
    sender.ack(0)
    sender.sends(0)


def test_acknowledgement_of_more_begins_recovery_at_once(benches: Benches) -> None:
    """RFC 6675, 2 and 5. Half of what was in flight before it is the window, as in Linux."""
    sender = Sender(World(benches("tcp_core")))
    sender.ack(1, (2, 9))
    sender.sends(1, 10, 11, 12)
    sender.ack(1, (2, 10))
    sender.sends(13)


def test_few_bytes_behind_a_gap_do_not(benches: Benches) -> None:
    sender = Sender(World(benches("tcp_core")))
    sender.ack(0, (1, 2))
    sender.sends(10)  # limited transmit (RFC 3042)
    sender.ack(0, (1, 3))
    sender.sends(11)
    sender.ack(0, (1, 3.5))
    sender.sends(0)


@pytest.mark.parametrize(
    "block", ((1, 2), (-3, 0), (-1, 1), (3, 3), (4, 3), (9, 11), (100_000, 100_001)), ids=str
)
def test_acknowledgements_that_tell_of_nothing_new(
    benches: Benches, block: tuple[int, int]
) -> None:
    """Repeats known blocks, acknowledged ones, and positions that do not exist."""
    sender = Sender(World(benches("tcp_core")), 10)
    sender.ack(0, (1, 2))
    for _ in range(5):
        sender.ack(0, block)
    sender.sends()


def test_bytes_that_come_while_the_gap_is_filled_are_not_sent(benches: Benches) -> None:
    sender = Sender(World(benches("tcp_core")))
    sender.ack(0, (5, 8))
    sender.sends(0, 1, 2)
    sender.ack(0, (3, 8))
    sender.sends()
    sender.ack(0, (3, 10))
    sender.sends(10, 11)
    sender.ack(0, (11, 12))
    sender.sends(10, 12)


def test_gap_is_sent_from_where_the_peer_has_nothing(benches: Benches) -> None:
    """The middle of a gap arrives late: only the rest on both sides is sent."""
    sender = Sender(World(benches("tcp_core")))
    sender.ack(0, (6, 9))
    sender.sends(0, 1, 2, 3)
    sender.ack(0, (4, 5))
    sender.sends()
    sender.ack(2, (6, 10))
    sender.sends(5, 10, 11)


@pytest.mark.parametrize("lost", ({2, 9}, {2, 8, 9}, {2, 7, 8, 9}), ids=str)
def test_lost_end_of_a_window(benches: Benches, lost: set[int]) -> None:
    """Nothing follows it: each partial acknowledgement triggers the next segment."""
    world = World(benches("tcp_core"), 1, delay_us=(1000, 1000))
    peer, session = opened(world)
    data = Random(1).randbytes(10 * MSS)
    left = lose_once(world, world.sessions[session].first, lost)
    world.write(session, data)
    world.run(lambda: len(peer.received) == len(data))
    assert not left
    assert world.counts[REPEAT] == len(lost)
    assert world.counts[TIMEOUT] == 0


def test_last_segment_is_sent_once_more_with_the_first_of_a_lost_end(
    benches: Benches,
) -> None:
    """SACK then reports the end: everything is sent in the following round trip."""
    world = World(benches("tcp_core"), 1, delay_us=(1000, 1000))
    peer, session = opened(world)
    data = Random(1).randbytes(12 * MSS)
    lose_once(world, world.sessions[session].first, {2, *range(8, 12)})
    begin = world.now
    world.write(session, data)
    world.run(lambda: len(peer.received) == len(data))
    assert world.counts[TIMEOUT] == 0
    assert world.counts[REPEAT] == 5
    assert world.now - begin < 9_500


def test_timeout_forgets_what_the_peer_has(benches: Benches) -> None:
    """RFC 2018, 8: everything is retransmitted from the first byte."""
    sender = Sender(World(benches("tcp_core")), 10)
    sender.ack(0, (1, 2))
    sender.sends()
    sender.world.run_to(sender.world.now + 300_000)
    sender.sends(0)
    sender.ack(1)
    sender.sends(1, 2)
