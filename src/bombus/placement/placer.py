"""Positions for tiles by a solver: no cycle of channels, short ways for much traffic.

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

from bombus import deadlock
from bombus.errors import DesignError
from bombus.network import Network
from bombus.placement.annealing import Judge, anneal
from bombus.placement.constraints import Model
from bombus.placement.task import (
    IN,
    OUT,
    UNIT,
    Positions,
    Task,
    cost,
    loads,
    tangled_tiles,
    task_of,
)
from bombus.routing import Position
from bombus.text import listing

_ANNEALING_STEPS = 800  # for each tile
_ROUNDS = 20  # cycles forbidden one by one, on fabrics whose routing CP-SAT is not told
DEFAULT_EFFORT = 5.0


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


def solve(
    network: Network, fixed: Mapping[str, Position], effort: float = DEFAULT_EFFORT
) -> Placed:
    """The best positions found for a resolved design whose tiles of `fixed` stay where they are.

    `effort`: CP-SAT's deterministic time, in seconds of some machine. Raises DesignError if
    no positions fit, or none are found.
    """
    task = task_of(network, fixed)
    _refuse_hopeless(task)
    judge = Judge(task)
    best = anneal(task, _start(task), _ANNEALING_STEPS * len(task.tiles))
    model = Model(task)
    model.minimise()
    is_best = False
    rounds = 1 if task.routing.algorithm == "xy" or not task.lossless else _ROUNDS
    for _ in range(rounds):
        if best:
            model.hint(best)
        status, found = model.solve(effort / rounds)
        if status == "INFEASIBLE" and not best:
            _explain(task, effort)
        if not found:
            break
        knot = tangled_tiles(task, found)
        if knot:
            model.forbid(found, knot)
            continue
        if judge.faults(found) == (0, 0) and (not best or cost(task, found) < cost(task, best)):
            best = found
        is_best = status == "OPTIMAL"
        break
    if best is None:
        raise _no(task, "no placement was found with this effort, and none was proved impossible")
    capacity = network.design.data_width * network.design.clock_mhz / 1000
    unit = network.design.line_rate_gbps / UNIT
    return Placed(
        positions=best,
        gbps_hops=cost(task, best) * unit,
        max_load=max(loads(task, best).values(), default=0) * unit / capacity,
        is_best=is_best,
    )


def _start(task: Task) -> Positions:
    """The fixed positions, the others as the design file's order gives them."""
    free = iter([cell for cell in task.cells if cell not in task.fixed.values()])
    return {tile: task.fixed[tile] if tile in task.fixed else next(free) for tile in task.tiles}


# ---- What cannot be ----


def _no(task: Task, message: str, tile: str | None = None) -> DesignError:
    network = task.network
    loc = next((found.loc for found in network.tiles if found.name == tile), ("tiles",))
    return DesignError([network.file.problem(loc, message)])


def _refuse_hopeless(task: Task) -> None:
    """Raises DesignError for what can be told without a search."""
    network, design = task.network, task.network.design
    if task.lossless:
        # Wherever the tiles stand: what holds a tile's way into its router needs another's out.
        legs = (((IN, source), (OUT, target)) for source, target in task.legs)
        cycle = deadlock.shortest_cycle(nx.DiGraph([*task.waits, *legs]))
        if cycle:
            names = [name for kind, name in cycle if kind == OUT]
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
            text = str(found[0]).replace(
                "for ever:", "for ever at the positions given in the design file:", 1
            )
            raise _no(task, text, found[0].legs[0].hop.source.tile.name)
    capacity = design.data_width * design.clock_mhz / 1000
    for (source, target), units in task.legs.items():
        if units > task.limit:
            raise _no(
                task,
                f"{source} -> {target} is expected to carry "
                f"{units * design.line_rate_gbps / UNIT:g} Gbit/s, more than max_load "
                f"{design.fabric.max_load:g} lets a link of {capacity:g} Gbit/s carry",
                source,
            )


def _explain(task: Task, effort: float) -> NoReturn:
    """Says which constraint cannot hold, by leaving out one after the other."""

    def possible(task: Task, **without: bool) -> bool:
        status, _ = Model(task, **without).solve(effort)
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
        names = listing((f"{tile!r} at {fixed[tile]}" for tile in culprits), "or")
        message += f"; there is one without the position of {names}"
    elif fixed and possible(task, fixed=False):
        names = listing(map(repr, fixed))
        message += f"; there is one without the positions of {names}"
    raise _no(task, message, next(iter(culprits or fixed), None))
