# SPDX-License-Identifier: Apache-2.0
"""The links of a cluster and the route tables of its boards, as its design file has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import networkx as nx

from bombus.base.errors import DesignError
from bombus.base.yaml_file import Loc
from bombus.cluster.config import ClusterDesignConfig
from bombus.design import config

MAX_LINKS = 4  # cluster_pkg::MaxLinks
NONE = 7  # entry of a route table: there is no way


class End(NamedTuple):
    """One end of a link."""

    board: int
    port: int


@dataclass(frozen=True)
class Links:
    """The links between boards, and the port to each board from each."""

    ends: Sequence[tuple[End, End]]
    tables: Sequence[Sequence[int]]  # by board and destination: a port, or `NONE`
    peers: Mapping[End, End]

    def ports(self, board: int) -> int:
        """Number of a board's links."""
        return sum(end.board == board for pair in self.ends for end in pair)

    def way(self, source: int, target: int) -> list[tuple[int, int]]:
        """The pairs of boards that a packet crosses."""
        found = []
        while source != target:
            following = self.peers[End(source, self.tables[source][target])].board
            found.append((source, following))
            source = following
        return found


def _pairs(file: config.DesignFile) -> Iterator[tuple[int, int, Loc]]:
    """The pairs of boards that are joined, and where the file says so."""
    assert isinstance(file.config, ClusterDesignConfig)
    cluster = file.config.cluster
    count, shape = len(cluster.names), cluster.shape
    place: Loc = ("cluster", "topology")
    if shape.kind == "bar" or (shape.kind == "ring" and count == 2):
        yield from ((n, n + 1, place) for n in range(count - 1))
    elif shape.kind == "ring":
        yield from ((n, (n + 1) % count, place) for n in range(count if count > 1 else 0))
    elif shape.links is not None:
        for number, (a, b) in enumerate(shape.links):
            loc = (*place, "links", number)
            ends = []
            for name in (a, b):
                board = cluster.number(name)
                if board is None:
                    raise DesignError([file.problem(loc, unknown_board(file, name))])
                ends.append(board)
            yield ends[0], ends[1], loc
    else:
        kind = shape.kind or "a file"
        raise DesignError([file.problem(place, f"topology {kind} is not known")])


def unknown_board(file: config.DesignFile, name: int | str) -> str:
    """The message about a board that does not exist."""
    assert isinstance(file.config, ClusterDesignConfig)
    names = file.config.cluster.names
    last = len(names) - 1
    if isinstance(name, int):
        known = f"0 to {last}" if last else "0"
        return f"there is no board {name}; `cluster` has boards {known}"
    return f"there is no board {name!r}; `cluster` has {', '.join(names)}"


def links_of(file: config.DesignFile) -> Links:
    """The links of a cluster. DesignError for boards that cannot have them."""
    assert isinstance(file.config, ClusterDesignConfig)
    names = file.config.cluster.names
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(len(names)))
    ends: list[tuple[End, End]] = []
    used = [0] * len(names)
    for a, b, loc in _pairs(file):
        if a == b or graph.has_edge(a, b):
            what = "itself" if a == b else f"{names[b]} twice"
            raise DesignError([file.problem(loc, f"board {names[a]} is joined to {what}")])
        for board in (a, b):
            if used[board] == MAX_LINKS:
                message = f"board {names[board]} has more than {MAX_LINKS} links"
                raise DesignError([file.problem(loc, message)])
        ends.append((End(a, used[a]), End(b, used[b])))
        used[a] += 1
        used[b] += 1
        graph.add_edge(a, b)
    peers = {one: other for pair in ends for one, other in (pair, pair[::-1])}
    port = {(one.board, other.board): one.port for one, other in peers.items()}
    # Packets keep to a tree, so that none waits in a circle for another.
    tree: nx.Graph[int] = nx.Graph()
    tree.add_nodes_from(graph)
    for part in nx.connected_components(graph):
        tree.add_edges_from(nx.bfs_edges(graph, min(part)))
    ways = dict(nx.all_pairs_shortest_path(tree))
    tables = [
        [
            used[board]
            if board == target
            else port[board, ways[board][target][1]]
            if target in ways[board]
            else NONE
            for target in range(len(names))
        ]
        for board in range(len(names))
    ]
    return Links(ends, tables, peers)
