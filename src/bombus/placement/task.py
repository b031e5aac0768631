# SPDX-License-Identifier: Apache-2.0
"""The placement problem: traffic between tiles, free and occupied cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product

import networkx as nx

from bombus.analysis import deadlock
from bombus.analysis import load as traffic
from bombus.design.resolved import Design, Input, Resource
from bombus.fabric.routing import Link, Position, Routing, eject, inject, routes

Positions = dict[str, Position]

UNIT = 1000  # traffic is counted in these parts of the line rate


@dataclass
class Task:
    """A design as the solver sees it: tiles that send to each other on a mesh."""

    design: Design
    fixed: Mapping[str, Position]
    columns: int
    rows: int
    routing: Routing
    tiles: list[str]
    legs: dict[tuple[str, str], int]  # traffic, in units
    waits: list[tuple[Node, Node]]  # inside tiles: held, needed
    limit: int  # units that a link may carry
    cells: list[Position] = field(init=False)

    def __post_init__(self) -> None:
        self.cells = [(x, y) for y, x in product(range(self.rows), range(self.columns))]

    @property
    def lossless(self) -> bool:
        return self.design.config.fabric.lossless


# A layer's input by name; the way of a tile into its router and out of it.
Node = tuple[str, str]
LAYER, IN, OUT = "layer", "in", "out"


def task_of(design: Design, fixed: Mapping[str, Position]) -> Task:
    config = design.config
    capacity = config.data_width * config.clock_mhz / 1000
    unit = config.line_rate_gbps / UNIT
    legs: dict[tuple[str, str], int] = {}
    for hop, gbps in traffic.expected(design).items():
        if hop.target and not hop.in_tile:
            leg = hop.source.tile.name, hop.target.tile.name
            legs[leg] = legs.get(leg, 0) + max(1, round(gbps / unit))
    owner = {(tile.x, tile.y): tile.name for tile in design.tiles}

    def node(resource: Resource) -> Node:
        if isinstance(resource, Input):
            return LAYER, f"{resource.layer.full_name}.{resource.name}"
        return (IN if resource == inject(resource.at) else OUT), owner[resource.at]

    waits = [
        (node(held), node(needed))
        for held, needed in design.resource_graph.edges
        if isinstance(held, Input) or isinstance(needed, Input)
    ]
    return Task(
        design=design,
        fixed=fixed,
        columns=design.columns,
        rows=design.rows,
        routing=design.routing,
        tiles=[tile.name for tile in design.tiles if tile.layers],
        legs=legs,
        waits=waits,
        limit=int(config.fabric.max_load * capacity / unit),
    )


def loads(task: Task, positions: Positions) -> dict[Link, int]:
    """Traffic on each link; with several routes, each link that may be taken counts."""
    loads: dict[Link, int] = {}
    for (source, target), units in task.legs.items():
        for link in links_between(task.routing, positions[source], positions[target]):
            loads[link] = loads.get(link, 0) + units
    return loads


def links_between(routing: Routing, source: Position, target: Position) -> set[Link]:
    channels = {channel for edge in routes(routing, source, target) for channel in edge}
    return {channel.link for channel in channels if channel.link}


def cost(task: Task, positions: Positions) -> int:
    """Traffic times hops."""
    return sum(
        units * distance(positions[source], positions[target])
        for (source, target), units in task.legs.items()
    )


def distance(a: Position, b: Position) -> int:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def tangled_tiles(task: Task, positions: Positions) -> set[str]:
    """Tiles whose messages form a cycle of channels; empty: there is none."""
    if not task.lossless:
        return set()
    graph: nx.DiGraph[object] = nx.DiGraph(task.waits)
    legs: dict[tuple[object, object], tuple[str, str]] = {}
    for source, target in task.legs:
        here, there = positions[source], positions[target]
        ends: dict[object, Node] = {inject(here): (IN, source), eject(there): (OUT, target)}
        for held, needed in routes(task.routing, here, there):
            edge = ends.get(held, held), ends.get(needed, needed)
            graph.add_edge(*edge)
            legs.setdefault(edge, (source, target))
    cycle = deadlock.shortest_cycle(graph) or []
    edges = zip(cycle, cycle[1:] + cycle[:1], strict=True)
    return {tile for edge in edges for tile in legs.get(edge, ())}
