"""How many flits may be under way so that chains of any order cannot block each other.

A chain's message that leaves a tile needs the queues of its next leg while it holds
those of the last, and chains that visit tiles in any order close rings of such
waiting. A ring blocks only if every queue in it is full, so it cannot while fewer flits are
under way than the smallest ring holds (docs/fabrics.md).
"""

from __future__ import annotations

from itertools import permutations, product

import networkx as nx

from bombus import rtl
from bombus.config import Fabric
from bombus.deadlock import min_cycle_capacity
from bombus.errors import UserError
from bombus.routing import LOCAL, Channel, Routing, eject, inject, routes


def full_flits(fabric: Fabric, channel: Channel, packet_flits: int) -> int:
    """Flits that a channel holds at least when a message of so many waits for it."""
    if not (channel.enter and channel.leave):
        return 0  # a tile's own way in or out: what it holds is in no queue
    depth = fabric.depth // (2 if channel.lane else 1)
    late = 0 if channel.enter == LOCAL else rtl.constant("noc_pkg::CrosspointLate")
    return depth - packet_flits - late + 1


def safe_window(fabric: Fabric, columns: int, rows: int, packet_flits: int) -> int:
    """Most flits under way with which no ring of waiting messages can close.

    Node (0, 0) sends every chain and takes it back; the chains visit the other nodes in any
    order. Messages have at most `packet_flits` flits, which is what the routers reserve.
    """
    if fabric.kind != "crosspoint" or not fabric.lossless:
        raise UserError("a window is worked out for the lossless crosspoint fabric only")
    nodes = list(product(range(columns), range(rows)))
    graph: nx.DiGraph[Channel] = nx.DiGraph()
    for source, target in permutations(nodes, 2):
        graph.add_edges_from(routes(Routing(fabric.kind, fabric.algorithm), source, target))
    # What ends at the first node leaves; what a tile has taken waits for its way on.
    graph.add_edges_from((eject(node), inject(node)) for node in nodes[1:])
    smallest = min_cycle_capacity(
        graph, {channel: full_flits(fabric, channel, packet_flits) for channel in graph}
    )
    if smallest is None:
        raise UserError("there is no ring that a window would have to keep from filling")
    return smallest - 1
