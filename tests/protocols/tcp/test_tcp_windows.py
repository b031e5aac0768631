# SPDX-License-Identifier: Apache-2.0
"""tcp_core: the windows that it offers to peers that send beyond them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from bombus.protocols.tcp.model import Endpoint
from bombus.protocols.tcp.segment import WORD, Segment, distance
from tests.protocols.tcp.tcp_world import World
from tests.protocols.tcp.test_tcp_core import connect
from tests.support.harness import SEEDS, Benches

pytestmark = pytest.mark.slow

RING = 1024  # of the receive buffer
WAITS = 1 << 16  # control: no segment can be sent
FULL = 1460  # of a segment
DELAYED_US = 3000  # more than a delayed acknowledgement takes


@pytest.mark.parametrize("rings", range(2, 7))
def test_window_after_a_peer_has_sent_beyond_it(benches: Benches, rings: int) -> None:
    """Nothing can be sent while some rings of bytes come and their application reads them. The
    peer has not been told of the space, but it is there. Then the window is what is free."""
    world = World(benches("tcp_core", ReceiveBytes=RING))
    connect(world, 7, timestamps=False, scale=None)
    world.peers.pop(7)
    session = world.by_peer[7]
    state = world.sessions[session]
    start = state.released

    def send(place: int) -> None:
        segment = Segment(
            (start + place) % WORD, state.first, frozenset({"ack"}), 8192, bytes(RING)
        )
        world.send_to_engine(7, segment)
        world.settle()

    world.bench.control(WAITS)
    for ring in range(rings):
        world.request(session, "release", start + ring * RING)
        world.settle()
        send(ring * RING)
    world.departures.clear()
    world.bench.control(0)
    world.settle()
    _, last = world.departures[-1]
    assert (last["ack"] - start) % WORD == rings * RING
    assert last["window"] == 0, "the buffer is full"

    world.bench.control(WAITS)
    world.request(session, "release", start + rings * RING)
    world.settle()
    send(rings * RING)
    world.request(session, "release", start + (rings + 1) * RING)
    world.settle()
    world.bench.control(0)
    world.settle()
    _, last = world.departures[-1]
    assert (last["ack"] - start) % WORD == (rings + 1) * RING
    assert last["window"] == RING, "the buffer is empty"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scale", [None, 7])
@pytest.mark.parametrize("ring", [1 << 16, 1 << 17])
def test_windows_are_told_once_and_in_time(
    benches: Benches, ring: int, scale: int | None, seed: int
) -> None:
    """A peer fills the window, and the application reads now and then. No acknowledgement says
    what the one before it said (RFC 5681, 2), and two segments more of space are told, if a header
    can tell them (RFC 9293, 3.8.6.2.2): a sender would wait, or only probe a closed window.
    """
    own = 0 if scale is None else ring.bit_length() - 16  # the scale of the engine
    world = World(benches("tcp_core", ReceiveBytes=ring), seed)
    connect(world, 7, timestamps=False, scale=scale)
    world.settle()
    world.loses = lambda *_: True
    world.on_verdict = lambda *_: None  # nobody looks at the bytes
    random, session = world.random, world.by_peer[7]
    state = world.sessions[session]
    start = state.released
    world.departures.clear()
    came = released = closed = 0
    edge = 65_535  # that the peer has been told
    said: list[tuple[int, int]] = []
    for _ in range(200):
        for _ in range(random.choice((1, 2, 10, 45))):
            size = min(edge - came, random.choice((1, 100, FULL, FULL)))
            if size:
                place = (start + came) % WORD
                ack = frozenset({"ack"})
                world.send_to_engine(7, Segment(place, state.first, ack, 8192, bytes(size)))
            came += size
        world.settle()
        closed += came == edge
        unread = came - released
        released += min(unread, random.choice((0, 0, 1, 500, FULL, 2 * FULL, 5000, unread)))
        world.request(session, "release", start + released)
        world.run_to(world.now + DELAYED_US)
        world.settle()
        for _, each in world.departures:
            said.append((distance(each["ack"], start), each["window"]))
            edge = max(edge, said[-1][0] + (each["window"] << own))
        world.departures.clear()
        assert edge <= released + ring
        least = min(released + ring, came + (65_535 << own))
        assert least - edge < 2 * FULL + (2 << own)
    assert said[-1][0] == came and closed
    assert all(before != after for before, after in pairwise(said))


@pytest.mark.parametrize("closes", [False, True])
def test_no_window_is_told_to_a_peer_that_has_closed(benches: Benches, closes: bool) -> None:
    """A peer that has forgotten the connection would answer with a reset, which ends TIME-WAIT."""
    world = World(benches("tcp_core"))
    connect(world, 7, timestamps=False, scale=None)
    world.settle()
    world.peers[7] = Endpoint(0)
    session = world.by_peer[7]
    state = world.sessions[session]
    if closes:
        world.close(session)
        world.settle()
    start, acknowledged = state.released, (state.first + closes) % WORD
    for part in range(40):
        place = (start + 1000 * part) % WORD
        segment = Segment(place, acknowledged, frozenset({"ack"}), 5000, bytes(1000))
        world.send_to_engine(7, segment)
    world.send_to_engine(
        7, Segment((start + 40_000) % WORD, acknowledged, frozenset({"fin", "ack"}), 5000)
    )
    world.settle()
    assert state.peer_closed and state.closed == closes
    sent = len(world.departures)
    assert len(world.read(session)) == 40_000
    world.settle()
    assert len(world.departures) == sent
