# SPDX-License-Identifier: Apache-2.0
"""The state of the TCP engine while SYNs find no room: old handshakes end, all else goes on."""

from __future__ import annotations

import pytest

from bombus.protocols.tcp.model import Endpoint
from bombus.protocols.tcp.segment import WORD, Segment
from tests.protocols.tcp.tcp_world import EXPIRED, Session, World
from tests.protocols.tcp.test_tcp_core import connect
from tests.support.harness import Bench, Benches

pytestmark = pytest.mark.slow

HALF_OPEN_US = 50
UNACCEPTABLE, HALF_DONE, EVICTED = 0, 8, 12  # of the bench's events
SYN = frozenset({"syn"})
ACK = frozenset({"ack"})


def engine(benches: Benches) -> Bench:
    return benches("tcp_core", HalfOpenUs=HALF_OPEN_US, NumGaps=0, NumSacks=0)


def no_room(world: World, count: int = 1) -> None:
    """SYNs that find no session, a cycle each."""
    world.bench.push([0] * count, 3)


def looked(world: World) -> None:
    """The engine has looked at all sessions for one that finds no room."""
    no_room(world)
    world.bench.run(200)
    world.settle()


def silent(world: World, number: int) -> int:
    """A peer that begins a handshake and does not end it; its session."""
    world.peers[number] = Endpoint(0)
    world.send_to_engine(number, Segment(1000 * number, flags=SYN, window=5000))
    world.settle()
    return world.by_peer[number]


def test_old_handshakes_make_room(benches: Benches) -> None:
    """In silence, and no others; not one that is young, or whose connection is open."""
    world = World(engine(benches))
    connect(world, 1)
    sessions = {silent(world, 2)}
    world.run_to(world.now + HALF_OPEN_US - 10)
    sessions.add(silent(world, 3))
    young = silent(world, 4)
    before = len(world.departures)
    looked(world)
    assert len(world.by_peer) == 4 and not world.counts[EVICTED]
    world.run_to(world.now + 11)
    looked(world)
    assert set(world.by_peer) == {1, 3, 4} and world.counts[EVICTED] == 1
    world.run_to(world.now + HALF_OPEN_US)
    world.send_to_engine(4, Segment(4001, world.sessions[young].first, ACK, window=5000))
    world.settle()
    assert world.sessions[young].opened
    looked(world)
    assert set(world.by_peer) == {1, 4} and world.counts[EVICTED] == 2
    # One has opened before the count, one since, and two have been ended.
    assert world.counts[HALF_DONE] == 4
    assert len(world.departures) == before
    assert world.refused == 0 and len(sessions) == 2


def test_a_handshake_is_found_wherever_it_is(benches: Benches) -> None:
    bench = benches("tcp_core", NumSessions=64, HalfOpenUs=HALF_OPEN_US, NumGaps=0, NumSacks=0)
    world = World(bench)
    for number, session in enumerate((40, 7, 63), 1):
        world.numbers = [session]
        assert silent(world, number) == session
        world.run_to(world.now + HALF_OPEN_US + 1)
        no_room(world)
        world.bench.run(700)
        world.settle()
        assert world.counts[EVICTED] == number and not world.by_peer


def test_a_syn_again_keeps_no_handshake(benches: Benches) -> None:
    """A handshake is as old as its first SYN,ACK."""
    world = World(engine(benches))
    silent(world, 2)
    world.run_to(world.now + HALF_OPEN_US - 10)
    sent = len(world.departures)
    silent(world, 2)
    assert len(world.departures) == sent + 1
    looked(world)
    assert not world.counts[EVICTED]
    world.run_to(world.now + 11)
    looked(world)
    assert not world.by_peer and world.counts[EVICTED] == 1


def test_a_handshake_may_last_longer_than_its_timeout(benches: Benches) -> None:
    """It keeps its session although its SYN,ACK has gone again."""
    world = World(benches("tcp_core", HalfOpenUs=6_000_000, NumGaps=0, NumSacks=0))
    silent(world, 2)
    world.run_to(world.now + 5_900_000)
    assert len(world.departures) == 3
    looked(world)
    assert not world.counts[EVICTED]
    world.run_to(world.now + 200_000)
    looked(world)
    assert world.counts[EVICTED] == 1


def deaf(world: World, *numbers: int) -> None:
    """Connections of peers that do nothing any more by themselves."""
    connect(world, *numbers, timestamps=False)
    world.settle()
    for number in numbers:
        world.peers[number] = Endpoint(0)


def busy_cycles(world: World, sessions: dict[int, Session], flood: bool) -> int:
    """Time that the engine takes for 40 simultaneous segments of each connection."""
    start = world.bench.cycle
    if flood:
        no_room(world, 5000)
    for _ in range(40):
        for number, state in sessions.items():
            place = (state.released + len(state.got)) % WORD
            state.got[place] = 0
            segment = Segment(place, state.first, ACK, 1000, b".")
            world.send_to_engine(number, segment)
    while world.bench.waiting(0):
        world.bench.run(1)
    cycles = world.bench.cycle - start
    while world.bench.waiting(3):
        world.bench.run(100)
    world.settle()
    return cycles


def test_a_flood_leaves_turns_for_the_others(benches: Benches) -> None:
    world = World(engine(benches))
    numbers = range(1, 9)
    deaf(world, *numbers)
    sessions = {number: world.sessions[world.by_peer[number]] for number in numbers}
    alone = busy_cycles(world, sessions, flood=False)
    assert busy_cycles(world, sessions, flood=True) < 1.3 * alone


def test_a_syn_for_a_connection_that_is_not_freed_is_dropped(benches: Benches) -> None:
    """It comes again, and finds a new session by then. Other segments are refused."""
    world = World(engine(benches))
    deaf(world, 1)
    session = world.by_peer[1]
    state = world.sessions[session]
    state.freed = True  # the application waits
    world.send_to_engine(1, Segment(state.released, flags=frozenset({"rst"})))
    world.settle()
    assert state.closed and world.by_peer == {1: session}
    before, sent = world.counts[UNACCEPTABLE], len(world.departures)
    world.send_to_engine(1, Segment(5000, flags=SYN, window=5000))
    world.settle()
    assert not world.refused and world.counts[UNACCEPTABLE] == before + 1
    for refused, flags in enumerate((ACK, SYN | ACK), 1):
        world.send_to_engine(1, Segment(5000, state.first, flags, window=5000))
        world.settle()
        assert world.refused == refused
    assert len(world.departures) == sent and world.counts[UNACCEPTABLE] == before + 1
    world.free(session)
    world.settle()
    silent(world, 1)
    assert len(world.departures) == sent + 1


@pytest.mark.parametrize("what", ["look", "timer"])
def test_acknowledgements_that_are_due_are_sent(benches: Benches, what: str) -> None:
    """Although the session is looked at, or the timer of an earlier one runs out, just then."""
    world = World(engine(benches))
    deaf(world, 1)
    session = world.by_peer[1]
    state = world.sessions[session]
    ahead = Segment((state.released + 100) % WORD, state.first, ACK, 1000, b"behind a gap")
    for wait in range(40):
        before = len(world.departures)
        world.send_to_engine(1, ahead)
        if what == "look":
            no_room(world, 200)
        else:
            world.bench.run(wait % 10)
            expired = EXPIRED.pack(session=session, **{"class": 1})
            world.bench.push([expired] * 4, 2)
        world.bench.run(wait)
        world.settle()
        acknowledgements = [each for _, each in world.departures[before:]]
        assert acknowledgements and acknowledgements[0]["ack"] == state.released
