# SPDX-License-Identifier: Apache-2.0
"""Largest number of flits in flight with which chains cannot deadlock.

A chain's message that leaves a tile needs the queues of its next leg while it holds
those of the last, and chains that visit tiles in any order close rings of such
waiting. A ring blocks only if every queue in it is full, so it cannot while fewer flits are
in flight than the smallest cycle holds (docs/fabrics.md).
"""

from __future__ import annotations

from itertools import permutations, product

import networkx as nx

from bombus.base.errors import UserError
from bombus.design import rtl
from bombus.design.knots import min_cycle_capacity
from bombus.fabric.config import Fabric
from bombus.fabric.routing import Channel, Routing, eject, inject, routes


def full_flits(fabric: Fabric, channel: Channel, packet_flits: int) -> int:
    """Minimum number of flits in a channel that a message of this length has to wait for."""
    late = rtl.constant("noc_pkg::CrosspointLate")
    return fabric.traits.full_flits(fabric, channel, packet_flits, late)


def safe_window(fabric: Fabric, columns: int, rows: int, packet_flits: int) -> int:
    """Largest number of flits in flight with which no cycle of waiting messages can close.

    Node (0, 0) sends every chain and takes it back; the chains visit the other nodes in any
    order. Messages have at most `packet_flits` flits, which is what the routers reserve.
    """
    if not fabric.traits.reserves_room(fabric):
        raise UserError("a safe window is defined for the lossless crosspoint fabric only")
    nodes = list(product(range(columns), range(rows)))
    graph: nx.DiGraph[Channel] = nx.DiGraph()
    for source, target in permutations(nodes, 2):
        graph.add_edges_from(routes(Routing(fabric.traits, fabric.algorithm), source, target))
    # Messages that end at the first node leave; messages in other tiles wait to continue.
    graph.add_edges_from((eject(node), inject(node)) for node in nodes[1:])
    smallest = min_cycle_capacity(
        graph, {channel: full_flits(fabric, channel, packet_flits) for channel in graph}
    )
    if smallest is None:
        raise UserError("this fabric has no cycle, so it needs no window")
    return smallest - 1
