"""Positions for tiles by a solver: no cycle of channels, short ways for much traffic.

`solve` looks for positions with the least traffic times hops among those whose
resource graph has no cycle and whose links carry no more than they may. It starts
from simulated annealing, which works on any fabric, and hands the result as a hint to
OR-tools CP-SAT, which improves it, proves it best, or proves that nothing is possible.
The effort is counted in steps, not in seconds, so the same design gets the same
positions everywhere.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import NoReturn

import networkx as nx
from ortools.sat.python import cp_model

from bombus import deadlock, traffic
from bombus.errors import DesignError
from bombus.network import Layer, Network
from bombus.routing import OPPOSITE, STEPS, Link, Position, eject, inject, routes, step
from bombus.text import listing

_UNIT = 1000  # traffic is counted in these parts of the line rate
_ANNEALING_STEPS = 800  # for each tile
_WORKERS = 4  # strategies of CP-SAT that take turns in one thread
_ROUNDS = 20  # cycles forbidden one by one, on fabrics whose routing CP-SAT is not told
DEFAULT_EFFORT = 5.0

Positions = dict[str, Position]


@dataclass(frozen=True)
class Placed:
    """What the solver found."""

    positions: Positions  # of every tile with layers
    gbps_hops: float  # sum over all next hops: expected Gbit/s times links on the way
    max_load: float  # of a link, as a part of what it can carry
    is_best: bool  # nothing shorter exists


def given(network: Network, *, move: bool = False) -> Positions:
    """The positions that stay: those of the design file; with `move`, only of tiles with a MAC."""
    with_mac = {layer.tile.name for layer in network.layers() if layer.kind.mac_ports}
    return {
        tile.name: tile.at
        for tile in network.design.instances
        if tile.at and (not move or tile.name in with_mac)
    }


@dataclass
class _Task:
    """A design as the solver sees it: tiles that send to each other on a mesh."""

    network: Network
    fixed: Mapping[str, Position]
    columns: int
    rows: int
    routing: tuple[str, str]
    tiles: list[str]
    legs: dict[tuple[str, str], int]  # traffic, in units
    waits: list[tuple[_Node, _Node]]  # inside tiles: held, needed
    limit: int  # units that a link may carry
    cells: list[Position] = field(init=False)

    def __post_init__(self) -> None:
        self.cells = [(x, y) for y, x in product(range(self.rows), range(self.columns))]

    @property
    def lossless(self) -> bool:
        return self.network.design.fabric.lossless


# A layer's input by name; the way of a tile into its router and out of it.
_Node = tuple[str, str]
_LAYER, _IN, _OUT = "layer", "in", "out"


def _task(network: Network, fixed: Mapping[str, Position]) -> _Task:
    design = network.design
    capacity = design.data_width * design.clock_mhz / 1000
    unit = design.line_rate_gbps / _UNIT
    legs: dict[tuple[str, str], int] = {}
    for hop, gbps in traffic.expected(network).items():
        if hop.target and not hop.in_tile:
            leg = hop.source.tile.name, hop.target.tile.name
            legs[leg] = legs.get(leg, 0) + max(1, round(gbps / unit))
    owner = {(tile.x, tile.y): tile.name for tile in network.tiles}

    def node(resource: deadlock.Resource) -> _Node:
        if isinstance(resource, Layer):
            return _LAYER, resource.full_name
        return (_IN if resource == inject(resource.at) else _OUT), owner[resource.at]

    waits = [
        (node(held), node(needed))
        for held, needed in deadlock.resource_graph(network).edges
        if isinstance(held, Layer) or isinstance(needed, Layer)
    ]
    return _Task(
        network=network,
        fixed=fixed,
        columns=network.columns,
        rows=network.rows,
        routing=network.routing,
        tiles=[tile.name for tile in network.tiles if tile.layers],
        legs=legs,
        waits=waits,
        limit=int(design.fabric.max_load * capacity / unit),
    )


def _loads(task: _Task, positions: Positions) -> dict[Link, int]:
    """Traffic on each link; where there are several ways, each link that may be taken counts."""
    loads: dict[Link, int] = {}
    for (source, target), units in task.legs.items():
        for link in _links(task.routing, positions[source], positions[target]):
            loads[link] = loads.get(link, 0) + units
    return loads


def _links(routing: tuple[str, str], source: Position, target: Position) -> set[Link]:
    channels = {channel for edge in routes(*routing, source, target) for channel in edge}
    return {channel.link for channel in channels if channel.link}


def _cost(task: _Task, positions: Positions) -> int:
    """Traffic times hops."""
    return sum(
        units * _distance(positions[source], positions[target])
        for (source, target), units in task.legs.items()
    )


def _distance(a: Position, b: Position) -> int:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


# ---- Simulated annealing ----


class _Judge:
    """How far positions are from fitting: channels in cycles and overload, fast."""

    def __init__(self, task: _Task) -> None:
        self.task = task
        self.numbers: dict[object, int] = {}
        self.ways: dict[tuple[Position, Position], tuple[list[tuple[int, int]], set[Link]]] = {}
        self.static = [(self._number(held), self._number(needed)) for held, needed in task.waits]
        self.tile_nodes = {
            tile: (self._number((_IN, tile)), self._number((_OUT, tile))) for tile in task.tiles
        }

    def _number(self, node: object) -> int:
        return self.numbers.setdefault(node, len(self.numbers))

    def _way(self, a: Position, b: Position) -> tuple[list[tuple[int, int]], set[Link]]:
        """Channels held and needed; the tiles' own ways into and out of routers are negative."""
        if (a, b) not in self.ways:
            ends = {inject(a): -1, eject(b): -2}
            edges = [
                (
                    ends[held] if held in ends else self._number(held),
                    ends[needed] if needed in ends else self._number(needed),
                )
                for held, needed in routes(*self.task.routing, a, b)
            ]
            self.ways[a, b] = edges, _links(self.task.routing, a, b)
        return self.ways[a, b]

    def faults(self, positions: Positions) -> tuple[int, int]:
        """Channels that are in cycles or behind them; units beyond what links may carry."""
        edges = set(self.static)
        loads: dict[Link, int] = {}
        for (source, target), units in self.task.legs.items():
            way, links = self._way(positions[source], positions[target])
            here, there = self.tile_nodes[source][0], self.tile_nodes[target][1]
            for held, needed in way:
                edges.add((held if held >= 0 else here, needed if needed >= 0 else there))
            for link in links:
                loads[link] = loads.get(link, 0) + units
        over = sum(load - self.task.limit for load in loads.values() if load > self.task.limit)
        return (_knotted(edges) if self.task.lossless else 0), over


