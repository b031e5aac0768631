# SPDX-License-Identifier: Apache-2.0
"""What the tests of tunnels share: checks of a design file, and a simulation's hosts, answers and
drops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from bombus.analysis import check
from bombus.protocols.frames import Host
from bombus.simulator.simulation import Simulation
from tests import ROOT

BASE = ROOT / "designs" / "udp_echo_10g.yaml"
MOST_LINES = 12


def check_lines(design: Path) -> None:
    """Twelve lines are added to the base or changed, comments and the name aside."""
    before, after = BASE.read_text().splitlines(), design.read_text().splitlines()
    changed = [line for line in after if line not in before and not line.startswith(("#", "name"))]
    assert len(changed) == MOST_LINES


def check_deadlocks(design: Path, bad: Mapping[str, str], folder: Path) -> None:
    """A design passes; these texts of other ones, by name, may deadlock."""
    _, problems = check.check(design)
    assert not problems
    for name, text in bad.items():
        file = folder / f"{name}.yaml"
        file.write_text(text)
        with pytest.raises(check.DeadlockError):
            check.check(file)


def outside(simulation: Simulation) -> Host:
    return Host.from_manifest(simulation.manifest)


def inside(simulation: Simulation) -> Host:
    """Of the network in the tunnel."""
    return Host.from_manifest(simulation.manifest, 1)


def answers(simulation: Simulation, frame: bytes) -> list[bytes]:
    simulation.send(frame)
    simulation.advance_until_idle()
    return [each.data for each in simulation.receive_all()]


def drops(simulation: Simulation) -> dict[str, int]:
    """By name, those that are not 0; of all tiles together."""
    found = Counter[str]()
    for tile in simulation.manifest["tiles"]:
        for name, count in simulation.tile_counters(tile["name"]).items():
            if count and name.startswith("drop."):
                found[name] += count
    return dict(found)
