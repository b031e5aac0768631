# SPDX-License-Identifier: Apache-2.0
"""Collective operations: the order of the ring of boards, and a model of the results."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import networkx as nx
import numpy as np

NOT_A_NUMBER = 0x7FC00000  # the only such result of collective_lane
_STEPS = 100_000  # of the search for a ring of neighbours

Words = np.ndarray[Any, np.dtype[np.uint32]]


def ring_order(graph: nx.Graph[int]) -> list[int]:
    """All boards in an order in which each is close to the next, the last to the first too.

    Where the search finds a ring whose boards are neighbours, each link of it carries one transfer;
    in a torus or a ring it does. Otherwise the sum of the distances is at most 1.5 times the least
    possible one (Christofides).
    """
    if found := _neighbours(graph):
        return found
    if len(graph) < 3:
        return sorted(graph)
    distances: nx.Graph[int] = nx.Graph()
    for board, lengths in nx.all_pairs_shortest_path_length(graph):
        distances.add_weighted_edges_from((board, other, far) for other, far in lengths.items())
    distances.remove_edges_from(list(nx.selfloop_edges(distances)))
    cycle: list[int] = nx.approximation.christofides(distances)
    return cycle[:-1]


def _neighbours(graph: nx.Graph[int]) -> list[int]:
    """A ring of neighbours with all boards (a Hamiltonian cycle), or nothing.

    A path is extended to a neighbour outside; if there is none, a part of it is reversed so that it
    ends elsewhere (Posa, 1976, "Hamiltonian circuits in random graphs").
    """
    if len(graph) < 3 or min(degree for _, degree in graph.degree) < 2:
        return []
    random = Random(1)  # the same ring in each run
    path = [min(graph)]
    for _ in range(_STEPS):
        ways = sorted(graph[path[-1]])
        if len(path) == len(graph) and path[0] in ways:
            return path
        outside = [board for board in ways if board not in path]
        if outside:
            path.append(random.choice(outside))
        else:
            turn = path.index(random.choice(ways)) + 1
            path[turn:] = path[: turn - 1 : -1]
    return []


def float_sum(a: Words, b: Words) -> Words:
    """The IEEE 754 binary32 sums of bit patterns."""
    with np.errstate(all="ignore"):
        sums = a.view(np.float32) + b.view(np.float32)
    return np.where(np.isnan(sums), np.uint32(NOT_A_NUMBER), sums.view(np.uint32))


def all_reduce(vectors: Sequence[Words], packet_words: int, *, is_float: bool) -> Words:
    """What every board of a ring gets, bit by bit; `vectors` in the order of the ring.

    packet_words: 32-bit words of a packet. Packet n starts at position n modulo the boards; the
    order of a packet's additions is that of the ring from there.
    """
    packets = -(-len(vectors[0]) // packet_words)
    starts = [packet % len(vectors) for packet in range(packets)]
    return _sums(vectors, packet_words, starts, is_float=is_float)


def reduce(vectors: Sequence[Words], packet_words: int, root: int, *, is_float: bool) -> Words:
    """What the board at position `root` gets; additions start at the board after it."""
    packets = -(-len(vectors[0]) // packet_words)
    starts = [(root + 1) % len(vectors)] * packets
    return _sums(vectors, packet_words, starts, is_float=is_float)


def _sums(
    vectors: Sequence[Words], packet_words: int, starts: Sequence[int], *, is_float: bool
) -> Words:
    parts = [np.zeros(0, np.uint32)]
    for packet, start in enumerate(starts):
        part = slice(packet * packet_words, (packet + 1) * packet_words)
        total = vectors[start][part]
        for step in range(1, len(vectors)):
            term = vectors[(start + step) % len(vectors)][part]
            with np.errstate(over="ignore"):
                total = float_sum(total, term) if is_float else total + term
        parts.append(total)
    return np.concatenate(parts)
