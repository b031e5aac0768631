# SPDX-License-Identifier: Apache-2.0
"""The resolved design: tiles, layers, hops and replica groups.

`bombus.design.resolve` makes it; all later steps (check, generate, show) read it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import networkx as nx

from bombus.design import config
from bombus.design.dispatch import Dispatch, dispatch_plan, num_slots
from bombus.design.elements import (
    Binding,
    Group,
    Hop,
    Input,
    Interface,
    Layer,
    Output,
    Resource,
    Tile,
)
from bombus.design.messages import Messages, messages
from bombus.design.network import Area, Network
from bombus.design.next_table import NextTable
from bombus.design.register_map import RegisterMap, register_map
from bombus.design.resources import joined_layers, resource_graph
from bombus.design.rtl import Library
from bombus.fabric.routing import Turn, turns


@dataclass(eq=False)
class Design:
    """The whole design, resolved."""

    file: config.DesignFile
    library: Library
    networks: list[Network]  # the first one first
    columns: int
    rows: int
    tiles: list[Tile]  # by index: row by row
    hops: list[Hop]
    groups: list[Group]  # in the order of the file
    bindings: list[Binding] = field(default_factory=list)  # in the order of the file

    @property
    def config(self) -> config.DesignConfig:
        return self.file.config

    def interfaces(self) -> Iterator[Interface]:
        for tile in self.tiles:
            yield from tile.interfaces

    def join(self) -> None:
        """Gives every tile its interfaces, and every network the rectangle that it fills."""
        used: dict[tuple[Tile, Network], Interface] = {}
        for hop in self.hops:
            if hop.in_tile:
                continue
            key = hop.source.tile, hop.source.network
            sources = used.setdefault(key, Interface(key[1])).sources
            if hop.source not in sources:
                sources.append(hop.source)
            if hop.target:
                key = hop.target.tile, hop.target.network
                entries = used.setdefault(key, Interface(key[1])).entries
                if hop.target not in entries:
                    entries.append(hop.target)
        for network in self.networks:
            network.area = Area(0, 0, self.columns, self.rows)
            if network.index:
                network.area = Area.around(tile.at for tile, other in used if other is network)
        for tile in self.tiles:
            tile.interfaces = [
                used.get((tile, network), Interface(network))
                for network in self.networks
                if network.area.holds(tile.at)
            ]
            inputs = [each for layer in tile.layers for each in layer.inputs]
            for interface in tile.interfaces:
                interface.entries.sort(key=inputs.index)

    @cached_property
    def dispatches(self) -> dict[Interface, list[Dispatch]]:
        """The groups of replicas that each interface distributes messages among."""
        return {interface: dispatch_plan(interface, self) for interface in self.interfaces()}

    @cached_property
    def messages(self) -> Messages:
        """The kinds of messages that the streams carry."""
        return messages(self)

    @cached_property
    def resource_graph(self) -> nx.DiGraph[Resource]:
        """Resources that messages hold and need next; `hops` of an edge: the next hops that cause
        it.
        """
        return resource_graph(self)

    @cached_property
    def _joined(self) -> nx.DiGraph[Layer]:
        return nx.compose_all(joined_layers(tile) for tile in self.tiles)

    def before(self, layer: Layer) -> set[Layer]:
        """Other layers of its tile from which AXI-Streams lead to it, directly or through
        others.
        """
        return nx.ancestors(self._joined, layer)

    def behind(self, layer: Layer) -> set[Layer]:
        """Other layers of its tile that it reaches by AXI-Streams, directly or through others."""
        return nx.descendants(self._joined, layer)

    def layers(self) -> Iterator[Layer]:
        for tile in self.tiles:
            yield from tile.layers

    def bindings_of(self, key: str) -> list[Binding]:
        return [binding for binding in self.bindings if binding.key == key]

    def inputs(self) -> Iterator[Input]:
        for layer in self.layers():
            yield from layer.inputs

    def outputs(self) -> Iterator[Output]:
        for layer in self.layers():
            yield from layer.outputs

    @cached_property
    def _hops_by_source(self) -> dict[Output, list[Hop]]:
        found: dict[Output, list[Hop]] = {}
        for hop in self.hops:
            found.setdefault(hop.source, []).append(hop)
        return found

    def hops_from(self, source: Output) -> list[Hop]:
        return self._hops_by_source.get(source, [])

    def hop_names(self, source: Output) -> list[str]:
        """Names of an output's next hops, by number."""
        stream = source.stream
        bound = self.bindings_of(stream.binds) if stream.binds else []
        return [*stream.hops, *(binding.name for binding in bound)]

    def num_hops(self, source: Output) -> int:
        """Number of an output's next hops; one that binds a key has at least one bound next hop."""
        stream = source.stream
        bound = self.bindings_of(stream.binds) if stream.binds else []
        return len(stream.hops) + (max(1, len(bound)) if stream.binds else 0)

    def next_width(self, source: Output) -> int:
        """Width of the next hop numbers of an output."""
        return max(1, (self.num_hops(source) - 1).bit_length())

    def next_bits(self, interface: Interface) -> int:
        """Width of the next hop numbers of all outputs that send through an interface."""
        return max([1, *map(self.next_width, interface.sources)])

    @cached_property
    def next_tables(self) -> dict[Interface, NextTable]:
        return {
            interface: NextTable.of([(each, self.num_hops(each)) for each in interface.sources])
            for interface in self.interfaces()
        }

    def first_hop(self, tile: Tile, interface: Interface) -> int:
        """Number of an interface's first next hop among those of its tile."""
        before = tile.interfaces[: tile.interfaces.index(interface)]
        return sum(self.next_tables[each].size for each in before if each.sources)

    def first_slot(self, tile: Tile, interface: Interface) -> int:
        """Number of an interface's first slot among those of its tile."""
        before = tile.interfaces[: tile.interfaces.index(interface)]
        return sum(num_slots(self.dispatches[each]) for each in before if self.dispatches[each])

    def table_sizes(self, tile: Tile) -> tuple[int, int]:
        """Number of next hops and slots of a tile, over all its interfaces, that registers can
        write.
        """
        if self.config.tables == "fixed":
            return 0, 0
        hops = sum(self.next_tables[each].size for each in tile.interfaces if each.sources)
        plans = (self.dispatches[each] for each in tile.interfaces)
        return max(1, hops), sum(num_slots(plan) for plan in plans if plan)

    @cached_property
    def turns(self) -> frozenset[tuple[Network, Turn]]:
        """Turns of messages at the routers of each network, given the next hops of the file."""
        return frozenset(
            (hop.network, turn)
            for hop in self.hops
            if hop.target and not hop.in_tile
            for turn in turns(hop.network.routing, hop.source.tile.at, hop.target.tile.at)
        )

    @cached_property
    def register_map(self) -> RegisterMap:
        return register_map(self)

    def hops_to(self, target: Input) -> list[Hop]:
        return [hop for hop in self.hops if hop.target == target]

    def mac_count(self) -> int:
        """Number of MAC ports: one more than the highest port number in use."""
        ports = [layer.param("mac_port") or 0 for layer in self.layers() if layer.kind.mac_ports]
        return max(ports, default=-1) + 1
