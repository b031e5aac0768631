# SPDX-License-Identifier: Apache-2.0
"""Simulated annealing: good positions quickly, for any routing algorithm."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from bombus.analysis.placement.task import IN, OUT, Positions, Task, blocked, cost, links_between
from bombus.fabric.routing import Link, Position, eject, inject, routes


class Judge:
    """Fast measure of violations: channels in cycles, and overload."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.numbers: dict[object, int] = {}
        self.ways: dict[
            tuple[Position, Position, int], tuple[list[tuple[int, int]], set[Link]]
        ] = {}
        self.static = [
            {(self._number(held), self._number(needed)) for held, needed in waits}
            for waits in task.waits
        ]
        self.tile_nodes = {
            (tile, n): (self._number((IN, tile, n)), self._number((OUT, tile, n)))
            for tile in task.tiles
            for n in range(len(task.routings))
        }

    def _number(self, node: object) -> int:
        return self.numbers.setdefault(node, len(self.numbers))

    def _way(self, a: Position, b: Position, n: int) -> tuple[list[tuple[int, int]], set[Link]]:
        """Channels held and needed in network n; injection and ejection ports are negative."""
        if (a, b, n) not in self.ways:
            routing = self.task.routings[n]
            ends = {inject(a, routing.network): -1, eject(b, routing.network): -2}
            edges = [
                (
                    ends[held] if held in ends else self._number(held),
                    ends[needed] if needed in ends else self._number(needed),
                )
                for held, needed in routes(routing, a, b)
            ]
            counts = self.task.must_not_cycle(n)
            self.ways[a, b, n] = edges if counts else [], links_between(routing, a, b)
        return self.ways[a, b, n]

    def faults(self, positions: Positions) -> tuple[int, int]:
        """Channels in cycles or behind them, and traffic units above link limits."""
        edges: set[tuple[int, int]] = set()
        loads: list[dict[Link, int]] = [{} for _ in self.task.routings]
        for (source, target, n), units in self.task.legs.items():
            way, links = self._way(positions[source], positions[target], n)
            here, there = self.tile_nodes[source, n][0], self.tile_nodes[target, n][1]
            load = loads[n]
            for held, needed in way:
                edges.add((held if held >= 0 else here, needed if needed >= 0 else there))
            for link in links:
                load[link] = load.get(link, 0) + units
        over = sum(
            max(0, units - limit)
            for load, limit in zip(loads, self.task.limits, strict=True)
            for units in load.values()
        )
        return sum(_knotted(edges | waits) for waits in self.static), over


def _knotted(edges: set[tuple[int, int]]) -> int:
    """Number of nodes left after repeatedly removing those that wait for nothing."""
    behind: dict[int, list[int]] = {}
    waits: dict[int, int] = {}
    for held, needed in edges:
        behind.setdefault(needed, []).append(held)
        waits[held] = waits.get(held, 0) + 1
    free = [node for node in behind if node not in waits]
    while free:
        for node in behind.get(free.pop(), ()):
            waits[node] -= 1
            if not waits[node]:
                del waits[node]
                free.append(node)
    return len(waits)


def anneal(
    task: Task,
    start: Positions,
    steps: int,
    *,
    accepts: Callable[[Positions], bool] = lambda _: True,
    unblocks: bool = False,
) -> Positions | None:
    """Valid positions, short if possible; None if none were found.

    `accepts` is called for candidates that would be the best so far. `unblocks`: `start` is already
    short; among equally short positions, looks for those with the fewest legs behind slow tiles.
    """
    movable = [tile for tile in task.tiles if tile not in task.fixed]
    cells = [cell for cell in task.cells if cell not in task.fixed.values()]
    if not movable or len(cells) < 2:
        judge = Judge(task)
        return dict(start) if judge.faults(start) == (0, 0) and accepts(start) else None
    judge = Judge(task)
    choose = random.Random(1)
    positions = dict(start)
    owner = {at: tile for tile, at in positions.items()}
    mean = max(1.0, sum(task.legs.values()) / max(1, len(task.legs)))
    shortest = cost(task, start)
    weight = mean / 2  # less than the cost of one more hop

    def energy() -> tuple[float, bool]:
        knotted, over = judge.faults(positions)
        hops = cost(task, positions)
        fits = not (knotted or over) and not (unblocks and hops > shortest)
        waiting = weight * blocked(task, positions) if unblocks else 0
        return hops + waiting + 1.5 * mean * knotted + 10 * over, fits

    def swap(tile: str, cell: Position) -> None:
        other = owner.get(cell)
        old = positions[tile]
        positions[tile] = cell
        owner[cell] = tile
        if other is None:
            del owner[old]
        else:
            positions[other] = old
            owner[old] = other

    now, fits = energy()
    best, best_cost = (dict(positions), now) if fits and accepts(start) else (None, math.inf)
    hot, cold = (1.0 if unblocks else 3.0) * mean, 0.05 * mean
    for i in range(steps):
        temperature = hot * (cold / hot) ** (i / steps)
        tile = choose.choice(movable)
        cell = choose.choice(cells)
        old = positions[tile]
        if cell == old:
            continue
        swap(tile, cell)
        then, fits = energy()
        if then <= now or choose.random() < math.exp((now - then) / temperature):
            if fits and then < best_cost:
                if not accepts(positions):
                    swap(tile, old)
                    continue
                best, best_cost = dict(positions), then
            now = then
        else:
            swap(tile, old)
    return best
