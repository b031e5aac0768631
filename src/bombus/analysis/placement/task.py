# SPDX-License-Identifier: Apache-2.0
"""The placement problem: traffic between tiles, free and occupied cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice, product

import networkx as nx

from bombus.analysis import blocking
from bombus.analysis import load as traffic
from bombus.analysis.blocking import Leg
from bombus.design.elements import Input, Resource
from bombus.design.facts import Facts
from bombus.design.knots import joined, shortest_cycle
from bombus.fabric.routing import Link, Position, Routing, eject, inject, routes

Positions = dict[str, Position]

UNIT = 1000  # traffic is counted in these parts of the line rate
_MOST_VARIANTS = 32


@dataclass
class Task:
    """A design as the solver sees it: tiles that send to each other on meshes."""

    facts: Facts
    fixed: Mapping[str, Position]
    columns: int
    rows: int
    routings: list[Routing]  # of each network
    lossless: list[bool]
    queues_are_links: list[bool]  # of each network: `FabricKind.queues_are_links`
    windowed: list[bool]  # networks with a window: cycles of waiting may be safe
    limits: list[int]  # units that a link may carry
    tiles: list[str]
    legs: dict[Leg, int]  # traffic, in units
    # Inside tiles: held, needed; once for each choice of one input of every join, since no cycle of
    # waiting messages contains more (`bombus.design.knots.joined`).
    waits: list[list[tuple[Node, Node]]]
    is_whole: bool  # no choice is left out; else the analysis decides, as with a window
    slow: set[str]  # tiles for which messages may wait long
    cells: list[Position] = field(init=False)

    def __post_init__(self) -> None:
        self.cells = [(x, y) for y, x in product(range(self.rows), range(self.columns))]

    def held(self) -> list[Leg]:
        """Legs whose messages can wait for one another: those of lossless networks."""
        return [leg for leg in self.legs if self.lossless[leg.network]]

    def must_not_cycle(self, network: int) -> bool:
        """Whether cycles of waiting must not use the queues of a network; with a window, the
        analysis of the whole design decides (`bombus.analysis.placement.windows`).
        """
        return self.lossless[network] and not self.windowed[network]

    @property
    def is_analysed(self) -> bool:
        """Whether only the analysis of the whole design says that positions are safe."""
        return any(self.windowed) or not self.is_whole

    def ordered(self) -> list[Leg]:
        return [leg for leg in self.legs if self.must_not_cycle(leg.network)]


# A layer's input by name; the ports of a tile into and out of its router in a network.
Node = tuple[str, str, int]
LAYER, IN, OUT = "layer", "in", "out"


def task_of(facts: Facts, fixed: Mapping[str, Position]) -> Task:
    design = facts.design
    config = design.config
    unit = config.line_rate_gbps / UNIT
    legs: dict[Leg, int] = {}
    for hop, gbps in traffic.expected(facts).items():
        if hop.target and not hop.in_tile:
            leg = Leg(hop.source.tile.name, hop.target.tile.name, hop.network.index)
            legs[leg] = legs.get(leg, 0) + max(1, round(gbps / unit))
    owner = {tile.at: tile.name for tile in design.tiles}
    index = {network.label: network.index for network in design.networks}

    def node(resource: Resource) -> Node:
        if isinstance(resource, Input):
            return LAYER, f"{resource.layer.full_name}.{resource.name}", 0
        side = IN if resource == inject(resource.at, resource.network) else OUT
        return side, owner[resource.at], index[resource.network]

    edges = [
        (held, needed)
        for held, needed in facts.resource_graph.edges
        if isinstance(held, Input) or isinstance(needed, Input)
    ]
    joins = nx.Graph(joined(design))
    classes = [sorted(each, key=str) for each in nx.connected_components(joins)]
    choices = list(islice(product(*classes), _MOST_VARIANTS + 1))
    waits = []
    for kept in choices[:_MOST_VARIANTS]:
        left_out = {*joins}.difference(kept)
        waits.append([(node(a), node(b)) for a, b in edges if not {a, b} & left_out])
    return Task(
        facts=facts,
        fixed=fixed,
        columns=design.columns,
        rows=design.rows,
        routings=[network.routing for network in design.networks],
        lossless=[network.given.lossless for network in design.networks],
        queues_are_links=[each.fabric.traits.queues_are_links for each in design.networks],
        windowed=[network.given.window is not None for network in design.networks],
        limits=[
            int(network.given.max_load * network.capacity(config.clock_mhz) / unit)
            for network in design.networks
        ],
        tiles=[tile.name for tile in design.tiles if tile.layers],
        legs=legs,
        waits=waits,
        is_whole=len(choices) <= _MOST_VARIANTS,
        slow=blocking.slow_tiles(design),
    )


def loads(task: Task, positions: Positions) -> dict[tuple[int, Link], int]:
    """Traffic on each link of each network; if several routes are possible, each counts."""
    loads: dict[tuple[int, Link], int] = {}
    for (source, target, network), units in task.legs.items():
        way = links_between(task.routings[network], positions[source], positions[target])
        for link in way:
            loads[network, link] = loads.get((network, link), 0) + units
    return loads


def links_between(routing: Routing, source: Position, target: Position) -> set[Link]:
    channels = {channel for edge in routes(routing, source, target) for channel in edge}
    return {channel.link for channel in channels if channel.link}


def cost(task: Task, positions: Positions) -> int:
    """Traffic times hops."""
    return sum(
        units * distance(positions[source], positions[target])
        for (source, target, _), units in task.legs.items()
    )


def blocked(task: Task, positions: Positions) -> int:
    """Number of legs that share a queue with messages for other, slow tiles."""
    ways = {
        leg: blocking.queues(
            task.routings[leg.network], positions[leg.source], positions[leg.target]
        )
        for leg in task.held()
    }
    return len(blocking.blocked(ways, task.slow))


def distance(a: Position, b: Position) -> int:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def tangled_tiles(task: Task, positions: Positions) -> set[str]:
    """Tiles whose messages form a cycle of channels; empty if there is none."""
    graph: nx.DiGraph[object] = nx.DiGraph()
    legs: dict[tuple[object, object], Leg] = {}
    for leg in task.ordered():
        source, target, network = leg
        here, there = positions[source], positions[target]
        routing = task.routings[network]
        ends: dict[object, Node] = {
            inject(here, routing.network): (IN, source, network),
            eject(there, routing.network): (OUT, target, network),
        }
        for held, needed in routes(routing, here, there):
            edge = ends.get(held, held), ends.get(needed, needed)
            graph.add_edge(*edge)
            legs.setdefault(edge, leg)
    cycles = (shortest_cycle(nx.compose(graph, nx.DiGraph(each))) for each in task.waits)
    cycle = next(filter(None, cycles), [])
    edges = zip(cycle, cycle[1:] + cycle[:1], strict=True)
    tangled = [legs[edge] for edge in edges if edge in legs]
    return {tile for leg in tangled for tile in (leg.source, leg.target)}
