# SPDX-License-Identifier: Apache-2.0
"""What a run of many boards reports: its links, with estimated bit error rates, and counters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from bombus.base.text import error_rate
from bombus.cluster.description import BoardDescription
from bombus.cluster.simulation import Cluster
from bombus.simulator.beat_links import BeatLinkStatistics

_OF_LINK = ("packet_in", "beat_in", "crc_error", "retry", "down")

Counters = Mapping[int, Mapping[str, Mapping[str, int]]]  # by board, tile and name


def report(cluster: Cluster) -> dict[str, Any]:
    """Links and boards, for JSON."""
    counters = cluster.counters()
    return {"links": links(cluster, counters), "boards": _boards(cluster, counters)}


def links(cluster: Cluster, counters: Counters) -> list[dict[str, Any]]:
    """The directions of all links: beats as simulated, packets as the nodes count them."""
    nodes = {board.board: _node(board, counters) for board in cluster.description.boards}
    return [
        {
            "a": list(link.a),
            "b": list(link.b),
            "from_a": _direction(at_a, at_b)
            | _packets(nodes, link.a, link.b, cluster.link_bits(number)),
            "from_b": _direction(at_b, at_a)
            | _packets(nodes, link.b, link.a, cluster.link_bits(number)),
        }
        for number, (link, (at_a, at_b)) in enumerate(
            zip(cluster.description.links, cluster.link_statistics(), strict=True)
        )
    ]


def link_counters(cluster: Cluster) -> Counters:
    """Those counters that `links` needs: to read all takes much longer."""
    found: dict[int, dict[str, dict[str, int]]] = {}
    for described in cluster.description.boards:
        if described.node is None:
            continue
        tile, layer = described.node
        ports = {
            port
            for link in cluster.links
            for board, port in (link.a, link.b)
            if board == described.board
        }
        names = {f"event.{layer}.link{port}_{each}" for port in ports for each in _OF_LINK}
        board = cluster[described.board]
        found[described.board] = {tile: board.tile_counters(tile, names)}
    return found


def _node(board: BoardDescription, counters: Counters) -> dict[str, int]:
    """The counters of a board's node, without its name; empty: it has none."""
    if board.node is None:
        return {}
    tile, layer = board.node
    return {
        name.partition(f".{layer}.")[2]: count
        for name, count in counters[board.board][tile].items()
        if f".{layer}." in name
    }


def _direction(sender: BeatLinkStatistics, receiver: BeatLinkStatistics) -> dict[str, Any]:
    return {
        "sent": sender.sent,
        "received": receiver.received,
        "lost": receiver.lost,
        "flipped_bits": sender.flipped_bits,
        "digest": f"{receiver.received_digest:016x}",
    }


def _packets(
    nodes: Mapping[int, Mapping[str, int]], sender: tuple[int, int], to: tuple[int, int], bits: int
) -> dict[str, Any]:
    """Packets of a direction; the bit error rate as docs/cluster/link.md estimates it."""
    source, out = nodes[sender[0]], f"link{sender[1]}_"
    target, into = nodes[to[0]], f"link{to[1]}_"
    if not source or not target:
        return {}
    beats, errors = target[f"{into}beat_in"], target[f"{into}crc_error"]
    return {
        "packets": target[f"{into}packet_in"],
        "beats": beats,  # with words of packets
        "crc_errors": errors,
        "retries": source[f"{out}retry"],
        "went_down": target[f"{into}down"],
        "bit_error_rate": errors / (beats * bits) if beats else None,
    }


def _boards(cluster: Cluster, counters: Counters) -> list[dict[str, Any]]:
    return [
        {
            "board": board.number,
            "name": board.name,
            "mac_ports": [
                board.call("statistics", port) for port in range(len(board.manifest["mac_ports"]))
            ],
            "counters": counters[board.number],
        }
        for board in cluster
    ]


# ---- As tables ----


def link_table(found: Sequence[Mapping[str, Any]]) -> Table:
    """Both directions of links (`links`)."""
    counts = ["sent", "received", "lost", "flipped_bits"]
    names = ["beats", "received", "lost", "wrong bits"]
    if any("packets" in link["from_a"] for link in found):
        counts += ["packets", "crc_errors", "retries"]
        names += ["packets", "CRC errors", "retries", "bit error rate"]
    table = Table("link", title="Links")
    for name in names:
        table.add_column(name, justify="right")
    for link in found:
        for key, ends in (("from_a", ("a", "b")), ("from_b", ("b", "a"))):
            (source, out), (target, into) = (link[end] for end in ends)
            each = link[key]
            row = [str(each.get(name, "-")) for name in counts]
            if "retries" in counts:
                row.append(error_rate(each.get("bit_error_rate")))
            table.add_row(f"{source}.{out} to {target}.{into}", *row)
    return table


def counter_table(boards: Sequence[Mapping[str, Any]]) -> Table:
    """The counters of all boards that are not 0 (`report`)."""
    table = Table("board", "tile", "counter", title="Counters")
    table.add_column("count", justify="right")
    for board in boards:
        for tile, counters in board["counters"].items():
            for name, count in counters.items():
                if count:
                    table.add_row(board["name"], tile, name, f"{count:,}")
    return table
