# SPDX-License-Identifier: Apache-2.0
"""docs/examples/rpu: firmware on a packet processor, and an accelerator beside it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from bombus.applications.processors.build import build
from bombus.applications.processors.load import load
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import Host, udp_frame
from bombus.simulator.simulation import Simulation
from tests import ROOT
from tests.support import message_sums

pytestmark = pytest.mark.slow

EXAMPLE = ROOT / "docs" / "examples" / "rpu"


def test_echo_by_firmware(tmp_path: Path) -> None:
    random = Random(1)
    elf = tmp_path / "echo.elf"
    build([EXAMPLE / "echo.c"], elf)
    with Simulation(EXAMPLE / "rpu_echo.yaml", assertions=True) as simulation:
        station, host = neighbour(simulation.manifest), Host.from_manifest(simulation.manifest)
        introduce(simulation, station)
        load(simulation.tile("echo").registers, elf)
        for _ in range(50):
            payload = random.randbytes(random.randrange(1400))
            simulation.send(udp_frame(station, host, payload, port=7))
            (answer,) = simulation.receive_all()
            assert answer.data[42 : 42 + len(payload)] == payload
        assert message_sums.check(simulation) == 0
        simulation.check()


def test_a_program_that_is_stopped_sends_nothing(tmp_path: Path) -> None:
    elf = tmp_path / "echo.elf"
    build([EXAMPLE / "echo.c"], elf)
    with Simulation(EXAMPLE / "rpu_echo.yaml", assertions=True) as simulation:
        station, host = neighbour(simulation.manifest), Host.from_manifest(simulation.manifest)
        introduce(simulation, station)
        registers = simulation.tile("echo").registers
        load(registers, elf)
        registers.control.run = 0
        simulation.send(udp_frame(station, host, b"waits", port=7))
        simulation.advance(500)
        assert simulation.in_flight
        assert simulation.tile_counters("echo")["noc_out_messages"] == 0
        registers.control.run = 1
        (answer,) = simulation.receive_all()
        assert answer.data[42:47] == b"waits"


def test_an_accelerator_beside_the_processor(tmp_path: Path) -> None:
    elf = tmp_path / "filter.elf"
    build([EXAMPLE / "filter.c"], elf)
    with Simulation(EXAMPLE / "rpu_filter.yaml", assertions=True) as simulation:
        station, host = neighbour(simulation.manifest), Host.from_manifest(simulation.manifest)
        introduce(simulation, station)
        load(simulation.tile("filter").registers, elf)
        simulation.advance(200)
        for count in range(8):
            payload = b"!" * count + b"Hello." * 20
            simulation.send(udp_frame(station, host, payload, port=7))
            answers = [frame.data[42 : 42 + len(payload)] for frame in simulation.receive_all()]
            assert answers == ([payload] if count <= 3 else [])
        assert simulation.tile_counters("filter")["drop.rpu.by_firmware"] == 4
        assert message_sums.check(simulation) == 0
        simulation.check()
