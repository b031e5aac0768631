# SPDX-License-Identifier: Apache-2.0
"""docs/examples/middlebox/loop.yaml: frames from port 0 pass two packet processors."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from middlebox import crossed, frame
from support import message_sums

from bombus.analysis import check
from bombus.base.paths import DESIGNS
from bombus.firmware.build import build
from bombus.simulator.simulation import Simulation

EXAMPLE = DESIGNS.parent / "docs" / "examples" / "middlebox"
LIMIT_CYCLES = 500_000
GBPS = 5  # of each port: `second` takes the frames of both


def test_a_circle_needs_a_layer_that_drops(tmp_path: Path) -> None:
    text = (EXAMPLE / "loop.yaml").read_text()
    file = tmp_path / "circle.yaml"
    again = "{mac_port: 2}}], at: [2, 0], next: {rpu: "
    circle = text.replace(again + "second", again + "first")
    file.write_text(circle)
    with pytest.raises(check.DeadlockError, match="first -> again -> first"):
        check.check(file)
    file.write_text(circle.replace("{mac_port: 2}", "{mac_port: 2, drops_when_full: true}"))
    check.check(file)


def test_frames_pass_both(tmp_path: Path) -> None:
    random = Random(1)
    elf = tmp_path / "loop.elf"
    build([EXAMPLE / "loop.c"], elf, code_bytes=8192, data_bytes=8192)
    with Simulation(EXAMPLE / "loop.yaml", assertions=True) as simulation:
        for processor in simulation.rpus:
            processor.load(elf)
            processor.boot()
        for port in (0, 1):
            simulation.line_rate(GBPS, port)
        sent = [frame(random, random.choice((60, 64, 65, 300, 1500)), n % 9) for n in range(600)]
        ports = [random.randrange(2) for _ in sent]
        done = simulation.exchange(sent, ports=ports, limit_cycles=LIMIT_CYCLES)
        crossed(simulation, sent, ports, done)
        first, second, again = (
            simulation.tile_counters(tile)["noc_in_messages"]
            for tile in ("first", "second", "again")
        )
        assert first == again == ports.count(0)
        assert second == len(sent)
        message_sums.check(simulation)
        simulation.check()
