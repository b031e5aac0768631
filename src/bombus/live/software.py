# SPDX-License-Identifier: Apache-2.0
"""Software beside a live run: what gives firewalls their lists and matchers their rules.

Each function returns a callable for `run(software=...)`, which is called with the simulation at the
start and then about ten times a second. Files are read at once, so that a bad one is reported
before the run starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from bombus.applications.firewall import blacklist as lists
from bombus.applications.firewall import table
from bombus.applications.intrusion_detection import load
from bombus.base.errors import UserError

if TYPE_CHECKING:
    from bombus.design.resolved import Design
    from bombus.simulator.simulation import Simulation

Software = Callable[["Simulation"], None]
BLACKLIST, MATCHER = "ip_blacklist", "rule_matcher"


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


def blacklist(file: Path) -> Software:
    """Writes a list of prefixes into every `ip_blacklist`, once."""
    boundaries = lists.boundaries(lists.read(file))
    is_written = False

    def software(simulation: Simulation) -> None:
        nonlocal is_written
        if not is_written:
            for registers in simulation.registers_of(BLACKLIST):
                table.write(registers, boundaries)
            is_written = True

    return software


def rules(folder: Path, tell: Callable[[str], None]) -> Software:
    """Writes compiled rules into every `rule_matcher`, once, then tells their hits, a line each."""
    tables = load.read(folder)
    is_written = False

    def software(simulation: Simulation) -> None:
        nonlocal is_written
        for registers in simulation.registers_of(MATCHER):
            if not is_written:
                load.write(registers, tables)
                continue
            lost = ""
            try:
                found = load.hits(registers, tables)
            except load.LostHitsError as error:
                found, lost = error.hits, str(error)
            for hit in found:
                tell(f"hit: sid {hit.sid}, {'exact' if hit.is_exact else 'prefilter'}")
            if lost:
                tell(lost)
        is_written = True

    return software
