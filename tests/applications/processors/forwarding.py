# SPDX-License-Identifier: Apache-2.0
"""Starts the program that only forwards on all packet processors of a design."""

from __future__ import annotations

from pathlib import Path

import bombus
from bombus.applications.processors.build import build
from bombus.base.paths import EXAMPLES
from bombus.simulator.simulation import Simulation

PROGRAM = EXAMPLES / "middlebox" / "forward.c"


def start(simulation: Simulation, folder: Path) -> None:
    """`folder`: for the compiled program."""
    if not bombus.processors(simulation):
        return
    boot(simulation, compiled(folder))


def compiled(folder: Path) -> Path:
    """The program, in a folder."""
    elf = folder / "forward.elf"
    build([PROGRAM], elf)
    return elf


def boot(simulation: Simulation, elf: Path) -> None:
    """Starts a program on all packet processors."""
    for processor in bombus.processors(simulation):
        processor.load(elf)
        processor.boot()
