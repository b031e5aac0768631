# SPDX-License-Identifier: Apache-2.0
"""Starts the program that only forwards on all packet processors of a design."""

from __future__ import annotations

from pathlib import Path

from bombus.base.paths import DESIGNS
from bombus.firmware.build import build
from bombus.simulator.simulation import Simulation

PROGRAM = DESIGNS.parent / "docs" / "examples" / "middlebox" / "forward.c"


def start(simulation: Simulation, folder: Path) -> None:
    """`folder`: for the compiled program."""
    if not simulation.rpus:
        return
    elf = folder / "forward.elf"
    build([PROGRAM], elf)
    for processor in simulation.rpus:
        processor.load(elf)
        processor.boot()
