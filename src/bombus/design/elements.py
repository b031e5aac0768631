# SPDX-License-Identifier: Apache-2.0
"""What a resolved design consists of: tiles with their layers and interfaces, hops, groups.

`bombus.design.resolved.Design` holds them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from bombus.base.values import Policy
from bombus.base.yaml_file import Loc
from bombus.design.network import Network, types_of
from bombus.design.rtl import (
    MAIN_INPUT,
    MAIN_OUTPUT,
    InputStream,
    LayerKind,
    OutputStream,
)
from bombus.fabric.routing import DIRECTIONS, Channel, Position


@dataclass(eq=False)
class Layer:
    """A layer in its tile."""

    name: str  # unique in its tile
    kind: LayerKind  # elaborated with its parameter values
    params: dict[str, int]  # by key, as the design file sets them
    tile: Tile
    loc: Loc
    before: str | None = None  # the tile, or its layer, that it precedes
    bound_key: str = ""  # parameter by which other layers find it, such as `udp_port`
    raised: dict[str, str] = field(default_factory=dict)  # ports of the top by port of the layer
    joined: dict[str, str] = field(default_factory=dict)  # signals by port, to ports of a neighbour
    shared: set[str] = field(default_factory=set)  # ports of a broadcast of the design
    open: set[str] = field(default_factory=set)  # optional ports that nothing is joined to
    networks: Mapping[str, Network] = field(default_factory=dict)  # by stream

    @cached_property
    def types(self) -> Mapping[str, Network]:
        """By type parameter: a network whose beats it has."""
        return types_of(self.kind, self.networks)

    @property
    def full_name(self) -> str:
        return f"{self.tile.name}.{self.name}"

    def param(self, key: str) -> int | None:
        """Value of a parameter: from the design file, or else the layer's default."""
        return self.params.get(key, self.kind.default(key))

    def bound_value(self, key: str) -> int | None:
        """The layer's value of a bound key; None if it has no such key."""
        value = self.param(key)
        return value if value is not None else self.kind.constants.get(key)

    @property
    def inputs(self) -> list[Input]:
        return [Input(self, name) for name in self.kind.inputs]

    @property
    def outputs(self) -> list[Output]:
        return [Output(self, name) for name in self.kind.outputs]

    @property
    def given_name(self) -> str:
        """Its name in the design file; replicas share one name."""
        tile = self.tile.given_name
        return f"{tile}.{self.name}" if len(self.tile.layers) > 1 else tile

    def __str__(self) -> str:
        return self.full_name if len(self.tile.layers) > 1 else self.tile.name


class _Stream(NamedTuple):
    """A stream of a layer of the design."""

    layer: Layer
    name: str

    @property
    def tile(self) -> Tile:
        return self.layer.tile

    @property
    def network(self) -> Network:
        return self.layer.networks[self.name]

    @property
    def signal(self) -> str:
        """Its name in the module of the tile."""
        return f"{self.layer.name}_{self.name}"

    @property
    def given_name(self) -> str:
        """Its name in the design file; replicas share one name."""
        return self._after(self.layer.given_name)

    @property
    def full_name(self) -> str:
        return self._after(self.layer.full_name)

    def __str__(self) -> str:
        return self._after(str(self.layer))

    def _after(self, layer: str) -> str:
        """Prefixed with the layer's name; the main streams have just that name."""
        return layer if self.name in (MAIN_INPUT, MAIN_OUTPUT) else f"{layer}.{self.name}"


class Input(_Stream):
    """An input stream of a layer of the design."""

    __slots__ = ()

    @property
    def stream(self) -> InputStream:
        return self.layer.kind.inputs[self.name]

    @property
    def entry_port(self) -> int:
        """The number by which messages from the mesh address it in its tile."""
        return self.tile.interface(self.network).entries.index(self)


class Output(_Stream):
    """An output stream of a layer of the design."""

    __slots__ = ()

    @property
    def stream(self) -> OutputStream:
        return self.layer.kind.outputs[self.name]


@dataclass(eq=False)
class Group:
    """Replicas: copies of a tile that share its messages."""

    name: str  # of the tile in the design file
    policies: tuple[Policy, ...]  # that software can select, the initial one first
    loc: Loc  # of the tile in the design file
    tiles: list[Tile] = field(default_factory=list)

    @property
    def policy(self) -> Policy:
        """The initial policy."""
        return self.policies[0]

    @property
    def slot_policy(self) -> Policy:
        """The policy that determines the slots."""
        given = ("flow_hash", "dst_port", "round_robin")
        return next((each for each in given if each in self.policies), "least_loaded")

    @property
    def counts_load(self) -> bool:
        """Whether replicas report the messages that they have finished."""
        return "least_loaded" in self.policies

    @property
    def limits_load(self) -> bool:
        """Whether messages may wait for a replica to finish others."""
        return self.counts_load and any(
            "max_inside" in layer.kind.constants for layer in self.tiles[0].layers
        )

    @property
    def needs_dispatch(self) -> bool:
        return len(self.tiles) > 1


