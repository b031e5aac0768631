# SPDX-License-Identifier: Apache-2.0
"""Head-of-line blocking: where `bombus place` puts tiles, a slow server stops nobody else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bombus.analysis import blocking
from bombus.analysis.placement import placer
from bombus.design import edit, resolve
from bombus.design.facts import Facts
from bombus.protocols.frames import Host, Station, arp_request, udp_frame
from bombus.simulator.simulation import Simulation
from tests import DESIGNS as TEST_DESIGNS

pytestmark = pytest.mark.slow

STATION = Station.of("02:00:00:00:00:63", "10.77.0.99")
SLOW_PORT, QUICK_PORT = 9, 7
# As short as those that the solver finds, but the way to the quick server leads past the slow one.
BEHIND = {"slow": (0, 0), "quick": (0, 1), "arp": (2, 1)}


def copied(folder: Path) -> Path:
    for name in ("held.yaml", "held_echo.sv"):
        shutil.copy(TEST_DESIGNS / name, folder)
    return folder / "held.yaml"


def answers_while_held(file: Path) -> int:
    """Of ten datagrams to the quick server, behind one to the slow one that does not take it."""
    with Simulation(file, assertions=True) as simulation:
        host = Host.from_manifest(simulation.manifest)
        simulation.exchange([arp_request(STATION, host)])
        simulation.receive_all()
        simulation.write_pin("hold_i", 1)
        simulation.send(udp_frame(STATION, host, bytes(100), port=SLOW_PORT))
        for n in range(10):
            simulation.send(udp_frame(STATION, host, bytes([n]), port=QUICK_PORT))
        simulation.advance(3000)
        held = len(simulation.receive_all())
        simulation.write_pin("hold_i", 0)
        simulation.advance(3000)
        assert held + len(simulation.receive_all()) == 11
        simulation.check()
        return held


@pytest.mark.parametrize("is_placed", [True, False], ids=["placed", "behind the slow one"])
def test_a_held_server_stops_only_those_behind_it(tmp_path: Path, is_placed: bool) -> None:
    file = copied(tmp_path)
    design, _ = resolve.load(file)
    fixed = placer.given(design)
    positions = placer.solve(Facts(design), fixed).positions if is_placed else fixed | BEHIND
    file.write_text(edit.with_positions(design.file, positions))
    design, _ = resolve.load(file)
    behind = {leg.target: tiles for leg, tiles in blocking.of_design(design).items()}
    assert behind == ({} if is_placed else {"quick": {"slow"}})
    assert answers_while_held(file) == (10 if is_placed else 0)
