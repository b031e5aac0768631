# SPDX-License-Identifier: Apache-2.0
"""The own ID of a router changes (`benches/cluster_router.sv`)."""

from __future__ import annotations

import pytest

from tests.cluster.link.link_bench import HEADER
from tests.support.harness import Bench, Benches

pytestmark = pytest.mark.slow

BOARDS, WIDTH = 4, 64
LOCAL, NONE = 2, None


def ways(bench: Bench, channel: int) -> list[int | None]:
    """The output of a packet to each board, from the local side."""
    found: list[int | None] = []
    for destination in range(BOARDS):
        bench.forget()
        header = HEADER.pack(
            **{"length": 1, "yield": 0, "credit": 0},
            channel=channel,
            source=0,
            destination=destination,
        )
        bench.push([header << WIDTH + 1 | 1 << WIDTH], LOCAL)
        bench.run(20)
        ports = [port for port in range(LOCAL + 1) if bench.items(port)]
        assert len(ports) <= 1
        found.append(ports[0] if ports else NONE)
    return found


@pytest.mark.parametrize("channel", (0, 1))
def test_own_id_changes(benches: Benches, channel: int) -> None:
    """Entries of an ID that the board had before are those after reset; others stay."""
    bench = benches("cluster_router")
    first = [number % 2 for number in range(BOARDS)]
    for board in (0, 3, 1, 200, 2, 2, 0):
        bench.control(board)
        bench.run(20)
        wanted = [LOCAL if number == board else first[number] for number in range(BOARDS)]
        assert ways(bench, channel) == wanted, board
    # Faster than the table is written
    for board in (1, 2, 3):
        bench.control(board)
        bench.run(1)
    bench.run(20)
    assert ways(bench, channel) == [*first[:3], LOCAL]
