# SPDX-License-Identifier: Apache-2.0
"""The tables of the network interfaces: next hops, and slots of groups of replicas.

In the next-hop table of an interface, each output that sends into the mesh has a range of its own,
after those of the outputs before it, with as many entries as it has next hops. Software numbers the
entries of all interfaces of a tile consecutively.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bombus.design.dispatch import Dispatch, num_slots
from bombus.design.elements import Interface, Output, Tile
from bombus.design.next_hops import num_hops
from bombus.design.resolved import Design


@dataclass(frozen=True)
class NextTable:
    """The next-hop table of a network interface."""

    first: Mapping[Output, int]  # number of each output's first next hop
    size: int  # entries, at least 1

    @staticmethod
    def of(counts: Sequence[tuple[Output, int]]) -> NextTable:
        """The table for outputs with this many next hops each."""
        first: dict[Output, int] = {}
        end = 0
        for output, count in counts:
            first[output] = end
            end += count
        return NextTable(first, max(1, end))


@dataclass(frozen=True)
class Tables:
    """The tables of all interfaces of a design."""

    next: Mapping[Interface, NextTable]
    first_hop: Mapping[Interface, int]  # number of its first next hop among those of its tile
    first_slot: Mapping[Interface, int]  # number of its first slot among those of its tile
    # Number of next hops and slots of a tile, over all its interfaces, that registers can write.
    writable: Mapping[Tile, tuple[int, int]]


def tables(design: Design, dispatches: Mapping[Interface, Sequence[Dispatch]]) -> Tables:
    """The tables of a design, given the groups of replicas of each interface."""
    next_tables: dict[Interface, NextTable] = {}
    first_hop: dict[Interface, int] = {}
    first_slot: dict[Interface, int] = {}
    writable: dict[Tile, tuple[int, int]] = {}
    for tile in design.tiles:
        hops = slots = 0
        for interface in tile.interfaces:
            counts = [(each, num_hops(each, design)) for each in interface.sources]
            next_tables[interface] = NextTable.of(counts)
            first_hop[interface], first_slot[interface] = hops, slots
            if interface.sources:
                hops += next_tables[interface].size
            if plan := dispatches[interface]:
                slots += num_slots(plan)
        writable[tile] = (0, 0) if design.config.tables == "fixed" else (max(1, hops), slots)
    return Tables(next_tables, first_hop, first_slot, writable)
