"""A design with all its names resolved: what leads where, by wire or by mesh.

`bombus.resolve` makes it; all later steps (check, generate, show) read it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import networkx as nx

from bombus import config, rtl
from bombus.routing import Channel, Link, Routing, routes
from bombus.rtl import LayerKind, Library
from bombus.yaml_file import Loc


@dataclass(eq=False)
class Layer:
    """A layer in its tile."""

    name: str  # unique in its tile
    kind: LayerKind
    params: dict[str, int]  # by key, as the design file sets them
    tile: Tile
    loc: Loc
    app_index: int | None = None  # replicas share one
    before: str | None = None  # the tile, or its layer, that it stands before

    @property
    def full_name(self) -> str:
        return f"{self.tile.name}.{self.name}"

    def param(self, key: str) -> int | None:
        """Value of a parameter: the design file's, or else the layer's default."""
        return self.params.get(key, self.kind.default(key))

    def mac_directions(self) -> set[str]:
        """`rx` (frames from the network), `tx` or none, as the layer has MAC ports."""
        return {port.split("_")[1] for port in self.kind.mac_ports}

    @property
    def given_name(self) -> str:
        """What the design file would call it; replicas share one name."""
        tile = self.tile.given_name
        return f"{tile}.{self.name}" if len(self.tile.layers) > 1 else tile

    def __str__(self) -> str:
        return self.full_name if len(self.tile.layers) > 1 else self.tile.name


@dataclass(eq=False)
class Group:
    """Replicas: tiles of one sort that share the messages for them."""

    name: str  # of the tile in the design file
    policy: config.Policy
    loc: Loc  # of the tile in the design file
    tiles: list[Tile] = field(default_factory=list)

    @property
    def needs_dispatch(self) -> bool:
        return len(self.tiles) > 1


@dataclass(eq=False)
class Tile:
    """A tile of the mesh; one without layers fills the rectangle."""

    name: str
    index: int
    x: int
    y: int
    loc: Loc
    group: Group | None = None  # if it is a replica
    layers: list[Layer] = field(default_factory=list)
    next: dict[int, str] = field(default_factory=dict)  # the design file's `next`, by number
    traffic: dict[str, float] = field(default_factory=dict)  # the design file's, by next hop
    # Layers that messages from the mesh may enter, by entry port.
    entries: list[Layer] = field(default_factory=list)
    # Layers that send into the mesh, in the order of the network interface's inputs.
    sources: list[Layer] = field(default_factory=list)
    # Inputs of the router that count what they drop, in the order of its `drop_o`.
    router_drops: tuple[str, ...] = ()

    @property
    def given_name(self) -> str:
        """Its name in the design file; replicas share one."""
        return self.group.name if self.group else self.name

    def counters(self) -> list[str]:
        """Names of the tile's counters in the order of their registers."""
        traffic = [
            f"{side}_{way}_{unit}"
            for side, whole in (("noc", "messages"), ("mac", "frames"))
            for way in ("in", "out")
            for unit in (whole, "bytes")
        ]
        return traffic + self.events()

    def events(self) -> list[str]:
        """Names of the counters that count pulses."""
        names = ["drop.no_route", *(f"drop.router.{name}" for name in self.router_drops)]
        for layer in self.layers:
            names += [f"drop.{layer.name}.{reason}" for reason in layer.kind.drops]
            names += [f"event.{layer.name}.{event}" for event in layer.kind.events]
        return names


@dataclass(frozen=True, eq=False)
class Hop:
    """One next hop that a layer may choose, and the layer that it leads to.

    One that leads to replicas is there once for each.
    """

    source: Layer
    number: int
    target: Layer | None  # None: dropped and counted
    group: Group | None = None  # the replicas that the target is one of

    @property
    def in_tile(self) -> bool:
        return self.target is not None and self.target.tile is self.source.tile


@dataclass(eq=False)
class Network:
    """The whole design, resolved."""

    file: config.DesignFile
    library: Library
    columns: int
    rows: int
    tiles: list[Tile]  # by index: row by row
    hops: list[Hop]
    groups: list[Group]  # in the order of the file

    @property
    def design(self) -> config.Design:
        return self.file.design

    @property
    def fabric(self) -> config.Fabric:
        """The design's fabric, its defaults worked out for the longest frame."""
        width = self.design.data_width
        return self.design.fabric.for_messages(
            -(-rtl.constant("bombus_pkg::MaxFrameBytes") * 8 // width),
            rtl.constant("noc_pkg::CrosspointLate"),
        )

    @property
    def routing(self) -> Routing:
        """How messages of up to the longest frame take their ways."""
        fabric = self.fabric
        room = fabric.packet_flits * self.design.data_width // 8
        is_short = room < rtl.constant("bombus_pkg::MaxFrameBytes")
        is_reserved = fabric.kind == "crosspoint" and fabric.lossless
        return Routing(fabric.kind, fabric.algorithm, is_reserved and is_short)

    def layers(self) -> Iterator[Layer]:
        for tile in self.tiles:
            yield from tile.layers

    def apps(self) -> list[Layer]:
        """Applications by index, each replica by itself."""
        found = [layer for layer in self.layers() if layer.app_index is not None]
        replica = {tile: n for group in self.groups for n, tile in enumerate(group.tiles)}
        return sorted(found, key=lambda layer: (layer.app_index, replica.get(layer.tile, 0)))

    def app_ports(self) -> dict[int, Layer]:
        """UDP ports that applications have, each with the (first) layer that has it."""
        ports: dict[int, Layer] = {}
        for layer in self.apps():
            if (port := layer.param("udp_port")) is not None:
                ports.setdefault(port, layer)
        return ports

    def hops_from(self, layer: Layer) -> list[Hop]:
        return [hop for hop in self.hops if hop.source is layer]

    def hops_to(self, layer: Layer) -> list[Hop]:
        return [hop for hop in self.hops if hop.target is layer]

    def mac_count(self) -> int:
        """Number of MAC ports: one more than the highest port number in use."""
        ports = [layer.param("mac_port") or 0 for layer in self.layers() if layer.kind.mac_ports]
        return max(ports, default=-1) + 1

    def links(self, source: Tile, target: Tile) -> list[Link]:
        """Links that a message may take, those that it may take first coming first."""
        ways: nx.DiGraph[Channel] = nx.DiGraph()
        ways.add_edges_from(routes(self.routing, (source.x, source.y), (target.x, target.y)))
        found = [channel.link for channel in nx.lexicographical_topological_sort(ways)]
        return list(dict.fromkeys(link for link in found if link))
