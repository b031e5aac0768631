# SPDX-License-Identifier: Apache-2.0
"""Head-of-line blocking: routes whose messages may wait for those to a slow tile.

A message that waits for a slow tile, a replica or one declared `slow`, stays in the queues of its
route. Messages for other tiles that enter one of these queues wait for it, even while their own
tile is idle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from bombus.design.resolved import Design
from bombus.fabric.routing import Channel, Position, Routing, routes


class Leg(NamedTuple):
    """Messages between two tiles over one network."""

    source: str
    target: str
    network: int  # its index


def queues(routing: Routing, source: Position, target: Position) -> set[Channel]:
    """The queues between injection port and ejection port, which depend on the placement."""
    channels = {channel for edge in routes(routing, source, target) for channel in edge}
    return {channel for channel in channels if channel.link}


def blocked(ways: Mapping[Leg, Iterable[object]], slow: Iterable[str]) -> dict[Leg, set[str]]:
    """Legs that share a queue with messages for other, slow tiles, and these tiles.

    `ways`: the queues of each leg.
    """
    tiles = set(slow)
    waiting: dict[object, set[str]] = {}
    for leg, channels in ways.items():
        if leg.target in tiles:
            for channel in channels:
                waiting.setdefault((leg.network, channel), set()).add(leg.target)
    found: dict[Leg, set[str]] = {}
    for leg, channels in ways.items():
        for channel in channels:
            if others := waiting.get((leg.network, channel), set()) - {leg.target}:
                found.setdefault(leg, set()).update(others)
    return found


def of_design(design: Design) -> dict[Leg, set[str]]:
    """Legs of a design that may be blocked, given its positions. A dropping network has none."""
    ways = {
        Leg(hop.source.tile.name, hop.target.tile.name, hop.network.index): queues(
            hop.network.routing, hop.source.tile.at, hop.target.tile.at
        )
        for hop in design.hops
        if hop.target and not hop.in_tile and hop.network.given.lossless
    }
    return blocked(ways, slow_tiles(design))


def slow_tiles(design: Design) -> set[str]:
    return {tile.name for tile in design.tiles if tile.keeps_waiting}
