# SPDX-License-Identifier: Apache-2.0
"""Routing of each fabric as channels: what a message holds and what it needs next.

A channel is a resource that one message at a time can hold, or a queue that
messages can fill. `routes` is the one place that says which channels a message
may take from one tile to another; the deadlock analysis, the placement and the
tests of the routers read it. Positions are (x, y); x grows to the east, y to the
south.

Which channels a router has depends on the kind of fabric (`bombus.fabric.kinds`). Every tile has
two more: its injection port and its ejection port.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple, Protocol

Position = tuple[int, int]  # x, y
Link = tuple[Position, Position]  # from a router to its neighbour
Turn = tuple[Position, str, str]  # router, input, output

LOCAL = "local"
STEPS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
OPPOSITE = {"north": "south", "east": "west", "south": "north", "west": "east"}
HORIZONTAL = ("east", "west")
# In the order of their numbers in noc_pkg::dir_e.
DIRECTIONS = (LOCAL, *STEPS)


class Queues(Protocol):
    """The queues of a kind of fabric (`bombus.fabric.kind.FabricKind`)."""

    @property
    def name(self) -> str: ...
    @property
    def algorithms(self) -> tuple[str, ...]: ...
    def channel(
        self, algorithm: str, at: Position, enter: str, leave: str, target: Position, network: str
    ) -> Channel: ...


class Routing(NamedTuple):
    """How a fabric routes.

    `holds_links`: in the crosspoint fabric, a message may stop while still on a link. With adaptive
    routing this does not cover all such messages: see `bombus.analysis.check`.
    """

    kind: Queues
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

    @property
    def is_injection(self) -> bool:
        """Whether it is an injection port."""
        return not self.leave

    @property
    def is_ejection(self) -> bool:
        """Whether it is an ejection port that messages from all inputs share."""
        return self.leave == LOCAL and not self.enter

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


def direction_enum(direction: str) -> str:
    """A direction as a name of noc_pkg::dir_e."""
    return f"Dir{direction.title()}"


def inject(at: Position, network: str = "") -> Channel:
    """Injection port of a tile: all messages of its layers enter the mesh here."""
    return Channel(at, LOCAL, "", network=network)


def eject(at: Position, network: str = "") -> Channel:
    """Ejection port of a router, to its tile."""
    return Channel(at, "", LOCAL, network=network)


def output(at: Position, leave: str, network: str = "") -> Channel:
    """An output of a router, which messages from all inputs share."""
    return Channel(at, "", leave, network=network)


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
    if algorithm not in kind.algorithms:
        raise ValueError(f"there is no fabric {kind.name} with routing {algorithm}")
    if source == target:
        raise ValueError("a message to its own tile has no route: routers make no U-turns")

    def channel(at: Position, enter: str, leave: str) -> Channel:
        return kind.channel(algorithm, at, enter, leave, target, network)

    edges: set[Edge] = set()
    for order in _orders(algorithm):
        into: dict[tuple[Position, str], set[Channel]] = {
            (source, LOCAL): {inject(source, network)}
        }
        hops = list(_walks(order, source, LOCAL, target))
        for at, enter, leave in hops:
            if leave != LOCAL:
                key = (step(at, leave), OPPOSITE[leave])
                here = output(at, leave, network) if holds_links else channel(at, enter, leave)
                into.setdefault(key, set()).add(here)
        for at, enter, leave in hops:
            here = channel(at, enter, leave)
            edges.update((before, here) for before in into[at, enter])
            if (leave == LOCAL or holds_links) and here != output(at, leave, network):
                edges.add((here, output(at, leave, network)))
    return frozenset(edges)