def _knotted(edges: set[tuple[int, int]]) -> int:
    """How many nodes are left when those that wait for nothing are taken away again and again."""
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


def _anneal(task: _Task, start: Positions, steps: int) -> Positions | None:
    """Positions that fit, short if possible; None: none were found."""
    movable = [tile for tile in task.tiles if tile not in task.fixed]
    cells = [cell for cell in task.cells if cell not in task.fixed.values()]
    if not movable or len(cells) < 2:
        judge = _Judge(task)
        return dict(start) if judge.faults(start) == (0, 0) else None
    judge = _Judge(task)
    choose = random.Random(1)
    positions = dict(start)
    owner = {at: tile for tile, at in positions.items()}
    mean = max(1.0, sum(task.legs.values()) / max(1, len(task.legs)))

    def energy() -> tuple[float, bool]:
        knotted, over = judge.faults(positions)
        return _cost(task, positions) + 1.5 * mean * knotted + 10 * over, not (knotted or over)

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
    best, best_cost = (dict(positions), now) if fits else (None, math.inf)
    hot, cold = 3.0 * mean, 0.05 * mean
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
            now = then
            if fits and now < best_cost:
                best, best_cost = dict(positions), now
        else:
            swap(tile, old)
    return best


# ---- CP-SAT ----


