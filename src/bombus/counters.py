"""Counters of a mesh, for reading: as a table, and as the difference of two moments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table

Counters = Mapping[str, Mapping[str, int]]  # by tile and name

DROP = "drop."
EVENT = "event."


def difference(after: Counters, before: Counters) -> dict[str, dict[str, int]]:
    """What was counted between two moments."""
    return {
        tile: {name: value - before[tile][name] for name, value in values.items()}
        for tile, values in after.items()
    }


def with_prefix(values: Mapping[str, int], prefix: str) -> dict[str, int]:
    """The counters of one sort that are not 0, by the rest of their names."""
    return {
        name.removeprefix(prefix): value
        for name, value in values.items()
        if name.startswith(prefix) and value
    }


def dropped(counters: Counters) -> int:
    """All drops of a mesh."""
    return sum(sum(with_prefix(values, DROP).values()) for values in counters.values())


def _listing(values: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {value:,}" for name, value in values.items())


def mesh_table(manifest: Mapping[str, Any], counters: Counters, title: str | None = None) -> Table:
    """A table with a row for each tile: messages and bytes from and to the mesh, drops, events."""
    table = Table(title=title, title_justify="left")
    table.add_column("tile", style="bold")
    table.add_column("at")
    for heading in ("messages in", "bytes in", "messages out", "bytes out"):
        table.add_column(heading, justify="right")
    table.add_column("dropped")
    table.add_column("events")
    for tile in manifest["tiles"]:
        values = counters[tile["name"]]
        numbers = (
            values.get(f"noc_{name}", 0)
            for name in ("in_messages", "in_bytes", "out_messages", "out_bytes")
        )
        table.add_row(
            tile["name"],
            f"{tile['x']},{tile['y']}",
            *(f"{number:,}" for number in numbers),
            _listing(with_prefix(values, DROP)),
            _listing(with_prefix(values, EVENT)),
        )
    return table
