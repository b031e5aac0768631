"""The resource graph: cycles, and what they can hold."""

from __future__ import annotations

import random
from itertools import product

import networkx as nx
import pytest

from bombus.deadlock import min_cycle_capacity, shortest_cycle
from bombus.routing import Channel, eject, inject, routes


def random_graph(seed: int) -> nx.DiGraph[int]:
    choose = random.Random(seed)
    nodes = choose.randrange(2, 8)
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(nodes))
    for edge in product(range(nodes), repeat=2):
        if choose.random() < 0.2:
            graph.add_edge(*edge)
    return graph


@pytest.mark.parametrize("seed", range(100))
def test_cycles_against_all_simple_cycles(seed: int) -> None:
    graph = random_graph(seed)
    choose = random.Random(seed)
    capacity = {node: choose.randrange(5) for node in graph}
    cycles = list(nx.simple_cycles(graph))
    found = shortest_cycle(graph)
    if not cycles:
        assert found is None
        assert min_cycle_capacity(graph, capacity) is None
        return
    assert found is not None
    assert len(found) == min(map(len, cycles))
    assert all(graph.has_edge(a, b) for a, b in zip(found, found[1:] + found[:1], strict=True))
    fewest = min(sum(capacity[node] for node in cycle) for cycle in cycles)
    assert min_cycle_capacity(graph, capacity) == fewest
    assert min_cycle_capacity(graph, capacity.__getitem__) == fewest


@pytest.mark.parametrize("algorithm", ["xy", "o1turn", "adaptive"])
def test_two_neighbours_that_send_to_each_other_fill_four_queues(algorithm: str) -> None:
    # Chains that visit the tiles of a 4x4 mesh in any order.
    tiles = list(product(range(4), repeat=2))
    graph: nx.DiGraph[Channel] = nx.DiGraph((eject(tile), inject(tile)) for tile in tiles)
    for source, target in product(tiles, repeat=2):
        if source != target:
            graph.add_edges_from(routes("crosspoint", algorithm, source, target))
    queue_flits = 13
    found = min_cycle_capacity(graph, lambda c: queue_flits if c.enter and c.leave else 0)
    assert found == 4 * queue_flits
