# SPDX-License-Identifier: Apache-2.0
"""Layers that are masters of registers, beside the register port of the top."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest

from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import Host, udp_frame
from bombus.simulator.simulation import Simulation
from tests import ROOT

DESIGN = ROOT / "tests" / "designs" / "register_masters.yaml"
# The tile of each layer `register_walker`, and the one whose table it writes and reads.
WALKS = {"arp": "echo", "echo": "arp"}
ACCESSES = 3000


def events(simulation: Simulation, tile: str) -> dict[str, int]:
    """Events of a tile's walker."""
    prefix = "event.register_walker."
    return {
        name.removeprefix(prefix): count
        for name, count in simulation.tile(tile).counters().items()
        if name.startswith(prefix)
    }


def enable(simulation: Simulation, on: bool) -> None:
    for tile, other in WALKS.items():
        address = simulation.tile(other).registers.register_walker.own[0].where()
        simulation.tile(tile).registers.register_walker.target.write(address=address, enable=on)


@pytest.fixture(scope="module", params=["hub", pytest.param("mesh", marks=pytest.mark.sweep)])
def design(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of the design, with one of the ways to the registers of tiles."""
    file = tmp_path_factory.mktemp("masters") / DESIGN.name
    for name in ("register_walker.sv", "register_walker.rdl"):
        shutil.copy(DESIGN.parent / name, file.parent)
    file.write_text(f"{DESIGN.read_text()}registers: {request.param}\n")
    return file


@pytest.mark.parametrize("seed", [1, 2])
def test_every_response_goes_to_the_master_that_requested_it(design: Path, seed: int) -> None:
    random = Random(seed)
    with Simulation(design, assertions=True) as simulation:
        station, host = neighbour(simulation.manifest), Host.from_manifest(simulation.manifest)
        introduce(simulation, station)
        tables = [simulation.tile(tile).registers.register_walker.port for tile in WALKS]
        expected = [[0] * len(table) for table in tables]
        enable(simulation, True)
        for n in range(ACCESSES):
            table, index = random.randrange(len(tables)), random.randrange(16)
            if random.random() < 0.5:
                expected[table][index] = random.getrandbits(32)
                tables[table][index].value = expected[table][index]
            else:
                assert tables[table][index].value == expected[table][index]
            if random.random() < 0.2:
                simulation.advance(random.randrange(20))
            if n % 100 == 0:
                simulation.send(udp_frame(station, host, b"while registers are accessed", port=7))
        assert simulation.busy
        enable(simulation, False)
        assert len(simulation.receive_all()) == ACCESSES // 100
        assert [[entry.value for entry in table] for table in tables] == expected
        assert not simulation.busy
        for tile in WALKS:
            found = events(simulation, tile)
            assert found.pop("wrong") == 0
            assert min(found[name] for name in ("write", "read")) > ACCESSES // 3
            assert found["unused"] > 20
        simulation.check()


def test_a_master_that_keeps_its_response_waiting_loses_nothing(design: Path) -> None:
    """All reads of a walker are finished: its last response arrives after it is disabled."""
    with Simulation(design, assertions=True) as simulation:
        for cycles in range(40):
            enable(simulation, True)
            simulation.advance(50 + cycles)
            enable(simulation, False)
            assert simulation.advance_until_idle()
        assert all(events(simulation, tile)["wrong"] == 0 for tile in WALKS)
