# SPDX-License-Identifier: Apache-2.0
"""Packet processors of each live run: their host is served, and idle ones are reported."""

from __future__ import annotations

from collections.abc import Callable

from bombus.applications.processors.host import host_tiles
from bombus.applications.processors.processors import processors
from bombus.live.software import Software
from bombus.simulator.simulation import Simulation

_MOST_HOST_FRAMES = 1024  # as many as rpu_host stores


def software(simulation: Simulation, warn: Callable[[str], None]) -> Software:
    """Software of each live run.

    The host of the processors is served, if there is exactly one. A warning is given once if no
    processor runs a program after the other software has been called for the first time.
    """
    if len(host_tiles(simulation.manifest)) == 1:
        processors(simulation).host.most_frames = _MOST_HOST_FRAMES
    is_first = True

    def warn_if_idle(simulation: Simulation) -> None:
        nonlocal is_first
        found = processors(simulation)
        if is_first and found and not any(each.registers.control.run for each in found):
            warn("the packet processors run no program; `--firmware` loads one")
        is_first = False

    return warn_if_idle
