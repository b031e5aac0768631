# SPDX-License-Identifier: Apache-2.0
"""Route tables: free of deadlock, short, and checked against a simulation of flits."""

from __future__ import annotations

import random

import networkx as nx
import pytest

from bombus.cluster import routing, topology
from bombus.cluster.routing import NONE, Tables
from bombus.cluster.topology import Port, Topology
from tests.cluster.topology.flits import Network, Packet, random_packets


def random_topology(seed: int) -> Topology:
    """A connected topology of 2 to 24 boards with at most four links each."""
    rng = random.Random(seed)
    boards = rng.randint(2, 24)
    degree = [0] * boards
    pairs = []
    for board in range(1, boards):
        other = rng.choice([b for b in range(board) if degree[b] < 3])
        pairs.append((board, other))
        degree[board] += 1
        degree[other] += 1
    for _ in range(rng.randint(0, 2 * boards)):
        a, b = rng.sample(range(boards), 2)
        if max(degree[a], degree[b]) < topology.MAX_LINKS:
            pairs.append((a, b))
            degree[a] += 1
            degree[b] += 1
    return topology.from_pairs("random", boards, pairs)


def random_tables(made: Topology, seed: int) -> Tables:
    """Shortest paths, each at random, whatever deadlocks."""
    rng = random.Random(seed)
    tables: Tables = [[[NONE] * made.boards] for _ in range(made.boards)]
    for target in range(made.boards):
        distance = nx.single_source_shortest_path_length(made.graph, target)
        for board in range(made.boards):
            tables[board][0][target] = made.num_links[board]
            if board != target:
                near = [
                    c
                    for c in made.leaving[board]
                    if distance[made.peers[c].board] < distance[board]
                ]
                tables[board][0][target] = rng.choice(near).port
    return tables


def holds_up(made: Topology, tables: Tables, cycle: tuple[Port, ...]) -> bool:
    """Whether packets along a cycle of channels arrive."""
    graph = routing.dependencies(made, tables)
    network = Network(made, tables)
    for channel, following in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        number, target = graph.edges[channel, following]["by"]
        network.send([Packet(channel.board, target, number, flits=20)])
    return network.run()


@pytest.mark.parametrize("seed", range(30))
def test_tables_of_random_topologies(seed: int) -> None:
    made = random_topology(seed)
    classes = 1 + seed % 4
    tables = routing.tables(made, classes)
    verdict = routing.verdict(made, tables)
    assert verdict.is_good and not verdict.unreachable, verdict
    packets = random_packets(made, classes, 400, seed)
    network = Network(made, tables)
    network.send(packets)
    assert network.run()
    assert len(network.arrived) == len(packets)
    assert all(packet.arrived == packet.flits for packet in packets)


def test_verdicts_agree_with_simulation() -> None:
    """Tables with a cycle stop packets along that cycle; those without never stop."""
    verdicts = []
    for seed in range(60):
        made = random_topology(seed)
        tables = random_tables(made, seed)
        verdict = routing.verdict(made, tables)
        assert not verdict.unreachable
        verdicts.append(verdict.is_good)
        if verdict.is_good:
            network = Network(made, tables)
            network.send(random_packets(made, 1, 200, seed))
            assert network.run()
        else:
            assert not holds_up(made, tables, verdict.cycle)
    assert 10 < sum(verdicts) < 50


@pytest.mark.parametrize(
    ("kind", "boards", "stretch"),
    [
        ("bar", 20, 1.0),
        ("torus", 9, 1.0),
        ("torus", 16, 1.0),
        ("full_mesh", 5, 1.0),
        ("torus", 20, 1.05),
        ("star_of_rings", 13, 1.05),
        ("ring", 8, 1.13),
        ("ring", 20, 1.25),
    ],
)
def test_paths_are_short(kind: str, boards: int, stretch: float) -> None:
    made = topology.build(kind, boards)
    tables = routing.tables(made, 2)
    assert routing.verdict(made, tables).is_good
    pairs = [(a, b) for a in range(boards) for b in range(boards) if a != b]
    shortest = sum(made.hops(*pair) for pair in pairs)
    for number in range(2):
        paths = [routing.path(made, tables, number, *pair) for pair in pairs]
        assert sum(map(len, filter(None, paths))) <= stretch * shortest


def test_classes_take_different_paths() -> None:
    made = topology.build("torus", 16)
    tables = routing.tables(made, 2)
    differ = sum(
        routing.path(made, tables, 0, a, b) != routing.path(made, tables, 1, a, b)
        for a in range(16)
        for b in range(16)
    )
    assert differ > 60
    loads = routing.loads(made, tables)
    assert max(loads.values()) < 2 * sum(loads.values()) / len(loads)


