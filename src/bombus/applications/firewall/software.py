# SPDX-License-Identifier: Apache-2.0
"""Software of a live run that gives firewalls their lists.

Files are read at once, so that a bad one is reported before the run starts.
"""

from __future__ import annotations

from pathlib import Path

from bombus.applications.firewall import blacklist as lists
from bombus.applications.firewall import table
from bombus.live.software import Software
from bombus.simulator.simulation import Simulation

KIND = "ip_blacklist"


def blacklist(file: Path) -> Software:
    """Writes a list of prefixes into every `ip_blacklist`, once."""
    boundaries = lists.boundaries(lists.read(file))
    is_written = False

    def software(simulation: Simulation) -> None:
        nonlocal is_written
        if not is_written:
            for registers in simulation.registers_of(KIND):
                table.write(registers, boundaries)
            is_written = True

    return software
