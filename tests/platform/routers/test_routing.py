# SPDX-License-Identifier: Apache-2.0
"""The channels that each fabric's routing takes, and the proof that routing alone never waits
for itself."""

from __future__ import annotations

from itertools import product

import networkx as nx
import pytest

from bombus.design import rtl
from bombus.fabric.kinds import KINDS
from bombus.fabric.routing import (
    DIRECTIONS,
    Channel,
    Position,
    Routing,
    direction_enum,
    eject,
    inject,
    routes,
)

FABRICS = [(kind.name, name) for kind in KINDS.values() for name in kind.algorithms]


def positions(columns: int, rows: int) -> list[Position]:
    return list(product(range(columns), range(rows)))


def all_routes(routing: Routing, columns: int, rows: int) -> nx.DiGraph[Channel]:
    """Channels that messages between all tiles of a mesh hold and need next."""
    graph: nx.DiGraph[Channel] = nx.DiGraph()
    for source, target in product(positions(columns, rows), repeat=2):
        if source != target:
            graph.add_edges_from(routes(routing, source, target))
    return graph


def test_directions_have_the_numbers_of_the_rtl() -> None:
    numbers = [rtl.constant(f"noc_pkg::{direction_enum(name)}") for name in DIRECTIONS]
    assert numbers == list(range(rtl.constant("noc_pkg::NumDirs")))


@pytest.mark.parametrize(("kind", "algorithm"), FABRICS)
def test_routing_never_waits_for_itself(kind: str, algorithm: str) -> None:
    # Routes do not depend on the size of the mesh: smaller ones are part of this.
    assert nx.is_directed_acyclic_graph(all_routes(Routing(KINDS[kind], algorithm), 6, 6))


def test_links_that_are_held_keep_a_mesh_sound_only_if_messages_go_along_x_first() -> None:
    for algorithm in KINDS["crosspoint"].algorithms:
        graph = all_routes(Routing(KINDS["crosspoint"], algorithm, holds_links=True), 4, 4)
        assert nx.is_directed_acyclic_graph(graph) == (algorithm == "xy")
        # A queue waits for the link behind it, and only a link's holder for the next queue.
        for held, needed in graph.edges:
            if held.enter and held.leave:
                assert needed == Channel(held.at, "", held.leave)


def test_lanes_are_what_makes_the_crosspoint_free_of_deadlock() -> None:
    for algorithm in ("o1turn", "adaptive"):
        graph = all_routes(Routing(KINDS["crosspoint"], algorithm), 3, 3)
        joined = nx.relabel_nodes(graph, {node: node._replace(lane="") for node in graph})
        assert not nx.is_directed_acyclic_graph(joined)


@pytest.mark.parametrize(("kind", "algorithm"), FABRICS)
def test_every_way_is_shortest_and_whole(kind: str, algorithm: str) -> None:
    for source, target in product(positions(4, 3), repeat=2):
        if source == target:
            continue
        graph: nx.DiGraph[Channel] = nx.DiGraph(
            routes(Routing(KINDS[kind], algorithm), source, target)
        )
        hops = abs(source[0] - target[0]) + abs(source[1] - target[1])
        ways = list(nx.all_simple_paths(graph, inject(source), eject(target)))
        # inject, one channel for each hop, and the way out: a queue of its own in the crosspoint
        assert {len(way) for way in ways} == {hops + (3 if kind == "crosspoint" else 2)}
        assert {node for way in ways for node in way} == set(graph)


def count_of_ways(algorithm: str, source: Position, target: Position) -> int:
    graph: nx.DiGraph[Channel] = nx.DiGraph(
        routes(Routing(KINDS["crosspoint"], algorithm), source, target)
    )
    return len(list(nx.all_simple_paths(graph, inject(source), eject(target))))


def test_number_of_ways() -> None:
    assert count_of_ways("xy", (0, 0), (3, 2)) == 1
    assert count_of_ways("o1turn", (0, 0), (3, 2)) == 2
    assert count_of_ways("o1turn", (0, 0), (3, 0)) == 1
    assert count_of_ways("adaptive", (3, 2), (0, 0)) == 10  # 5 over 2


def test_wormhole_goes_along_x_first() -> None:
    ways = nx.DiGraph(routes(Routing(KINDS["wormhole"], "xy"), (0, 0), (2, 1)))
    assert [str(channel) for channel in nx.topological_sort(ways)] == [
        "injection port of router (0, 0)",
        "link (0, 0) to (1, 0)",
        "link (1, 0) to (2, 0)",
        "link (2, 0) to (2, 1)",
        "ejection port of router (2, 1)",
    ]


def test_lanes_of_o1turn_and_adaptive() -> None:
    def lanes(algorithm: str, source: Position, target: Position) -> set[str]:
        edges = routes(Routing(KINDS["crosspoint"], algorithm), source, target)
        return {str(channel) for edge in edges for channel in edge if channel.lane}

    assert lanes("o1turn", (0, 0), (2, 1)) == {
        "link (1, 0) to (2, 0) from west, to turn",
        "link (1, 1) to (2, 1) from west, turned",
    }
    assert lanes("adaptive", (2, 0), (1, 3)) == {
        "link (2, 1) to (2, 2) from north, westbound",
        "link (2, 2) to (2, 3) from north, westbound",
        "link (1, 1) to (1, 2) from north, eastbound",
        "link (1, 2) to (1, 3) from north, eastbound",
    }


def test_unknown_routing_and_own_tile_are_refused() -> None:
    with pytest.raises(ValueError, match="no fabric wormhole with routing o1turn"):
        routes(Routing(KINDS["wormhole"], "o1turn"), (0, 0), (1, 0))
    with pytest.raises(ValueError, match="U-turn"):
        routes(Routing(KINDS["wormhole"], "xy"), (1, 0), (1, 0))
