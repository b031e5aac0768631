# SPDX-License-Identifier: Apache-2.0
"""The networks of a design, and which of them each stream uses.

All networks share the grid of positions. The first one has a router at each; a further one has
routers in the smallest rectangle that holds the tiles that use it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import networkx as nx

from bombus.base.text import camel_case, listing, near_matches
from bombus.base.yaml_file import Loc
from bombus.design import rtl
from bombus.design.config import DesignConfig
from bombus.fabric.config import Fabric
from bombus.fabric.routing import Channel, Link, Position, Routing, routes


class Area(NamedTuple):
    """A rectangle of the grid."""

    x: int
    y: int
    columns: int
    rows: int

    @staticmethod
    def around(positions: Iterable[Position]) -> Area:
        """The smallest area that holds all these positions; empty if there are none."""
        if not (at := list(positions)):
            return Area(0, 0, 0, 0)
        xs, ys = zip(*at, strict=True)
        return Area(min(xs), min(ys), max(xs) - min(xs) + 1, max(ys) - min(ys) + 1)

    def holds(self, at: Position) -> bool:
        x, y = at
        return self.x <= x < self.x + self.columns and self.y <= y < self.y + self.rows


@dataclass(eq=False)
class Network:
    """A mesh of routers, with its own width and fabric."""

    name: str
    index: int  # in the order of the design file
    beat: rtl.Beat  # the beats of its messages
    given: Fabric  # the design file's
    loc: Loc  # under which its `data_width` and `fabric` are
    is_only: bool = True
    area: Area = field(default_factory=lambda: Area(0, 0, 1, 1))  # where it has routers

    @property
    def data_width(self) -> int:
        return self.beat.data_width

    @property
    def prefix(self) -> str:
        """Prefix of its signals and types in a generated design."""
        return f"{self.name}_" if self.index else ""

    @property
    def camel(self) -> str:
        """The prefix in camel case."""
        return camel_case(self.prefix)

    def link_name(self, source: str, target: str) -> str:
        """Name of the signals from one tile to another in a generated design."""
        return f"{self.prefix}{source}_to_{target}"

    @property
    def label(self) -> str:
        """Its name if there are several networks, else ""."""
        return "" if self.is_only else self.name

    @property
    def fabric(self) -> Fabric:
        """Its fabric, with defaults computed for the longest frame."""
        return self.given.for_messages(
            -(-rtl.constant("bombus_pkg::MaxFrameBytes") * 8 // self.data_width),
            rtl.constant("noc_pkg::CrosspointLate"),
        )

    @property
    def routing(self) -> Routing:
        """Its routing, for messages of up to the longest frame."""
        fabric = self.fabric
        room = fabric.packet_flits * self.data_width // 8
        is_short = room < rtl.constant("bombus_pkg::MaxFrameBytes")
        is_reserved = fabric.traits.reserves_room(fabric)
        return Routing(fabric.traits, fabric.algorithm, is_reserved and is_short, self.label)

    def links(self, source: Position, target: Position) -> list[Link]:
        """Links that a message may take, in the order in which it may take them."""
        ways: nx.DiGraph[Channel] = nx.DiGraph()
        ways.add_edges_from(routes(self.routing, source, target))
        found = [channel.link for channel in nx.lexicographical_topological_sort(ways)]
        return list(dict.fromkeys(link for link in found if link))

    def capacity(self, clock_mhz: float) -> float:
        """Capacity of a link, in Gbit/s."""
        return self.data_width * clock_mhz / 1000


def networks_of(config: DesignConfig) -> list[Network]:
    """The networks of a design file, the first one first."""
    given = config.all_networks
    return [
        Network(
            name, i, rtl.Beat(each.data_width), each.fabric, config.network_loc(i), len(given) == 1
        )
        for i, (name, each) in enumerate(given.items())
    ]


class StreamNetworks:
    """The networks that the streams of one tile's layers use, as the design file names them."""

    def __init__(self, networks: list[Network], given: Mapping[str, str]) -> None:
        self.networks = networks
        self.by_name = {network.name: network for network in networks}
        self.given = given
        self.users: dict[str, list[str]] = {name: [] for name in given}
        self.known: list[str] = []

    def of_layer(self, name: str, kind: rtl.LayerKind) -> dict[str, Network]:
        """The network of each stream of a layer of this name."""
        found = {}
        for stream in (*kind.inputs, *kind.outputs):
            full = f"{name}.{stream}"
            self.known += [full, stream]
            key = full if full in self.given else stream
            if key in self.given:
                self.users[key].append(full)
            found[stream] = self.by_name.get(self.given.get(key, ""), self.networks[0])
        return found

    def problems(self, tile: str) -> Iterator[tuple[str, str]]:
        """(key, message) of each problem, once all layers have their networks."""
        for key, network in self.given.items():
            users = self.users[key]
            if not users:
                hint = near_matches(key, self.known)
                yield key, f"no layer of tile {tile!r} has a stream {key!r}; {hint}"
            elif len(users) > 1:
                names = listing(f"`{user}`" for user in users)
                yield key, f"several layers of tile {tile!r} have a stream {key!r}: name {names}"
            if network not in self.by_name:
                hint = near_matches(network, self.by_name)
                yield key, f"there is no network {network!r}; {hint}"


def types_of(kind: rtl.LayerKind, networks: Mapping[str, Network]) -> dict[str, Network]:
    """A network for each of a layer's type parameters for beats, by the type's name.

    ValueError if streams of one type use networks with different beats.
    """
    users: dict[str, list[str]] = {}
    for stream in networks:
        users.setdefault(kind.type_of(stream), []).append(stream)
    for name, streams in users.items():
        first = networks[streams[0]]
        for other in streams[1:]:
            if networks[other].beat != first.beat:
                raise ValueError(
                    f"streams {streams[0]} and {other} of {kind.name} have one type, {name}, but "
                    f"use networks of {first.data_width} and {networks[other].data_width} bits; "
                    f"the layer needs `parameter type {other}_beat_t`"
                )
    found = {name: networks[streams[0]] for name, streams in users.items()}
    if rtl.BEAT in kind.types and networks:  # every stream may have its own type
        found.setdefault(rtl.BEAT, next(iter(networks.values())))
    return found
