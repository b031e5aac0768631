"""Positions for the tiles that the design file gives none.

Deterministic: the tiles without position go, in the order of the file, along a
boustrophedon snake (east in even rows, west in odd ones) over the positions
that are free, so that tiles that follow each other in the file are neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from bombus.config import DesignFile
from bombus.errors import Problem

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
    design = file.design
    given = [tile.at for tile in design.instances if tile.at]
    count = len(design.instances)
    columns = max([x + 1 for x, _ in given], default=1)
    rows = max([y + 1 for _, y in given], default=1)
    fixed_columns, fixed_rows = design.fabric.columns, design.fabric.rows
    if fixed_columns and fixed_rows:
        return fixed_columns, fixed_rows
    if fixed_columns:
        return fixed_columns, max(rows, math.ceil(count / fixed_columns))
    if fixed_rows:
        return max(columns, math.ceil(count / fixed_rows)), fixed_rows
    while columns * rows < count:
        if columns <= rows:
            columns += 1
        else:
            rows += 1
    return columns, rows


def _snake(columns: int, rows: int) -> Iterator[Position]:
    for y in range(rows):
        for x in range(columns) if y % 2 == 0 else reversed(range(columns)):
            yield x, y


def place(file: DesignFile) -> Placement:
    """Gives every tile a position; problems tell of those that cannot have theirs."""
    columns, rows = _size(file)
    problems: list[Problem] = []
    positions: dict[str, Position] = {}
    owner: dict[Position, str] = {}
    if (count := len(file.design.instances)) > columns * rows:
        message = (
            f"a mesh of {columns} x {rows} is too small: it has room for {columns * rows} of "
            f"the {count} tiles"
        )
        return Placement(columns, rows, {}, [file.problem(("fabric", "columns"), message)])
    for tile in file.design.instances:
        if tile.at is None:
            continue
        loc = tile.at_loc
        x, y = tile.at
        if x >= columns or y >= rows:
            message = f"tile {tile.name!r} is at ({x}, {y}), outside the mesh of {columns} x {rows}"
            problems.append(file.problem(loc, message))
        elif tile.at in owner:
            message = f"tile {tile.name!r} is at ({x}, {y}), where tile {owner[tile.at]!r} is"
            problems.append(file.problem(loc, message))
        else:
            owner[tile.at] = tile.name
            positions[tile.name] = tile.at
    free = (position for position in _snake(columns, rows) if position not in owner)
    for tile in file.design.instances:
        if tile.at is not None:
            continue
        positions[tile.name] = next(free)
    return Placement(columns, rows, positions, problems)
