# SPDX-License-Identifier: Apache-2.0
"""Load of each link of the mesh, from the bytes that tiles send and receive.

Counters give the bytes of each tile, next hops the tiles that it sends to. Where that leaves the
bytes of a pair of tiles open, they are estimated by iterative proportional fitting.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx

Place = tuple[int, int]  # x, y
Link = tuple[Place, Place]  # neighbours: from, to
Pair = tuple[str, str]  # tiles: from, to

_ROUNDS = 60
_BITS = 8


@dataclass(frozen=True)
class LinkLoad:
    """Bytes on a link in an interval."""

    bytes: float
    is_estimated: bool


def prefix(manifest: Mapping[str, Any], network: int) -> str:
    """What the names of a network's counters begin with."""
    return "noc_" if network == 0 else f"noc_{manifest['networks'][network]['name']}_"


def pairs(manifest: Mapping[str, Any], network: str) -> list[Pair]:
    """Tiles that are connected by next hops over a network, each pair once."""
    ends = (
        (hop["from"].partition(".")[0], hop["to"].partition(".")[0])
        for hop in manifest["hops"]
        if hop["to"] and not hop["in_tile"] and hop["network"] == network
    )
    return list(dict.fromkeys(ends))


def fitted(
    edges: Iterable[Pair], sent: Mapping[str, float], received: Mapping[str, float]
) -> dict[Pair, float]:
    """Bytes of each pair, such that the sums are those of each sender and each receiver."""
    used = [pair for pair in edges if sent.get(pair[0]) and received.get(pair[1])]
    found = dict.fromkeys(used, 1.0)
    for _ in range(_ROUNDS):
        for end, given in ((0, sent), (1, received)):
            sums: dict[str, float] = {}
            for pair, value in found.items():
                sums[pair[end]] = sums.get(pair[end], 0) + value
            for pair in found:
                if total := sums[pair[end]]:
                    found[pair] *= given[pair[end]] / total
    return found


def determined(edges: Iterable[Pair]) -> set[Pair]:
    """Pairs whose bytes follow from the sums: those in no cycle of the graph of both ends."""
    graph: nx.Graph[Any] = nx.Graph()
    graph.add_edges_from((("from", source), ("to", target)) for source, target in edges)
    found: set[frozenset[Any]] = {frozenset(edge) for edge in nx.bridges(graph)}
    return {
        (source, target)
        for source, target in edges
        if frozenset((("from", source), ("to", target))) in found
    }


def route(start: Place, end: Place) -> list[Link]:
    """The links between two tiles: first along x, then along y."""
    (x, y), links = start, []
    while (x, y) != end:
        here = (x, y)
        if x != end[0]:
            x += 1 if end[0] > x else -1
        else:
            y += 1 if end[1] > y else -1
        links.append((here, (x, y)))
    return links


def link_loads(
    manifest: Mapping[str, Any], moved: Mapping[str, Mapping[str, float]], network: int = 0
) -> dict[Link, LinkLoad]:
    """Load of each link that a route takes. `moved`: counters of an interval, by tile and name."""
    start = prefix(manifest, network)
    places = {tile["name"]: (tile["x"], tile["y"]) for tile in manifest["tiles"]}
    edges = pairs(manifest, manifest["networks"][network]["name"])
    sent, received = (
        {name: values.get(f"{start}{way}_bytes", 0) for name, values in moved.items()}
        for way in ("out", "in")
    )
    found = fitted(edges, sent, received)
    sure = determined(list(found))
    loads: dict[Link, LinkLoad] = {}
    for pair in edges:
        for link in route(places[pair[0]], places[pair[1]]):
            before = loads.get(link, LinkLoad(0, is_estimated=False))
            loads[link] = LinkLoad(
                before.bytes + found.get(pair, 0),
                before.is_estimated or (pair in found and pair not in sure),
            )
    return loads


def share(load: LinkLoad, manifest: Mapping[str, Any], cycles: int, network: int = 0) -> float:
    """Share of the link's bandwidth, 0 to 1."""
    width = manifest["networks"][network]["data_width"]
    return min(1.0, load.bytes * _BITS / (width * cycles)) if cycles > 0 else 0.0
