# SPDX-License-Identifier: Apache-2.0
"""tcp_echo and the messages of an engine."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.protocols.tcp.stream_world import PORT, StreamWorld
from tests.support.harness import PACES, SEEDS, Benches

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", SEEDS)
def test_sessions_that_come_and_go(benches: Benches, seed: int) -> None:
    """Data are echoed at every pace, over sessions whose numbers are reused."""
    world = StreamWorld(benches, seed=seed, layer="tcp_echo")
    for pace in PACES:
        world.app.bench.pace(**pace)
        world.come_and_go(25)
    assert world.ports == {PORT}
    assert all(state.failed or state.written == state.to_come for state in world.done)
    world.app.bench.drain()
    assert not world.app.busy


def test_sessions_take_turns(benches: Benches) -> None:
    """A session of which there is always more does not keep others waiting."""
    world = StreamWorld(benches, layer="tcp_echo")
    world.automatic = False
    sessions = [world.open(20_000) for _ in range(4)]
    for _ in range(1000):
        for session in sessions:
            assert session is not None
            state = world.live[session]
            state.acked = len(state.written)
            world.comes(session, 5000)
        world.step(4)
    read = Counter(world.served)
    assert len(read) == 4 and max(read.values()) < 2 * min(read.values()), read


def test_peer_that_does_not_read(benches: Benches) -> None:
    """It blocks no other session."""
    world = StreamWorld(benches, layer="tcp_echo")
    bad, good = world.open(3000, keen=False), world.open(3000)
    assert bad is not None and good is not None
    world.run(lambda: any(state.written == state.to_come for state in world.done))
    assert len(world.live[bad].written) == world.ring


def test_reset_in_traffic(benches: Benches) -> None:
    StreamWorld(benches, layer="tcp_echo").echo_after_resets()
