# SPDX-License-Identifier: Apache-2.0
"""Default positions for tiles that the design file does not place.

Deterministic: the tiles without position go, in the order of the file, along a
boustrophedon snake (east in even rows, west in odd ones) over the positions
that are free, so that tiles that follow each other in the file are neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from bombus.base.errors import Problem
from bombus.base.values import MAX_TILES
from bombus.design.config import DesignFile

Position = tuple[int, int]  # x, y


@dataclass(frozen=True)
class Placement:
    """The mesh's size in tiles and the position of each tile by name."""

    columns: int
    rows: int
    positions: dict[str, Position]
    problems: list[Problem]


def _size(file: DesignFile) -> Position:
    """The size given, or the smallest, nearly square one that holds all tiles."""
    config = file.config
    given = [tile.at for tile in config.instances if tile.at]
    count = len(config.instances)
    columns = max([x + 1 for x, _ in given], default=1)
    rows = max([y + 1 for _, y in given], default=1)
    fixed_columns, fixed_rows = config.grid.columns, config.grid.rows
    if fixed_columns and fixed_rows:
        return fixed_columns, fixed_rows
    if fixed_columns:
        return fixed_columns, max(rows, math.ceil(count / fixed_columns))
    if fixed_rows:
        return max(columns, math.ceil(count / fixed_rows)), fixed_rows
    sizes = ((wide, max(rows, math.ceil(count / wide))) for wide in range(columns, columns + count))
    return min(
        sizes,
        key=lambda size: (math.prod(size) > MAX_TILES, max(size), math.prod(size), -size[0]),
    )


def _snake(columns: int, rows: int) -> Iterator[Position]:
    for y in range(rows):
        for x in range(columns) if y % 2 == 0 else reversed(range(columns)):
            yield x, y


def _too_large(file: DesignFile, columns: int, rows: int) -> Problem:
    """The problem of a mesh with too many tiles."""
    message = (
        f"the mesh of {columns} x {rows} has {columns * rows} tiles, empty ones included; "
        f"the maximum is {MAX_TILES} tiles"
    )
    grid, placed = file.config.grid, [tile for tile in file.config.instances if tile.at]
    if grid.columns or grid.rows:
        loc = (*file.config.network_loc(0), "fabric", "columns" if grid.columns else "rows")
        return file.problem(loc, message)
    if not placed:
        return file.problem(("tiles",), message)
    far = max(placed, key=lambda tile: max(tile.at or ()))
    return file.problem(far.at_loc, f"tile {far.name!r} is at {far.at}: {message}")


def place(file: DesignFile) -> Placement:
    """Gives every tile a position, and reports tiles that cannot have theirs."""
    columns, rows = _size(file)
    if columns * rows > MAX_TILES:
        return Placement(columns, rows, {}, [_too_large(file, columns, rows)])
    problems: list[Problem] = []
    positions: dict[str, Position] = {}
    owner: dict[Position, str] = {}
    if (count := len(file.config.instances)) > columns * rows:
        message = f"a mesh of {columns} x {rows} is too small for {count} tiles"
        loc = (*file.config.network_loc(0), "fabric", "columns")
        return Placement(columns, rows, {}, [file.problem(loc, message)])
    for tile in file.config.instances:
        if tile.at is None:
            continue
        loc = tile.at_loc
        x, y = tile.at
        if x >= columns or y >= rows:
            message = f"tile {tile.name!r} is at ({x}, {y}), outside the mesh of {columns} x {rows}"
            problems.append(file.problem(loc, message))
        elif tile.at in owner:
            message = (
                f"tile {tile.name!r} is at ({x}, {y}), which tile {owner[tile.at]!r} "
                "already occupies"
            )
            problems.append(file.problem(loc, message))
        else:
            owner[tile.at] = tile.name
            positions[tile.name] = tile.at
    free = (position for position in _snake(columns, rows) if position not in owner)
    for tile in file.config.instances:
        if tile.at is not None:
            continue
        positions[tile.name] = next(free)
    return Placement(columns, rows, positions, problems)
