# SPDX-License-Identifier: Apache-2.0
"""What it costs to keep boards in step: against the same simulations apart, in one process."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from bombus.cluster.simulation import Cluster
from bombus.simulator.build import Library
from bombus.simulator.simulation import Simulation
from tests.cluster.simulation.ring import ring

pytestmark = pytest.mark.slow

BOARDS, CYCLES, ROUNDS = 20, 3000, 6
PACE = 0x804


def cpu_seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def test_twenty_boards_cost_a_tenth_more_at_most(beat_board: Library) -> None:
    apart = [Simulation(beat_board, seed=number) for number in range(BOARDS)]
    for simulation in apart:
        simulation.write_register(PACE, 64)
        for link in simulation.beat_links.values():
            link.set_up(True)

    def run_apart() -> None:
        for simulation in apart:
            simulation.advance(CYCLES)

    alone, together = [], []
    with Cluster(ring(BOARDS), ranks=1) as cluster:
        for _ in range(ROUNDS):  # in turns, since other programs slow both down
            alone.append(cpu_seconds(run_apart))
            together.append(cpu_seconds(lambda: cluster.run(CYCLES)))
            for simulation in apart:
                simulation.run_beats(0)  # takes what they have sent
    ratio = min(together) / min(alone)
    print(
        f"{1e6 * min(alone) / BOARDS / CYCLES:.3f} us per board and cycle apart, {ratio:.3f} times "
        "that together"
    )
    # The stand-in computes little: a board with a stack takes several times as long.
    assert ratio < 1.25


@pytest.mark.parametrize("ranks", [1, 4])
def test_a_hundred_boards_run(beat_board: Library, ranks: int) -> None:
    with Cluster(ring(100), ranks=ranks) as cluster:
        cluster.run(1000)
        counters = cluster[99].counters()["node"]
        assert 0 < counters["from_link0"] < 1000
        assert len(cluster) == 100
