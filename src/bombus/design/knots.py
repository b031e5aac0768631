# SPDX-License-Identifier: Apache-2.0
"""Knots and cycles of the resource graph: where messages can wait for each other.

Without a cycle, some message can always move; docs/deadlock-and-placement.md has the argument.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterator
from itertools import combinations
from typing import TypeVar

import networkx as nx

from bombus.design.elements import Input, Resource
from bombus.design.resolved import Design

Node = TypeVar("Node", bound=Hashable)


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


def knots(
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
            rest = knots(part.subgraph(component - {left_out}), joined, every=every)
            found.update(dict.fromkeys(rest))
            if rest and not every:
                break
    return list(found)


def seen_next(
    graph: nx.DiGraph[Resource], node: Resource, seen: Container[Resource]
) -> set[Resource]:
    """Nodes that a node may wait for; those that cannot be observed are replaced by the ones that
    they may wait for.

    A message for which an input waits may be anywhere on its route.
    """
    found: set[Resource] = set()
    passed = {node}
    front = [node] if node in graph else []
    while front:
        at = front.pop()
        for other in graph.successors(at):
            awaited = graph.edges[at, other].get("awaited", ())
            found.update(each for each in awaited if each in seen)
            if other in seen:
                found.add(other)
            elif other not in passed:
                passed.add(other)
                front.append(other)
    return found


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
