# SPDX-License-Identifier: Apache-2.0
"""tcp_transmit_queue: each session is in it at most once, and none is locked out."""

from __future__ import annotations

from random import Random

import pytest

from tests.support.harness import Benches

pytestmark = pytest.mark.slow

FIRST, SECOND = range(2)


IN_BLOCK_RAM = {"LutDepth": 1}  # as those of many sessions are
EITHER = pytest.mark.parametrize("memory", ({}, IN_BLOCK_RAM), ids=("lutram", "block"))


@EITHER
@pytest.mark.parametrize("sessions", (2, 4, 16, 32, 64, 128))
def test_no_session_is_locked_out(benches: Benches, sessions: int, memory: dict[str, int]) -> None:
    """Also if it is added in the cycle in which it leaves a queue that has all the others."""
    random = Random(sessions)
    bench = benches("tcp_transmit_queue", NumSessions=sessions, **memory)
    bench.run(sessions + 4)  # until it is cleared
    for stall in (0.0, 0.5, 0.9, 0.97):
        bench.stall(0, stall)
        for place in (FIRST, SECOND):
            bench.push([random.randrange(sessions) for _ in range(60 * sessions)], place)
        bench.drain()
        bench.stall(0, 0.0)
        bench.drain()
        bench.forget()
        order = random.sample(range(sessions), sessions)
        bench.push(order, FIRST)
        bench.drain()
        assert bench.items() == order


@EITHER
def test_order(benches: Benches, memory: dict[str, int]) -> None:
    """The first place goes before the second; a session that waits stays where it is."""
    bench = benches("tcp_transmit_queue", NumSessions=16, **memory)
    bench.run(20)
    bench.stall(0, 1.0)
    bench.push([3, 4, 3], FIRST)
    bench.push([5, 4, 6], SECOND)
    bench.run(20)
    bench.stall(0, 0.0)
    bench.drain()
    assert bench.items() == [3, 4, 5, 6]


@EITHER
@pytest.mark.parametrize("sessions", (4, 64))
@pytest.mark.parametrize("turn", ([3], [3, 1], [3, 1, 2]))
def test_session_that_has_just_left_is_added(
    benches: Benches, sessions: int, turn: list[int], memory: dict[str, int]
) -> None:
    """In the cycle in which it leaves, and one and two cycles later."""
    bench = benches("tcp_transmit_queue", NumSessions=sessions, **memory)
    bench.run(sessions + 4)
    bench.push(turn * 20, FIRST)
    bench.drain()
    assert bench.items() == turn * 20
