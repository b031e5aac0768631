# SPDX-License-Identifier: Apache-2.0
"""tcp_core: settings of a session, which its application makes at any time."""

from __future__ import annotations

import pytest

from tests.protocols.tcp.segments import Segment
from tests.protocols.tcp.tcp_world import World
from tests.protocols.tcp.test_tcp_core import connect
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

NO_DELAY, NO_KEEPALIVE = 1, 2
SECOND = 1_000_000


class Counted(World):
    """Counts the segments that go to peers."""

    def count(self) -> None:
        self.segments = self.with_bytes = 0

        def loses(target: int, segment: Segment) -> bool:
            if target >= 0:
                self.segments += 1
                self.with_bytes += bool(segment.payload)
            return False

        self.loses = loses


def writes(world: Counted, session: int) -> int:
    """The number of segments in which ten short writes leave before anything is acknowledged."""
    world.count()
    for _ in range(10):
        world.write(session, b"ten bytes.")
        world.settle()
    before = world.with_bytes
    peer = world.peers[world.sessions[session].peer]
    got = bytearray()
    while len(got) < 100:
        world.run(lambda: bool(peer.received))
        got += peer.read()
    assert bytes(got) == b"ten bytes." * 10
    world.run_to(world.now + SECOND)
    return before


def test_no_delay(benches: Benches) -> None:
    """Nagle's algorithm holds short segments back, unless it is switched off; other sessions do as
    before.
    """
    world = Counted(benches("tcp_core", Nagle=1), 1, delay_us=(1000, 1000))
    connect(world, 3, 4)
    session, other = world.by_peer[3], world.by_peer[4]
    assert writes(world, session) == 1
    world.request(session, "set", NO_DELAY)
    assert writes(world, session) == 10
    assert writes(world, other) == 1
    world.request(session, "set", 0)
    assert writes(world, session) == 1


def test_no_delay_sends_what_waits(benches: Benches) -> None:
    world = Counted(benches("tcp_core", Nagle=1), 1, delay_us=(1000, 1000))
    connect(world, 3)
    session = world.by_peer[3]
    world.count()
    for _ in range(2):
        world.write(session, b"ten bytes.")
        world.settle()
    assert world.with_bytes == 1
    world.request(session, "set", NO_DELAY)
    world.settle()
    assert world.with_bytes == 2


@pytest.mark.parametrize("before", (0, NO_KEEPALIVE))
def test_keepalive(benches: Benches, before: int) -> None:
    """A silent peer is probed, unless that is switched off; it can be switched on again."""
    world = Counted(benches("tcp_core", KeepaliveS=2), 1)
    connect(world, 3)
    session = world.by_peer[3]
    world.request(session, "set", before)
    world.settle()
    for setting in (before, NO_KEEPALIVE - before, before):
        world.request(session, "set", setting)
        world.settle()
        world.run_to(world.now + 8 * SECOND)  # an old timer may be on its way
        world.count()
        world.run_to(world.now + 20 * SECOND)
        assert (world.segments > 3) == (setting == 0)
