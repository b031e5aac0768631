# SPDX-License-Identifier: Apache-2.0
"""Placement by a solver: no deadlock, short routes for heavy traffic.

`solve` looks for positions with the least traffic times hops among those whose
resource graph has no cycle and whose links carry no more than they may. It starts
from simulated annealing, which works on any fabric, and hands the result as a hint to
OR-tools CP-SAT, which improves it, proves it best, or proves that nothing is possible.
The effort is counted in steps, not in seconds, so the same design gets the same
positions everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NoReturn

import networkx as nx

from bombus.analysis import deadlock
from bombus.analysis.placement.annealing import Judge, anneal
from bombus.analysis.placement.constraints import PlacementModel
from bombus.analysis.placement.task import (
    IN,
    LAYER,
    OUT,
    UNIT,
    Node,
    Positions,
    Task,
    blocked,
    cost,
    loads,
    tangled_tiles,
    task_of,
)
from bombus.analysis.placement.windows import Windows
from bombus.base.errors import DesignError
from bombus.base.text import listing
from bombus.design.elements import Input
from bombus.design.facts import Facts
from bombus.design.knots import shortest_cycle
from bombus.design.resolved import Design
from bombus.fabric.routing import Position

_ANNEALING_STEPS = 800  # for each tile
_WINDOW_CHECKS = 40  # per unit of effort: positions for which windows are computed
_ROUNDS = 20  # cycles forbidden one by one, on fabrics whose routing is not in the CP-SAT model
DEFAULT_EFFORT = 5.0


@dataclass(frozen=True)
class Placed:
    """Result of the solver."""

    positions: Positions  # of every tile with layers
    gbps_hops: float  # sum over all next hops: expected Gbit/s times links on the route
    max_load: float  # of a link, as a fraction of its capacity
    is_best: bool  # proven to be the shortest
    blocked: int  # routes that share a queue with messages for slow tiles


def given(design: Design, *, move: bool = False) -> Positions:
    """The fixed positions: those of the design file; with `move`, only of tiles with a MAC."""
    with_mac = {layer.tile.name for layer in design.layers() if layer.kind.mac_ports}
    return {
        tile.name: tile.at
        for tile in design.config.instances
        if tile.at and (not move or tile.name in with_mac)
    }


def solve(facts: Facts, fixed: Mapping[str, Position], effort: float = DEFAULT_EFFORT) -> Placed:
    """The best positions found for a resolved design, with the tiles of `fixed` kept in place.

    `effort`: CP-SAT's deterministic time, roughly in seconds. Raises DesignError if no valid
    positions exist, or none are found.
    """
    design = facts.design
    task = task_of(facts, fixed)
    _refuse_hopeless(task)
    judge = Judge(task)
    windows = Windows(task, most=round(_WINDOW_CHECKS * max(1.0, effort)))
    steps = _ANNEALING_STEPS * len(task.tiles)
    best = anneal(task, _start(task), steps, accepts=windows.hold)
    model = PlacementModel(task)
    model.minimise()
    is_best = False
    is_whole = not task.is_analysed and all(
        task.routings[leg.network].algorithm == "xy" for leg in task.ordered()
    )
    rounds = 1 if is_whole else _ROUNDS
    for _ in range(rounds):
        if best:
            model.hint(best)
        status, found = model.solve(effort / rounds)
        if status == "INFEASIBLE" and not best and not windows.refused:
            _explain(task, effort)
        if not found:
            break
        knot = tangled_tiles(task, found) or (set() if windows.hold(found) else set(task.tiles))
        if knot:
            model.forbid(found, knot)
            continue
        if judge.faults(found) == (0, 0) and (not best or cost(task, found) < cost(task, best)):
            best = found
        is_best = status == "OPTIMAL"
        break
    if best is None:
        message = "no placement found with this effort; a larger --effort may find one"
        if windows.refused:
            message += f". At the last positions tried: {windows.refused}"
        raise _no(task, message)
    best = _unblocked(task, judge, windows, model, best, effort / 2)
    capacities = [network.capacity(design.config.clock_mhz) for network in design.networks]
    unit = design.config.line_rate_gbps / UNIT
    parts = [units * unit / capacities[n] for (n, _), units in loads(task, best).items()]
    return Placed(
        positions=best,
        gbps_hops=cost(task, best) * unit,
        max_load=max(parts, default=0),
        is_best=is_best,
        blocked=blocked(task, best),
    )


def _unblocked(
    task: Task,
    judge: Judge,
    windows: Windows,
    model: PlacementModel,
    best: Positions,
    effort: float,
) -> Positions:
    """Among positions as short as the best, those found with the fewest routes behind slow
    tiles.
    """
    if not blocked(task, best):
        return best
    steps = _ANNEALING_STEPS * len(task.tiles)
    best = anneal(task, best, steps, accepts=windows.hold, unblocks=True) or best
    # CP-SAT models queues only as those of links.
    if all(task.queues_are_links[leg.network] for leg in task.held()):
        model.unblock(cost(task, best))
        model.hint(best)
        _, found = model.solve(effort)
        if (
            found
            and judge.faults(found) == (0, 0)
            and cost(task, found) <= cost(task, best)
            and blocked(task, found) < blocked(task, best)
        ):
            best = found
    return best


def _start(task: Task) -> Positions:
    """The fixed positions; other tiles in the order of the design file."""
    free = iter([cell for cell in task.cells if cell not in task.fixed.values()])
    return {tile: task.fixed[tile] if tile in task.fixed else next(free) for tile in task.tiles}


# ---- Infeasible designs ----


def _no(task: Task, message: str, tile: str | None = None) -> DesignError:
    design = task.facts.design
    loc = next((found.loc for found in design.tiles if found.name == tile), ("tiles",))
    return DesignError([design.file.problem(loc, message)])


def _refuse_hopeless(task: Task) -> None:
    """Raises DesignError for problems that can be found without a search."""
    design = task.facts.design
    config = design.config
    # True for every placement: a message that holds an injection port needs another tile's ejection
    # port.
    legs = [
        ((IN, leg.source, leg.network), (OUT, leg.target, leg.network)) for leg in task.ordered()
    ]
    cycles = (shortest_cycle(nx.DiGraph([*each, *legs])) for each in task.waits)
    if cycle := min(filter(None, cycles), key=len, default=None):
        names = _tiles_of(cycle)
        way = " -> ".join([*names, names[0]] if len(names) > 1 else names)
        what = "a chain of messages revisits a tile"
        if any(each.stream.waits_for_inputs for each in _inputs_of(cycle, design)):
            what = "an input waits for messages that wait for it"
        raise _no(
            task,
            f"no placement avoids the deadlock: {what} ({way}). "
            f"Duplicate a tile, put a layer on the path that always takes its input, or let some "
            f"messages use another network",
            names[0],
        )
    between = tuple(
        hop
        for hop in design.hops
        if hop.target and {hop.source.tile.name, hop.target.tile.name} <= set(task.fixed)
    )
    found = deadlock.open_cycles(Facts(replace(design, hops=between)))
    if found:
        text = str(found[0]).replace(
            "deadlock:", "deadlock at the positions given in the design file:", 1
        )
        raise _no(task, text, found[0].legs[0].hop.source.tile.name)
    for (source, target, n), units in task.legs.items():
        network = design.networks[n]
        if units > task.limits[n]:
            capacity = network.capacity(config.clock_mhz)
            raise _no(
                task,
                f"{source} -> {target} has an expected load of "
                f"{units * config.line_rate_gbps / UNIT:g} Gbit/s, above max_load "
                f"{network.given.max_load:g} of a link of {capacity:g} Gbit/s, wherever the tiles "
                f"are; give the shares of the next hops by `traffic`, or the network a fabric with "
                f"a higher `max_load`",
                source,
            )


def _tiles_of(cycle: list[Node]) -> list[str]:
    """Names of the tiles that a cycle passes, in order."""
    names = [name.partition(".")[0] if kind == LAYER else name for kind, name, _ in cycle]
    pairs = zip(names, names[-1:] + names[:-1], strict=True)
    return [name for name, before in pairs if name != before] or names[:1]


def _inputs_of(cycle: list[Node], design: Design) -> list[Input]:
    named = {f"{each.layer.full_name}.{each.name}": each for each in design.inputs()}
    return [named[name] for kind, name, _ in cycle if kind == LAYER]


def _explain(task: Task, effort: float) -> NoReturn:
    """Finds the constraint that cannot be met, by leaving them out one by one."""

    def possible(task: Task, **without: bool) -> bool:
        status, _ = PlacementModel(task, **without).solve(effort)
        return status in ("OPTIMAL", "FEASIBLE")

    reasons = []
    if possible(task, order=False):
        reasons.append("every placement can deadlock")
    if possible(task, load=False):
        limits = listing(dict.fromkeys(f"{n.given.max_load:g}" for n in task.facts.design.networks))
        reasons.append(f"every placement exceeds max_load {limits} on a link")
    message = f"no placement on a mesh of {task.columns} x {task.rows} fits: " + (
        " or ".join(reasons) or "every placement can deadlock or exceeds max_load"
    )
    fixed = dict(task.fixed)
    culprits = [
        tile
        for tile in fixed
        if possible(replace(task, fixed={name: at for name, at in fixed.items() if name != tile}))
    ]
    if culprits:
        names = listing((f"{tile!r} at {fixed[tile]}" for tile in culprits), "or")
        message += f"; there is one if the position of {names} is removed"
    elif fixed and possible(task, fixed=False):
        names = listing(map(repr, fixed))
        message += f"; there is one if the positions of {names} are removed"
    raise _no(task, message, next(iter(culprits or fixed), None))
