# SPDX-License-Identifier: Apache-2.0
"""Placement constraints and objective for OR-tools CP-SAT."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from bombus.analysis.blocking import Leg
from bombus.analysis.placement.task import IN, OUT, Node, Positions, Task
from bombus.base.extras import extra
from bombus.fabric.routing import OPPOSITE, STEPS, Link, step

with extra("bombus place", "OR-tools", "place"):
    from ortools.sat.python import cp_model

_WORKERS = 4  # CP-SAT strategies, interleaved in one thread


class PlacementModel:
    """The constraints and the objective, for CP-SAT. A tile's position is encoded by booleans "x is
    at most i", "x is i", and likewise for y. For each leg and link, a boolean is true at least if
    the path along x first, then along y uses the link. If that is the fabric's routing, channels
    get numbers that increase along every edge of the resource graph, which is possible only without
    a cycle. For other algorithms, cycles are forbidden one by one as they are found.
    """

    def __init__(self, task: Task, *, fixed: bool = True, load: bool = True, order: bool = True):
        self.task = task
        self.model = cp_model.CpModel()
        self.x: dict[str, cp_model.IntVar] = {}
        self.y: dict[str, cp_model.IntVar] = {}
        self.up_to: dict[tuple[str, str, int], cp_model.LiteralT] = {}
        self.equal: dict[tuple[str, str, int], cp_model.LiteralT] = {}
        for tile in task.tiles:
            self.x[tile] = self._coordinate(tile, "x", task.columns)
            self.y[tile] = self._coordinate(tile, "y", task.rows)
        self.model.add_all_different(
            [self.y[tile] * task.columns + self.x[tile] for tile in task.tiles]
        )
        if fixed:
            for tile, (x, y) in task.fixed.items():
                self.model.add(self.x[tile] == x)
                self.model.add(self.y[tile] == y)
        self.hops = {leg: self._hops(*leg) for leg in task.legs}
        self.taken = taken = {leg: self._taken(*leg) for leg in task.legs}
        if load:
            self._limit_load(taken)
        if order:
            for waits in task.waits:
                self._order(waits)

    def minimise(self) -> None:
        self.model.minimize(sum(self.task.legs[leg] * hops for leg, hops in self.hops.items()))

    def unblock(self, shortest: int) -> None:
        """Changes the objective: as few legs behind slow tiles as possible, at the given traffic
        times hops.
        """
        traffic = sum(self.task.legs[leg] * hops for leg, hops in self.hops.items())
        self.model.add(traffic <= shortest)
        waiting: dict[tuple[int, str, Link], cp_model.IntVar] = {}
        held = self.task.held()
        for leg in held:
            if leg.target in self.task.slow:
                for link, used in self.taken[leg].items():
                    place = leg.network, leg.target, link
                    if place not in waiting:
                        waiting[place] = self.model.new_bool_var("")
                    self.model.add_implication(used, waiting[place])
        blocked = {leg: self.model.new_bool_var("") for leg in held}
        for (network, slow, link), waits in waiting.items():
            for leg, behind in blocked.items():
                if leg.network == network and leg.target != slow:
                    self.model.add_bool_or(~self.taken[leg][link], ~waits, behind)
        self.model.minimize(sum(blocked.values()))

    def hint(self, positions: Positions) -> None:
        self.model.clear_hints()  # type: ignore[no-untyped-call]
        for tile, (x, y) in positions.items():
            self.model.add_hint(self.x[tile], x)
            self.model.add_hint(self.y[tile], y)

    def _coordinate(self, tile: str, axis: str, count: int) -> cp_model.IntVar:
        model = self.model
        value = model.new_int_var(0, count - 1, f"{axis} of {tile}")
        for i in range(-1, count):
            if i in (-1, count - 1):
                self.up_to[tile, axis, i] = model.new_constant(int(i >= 0))
            else:
                below = self.up_to[tile, axis, i] = model.new_bool_var("")
                model.add(value <= i).only_enforce_if(below)
                model.add(value > i).only_enforce_if(~below)
            if i >= 0:
                there = self.equal[tile, axis, i] = model.new_bool_var("")
                model.add(value == i).only_enforce_if(there)
                model.add(value != i).only_enforce_if(~there)
        return value

    def _hops(self, source: str, target: str, _: int) -> cp_model.LinearExprT:
        dx = self.model.new_int_var(0, self.task.columns - 1, "")
        dy = self.model.new_int_var(0, self.task.rows - 1, "")
        self.model.add_abs_equality(dx, self.x[source] - self.x[target])
        self.model.add_abs_equality(dy, self.y[source] - self.y[target])
        self.model.add(dx + dy >= 1)
        return dx + dy

    def _taken(self, source: str, target: str, _: int) -> dict[Link, cp_model.IntVar]:
        taken: dict[Link, cp_model.IntVar] = {}
        for (x, y), (direction, (dx, dy)) in product(self.task.cells, STEPS.items()):
            to = x + dx, y + dy
            if to not in self.task.cells:
                continue
            # The link crosses from one side of a line to the other, in the source's row or in
            # the target's column.
            axis, low = ("x", min(x, to[0])) if dx else ("y", min(y, to[1]))
            first, last = (source, target) if direction in ("east", "south") else (target, source)
            turn = self.equal[source, "y", y] if dx else self.equal[target, "x", x]
            used = taken[(x, y), to] = self.model.new_bool_var("")
            self.model.add_bool_or(
                ~self.up_to[first, axis, low], self.up_to[last, axis, low], ~turn, used
            )
        return taken

    def _limit_load(self, taken: dict[Leg, dict[Link, cp_model.IntVar]]) -> None:
        for network, limit in enumerate(self.task.limits):
            legs = {leg: units for leg, units in self.task.legs.items() if leg.network == network}
            if sum(legs.values()) <= limit:
                continue
            for link in taken[next(iter(legs))]:
                load = sum(units * taken[leg][link] for leg, units in legs.items())
                self.model.add(load <= limit)

    def _order(self, waits: Iterable[tuple[Node, Node]]) -> None:
        """Orders the channels; for other algorithms only the nodes inside tiles."""
        model = self.model
        num_networks = len(self.task.routings)
        most = (4 * len(self.task.cells) + 3 * len(self.task.tiles)) * num_networks
        numbers: dict[object, cp_model.IntVar] = {}

        def number(node: object) -> cp_model.IntVar:
            if node not in numbers:
                numbers[node] = model.new_int_var(0, most, "")
            return numbers[node]

        for held, needed in waits:
            model.add(number(held) < number(needed))
        both: dict[tuple[int, Link, Link], cp_model.IntVar] = {}
        for leg in self.task.ordered():
            links, n = self.taken[leg], leg.network
            if self.task.routings[n].algorithm != "xy":
                continue
            into, out_of = number((IN, leg.source, n)), number((OUT, leg.target, n))
            for link, used in links.items():
                model.add(into < number((n, link))).only_enforce_if(used)
                model.add(number((n, link)) < out_of).only_enforce_if(used)
                for following in _followers(link):
                    if following not in links:
                        continue
                    pair = n, link, following
                    if pair not in both:
                        both[pair] = model.new_bool_var("")
                        model.add(number((n, link)) < number((n, following))).only_enforce_if(
                            both[pair]
                        )
                    model.add_bool_or(~used, ~links[following], both[pair])

    def forbid(self, positions: Positions, tiles: set[str]) -> None:
        """Forbids that all these tiles are at these positions."""
        at = [
            ~self.equal[tile, axis, value]
            for tile in sorted(tiles)
            for axis, value in zip("xy", positions[tile], strict=True)
        ]
        self.model.add_bool_or(at)

    def solve(self, effort: float) -> tuple[str, Positions]:
        """CP-SAT's status, and positions if there are any."""
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = _WORKERS
        solver.parameters.interleave_search = True
        solver.parameters.random_seed = 1
        solver.parameters.max_deterministic_time = effort
        # Ctrl-C ends the command instead of returning the best result so far.
        solver.parameters.catch_sigint_signal = False
        status = solver.solve(self.model)
        positions: Positions = {}
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            positions = {
                tile: (solver.value(self.x[tile]), solver.value(self.y[tile]))
                for tile in self.task.tiles
            }
        return solver.status_name(status), positions


def _followers(link: Link) -> Iterator[Link]:
    """Links that a message may take after a link, going along x first."""
    (x0, y0), at = link
    straight = next(name for name, move in STEPS.items() if step((x0, y0), name) == at)
    for direction in STEPS:
        if direction == OPPOSITE[straight]:
            continue
        if straight in ("north", "south") and direction != straight:
            continue
        yield at, step(at, direction)
