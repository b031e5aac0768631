# SPDX-License-Identifier: Apache-2.0
"""Whether messages reach every layer, and leave it."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx

from bombus.base.errors import Problem
from bombus.base.text import listing
from bombus.design.elements import Input, Layer
from bombus.design.facts import Facts
from bombus.design.resolved import Design


def reachable(facts: Facts) -> Iterator[Problem]:
    """Every layer must get messages from somewhere, and its messages must arrive somewhere."""
    design = facts.design
    graph = _graph(design)
    starts = [layer for layer in graph if not layer.kind.inputs]
    ends = [layer for layer in graph if not layer.kind.outputs]
    reached = set(starts).union(*(nx.descendants(graph, start) for start in starts))
    useful = set(ends).union(*(nx.ancestors(graph, end) for end in ends))
    for layer in design.layers():
        if layer not in reached:
            yield design.file.problem(
                layer.loc, f"{layer} is unreachable: no path from a MAC port leads to it"
            )
        elif layer not in useful:
            bound = {output.binds for output in layer.kind.outputs.values() if output.binds}
            missing = [key for key in sorted(bound) if not design.bindings_of(key)]
            cause = f": no layer has a {missing[0]}" if missing else ""
            yield design.file.problem(
                layer.loc, f"no message from {layer} can reach a MAC port or another sink{cause}"
            )


def _graph(design: Design) -> nx.DiGraph[Layer]:
    graph: nx.DiGraph[Layer] = nx.DiGraph()
    graph.add_nodes_from(design.layers())
    graph.add_edges_from((hop.source.layer, hop.target.layer) for hop in design.hops if hop.target)
    return graph


def wired_cycles(facts: Facts) -> Iterator[Problem]:
    """Inputs joined by wires in a cycle, each of which waits for the next."""
    design = facts.design
    graph: nx.DiGraph[Input] = nx.DiGraph()
    for held, needed in facts.resource_graph.edges:
        if isinstance(held, Input) and isinstance(needed, Input):
            # Others are edges of an input that waits for a message on another one.
            senders = {held.layer, *facts.topology.after(held.layer)}
            hops = facts.resource_graph.edges[held, needed]["hops"]
            if any(hop.in_tile and hop.source.layer in senders for hop in hops):
                graph.add_edge(held, needed)
    for component in nx.strongly_connected_components(graph):
        node = next(iter(component))
        first = node.tile
        layers = sorted({each.layer for each in component}, key=first.layers.index)
        if len(component) > 1 or graph.has_edge(node, node):
            yield design.file.problem(
                first.loc,
                f"in tile {first.name!r} the wires between {listing(la.name for la in layers)}"
                " form a loop; move one of these layers to its own tile",
            )