@dataclass(eq=False)
class Interface:
    """The connection of a tile to one network: a router and a network interface."""

    network: Network
    # Inputs reachable from the mesh, by entry port.
    entries: list[Input] = field(default_factory=list)
    # Outputs that send into the mesh, in the order of the network interface's inputs.
    sources: list[Output] = field(default_factory=list)

    @property
    def router_drops(self) -> tuple[str, ...]:
        """Inputs of the router that count dropped messages, in the order of its `drop_o`."""
        return () if self.network.given.lossless else DIRECTIONS


@dataclass(eq=False)
class Tile:
    """A tile of the mesh; tiles without layers fill the rectangle."""

    name: str
    index: int
    x: int
    y: int
    loc: Loc
    group: Group | None = None  # if it is a replica
    layers: list[Layer] = field(default_factory=list)
    next: dict[str, str] = field(default_factory=dict)  # the design file's
    traffic: dict[str, float] = field(default_factory=dict)  # the design file's, by next hop
    slow: bool = False  # the design file's
    waits: tuple[str, ...] = ()  # the design file's
    interfaces: list[Interface] = field(default_factory=list)  # in the order of the networks
    # MAC ports with their own clock, and the direction (`rx`, `tx`) that ends in this tile.
    crossings: tuple[tuple[int, str], ...] = ()

    @property
    def keeps_waiting(self) -> bool:
        """Whether messages for it may wait long: declared so, or one of several replicas."""
        return self.slow or (self.group is not None and self.group.needs_dispatch)

    def interface(self, network: Network) -> Interface:
        """Its interface to a network that it uses."""
        return next(each for each in self.interfaces if each.network is network)

    @property
    def entries(self) -> list[Input]:
        """Inputs reachable from any mesh."""
        return [each for interface in self.interfaces for each in interface.entries]

    @property
    def sources(self) -> list[Output]:
        """Outputs that send into any mesh."""
        return [each for interface in self.interfaces for each in interface.sources]

    @property
    def given_name(self) -> str:
        """Its name in the design file; replicas share one."""
        return self.group.name if self.group else self.name

    @property
    def at(self) -> Position:
        return self.x, self.y

    def counters(self) -> list[str]:
        """Names of the tile's counters in the order of their registers."""
        others = [interface.network for interface in self.interfaces[1:]]
        sides = [("noc", "messages"), ("mac", "frames")]
        sides += [(f"noc_{network.name}", "messages") for network in others]
        traffic = [
            f"{side}_{way}_{unit}"
            for side, whole in sides
            for way in ("in", "out")
            for unit in (whole, "bytes")
        ]
        return traffic + self.events()

    def events(self) -> list[str]:
        """Names of the counters that count pulses."""
        names = []
        for interface in self.interfaces:
            of = f"{interface.network.name}." if interface.network.index else ""
            names += [f"drop.{of}no_route", f"drop.{of}unknown_kind"]
            names += [f"drop.{of}router.{name}" for name in interface.router_drops]
        names += [f"drop.clock_crossing.{way}" for _, way in self.crossings]
        for layer in self.layers:
            names += [f"drop.{layer.name}.{reason}" for reason in layer.kind.drops]
            names += [f"event.{layer.name}.{event}" for event in layer.kind.events]
        return names


@dataclass(frozen=True, eq=False)
class Hop:
    """One next hop that an output may choose, and the input that it leads to.

    A next hop to replicas occurs once per replica.
    """

    source: Output
    number: int  # among those of the output
    name: str
    target: Input | None  # None: dropped and counted
    group: Group | None = None  # the replicas that the target is one of

    @property
    def is_rare(self) -> bool:
        """Whether it carries little traffic compared with the output's other next hops."""
        if self.name in self.source.stream.hops:
            return self.name in self.source.stream.rare
        return self.target is not None and self.target.layer.kind.is_rare

    @property
    def network(self) -> Network:
        return self.source.network

    @property
    def in_tile(self) -> bool:
        return self.target is not None and self.target.tile is self.source.tile


@dataclass(frozen=True, eq=False)
class Binding:
    """Layers found by a bound key.

    For example, `udp_rx` binds the UDP port, and each application has one.
    """

    key: str
    name: str  # of the next hop that leads there
    values: tuple[int, ...]  # of the key
    targets: tuple[Input, ...]  # replicas, or layers that the design file chooses between


Resource = Channel | Input


def resource_name(resource: Resource) -> str:
    """The name of a resource in messages."""
    return f"layer {resource}" if isinstance(resource, Input) else str(resource)
