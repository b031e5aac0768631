# SPDX-License-Identifier: Apache-2.0
"""The resolved design as data: tiles, layers, hops and groups of replicas.

`bombus.design.resolve` makes it; `bombus.design.facts` has what follows from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bombus.design import config
from bombus.design.elements import Binding, Group, Hop, Input, Interface, Layer, Output, Tile
from bombus.design.network import Network
from bombus.design.rtl import ANY, Library


@dataclass(frozen=True, eq=False)
class Design:
    """The whole design, resolved."""

    file: config.DesignFile
    library: Library
    networks: tuple[Network, ...]  # the first one first
    columns: int
    rows: int
    tiles: tuple[Tile, ...]  # by index: row by row
    hops: tuple[Hop, ...]
    groups: tuple[Group, ...]  # in the order of the file
    bindings: tuple[Binding, ...]  # in the order of the file
    # Layers that hand messages over to others beyond the meshes, with these.
    beyond: tuple[tuple[Layer, Layer], ...] = ()

    @property
    def config(self) -> config.DesignConfig:
        return self.file.config

    def interfaces(self) -> Iterator[Interface]:
        for tile in self.tiles:
            yield from tile.interfaces

    def layers(self) -> Iterator[Layer]:
        for tile in self.tiles:
            yield from tile.layers

    def inputs(self) -> Iterator[Input]:
        for layer in self.layers():
            yield from layer.inputs

    def outputs(self) -> Iterator[Output]:
        for layer in self.layers():
            yield from layer.outputs

    def bindings_of(self, key: str) -> list[Binding]:
        return [binding for binding in self.bindings if binding.key == key]

    @property
    def is_part(self) -> bool:
        """Whether its messages come from, or go to, layers of other designs, or it has none."""
        streams = any(layer.kind.inputs or layer.kind.outputs for layer in self.layers())
        return not streams or any(
            layer.kind.sends_given or any(each.stream.entry == ANY for each in layer.inputs)
            for layer in self.layers()
        )

    def ports_without_mac(self) -> set[int]:
        """Numbers of the MAC ports that only have addresses: their packets travel inside others."""
        return {
            layer.param("inner_port") or 0 for layer in self.layers() if layer.kind.port_without_mac
        }

    def mac_count(self) -> int:
        """Number of MAC ports: one more than the highest port number in use."""
        ports = [layer.param("mac_port") or 0 for layer in self.layers() if layer.kind.mac_ports]
        return max(ports, default=-1) + 1
