# SPDX-License-Identifier: Apache-2.0
"""Software of a live run that gives matchers their rules.

Files are read at once, so that a bad one is reported before the run starts.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bombus.applications.intrusion_detection import load
from bombus.live.software import Software
from bombus.simulator.simulation import Simulation

KIND = "rule_matcher"


def rules(folder: Path, tell: Callable[[str], None]) -> Software:
    """Writes compiled rules into every `rule_matcher`, once, then tells their hits, a line each."""
    tables = load.read(folder)
    is_written = False

    def software(simulation: Simulation) -> None:
        nonlocal is_written
        for registers in simulation.registers_of(KIND):
            if not is_written:
                load.write(registers, tables)
                continue
            missing = ""
            try:
                found = load.hits(registers, tables)
            except load.MissingHitsError as error:
                found, missing = error.hits, str(error)
            for hit in found:
                tell(f"hit: sid {hit.sid}, {'exact' if hit.is_exact else 'prefilter'}")
            if missing:
                tell(missing)
        is_written = True

    return software
