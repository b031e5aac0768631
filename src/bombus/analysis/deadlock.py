# SPDX-License-Identifier: Apache-2.0
"""Deadlock: cycles of the resource graph (`bombus.design.resources`), and how to explain them.

Without a cycle, some message can always move; docs/deadlock-and-placement.md has the argument.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

import networkx as nx

from bombus.base.text import listing
from bombus.design.elements import Hop, Input, Layer, Resource, Tile
from bombus.design.facts import Facts
from bombus.design.resolved import Design
from bombus.design.topology import Topology, joined_layers
from bombus.fabric.routing import Channel

Node = TypeVar("Node", bound=Hashable)


# ---- Cycles of a design, described for users ----


@dataclass(frozen=True)
class Leg:
    """A part of a cycle that messages of one next hop hold, in the order they take it."""

    hop: Hop
    resources: tuple[Resource, ...]

    @property
    def channels(self) -> list[Channel]:
        return [resource for resource in self.resources if isinstance(resource, Channel)]


@dataclass(frozen=True)
class Cycle:
    """Resources that messages can hold while each waits for the next, in a cycle.

    The first resource of each leg is the one that the previous leg needs.
    """

    legs: tuple[Leg, ...]
    chains: tuple[tuple[Layer, ...], ...]  # paths from a source to a sink that take the legs

    @property
    def tiles(self) -> list[Tile]:
        """Source and target tiles of the messages of the cycle."""
        found: dict[Tile, None] = {}
        for leg in self.legs:
            found[leg.hop.source.tile] = None
            if leg.hop.target:
                found[leg.hop.target.tile] = None
        return list(found)

    def __str__(self) -> str:
        lines = ["possible deadlock:"]
        lines += [f"  chain {' -> '.join(map(str, chain))}" for chain in self.chains]
        for leg, following in zip(self.legs, self.legs[1:] + self.legs[:1], strict=True):
            held = f"holds {listing(leg.channels)}; " if leg.channels else ""
            needed = following.resources[0]
            text = f"layer {needed}" if isinstance(needed, Input) else str(needed)
            if awaiting := _awaiting(leg):
                lines.append(f"  {awaiting}")
            way = f"{_name(leg.hop.source.layer)} -> {_name(_end(leg))}"
            lines.append(f"  {way}: {held}waits for {text}")
        lines.append(f"  tiles {', '.join(tile.name for tile in self.tiles)}")
        return "\n".join(lines)


def _awaiting(leg: Leg) -> str:
    """The start of the leg, if it is an input of a layer other than the sender."""
    held = leg.resources[0]
    if not isinstance(held, Input) or held.layer is leg.hop.source.layer:
        return ""
    names = listing(str(Input(held.layer, name)) for name in held.stream.waits_for_inputs)
    if not names:
        return f"layer {held}: hands messages on to {leg.hop.source.layer}, in its tile"
    return f"layer {held}: waits for a message on {names}, which needs {leg.hop.source.layer}"


def _name(layer: Layer | None) -> str:
    return f"{layer} ({layer.tile.x}, {layer.tile.y})" if layer else "nowhere"


def knots(facts: Facts) -> list[frozenset[Resource]]:
    """Parts of the resource graph in which messages can wait for each other in a cycle."""
    return _knots(facts.resource_graph, list(joined(facts.design)), every=True)


def cycles(facts: Facts, among: Iterable[frozenset[Resource]] | None = None) -> list[Cycle]:
    """A shortest cycle of each knot of the resource graph; if there is none, the design cannot
    deadlock.

    `among`: only of these knots. By default, knots that only a join keeps apart have one cycle.
    """
    graph = facts.resource_graph
    found = []
    if among is None:
        among = _knots(graph, list(joined(facts.design)), every=False)
    for component in among:
        part = graph.subgraph(sorted(component, key=_order))
        found.append(_explain(facts.topology, graph, shortest_cycle(part) or []))
    return sorted(found, key=lambda cycle: cycle.legs[0].hop.source.tile.index)


def joined(design: Design) -> Iterator[tuple[Input, Input]]:
    """Inputs of a layer that wait for each other, and otherwise for the same.

    Where messages wait at both, neither lacks the other, and each could take the other's place in
    a cycle. So some cycle contains only one of them.
    """
    for layer in design.layers():
        for one, other in combinations(layer.inputs, 2):
            is_joined = other.name in one.stream.waits_for_inputs
            rests = [
                ({*a.stream.waits_for_inputs} - {b.name}, {*a.stream.waits_for_outputs})
                for a, b in ((one, other), (other, one))
            ]
            if is_joined and one.name in other.stream.waits_for_inputs and rests[0] == rests[1]:
                yield one, other


def _knots(
    graph: nx.DiGraph[Resource], joined: list[tuple[Input, Input]], *, every: bool
) -> list[frozenset[Resource]]:
    """Strongly connected parts with a cycle that does not contain two joined inputs.

    `every`: all of them, not only enough to explain that there are some.
    """
    found: dict[frozenset[Resource], None] = {}
    for component in nx.strongly_connected_components(graph):
        part = graph.subgraph(component)
        if not part.size():
            continue
        pair = next((each for each in joined if component.issuperset(each)), None)
        if pair is None:
            found[frozenset(component)] = None
            continue
        # A cycle has at most one of the two, so it is in a part without the other.
        for left_out in pair:
            rest = _knots(part.subgraph(component - {left_out}), joined, every=every)
            found.update(dict.fromkeys(rest))
            if rest and not every:
                break
    return list(found)


def _order(resource: Resource) -> tuple[str, ...]:
    return ("layer", str(resource)) if isinstance(resource, Input) else ("", str(resource))


def _explain(topology: Topology, graph: nx.DiGraph[Resource], nodes: list[Resource]) -> Cycle:
    """The cycle with as few legs as possible, and chains that take them."""
    rotations = (nodes[i:] + nodes[:i] for i in range(len(nodes)))
    legs = min((_legs(graph, turned) for turned in rotations), key=len)
    # A chain continues where one leg ends and the next begins at the same layer. One that goes all
    # the way round starts where it enters the cycle.
    starts = [i for i, leg in enumerate(legs) if not _goes_on(topology, legs[i - 1], leg)]
    first = starts[0] if starts else 0
    if not starts:
        distance = [len(_way_to(topology, leg.hop.source.layer)) for leg in legs]
        first = distance.index(min(distance))
    legs = legs[first:] + legs[:first]
    runs: list[list[Layer]] = []
    for i, leg in enumerate(legs):
        if i == 0 or not _goes_on(topology, legs[i - 1], leg):
            runs.append([leg.hop.source.layer])
        elif leg.hop.source.layer is not runs[-1][-1]:
            runs[-1].append(leg.hop.source.layer)
        assert leg.hop.target is not None
        runs[-1].append(leg.hop.target.layer)
    return Cycle(tuple(legs), tuple(tuple(_whole(topology, run)) for run in runs))


def _goes_on(topology: Topology, before: Leg, leg: Leg) -> bool:
    """Whether the layer at the end of a leg, or one after it, sends the messages of the next."""
    end, source = _end(before), leg.hop.source.layer
    return end is not None and source in {end, *topology.after(end)}


def _end(leg: Leg) -> Layer | None:
    return leg.hop.target.layer if leg.hop.target else None


def _legs(graph: nx.DiGraph[Resource], nodes: list[Resource]) -> list[Leg]:
    legs: list[Leg] = []
    hops: list[Hop] = []
    held: list[Resource] = []
    for node, needed in zip(nodes, nodes[1:] + nodes[:1], strict=True):
        possible: list[Hop] = graph.edges[node, needed]["hops"]
        both = [hop for hop in hops if hop in possible]
        if held and not both:
            legs.append(Leg(hops[0], tuple(held)))
            held = []
        hops = both or possible
        held.append(node)
    return [*legs, Leg(hops[0], tuple(held))]


def _whole(topology: Topology, run: list[Layer]) -> list[Layer]:
    """A chain from a source to a sink with these layers in this order."""
    ends = (
        layer
        for layer in topology.design.layers()
        if not layer.kind.outputs and not topology.after(layer)
    )
    after = _nearest(nx.shortest_path(_layer_graph(topology.design), source=run[-1]), ends)
    return [*_way_to(topology, run[0])[:-1], *run, *after[1:]]


def _way_to(topology: Topology, layer: Layer) -> list[Layer]:
    sources = (
        layer
        for layer in topology.design.layers()
        if not layer.kind.inputs and not topology.before(layer)
    )
    return _nearest(nx.shortest_path(_layer_graph(topology.design), target=layer), sources)


def _layer_graph(design: Design) -> nx.DiGraph[Layer]:
    graph: nx.DiGraph[Layer] = nx.DiGraph()
    graph.add_nodes_from(design.layers())
    graph.add_edges_from((hop.source.layer, hop.target.layer) for hop in design.hops if hop.target)
    for tile in design.tiles:
        graph.add_edges_from(joined_layers(tile).edges)
    return graph


def _nearest(paths: dict[Layer, list[Layer]], layers: Iterable[Layer]) -> list[Layer]:
    return min((paths[layer] for layer in layers if layer in paths), key=len, default=[])


# ---- Cycles of any graph ----


def shortest_cycle(graph: nx.DiGraph[Node]) -> list[Node] | None:
    """A cycle with the fewest nodes, each node once; None if there is none."""
    best: list[Node] | None = None
    for component in nx.strongly_connected_components(graph):
        if len(component) == 1:
            (node,) = component
            if graph.has_edge(node, node):
                return [node]
            continue
        part = graph.subgraph(component)
        for start in part:
            cycle = _cycle_through(part, start, len(best) if best else len(component) + 1)
            if cycle and (best is None or len(cycle) < len(best)):
                best = cycle
    return best


def _cycle_through(graph: nx.DiGraph[Node], start: Node, limit: int) -> list[Node] | None:
    """A shortest cycle through a node, if it has fewer nodes than `limit`."""
    before: dict[Node, Node] = {}
    front = [start]
    length = 1
    while front and length < limit:
        found: list[Node] = []
        for node in front:
            for other in graph.successors(node):
                if other == start:
                    cycle = [node]
                    while cycle[-1] != start:
                        cycle.append(before[cycle[-1]])
                    return cycle[::-1]
                if other not in before:
                    before[other] = node
                    found.append(other)
        front = found
        length += 1
    return None


def min_cycle_capacity(
    graph: nx.DiGraph[Node], capacity: Callable[[Node], int] | dict[Node, int]
) -> int | None:
    """The smallest number of flits that can fill every node of some cycle; None if there is no
    cycle.

    `capacity`: minimum number of flits in a node when a message can wait for it; 0 for a node that
    holds nothing. While fewer flits than the result are in flight, no cycle of the graph can be
    full, so messages cannot deadlock.
    """
    of = capacity.__getitem__ if isinstance(capacity, dict) else capacity
    best: int | None = None
    for component in nx.strongly_connected_components(graph):
        part = graph.subgraph(component)
        weighted: nx.DiGraph[Node] = nx.DiGraph()
        weighted.add_weighted_edges_from((a, b, of(b)) for a, b in part.edges)
        for start in weighted:
            cutoff = None if best is None else best - of(start)
            if cutoff is not None and cutoff <= 0:
                continue
            distances = nx.single_source_dijkstra_path_length(weighted, start, cutoff=cutoff)
            for before in weighted.predecessors(start):
                if before in distances:
                    total = int(distances[before]) + of(start)
                    best = total if best is None else min(best, total)
    return best
