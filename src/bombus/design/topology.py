# SPDX-License-Identifier: Apache-2.0
"""How the layers of a design are joined: hops by their ends, and AXI-Streams inside tiles."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import networkx as nx

from bombus.design.elements import Hop, Input, Layer, Output, Tile
from bombus.design.resolved import Design


@dataclass(frozen=True, eq=False)
class Topology:
    """An index of the hops of a design, and of the AXI-Streams between layers of a tile."""

    design: Design
    _by_source: Mapping[Output, Sequence[Hop]]
    _by_target: Mapping[Input, Sequence[Hop]]

    @staticmethod
    def of(design: Design) -> Topology:
        by_source: dict[Output, list[Hop]] = {}
        by_target: dict[Input, list[Hop]] = {}
        for hop in design.hops:
            by_source.setdefault(hop.source, []).append(hop)
            if hop.target:
                by_target.setdefault(hop.target, []).append(hop)
        return Topology(design, by_source, by_target)

    def hops_from(self, source: Output) -> Sequence[Hop]:
        return self._by_source.get(source, ())

    def hops_to(self, target: Input) -> Sequence[Hop]:
        return self._by_target.get(target, ())

    @cached_property
    def _joined(self) -> nx.DiGraph[Layer]:
        found = nx.compose_all(joined_layers(tile) for tile in self.design.tiles)
        found.add_edges_from(self.design.beyond)
        return found

    def before(self, layer: Layer) -> set[Layer]:
        """Other layers from which AXI-Streams in its tile, or ways beyond the meshes, lead to it,
        directly or through others.
        """
        return nx.ancestors(self._joined, layer)

    def after(self, layer: Layer) -> set[Layer]:
        """Other layers that it reaches in the same way."""
        return nx.descendants(self._joined, layer)


_AXI_STREAM = re.compile(r"_t(?:valid|ready|data|keep|strb|last|user|id|dest)_[io]$")


def joined_layers(tile: Tile) -> nx.DiGraph[Layer]:
    """Layers of a tile, and where one may hand messages over to another outside the mesh.

    By an AXI-Stream in its direction. By other joined ports in both directions, since either side
    may be the one that waits, unless the layer with the output declares them (`Status`).
    """
    graph: nx.DiGraph[Layer] = nx.DiGraph()
    graph.add_nodes_from(tile.layers)
    starts = {
        signal: (layer, port)
        for layer in tile.layers
        for port, signal in layer.joined.items()
        if port.endswith("_o")
    }
    for layer in tile.layers:
        for port, signal in layer.joined.items():
            if not port.endswith("_i"):
                continue
            source, output = starts[signal]
            if port.endswith("_tvalid_i"):
                graph.add_edge(source, layer)
            elif not _AXI_STREAM.search(port) and not source.kind.is_status(output):
                graph.add_edges_from([(source, layer), (layer, source)])
    return graph
