# SPDX-License-Identifier: Apache-2.0
"""tcp_core: the windows that it offers to peers that send beyond them."""

from __future__ import annotations

import pytest
from harness import Benches
from tcp_world import World
from test_tcp_core import connect

from bombus.golden.tcp import Endpoint
from bombus.golden.tcp_segment import WORD, Segment

RING = 1024  # of the receive buffer
WAITS = 1 << 16  # control: no segment can be sent


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
