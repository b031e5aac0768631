# SPDX-License-Identifier: Apache-2.0
"""The mesh of its own that carries register accesses (`registers: mesh`), and its resource graph.

RTL: rtl/platform/registers/register_mesh.sv. A request goes from the hub to a tile, whose registers
answer it, and the response back to the hub, on the same links. The registers of a tile answer
whatever its layers wait for (an assertion of register_hub), and the hub takes every response. So
nothing in this mesh waits for a message of another network, and it can deadlock only by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import networkx as nx

from bombus.design.resolved import Design
from bombus.fabric.kinds import KINDS
from bombus.fabric.routing import Channel, Position, Routing, eject, inject, routes

NAME = "registers"


class Registers(NamedTuple):
    """The registers of the tile at a position: one access at a time."""

    at: Position

    def __str__(self) -> str:
        x, y = self.at
        return f"registers of tile ({x}, {y})"


@dataclass(frozen=True)
class RegisterNetwork:
    """Its nodes are those of the first network, its routers wormhole routers with XY routing."""

    columns: int
    rows: int

    @classmethod
    def of(cls, design: Design) -> RegisterNetwork | None:
        """That of a design; None: its hub has wires to all tiles."""
        return cls(design.columns, design.rows) if design.config.registers == "mesh" else None

    @property
    def hub(self) -> Position:
        """The middle: from there, no tile is far."""
        return (self.columns - 1) // 2, (self.rows - 1) // 2

    @property
    def hub_node(self) -> int:
        x, y = self.hub
        return y * self.columns + x

    def graph(self) -> nx.DiGraph[Channel | Registers]:
        """What requests and responses hold, and need next. The tile at the hub has wires."""
        routing = Routing(KINDS["wormhole"], "xy", network=NAME)
        graph: nx.DiGraph[Channel | Registers] = nx.DiGraph()
        for at in ((x, y) for y in range(self.rows) for x in range(self.columns)):
            if at == self.hub:
                continue
            graph.add_edges_from(routes(routing, self.hub, at))
            graph.add_edge(eject(at, NAME), Registers(at))
            graph.add_edge(Registers(at), inject(at, NAME))
            graph.add_edges_from(routes(routing, at, self.hub))
        return graph
