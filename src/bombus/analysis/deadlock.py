# SPDX-License-Identifier: Apache-2.0
"""Deadlock: cycles of the resource graph (`bombus.design.resources`), and how to explain them."""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx

from bombus.design.cycle import Cycle, Leg
from bombus.design.elements import Hop, Input, Layer, Resource
from bombus.design.facts import Facts
from bombus.design.knots import joined, knots, shortest_cycle
from bombus.design.resolved import Design
from bombus.design.topology import Topology, joined_layers


def open_cycles(facts: Facts) -> list[Cycle]:
    """A shortest cycle of each knot that no window keeps from filling up."""
    flights = facts.flights.values()
    if not flights:
        return cycles(facts)
    return cycles(
        facts, [knot for knot in facts.knots if not any(each.holds(knot) for each in flights)]
    )


def cycles(facts: Facts, among: Iterable[frozenset[Resource]] | None = None) -> list[Cycle]:
    """A shortest cycle of each knot of the resource graph; if there is none, the design cannot
    deadlock.

    `among`: only of these knots. By default, knots that only a join keeps apart have one cycle.
    """
    graph = facts.resource_graph
    found = []
    if among is None:
        among = knots(graph, list(joined(facts.design)), every=False)
    for component in among:
        part = graph.subgraph(sorted(component, key=_order))
        found.append(_explain(facts.topology, graph, shortest_cycle(part) or []))
    return sorted(found, key=lambda cycle: cycle.legs[0].hop.source.tile.index)


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
    end, source = before.end, leg.hop.source.layer
    return end is not None and source in {end, *topology.after(end)}


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
    graph.add_edges_from(design.beyond)
    return graph


def _nearest(paths: dict[Layer, list[Layer]], layers: Iterable[Layer]) -> list[Layer]:
    return min((paths[layer] for layer in layers if layer in paths), key=len, default=[])
