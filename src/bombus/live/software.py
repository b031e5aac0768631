# SPDX-License-Identifier: Apache-2.0
"""Software beside a live run, which reads and writes registers and messages.

A `Software` is called with the simulation at the start and then about ten times a second. The
module `live` of an application (`bombus.base.extensions`) has a function
`software(simulation, warn)`, which returns software for every run or None; `warn` prints a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bombus.base import extensions
from bombus.base.errors import UserError
from bombus.design.resolved import Design
from bombus.simulator.simulation import Simulation

Software = Callable[[Simulation], None]


def check_kind(design: Design, kind: str, given: str) -> None:
    """UserError if the design has no layer of a kind, which an option is for."""
    if all(layer.kind.name != kind for layer in design.layers()):
        raise UserError(f"{given}: {design.config.name} has no layer {kind}")


def together(parts: Iterable[Software]) -> Software:
    """Calls all of them, in order."""
    every = list(parts)

    def software(simulation: Simulation) -> None:
        for part in every:
            part(simulation)

    return software


def of_applications(simulation: Simulation, warn: Callable[[str], None]) -> Software:
    """Software that applications run beside every simulation."""
    found = (module.software(simulation, warn) for module in extensions.modules("live"))
    return together(part for part in found if part is not None)
