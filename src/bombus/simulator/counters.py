# SPDX-License-Identifier: Apache-2.0
"""Counters of a mesh: as a table, and as the difference between two readings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table

Counters = Mapping[str, Mapping[str, int]]  # by tile and name

DROP = "drop."
EVENT = "event."


def difference(after: Counters, before: Counters) -> dict[str, dict[str, int]]:
    """Difference of counters between two readings."""
    return {
        tile: {name: value - before[tile][name] for name, value in values.items()}
        for tile, values in after.items()
    }


def with_prefix(values: Mapping[str, int], prefix: str) -> dict[str, int]:
    """The nonzero counters with a prefix, by the rest of their names."""
    return {
        name.removeprefix(prefix): value
        for name, value in values.items()
        if name.startswith(prefix) and value
    }


def dropped(counters: Counters) -> int:
    """All drops of a mesh."""
    return sum(sum(with_prefix(values, DROP).values()) for values in counters.values())


def _lines(tile: str, values: Mapping[str, int]) -> list[str]:
    """`layer name count`, without the layer's name if it equals the tile's. Blanks, not dots, so
    that lines can be wrapped.
    """
    return [
        f"{name.removeprefix(tile + '.').replace('.', ' ')} {value:,}"
        for name, value in values.items()
    ]


def mesh_table(manifest: Mapping[str, Any], counters: Counters, title: str | None = None) -> Table:
    """A table with a row for each tile: messages in, out and dropped, and events.

    In and out: messages from and to the mesh, and frames from and to a MAC. Drops are named as such
    in words, not by their colour alone.
    """
    table = Table(title=title, title_justify="left")
    table.add_column("tile", style="bold", no_wrap=True)
    table.add_column("at", no_wrap=True)
    for heading in ("in", "bytes in", "out", "bytes out"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("drops and events")
    for tile in manifest["tiles"]:
        name = tile["name"]
        values = counters[name]
        numbers = (
            values.get(f"noc_{way}_{mesh}", 0) + values.get(f"mac_{way}_{mac}", 0)
            for way in ("in", "out")
            for mesh, mac in (("messages", "frames"), ("bytes", "bytes"))
        )
        drops = ", ".join(_lines(name, with_prefix(values, DROP)))
        events = ", ".join(_lines(name, with_prefix(values, EVENT)))
        table.add_row(
            name,
            f"({tile['x']}, {tile['y']})",
            *(f"{number:,}" for number in numbers),
            "; ".join(filter(None, (drops and f"[red]dropped: {drops}[/red]", events))),
        )
    return table
