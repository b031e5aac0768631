# SPDX-License-Identifier: Apache-2.0
"""Routing of each fabric as channels: what a message holds and what it needs next.

A channel is a resource that one message at a time can hold, or a queue that
messages can fill. `routes` is the one place that says which channels a message
may take from one tile to another; the deadlock analysis, the placement and the
tests of the routers read it. Positions are (x, y); x grows to the east, y to the
south.

The wormhole fabric has one channel per router output. So has the one with virtual
channels: a message may take any of those of a link, so that all of them together are
one channel here. The crosspoint fabric has one for each queue: one per legal pair of input
and output, some of them split in two lanes by where the message still has to go
(see `_lane`); where messages may stop half on a link, for want of room, its outputs are channels
too. Every tile has two more: its injection port and its ejection port.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

Position = tuple[int, int]  # x, y
Link = tuple[Position, Position]  # from a router to its neighbour
Turn = tuple[Position, str, str]  # router, input, output

LOCAL = "local"
STEPS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
OPPOSITE = {"north": "south", "east": "west", "south": "north", "west": "east"}
HORIZONTAL = ("east", "west")
# In the order of their numbers in noc_pkg::dir_e.
DIRECTIONS = (LOCAL, *STEPS)

# The routing algorithms of each fabric.
ALGORITHMS = {
    "wormhole": ("xy",),
    "virtual_channels": ("xy",),
    "crosspoint": ("xy", "o1turn", "adaptive"),
}


class Routing(NamedTuple):
    """How a fabric routes.

    `holds_links`: in the crosspoint fabric, a message may stop while still on a link. With adaptive
    routing this does not cover all such messages: see `bombus.analysis.check`.
    """

    kind: str
    algorithm: str
    holds_links: bool = False
    network: str = ""  # by name; "": there is only one


class Channel(NamedTuple):
    """A channel of the router at a position.

    `enter` is empty if all inputs of the router share the channel (its output), `leave` for an
    injection port.
    """

    at: Position
    enter: str
    leave: str
    lane: str = ""
    network: str = ""  # as in `Routing`

    @property
    def link(self) -> Link | None:
        """The link that the channel leads over; None: it leads into or out of the router."""
        return (self.at, step(self.at, self.leave)) if self.leave in STEPS else None

    def __str__(self) -> str:
        return f"{self._place()} of network {self.network}" if self.network else self._place()

    def _place(self) -> str:
        x, y = self.at
        if not self.leave:
            return f"injection port of router ({x}, {y})"
        if self.leave == LOCAL:
            name = f"ejection port of router ({x}, {y})"
        else:
            to_x, to_y = step(self.at, self.leave)
            name = f"link ({x}, {y}) to ({to_x}, {to_y})"
        if self.enter:
            lane = f", {self.lane}" if self.lane else ""
            name += f" from {self.enter}{lane}"
        return name


Edge = tuple[Channel, Channel]  # held, needed next


def inject(at: Position, network: str = "") -> Channel:
    """Injection port of a tile: all messages of its layers enter the mesh here."""
    return Channel(at, LOCAL, "", network=network)


def eject(at: Position, network: str = "") -> Channel:
    """Ejection port of a router, to its tile."""
    return Channel(at, "", LOCAL, network=network)


def step(at: Position, direction: str) -> Position:
    """The neighbour in a direction."""
    dx, dy = STEPS[direction]
    return at[0] + dx, at[1] + dy


def _productive(at: Position, target: Position) -> list[str]:
    """Directions that bring a message nearer: along x, then along y."""
    found = []
    if target[0] != at[0]:
        found.append("east" if target[0] > at[0] else "west")
    if target[1] != at[1]:
        found.append("south" if target[1] > at[1] else "north")
    return found


def _lane(algorithm: str, at: Position, enter: str, leave: str, target: Position) -> str:
    """The lane of a split queue that a message for `target` takes at a router.

    With O1TURN, straight-through queues have one lane for messages that still have to turn and one
    for those that have turned or need not. With adaptive routing, straight-through queues to the
    north or south have one lane for westbound messages and one for all others.
    """
    if enter == LOCAL or leave == LOCAL or OPPOSITE[enter] != leave:
        return ""
    left_x, left_y = target[0] - at[0], target[1] - at[1]
    if algorithm == "o1turn":
        return "to turn" if (left_y if leave in HORIZONTAL else left_x) else "turned"
    if algorithm == "adaptive" and leave not in HORIZONTAL:
        return "westbound" if left_x < 0 else "eastbound"
    return ""


def _walks(order: str, at: Position, enter: str, target: Position) -> Iterator[Turn]:
    """The turns of a message at every router of every route, possibly repeated."""
    seen = {(at, enter)}
    front = [(at, enter)]
    while front:
        at, enter = front.pop()
        productive = _productive(at, target)
        if order == "xy":
            productive = productive[:1]
        elif order == "yx":
            productive = productive[-1:]
        if not productive:
            yield at, enter, LOCAL
        for direction in productive:
            yield at, enter, direction
            state = (step(at, direction), OPPOSITE[direction])
            if state not in seen:
                seen.add(state)
                front.append(state)


def _orders(algorithm: str) -> tuple[str, ...]:
    """The axis orders that a message may choose at its source."""
    return ("xy", "yx") if algorithm == "o1turn" else (algorithm,)


@functools.cache
def turns(routing: Routing, source: Position, target: Position) -> frozenset[Turn]:
    """The turns that a message from one tile to another may make at the routers on its path."""
    orders = _orders(routing.algorithm)
    return frozenset(hop for each in orders for hop in _walks(each, source, LOCAL, target))


@functools.cache
def routes(routing: Routing, source: Position, target: Position) -> frozenset[Edge]:
    """Pairs of channels that a message in flight may hold and need next.

    `source` and `target` are different. The first channel is `inject(source)`, the last one
    `eject(target)`, of the routing's network.
    """
    kind, algorithm, holds_links, network = routing
    if algorithm not in ALGORITHMS.get(kind, ()):
        raise ValueError(f"there is no fabric {kind} with routing {algorithm}")
    if source == target:
        raise ValueError("a message to its own tile has no route: routers make no U-turns")

    def channel(at: Position, enter: str, leave: str) -> Channel:
        if kind == "crosspoint":
            lane = _lane(algorithm, at, enter, leave, target)
            return Channel(at, enter, leave, lane, network)
        return output(at, leave)

    def output(at: Position, leave: str) -> Channel:
        return Channel(at, "", leave, network=network)

    edges: set[Edge] = set()
    for order in _orders(algorithm):
        into: dict[tuple[Position, str], set[Channel]] = {
            (source, LOCAL): {inject(source, network)}
        }
        hops = list(_walks(order, source, LOCAL, target))
        for at, enter, leave in hops:
            if leave != LOCAL:
                key = (step(at, leave), OPPOSITE[leave])
                here = output(at, leave) if holds_links else channel(at, enter, leave)
                into.setdefault(key, set()).add(here)
        for at, enter, leave in hops:
            here = channel(at, enter, leave)
            edges.update((before, here) for before in into[at, enter])
            if (leave == LOCAL or holds_links) and here != output(at, leave):
                edges.add((here, output(at, leave)))
    return frozenset(edges)