class _Model:
    """The constraints and the aim, for CP-SAT.

    A tile's position is told by booleans "x is at most i", "x is i", and so for y. For each
    leg and link a boolean is true at least if the way along x first, then along y takes the link.
    Where that is the fabric's routing, channels get numbers that grow along every edge of the
    resource graph, which is possible only without a cycle. For the other algorithms, cycles that
    come up are forbidden one by one.
    """

    def __init__(self, task: _Task, *, fixed: bool = True, load: bool = True, order: bool = True):
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
        taken = {leg: self._taken(*leg) for leg in task.legs}
        if load:
            self._limit_load(taken)
        if order and task.lossless:
            self._order(taken)

    def minimise(self) -> None:
        self.model.minimize(sum(self.task.legs[leg] * hops for leg, hops in self.hops.items()))

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

    def _hops(self, source: str, target: str) -> cp_model.LinearExprT:
        dx = self.model.new_int_var(0, self.task.columns - 1, "")
        dy = self.model.new_int_var(0, self.task.rows - 1, "")
        self.model.add_abs_equality(dx, self.x[source] - self.x[target])
        self.model.add_abs_equality(dy, self.y[source] - self.y[target])
        self.model.add(dx + dy >= 1)
        return dx + dy

    def _taken(self, source: str, target: str) -> dict[Link, cp_model.IntVar]:
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

    def _limit_load(self, taken: dict[tuple[str, str], dict[Link, cp_model.IntVar]]) -> None:
        if sum(self.task.legs.values()) <= self.task.limit:
            return
        for link in next(iter(taken.values())):
            load = sum(units * taken[leg][link] for leg, units in self.task.legs.items())
            self.model.add(load <= self.task.limit)

    def _order(self, taken: dict[tuple[str, str], dict[Link, cp_model.IntVar]]) -> None:
        if self.task.routing[1] != "xy":
            return
        model = self.model
        most = 4 * len(self.task.cells) + 3 * len(self.task.tiles)
        numbers: dict[object, cp_model.IntVar] = {}

        def number(node: object) -> cp_model.IntVar:
            if node not in numbers:
                numbers[node] = model.new_int_var(0, most, "")
            return numbers[node]

        for held, needed in self.task.waits:
            model.add(number(held) < number(needed))
        both: dict[tuple[Link, Link], cp_model.IntVar] = {}
        for (source, target), links in taken.items():
            for link, used in links.items():
                model.add(number((_IN, source)) < number(link)).only_enforce_if(used)
                model.add(number(link) < number((_OUT, target))).only_enforce_if(used)
                for following in _followers(link):
                    if following not in links:
                        continue
                    pair = link, following
                    if pair not in both:
                        both[pair] = model.new_bool_var("")
                        model.add(number(link) < number(following)).only_enforce_if(both[pair])
                    model.add_bool_or(~used, ~links[following], both[pair])

    def forbid(self, positions: Positions, tiles: set[str]) -> None:
        """These tiles are not at these positions all at once."""
        at = [
            ~self.equal[tile, axis, value]
            for tile in sorted(tiles)
            for axis, value in zip("xy", positions[tile], strict=True)
        ]
        self.model.add_bool_or(at)

    def solve(self, effort: float) -> tuple[str, Positions]:
        """Status in words of CP-SAT, and positions if there are any."""
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = _WORKERS
        solver.parameters.interleave_search = True
        solver.parameters.random_seed = 1
        solver.parameters.max_deterministic_time = effort
        # Ctrl-C ends the command; it does not take what has been found so far.
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


# ---- Both ----


def solve(
    network: Network, fixed: Mapping[str, Position], effort: float = DEFAULT_EFFORT
) -> Placed:
    """The best positions found for a resolved design whose tiles of `fixed` stay where they are.

    `effort`: CP-SAT's deterministic time, in seconds of some machine. Raises DesignError if
    no positions fit, or none are found.
    """
    task = _task(network, fixed)
    _refuse_hopeless(task)
    judge = _Judge(task)
    best = _anneal(task, _start(task), _ANNEALING_STEPS * len(task.tiles))
    model = _Model(task)
    model.minimise()
    is_best = False
    rounds = 1 if task.routing[1] == "xy" or not task.lossless else _ROUNDS
    for _ in range(rounds):
        if best:
            model.hint(best)
        status, found = model.solve(effort / rounds)
        if status == "INFEASIBLE" and not best:
            _explain(task, effort)
        if not found:
            break
        tangled = _tangled(task, found)
        if tangled:
            model.forbid(found, tangled)
            continue
        if judge.faults(found) == (0, 0) and (not best or _cost(task, found) < _cost(task, best)):
            best = found
        is_best = status == "OPTIMAL"
        break
    if best is None:
        raise _no(task, "no placement was found with this effort, and none was proved impossible")
    capacity = network.design.data_width * network.design.clock_mhz / 1000
    unit = network.design.line_rate_gbps / _UNIT
    return Placed(
        positions=best,
        gbps_hops=_cost(task, best) * unit,
        max_load=max(_loads(task, best).values(), default=0) * unit / capacity,
        is_best=is_best,
    )


