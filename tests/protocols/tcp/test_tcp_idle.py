# SPDX-License-Identifier: Apache-2.0
"""Connections that are ended for new ones: the one idle longest, once it is idle long enough."""

from __future__ import annotations

import pytest

from bombus.protocols.tcp.model import Endpoint
from bombus.protocols.tcp.segment import Segment
from tests.protocols.tcp.tcp_world import ByHand, World
from tests.protocols.tcp.test_tcp_core import connect
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

IDLE_S = 10
IDLE_US = IDLE_S * 1_000_000
EVICTED, EVICTED_IDLE = 12, 14  # of the bench's events
LEAST_APART_US = 70_000  # the resolution of idle times is 65,536 us


def engine(benches: Benches, **parameters: int) -> World:
    return World(benches("tcp_core", EvictIdleS=IDLE_S, NumGaps=0, NumSacks=0, **parameters))


def starve(world: World, count: int = 1) -> None:
    """SYNs that no session is free for, a cycle each."""
    world.bench.push([0] * count, 4)
    world.bench.run(200)
    world.settle()


def quiet(world: World, *numbers: int, apart_us: int = LEAST_APART_US) -> None:
    """Connections of peers that do nothing any more by themselves, opened one after the other."""
    for number in numbers:
        connect(world, number, timestamps=False)
        world.settle()
        world.peers[number] = Endpoint(0)
        world.run_to(world.now + apart_us)


def say(world: World, number: int) -> None:
    """A byte of a peer, in order."""
    state = world.sessions[world.by_peer[number]]
    place = (state.released + len(state.got)) % 2**32
    world.send_to_engine(
        number, Segment(place, state.first, frozenset({"ack"}), window=1000, payload=b".")
    )
    world.settle()


def test_the_longest_idle_goes(benches: Benches) -> None:
    """One for each time that sessions are short, in the order of their last bytes."""
    world = engine(benches)
    quiet(world, 1, 2, 3, 4)
    say(world, 1)
    say(world, 3)
    ended: list[tuple[int, dict[str, int]]] = []
    world.on_report = lambda _, state, report: ended.append((state.peer, report))
    starve(world)
    assert not ended and not world.counts[EVICTED_IDLE]
    world.run_to(world.now + IDLE_US + LEAST_APART_US)
    sent = len(world.departures)
    for count, gone in enumerate((2, 4), 1):
        session = world.by_peer[gone]
        state = world.sessions[session]
        starve(world)
        assert gone not in world.by_peer and world.counts[EVICTED_IDLE] == count
        peer, report = ended.pop()
        assert peer == gone and not ended
        assert state.closed and state.failed and state.evicted
        assert not report["changes.peer_closed"]
        [(_, reset)] = world.departures[sent:]
        sent += 1
        assert (reset["session"], reset["length"]) == (session, 0)
        assert reset["flags.rst"] and reset["seq"] == state.first
    assert set(world.by_peer) == {1, 3}
    assert not world.counts[EVICTED]


def test_bytes_and_acknowledgements_keep_a_connection(benches: Benches) -> None:
    """Not empty acknowledgements, with which a peer could keep it for ever."""
    world = engine(benches)
    quiet(world, 1, 2, 3)
    world.write(world.by_peer[2], b"answer")
    world.settle()
    world.run_to(world.now + IDLE_US - 1_000_000)
    say(world, 1)
    flags = frozenset({"ack"})
    state = world.sessions[world.by_peer[2]]
    world.send_to_engine(2, Segment(state.released, state.first + 6, flags, window=1000))
    state = world.sessions[world.by_peer[3]]
    world.send_to_engine(3, Segment(state.released, state.first, flags, window=1000))
    world.settle()
    world.run_to(world.now + 1_500_000)
    starve(world)
    assert set(world.by_peer) == {1, 2}
    starve(world)
    assert set(world.by_peer) == {1, 2}


def test_one_at_a_time(benches: Benches) -> None:
    """A burst of SYNs ends no more connections than there are sessions to be freed; without an
    application that frees them, one each second.
    """
    world = engine(benches)
    quiet(world, 1, 2, 3, 4)
    world.run_to(world.now + IDLE_US)
    frees = world.free
    world.free = lambda _: None  # type: ignore[method-assign]
    starve(world, 50)
    assert world.counts[EVICTED_IDLE] == 1
    starve(world, 50)
    assert world.counts[EVICTED_IDLE] == 1
    world.run_to(world.now + 2_200_000)
    starve(world, 50)
    assert world.counts[EVICTED_IDLE] == 2
    ended = [session for session, state in world.sessions.items() if state.closed]
    for session in ended:
        frees(session)
    world.settle()
    starve(world, 50)
    assert world.counts[EVICTED_IDLE] == 3
    assert len(world.by_peer) == 2


def test_handshakes_go_first(benches: Benches) -> None:
    """An incomplete handshake that is overdue makes room before a connection does."""
    world = engine(benches, HalfOpenUs=50)
    quiet(world, 1)
    world.run_to(world.now + IDLE_US)
    world.peers[2] = Endpoint(0)
    world.send_to_engine(2, Segment(1, flags=frozenset({"syn"}), window=5000))
    world.settle()
    world.run_to(world.now + 100)
    world.bench.push([0], 3)  # tcp_lookup tells of both
    starve(world)
    assert set(world.by_peer) == {1}
    assert (world.counts[EVICTED], world.counts[EVICTED_IDLE]) == (1, 0)


def test_what_is_never_evicted(benches: Benches) -> None:
    """Requested connections that are not open yet, those that are over, and those of an engine
    that evicts none.
    """
    world = engine(benches)
    world.peers[1] = ByHand()
    world.connect(1)
    quiet(world, 2)
    world.request(world.by_peer[2], "abort")
    world.settle()
    world.run_to(world.now + IDLE_US + 1_000_000)
    starve(world)
    assert set(world.by_peer) == {1} and not world.counts[EVICTED_IDLE]
    never = World(benches("tcp_core", NumGaps=0, NumSacks=0))
    quiet(never, 1)
    never.run_to(never.now + 100 * IDLE_US)
    starve(never)
    assert set(never.by_peer) == {1} and not never.counts[EVICTED_IDLE]


def test_segments_during_the_search(benches: Benches) -> None:
    """A connection that ceases to be idle while the search runs stays, whenever that happens."""
    kept = 0
    for delay in range(50):
        world = engine(benches)
        quiet(world, 1, 2)
        world.run_to(world.now + IDLE_US)
        state = world.sessions[world.by_peer[1]]
        world.bench.push([0], 4)
        world.bench.run(delay)
        say(world, 1)
        starve(world, 0)
        assert state.evicted == (not state.got)
        kept += not state.evicted
    assert 5 < kept < 45
