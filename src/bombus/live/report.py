# SPDX-License-Identifier: Apache-2.0
"""Report of a live run: as a table, and as a JSON file."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from bombus.base.errors import UserError
from bombus.live.interface import Interface
from bombus.simulator.counters import mesh_table
from bombus.simulator.simulation import Simulation

STANDARD_OUTPUT = Path("-")


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
    """A JSON file that is rewritten as a run goes on: whole at any time.

    `-` is standard output. That, and what is no regular file, gets the last numbers only.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._is_stream = path == STANDARD_OUTPUT or (path.exists() and not path.is_file())
        if path.is_dir():
            raise UserError(f"report {path}: this is a directory")

    def update(self, totals: Totals) -> None:
        """Writes what there is so far."""
        if not self._is_stream:
            self._write(totals)

    def finish(self, totals: Totals) -> None:
        """Writes the last numbers."""
        self._write(totals)

    def _write(self, totals: Totals) -> None:
        text = json.dumps(asdict(totals), indent=2) + "\n"
        try:
            if self.path == STANDARD_OUTPUT:
                sys.stdout.write(text)
                sys.stdout.flush()
            elif self._is_stream:
                with self.path.open("w") as file:
                    file.write(text)
            else:
                _replace(self.path.resolve(), text)
        except OSError as error:
            raise UserError(f"report {self.path}: {error.strerror}") from None


def _replace(path: Path, text: str) -> None:
    """Puts a new file in the place of one, whole or not at all."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~umask)
        Path(name).rename(path)
    except OSError:
        Path(name).unlink()
        raise


def table(simulation: Simulation, interfaces: list[Interface], totals: Totals) -> Table:
    """Counters by tile; what crossed each port below."""
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
    cycles = f"{totals.cycles:,} cycles in {totals.seconds:.1f} s"
    shown.caption = "; ".join([*ports, cycles])
    shown.caption_justify = "left"
    return shown
