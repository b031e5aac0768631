# SPDX-License-Identifier: Apache-2.0
"""A layer that breaks a promise is caught in simulation, and named with its tile."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from bombus.golden.frames import Host, udp_frame
from bombus.measure.exchanges import introduce, neighbour
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation

DESIGN = Path(__file__).parent / "designs" / "promises.yaml"
PORT = 2000
GOOD = 0


def frames(simulation: Simulation, *modes: int) -> list[bytes]:
    host = Host.from_manifest(simulation.manifest)
    station = neighbour(simulation.manifest)
    introduce(simulation, station)
    return [udp_frame(station, host, bytes([mode] * 8), port=PORT) for mode in modes]


def printed(capfd: pytest.CaptureFixture[str]) -> str:
    ctypes.CDLL(None).fflush(None)
    return "".join(capfd.readouterr())


def test_a_layer_that_keeps_its_word(capfd: pytest.CaptureFixture[str]) -> None:
    with Simulation(DESIGN, assertions=True) as simulation:
        exchange = simulation.exchange(frames(simulation, *[GOOD] * 50))
        dropped = simulation.tile_counters("application")["drop.rogue.busy"]
        assert len(exchange.received) + dropped == 50
        assert exchange.received
        simulation.check()
    assert "Assertion failed" not in printed(capfd)


@pytest.mark.parametrize(
    ("wrong", "checker", "message"),
    [
        (1, "check_rogue", "input 0 waits for what it promised not to wait for"),
        (2, "check_rogue", "output 1 has more requests outstanding than credits"),
        (3, "check_rogue_query", "a beat changed while it waited"),
        (4, "check_rogue_query", "a message of 8 bytes says that it has 9"),
        (5, "check_rogue_query", "valid fell before the beat was taken"),
        (6, "check_rogue", "input 1 waits for what it promised not to wait for"),
    ],
    ids=["takes late", "too many requests", "changes", "wrong length", "falls", "answer waits"],
)
def test_a_layer_that_breaks_it(
    wrong: int, checker: str, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with Simulation(DESIGN, assertions=True) as simulation:
        simulation.exchange(frames(simulation, wrong, GOOD))
        with pytest.raises(SimulationError, match=r"^promises: assertions_failed \d+$"):
            simulation.check()
    said = [line for line in printed(capfd).splitlines() if "Assertion failed" in line]
    assert f".u_application.{checker}" in said[0]
    assert said[0].endswith(message)
    # What others say follows: the store sends a wrong length back.
    assert all(line.endswith(message) for line in said)
