# SPDX-License-Identifier: Apache-2.0
"""tcp_echo_bypass and the messages of an engine without a receive buffer."""

from __future__ import annotations

from typing import ClassVar

import pytest

from bombus.protocols.tcp.segment import WORD
from tests.protocols.tcp.stream_world import DATA, KIND_DATA, LONGEST, PORT, StreamWorld
from tests.support.harness import PACES, SEEDS, Benches

pytestmark = pytest.mark.slow

LENGTHS = (1, 2, 7, 8, 9, 63, 64, 65, 127, 512, 1000, LONGEST - 1, LONGEST)


class BypassWorld(StreamWorld):
    """Bytes go to the application as they come."""

    defaults: ClassVar[dict[str, int]] = {"NumSessions": 4, "WindowBytes": 4096}

    def __init__(self, benches: Benches, **options: int) -> None:
        super().__init__(benches, layer="tcp_echo_bypass", **options)

    def comes(self, session: int, count: int) -> None:
        state = self.live[session]
        count = self.random.choice([count, self.random.choice(LENGTHS)])
        start = state.came
        super().comes(session, count)
        if state.came > start:
            place = (state.first_read + start) % WORD
            meta = DATA.pack(port=PORT, session=session, start=place)
            self.app.beats(state.to_come[start : state.came], meta, KIND_DATA)


@pytest.mark.parametrize("width", (64, 512))
@pytest.mark.parametrize("seed", SEEDS)
def test_sessions_that_come_and_go(benches: Benches, width: int, seed: int) -> None:
    """Data are echoed at every pace, over sessions whose numbers are reused."""
    world = BypassWorld(benches, width=width, seed=seed)
    for pace in PACES:
        world.app.bench.pace(**pace)
        world.come_and_go(25)
    assert world.ports == {PORT}
    assert all(state.failed or state.written == state.to_come for state in world.done)
    world.app.bench.drain()
    assert not world.app.busy


@pytest.mark.parametrize("length", [*LENGTHS, 20_000])
def test_every_byte_is_released(benches: Benches, length: int) -> None:
    """However often the window has been used up."""
    world = BypassWorld(benches)
    session = world.open(length)
    assert session is not None
    state = world.live[session]
    world.automatic = False

    def all_released() -> bool:
        world.comes(session, LONGEST)
        state.acked = len(state.written)
        return state.released == length

    world.run(all_released)
    assert state.written == state.to_come


def test_peer_that_does_not_read(benches: Benches) -> None:
    """It blocks no other session: no more data arrive than there is space for."""
    world = BypassWorld(benches)
    bad, good = world.open(30_000, keen=False), world.open(30_000)
    assert bad is not None and good is not None
    world.run(lambda: any(state.written == state.to_come for state in world.done))
    state = world.live[bad]
    assert len(state.written) == world.ring and not state.released


def test_back_to_back_messages_wait_for_nothing(benches: Benches) -> None:
    world = BypassWorld(benches)
    world.automatic = False
    session = world.open(2000)
    assert session is not None
    world.step(20)
    bench = world.app.bench
    for _ in range(300):
        world.comes(session, 1)
    before = bench.cycle
    while bench.waiting():
        bench.run(1)
    beats = -(-world.live[session].came // 8) + 300
    assert bench.cycle - before <= beats


def test_reset_in_traffic(benches: Benches) -> None:
    BypassWorld(benches).echo_after_resets()