def clockwise(made: Topology) -> Tables:
    """All packets of a ring go round the same way."""
    ring = made.boards
    way = {
        board: next(
            c.port for c in made.leaving[board] if made.peers[c].board == (board + 1) % ring
        )
        for board in range(ring)
    }
    return [
        [[made.num_links[board] if board == to else way[board] for to in range(ring)]]
        for board in range(ring)
    ]


def test_cycle_is_explained() -> None:
    made = topology.build("ring", 3)
    verdict = routing.verdict(made, clockwise(made))
    assert not verdict.is_good
    assert len(verdict.cycle) == 3
    lines = str(verdict).splitlines()
    assert lines[0] == "possible deadlock:"
    assert (
        "  packets of class 0 to board_2 hold board_0.0 -> board_1.0 and wait for "
        "board_1.1 -> board_2.0"
    ) in lines


def test_classes_share_buffers() -> None:
    """Two classes that are each free of deadlock can deadlock together."""
    made = topology.build("ring", 4)
    apart = [routing.tables(made.without([made.links[n]]), 1) for n in range(4)]
    joint = [[apart[n][board][0] for n in range(4)] for board in range(4)]
    assert all(routing.verdict(made, each).is_good for each in apart)
    verdict = routing.verdict(made, joint)
    assert not verdict.is_good
    assert not holds_up(made, joint, verdict.cycle)


def test_bad_tables() -> None:
    made = topology.build("bar", 3)
    good = routing.tables(made)
    for board, target, port, message in [
        (0, 2, 1, "board_0: class 0, destination board_2: the local port 1"),
        (0, 2, 3, "destination board_2: port 3 has no link"),
        (1, 1, 0, "board_1: class 0, destination board_1: port 0; the own board is port 2"),
    ]:
        bad = [[list(row) for row in table] for table in good]
        bad[board][0][target] = port
        assert message in str(routing.verdict(made, bad))
    loop = [[list(row) for row in table] for table in good]
    loop[1][0][2] = 0  # back to board 0
    verdict = routing.verdict(made, loop)
    assert not verdict.is_good
    assert (0, 0, 2) in verdict.unreachable
    hole = [[list(row) for row in table] for table in good]
    hole[1][0][2] = NONE
    verdict = routing.verdict(made, hole)
    assert verdict.is_good
    assert verdict.unreachable == ((0, 0, 2), (0, 1, 2))
    assert "tables of 2 boards for 3" in str(routing.verdict(made, good[:2]))
    assert "1 classes" not in str(routing.verdict(made, good))
    short = [[[0]], *good[1:]]
    assert "class 0: 1 destination for 3 boards" in str(routing.verdict(made, short))


@pytest.mark.parametrize("seed", range(12))
def test_dead_link_or_board(seed: int) -> None:
    """New tables avoid what is dead; a change in place is free of deadlock at any moment."""
    made = random_topology(seed)
    rng = random.Random(seed)
    old = routing.tables(made, 2)
    if seed % 3:
        alive = made.without([rng.choice(made.links)])
    else:
        alive = made.without(boards=[rng.randrange(made.boards)])
    new, change = routing.reroute(alive, old)
    verdict = routing.verdict(alive, new)
    assert verdict.is_good
    parts = {b: part for part in nx.connected_components(alive.graph) for b in part}
    for _, source, target in verdict.unreachable:
        assert target not in parts[source]
    assert change == routing.change(alive, old, new)
    for number, source, target in change.moved:
        before = routing.path(alive, old, number, source, target)
        assert before != routing.path(alive, new, number, source, target)
    if change.in_place:
        for _ in range(5):
            mixed = [rng.choice(pair) for pair in zip(old, new, strict=True)]
            assert routing.is_acyclic(alive, mixed)


def test_change_that_needs_a_quiet_network() -> None:
    ring = topology.build("ring", 5)
    one, two = (routing.tables(ring.without([ring.links[n]])) for n in (0, 2))
    change = routing.change(ring, one, two)
    assert not change.in_place
    assert change.cycle.startswith("possible deadlock:\n  packets of class 0 to ")
    assert routing.change(ring, one, one) == routing.Change(True, "", ())
    written = list(routing.written(one, two))
    for board, number, target, port in written:
        one[board][number][target] = port
    assert written and one == two


def test_dead_links_of_a_torus() -> None:
    """Most tables change in place; packets that have to turn round need a quiet network."""
    made = topology.build("torus", 9)
    old = routing.tables(made, 2)
    in_place = 0
    for link in made.links:
        alive = made.without([link])
        new, change = routing.reroute(alive, old)
        assert routing.verdict(alive, new).is_good
        assert not routing.verdict(alive, new).unreachable
        assert change.moved
        in_place += change.in_place
    assert 9 <= in_place < len(made.links)