def _start(task: _Task) -> Positions:
    """The fixed positions, the others as the design file's order gives them."""
    free = iter([cell for cell in task.cells if cell not in task.fixed.values()])
    return {tile: task.fixed[tile] if tile in task.fixed else next(free) for tile in task.tiles}


def _tangled(task: _Task, positions: Positions) -> set[str]:
    """Tiles whose messages form a cycle of channels; empty: there is none."""
    if not task.lossless:
        return set()
    graph: nx.DiGraph[object] = nx.DiGraph(task.waits)
    legs: dict[tuple[object, object], tuple[str, str]] = {}
    for source, target in task.legs:
        here, there = positions[source], positions[target]
        ends: dict[object, _Node] = {inject(here): (_IN, source), eject(there): (_OUT, target)}
        for held, needed in routes(*task.routing, here, there):
            edge = ends.get(held, held), ends.get(needed, needed)
            graph.add_edge(*edge)
            legs.setdefault(edge, (source, target))
    cycle = deadlock.shortest_cycle(graph) or []
    edges = zip(cycle, cycle[1:] + cycle[:1], strict=True)
    return {tile for edge in edges for tile in legs.get(edge, ())}


# ---- What cannot be ----


def _no(task: _Task, message: str, tile: str | None = None) -> DesignError:
    network = task.network
    loc = next((found.loc for found in network.tiles if found.name == tile), ("tiles",))
    return DesignError([network.file.problem(loc, message)])


def _refuse_hopeless(task: _Task) -> None:
    """Raises DesignError for what can be told without a search."""
    network, design = task.network, task.network.design
    if task.lossless:
        # Wherever the tiles stand: what holds a tile's way into its router needs another's out.
        legs = (((_IN, source), (_OUT, target)) for source, target in task.legs)
        cycle = deadlock.shortest_cycle(nx.DiGraph([*task.waits, *legs]))
        if cycle:
            names = [name for kind, name in cycle if kind == _OUT]
            way = " -> ".join([*names, names[0]])
            raise _no(
                task,
                f"no placement helps: messages come back to where they wait ({way}). Give the "
                "design a tile twice, or let a layer on the way always take its input",
                names[0],
            )
        between = [
            hop
            for hop in network.hops
            if hop.target and {hop.source.tile.name, hop.target.tile.name} <= set(task.fixed)
        ]
        found = deadlock.cycles(replace(network, hops=between))
        if found:
            text = str(found[0]).replace("\n", " at the positions given in the design file\n", 1)
            raise _no(task, text, found[0].legs[0].hop.source.tile.name)
    capacity = design.data_width * design.clock_mhz / 1000
    for (source, target), units in task.legs.items():
        if units > task.limit:
            raise _no(
                task,
                f"{source} -> {target} is expected to carry "
                f"{units * design.line_rate_gbps / _UNIT:g} Gbit/s, more than max_load "
                f"{design.fabric.max_load:g} lets a link of {capacity:g} Gbit/s carry",
                source,
            )


def _explain(task: _Task, effort: float) -> NoReturn:
    """Says which constraint cannot hold, by leaving out one after the other."""

    def possible(task: _Task, **without: bool) -> bool:
        status, _ = _Model(task, **without).solve(effort)
        return status in ("OPTIMAL", "FEASIBLE")

    reasons = []
    if possible(task, order=False):
        reasons.append("every placement has a ring of channels that wait for each other")
    if possible(task, load=False):
        limit = task.network.design.fabric.max_load
        reasons.append(f"every placement loads a link beyond max_load {limit:g}")
    message = f"no placement on a mesh of {task.columns} x {task.rows} fits: " + (
        " or ".join(reasons) or "every one has a ring of channels and a link beyond max_load"
    )
    fixed = dict(task.fixed)
    culprits = [
        tile
        for tile in fixed
        if possible(replace(task, fixed={name: at for name, at in fixed.items() if name != tile}))
    ]
    if culprits:
        names = listing((f"{tile!r} at {list(fixed[tile])}" for tile in culprits), "or")
        message += f"; there is one without the position of {names}"
    elif fixed and possible(task, fixed=False):
        names = listing(map(repr, fixed))
        message += f"; there is one without the positions of {names}"
    raise _no(task, message, next(iter(culprits or fixed), None))
