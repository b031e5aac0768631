# SPDX-License-Identifier: Apache-2.0
"""The middleboxes of docs/examples, each with the program of its name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bombus.applications.processors.build import build
from bombus.base.paths import EXAMPLES
from bombus.simulator.simulation import Simulation
from tests.applications.processors import forwarding
from tests.support import message_sums

MIDDLEBOXES = EXAMPLES / "middlebox"


@contextmanager
def running(
    name: str, folder: Path, change: tuple[str, str] = ("", ""), assertions: bool = True
) -> Iterator[Simulation]:
    """A running middlebox; its counters are checked at the end. `folder`: for the program.
    `change`: text of the design file that is replaced.
    """
    elf = folder / f"{name}.elf"
    build([MIDDLEBOXES / f"{name}.c"], elf)
    design = MIDDLEBOXES / f"{name}.yaml"
    if change[0]:
        text = design.read_text()
        assert change[0] in text
        design = folder / design.name
        design.write_text(text.replace(*change))
    with Simulation(design, assertions=assertions) as simulation:
        forwarding.boot(simulation, elf)
        yield simulation
        message_sums.check(simulation)
        simulation.check()
