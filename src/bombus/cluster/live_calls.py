# SPDX-License-Identifier: Apache-2.0
"""Calls of the control socket of a running cluster (`bombus.live.control`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bombus.base.errors import UserError
from bombus.cluster import report
from bombus.cluster.board import Board
from bombus.cluster.layout import is_clear, positions
from bombus.cluster.rerouting import topology_of
from bombus.cluster.simulation import Cluster


def _overview(cluster: Cluster) -> dict[str, Any]:
    """What stays the same: boards with their tiles and places in a picture, and links."""
    topology = topology_of(cluster.description)
    places = positions(topology)
    return {
        "name": cluster.description.name,
        "clock_hz": cluster.clock_hz,
        "boards": [
            {
                "board": board.number,
                "name": board.name,
                "tiles": [tile["name"] for tile in board.manifest["tiles"]],
                "place": list(places[board.number]),
            }
            for board in cluster
        ],
        "links": [
            {
                "a": list(link.a),
                "b": list(link.b),
                "is_clear": is_clear(places, link.a[0], link.b[0]),
            }
            for link in cluster.links
        ],
    }


def _sample(cluster: Cluster, boards: list[int] | None = None) -> dict[str, Any]:
    """Links, and the counters of boards (default: all)."""
    wanted = [board.number for board in cluster] if boards is None else boards
    for number in wanted:
        cluster.description.board(number)
    counters = report.link_counters(cluster)
    up = {board.number: _up(cluster, board) for board in cluster}
    return {
        "cycle": cluster.cycle,
        "links": [
            link | {"up": all(up[board] >> port & 1 for board, port in (link["a"], link["b"]))}
            for link in report.links(cluster, counters)
        ],
        "boards": [
            {
                "board": number,
                "name": cluster[number].name,
                "counters": cluster[number].counters(),
            }
            for number in wanted
        ],
    }


def _up(cluster: Cluster, board: Board) -> int:
    """The links of a board that are trained, as bits."""
    node = cluster.description.board(board.number).node
    if node is None:
        return ~0
    return int(board.registers.tiles[node[0]][node[1]].links.up)


def _set_link(cluster: Cluster, link: int, up: bool) -> None:
    if not isinstance(link, int) or not isinstance(up, bool):
        raise UserError("a link's number, and whether it is up")
    cluster.set_link(link, up=up)


CALLS: Mapping[str, Callable[..., Any]] = {
    "overview": _overview,
    "sample": _sample,
    "set_link": _set_link,
}
