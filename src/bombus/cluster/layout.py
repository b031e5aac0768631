# SPDX-License-Identifier: Apache-2.0
"""Where boards are in pictures of a cluster: column and row, as fractions where they need them."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin

import networkx as nx

from bombus.cluster.topology import Topology

Point = tuple[float, float]

_ROW = 5  # boards of a bar in a row
_CLEAR = 0.3  # of a line from the centre of a board that it passes


def positions(topology: Topology) -> list[Point]:
    """The centre of each board, neighbours at least 1 apart; y grows downwards.

    A bar is a snake, a torus a grid; all others lie on a circle, or by springs if they are large.
    """
    count = topology.boards
    degrees = [degree for _, degree in topology.graph.degree()]
    if count <= 2 or _is_path(topology):
        return _snake(topology)
    if columns := _columns(topology):
        return [(float(n % columns), float(n // columns)) for n in range(count)]
    if count <= 16 or max(degrees) <= 2:
        radius = max(1.0, 0.65 / sin(pi / count))
        turns = [2 * pi * n / count - pi / 2 for n in range(count)]
        return [(radius * (1 + cos(turn)), radius * (1 + sin(turn))) for turn in turns]
    found = nx.spring_layout(topology.graph, seed=1, iterations=200, scale=count**0.5)
    left, top = (min(at[axis] for at in found.values()) for axis in (0, 1))
    return [(float(found[n][0] - left), float(found[n][1] - top)) for n in range(count)]


def _is_path(topology: Topology) -> bool:
    graph = topology.graph
    return graph.number_of_edges() == topology.boards - 1 and all(
        degree <= 2 for _, degree in graph.degree()
    )


def _snake(topology: Topology) -> list[Point]:
    """A path, in rows that run in turn to the right and to the left."""
    graph = topology.graph
    ends = [board for board, degree in graph.degree() if degree <= 1]
    order = list(nx.dfs_preorder_nodes(graph, min(ends)))
    found: dict[int, Point] = {}
    for place, board in enumerate(order):
        row, column = divmod(place, _ROW)
        found[board] = float(_ROW - 1 - column if row % 2 else column), float(row)
    return [found[board] for board in range(topology.boards)]


def _columns(topology: Topology) -> int | None:
    """Columns of a grid, closed or not, that a topology is, numbered row by row."""
    pairs = {frozenset((link.board_a, link.board_b)) for link in topology.links}
    count = topology.boards
    for columns in range(2, count // 2 + 1):
        if count % columns:
            continue
        grid = {frozenset((n, n + 1)) for n in range(count - 1) if (n + 1) % columns}
        grid |= {frozenset((n, n + columns)) for n in range(count - columns)}
        closing = {frozenset((n, n + columns - 1)) for n in range(0, count, columns)}
        closing |= {frozenset((n, count - columns + n)) for n in range(columns)}
        if grid <= pairs <= grid | closing:
            return columns
    return None


def is_clear(places: Sequence[Point], one: int, other: int) -> bool:
    """Whether a line between two boards passes no other board."""
    (x0, y0), (x1, y1) = places[one], places[other]
    length = (x1 - x0) ** 2 + (y1 - y0) ** 2
    for board, (x, y) in enumerate(places):
        if board in (one, other):
            continue
        along = max(0.0, min(1.0, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length))
        if max(abs(x0 + along * (x1 - x0) - x), abs(y0 + along * (y1 - y0) - y)) < _CLEAR:
            return False
    return True


def stub(at: Point, away: Point, reach: Point) -> Point:
    """The end of a short line from a board's centre `at`, on the side away from another board.

    reach: its length if it is horizontal, and if it is vertical.
    """
    dx, dy = at[0] - away[0], at[1] - away[1]
    if abs(dx) >= abs(dy):
        return at[0] + (reach[0] if dx > 0 else -reach[0]), at[1]
    return at[0], at[1] + (reach[1] if dy > 0 else -reach[1])
