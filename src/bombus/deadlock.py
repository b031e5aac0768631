"""Whether messages can wait for each other for ever: the resource graph and its cycles.

A node of the graph is a channel of the fabric (`bombus.routing`) or the input of a
layer. An edge leads from what a message may hold to what it may need next: along
its way over the mesh, from the mesh into a layer, through the layer to its next
hops. A layer that always takes its input (it declares `AlwaysTakes`) ends the
waiting. Without a cycle, some message can always move; docs/deadlock-and-placement.md
has the argument.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

import networkx as nx

Node = TypeVar("Node", bound=Hashable)


def shortest_cycle(graph: nx.DiGraph[Node]) -> list[Node] | None:
    """A cycle with the fewest nodes, each node once; None: there is none."""
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
    """Fewest flits that can fill every node of some cycle; None: there is no cycle.

    `capacity`: flits that a node holds at least when a message can wait for it; 0 for one
    that holds nothing. While fewer flits than the result are in flight, no cycle of the graph
    can be full, so messages cannot wait for each other for ever.
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
