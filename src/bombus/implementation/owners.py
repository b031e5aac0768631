# SPDX-License-Identifier: Apache-2.0
"""Tile and part of a tile to which a cell of a netlist belongs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bombus.implementation.nextpnr import Arc

OUTSIDE = "around the design"  # harness, or MAC shell
TOP = "top"  # of the design, outside its tiles


@dataclass(frozen=True)
class Segment:
    """A part of a path inside one layer, router or network interface."""

    owner: str
    levels: int  # cells that the signal passes through
    logic_ns: float
    wire_ns: float


class Owners:
    """Finds the owners of cells by instance names: the design, its tiles, and their contents.

    Yosys names cells after the signals that they drive, so names keep the hierarchy. Logic merged
    across a boundary has the name of one side.
    """

    def __init__(self, instance: str, tiles: Iterable[str]) -> None:
        self._instance = instance
        self._tiles = frozenset(tiles)

    def _parts(self, cell: str) -> Sequence[str]:
        """Instance names below the design, without their `u_`; none: outside."""
        parts = [part.removeprefix("u_") for part in cell.split(".")[:-1]]
        return parts[1:] or [TOP] if parts and f"u_{parts[0]}" == self._instance else []

    def tile(self, cell: str) -> str:
        """The name of a cell's tile, `TOP` or `OUTSIDE`."""
        parts = self._parts(cell)
        return OUTSIDE if not parts else parts[0] if parts[0] in self._tiles else TOP

    def part(self, cell: str) -> str:
        """A cell's tile, and its layer, router or network interface: `receive.udp_rx`."""
        tile = self.tile(cell)
        return (
            f"{tile}.{self._parts(cell)[1]}"
            if tile in self._tiles and len(self._parts(cell)) > 1
            else tile
        )

    def segments(self, path: Iterable[Arc]) -> list[Segment]:
        """A path, split into the parts that it passes through."""
        found: list[Segment] = []
        for arc in path:
            owner = self.part(arc.cell)
            if not found or found[-1].owner != owner:
                found.append(Segment(owner, 0, 0.0, 0.0))
            last = found[-1]
            wire = arc.ns if arc.kind == "routing" else 0.0
            found[-1] = Segment(
                owner,
                last.levels + (arc.kind == "logic"),
                last.logic_ns + arc.ns - wire,
                last.wire_ns + wire,
            )
        return found
