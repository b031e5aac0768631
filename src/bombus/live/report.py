# SPDX-License-Identifier: Apache-2.0
"""Report of a live run: as a table, and as a JSON file."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from bombus.base.output import STDOUT, WriteError, check_writable, write_json
from bombus.live.interface import Interface
from bombus.simulator.counters import mesh_table
from bombus.simulator.simulation import Simulation


@dataclass(frozen=True)
class Totals:
    """The numbers of a run so far."""

    seconds: float
    cycles: int  # evaluated
    counters: dict[str, dict[str, int]]  # by tile and name
    ports: list[dict[str, Any]]  # Simulation.statistics() of each, and kernel_dropped
    errors: dict[str, int]

    @classmethod
    def of(cls, simulation: Simulation, interfaces: list[Interface], seconds: float) -> Totals:
        return cls(
            seconds=seconds,
            cycles=simulation.evaluated_cycles,
            counters=simulation.counters(),
            ports=[
                {**simulation.statistics(port), "kernel_dropped": interface.dropped()}
                for port, interface in enumerate(interfaces)
            ],
            errors=simulation.errors(),
        )


class Report:
    """A JSON file that is rewritten during a run, atomically.

    `-` is standard output. Standard output and anything but regular files get only the final
    numbers.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        check_writable(path)
        self._is_stream = path == STDOUT or (path.exists() and not path.is_file())
        self._has_failed = False

    def update(self, totals: Totals) -> str | None:
        """Writes the numbers so far. If that fails, such as on a full disk, returns the reason, the
        first time in a row.
        """
        if self._is_stream:
            return None
        had_failed = self._has_failed
        try:
            self._write(totals)
        except WriteError as error:
            self._has_failed = True
            return None if had_failed else f"{error}; the next report may be written again"
        self._has_failed = False
        return None

    def finish(self, totals: Totals) -> None:
        """Writes the final numbers."""
        self._write(totals)

    def _write(self, totals: Totals) -> None:
        write_json(asdict(totals), self.path)


def table(simulation: Simulation, interfaces: list[Interface], totals: Totals) -> Table:
    """Counters by tile; below, the traffic of each port."""
    shown = mesh_table(simulation.manifest, totals.counters)
    ports = []
    for port, (interface, numbers) in enumerate(zip(interfaces, totals.ports, strict=True)):
        parts = [f"mac{port}: {numbers['rx_frames']:,} frames in, {numbers['tx_frames']:,} out"]
        for name, meaning in (
            ("kernel_dropped", f"dropped by the kernel before {interface.name} was read"),
            ("file_errors", f"not taken by {interface.name}"),
            ("capture_lost", "missing in the capture"),
        ):
            if numbers[name]:
                parts.append(f"[red]{numbers[name]:,} {meaning}[/]")
        ports.append(", ".join(parts))
    cycles = f"{totals.cycles:,} cycles evaluated in {totals.seconds:.1f} s"
    shown.caption = "; ".join([*ports, cycles])
    shown.caption_justify = "left"
    return shown
