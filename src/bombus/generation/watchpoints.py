# SPDX-License-Identifier: Apache-2.0
"""Signals that the stall watchdog observes.

`points` lists, for the manifest, every place where a message can wait: nodes of
the resource graph (`bombus.analysis.deadlock`) with their signals and what each may wait
for. The simulator (`sim/watchdog.h`) finds those that stand still.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

import networkx as nx

from bombus.design.resolved import Design, Input, Resource, Tile
from bombus.fabric.routing import DIRECTIONS, OPPOSITE, Channel, eject, inject

_SECOND_LANES = ("turned", "westbound")  # of noc_pkg::lane_of


@dataclass(frozen=True)
class Signals:
    """Something waits while the bit of `valid` is high and that of `moves` is low."""

    scope: tuple[str, ...]  # instances below the top
    module: str
    valid: str
    moves: str
    bit: int


def _signals(design: Design, node: Resource, tile: Tile) -> Signals | None:
    """Where to see that a node of the resource graph waits.

    On links of virtual channels nothing is offered that is not taken, so there is nothing to see.
    """
    scope = (f"u_{tile.name}",)
    module = f"{design.config.name}_tile_{tile.name}"
    if isinstance(node, Input):
        return Signals(scope, module, f"{node.signal}_valid", f"{node.signal}_ready", 0)
    network = next(each for each in design.networks if each.label == node.network)
    fabric, prefix = network.fabric.kind, network.prefix
    into = (f"{prefix}router_in_valid", f"{prefix}router_in_ready")
    out_of = (f"{prefix}router_out_valid", f"{prefix}router_out_ready")
    if node == inject(tile.at, node.network):
        return Signals(scope, module, *into, 0)
    if node == eject(tile.at, node.network):
        return Signals(scope, module, *out_of, 0)
    if fabric == "crosspoint":
        if not node.enter:
            return None  # a link: nothing is offered over it before there is room for it
        # A queue: its number is the output's, that of a second lane the input's.
        is_second = node.lane in _SECOND_LANES
        queue = OPPOSITE[node.leave] if is_second else node.leave
        inner = (*scope, f"u_{prefix}router", "gen_crosspoint", "u_router")
        bit = DIRECTIONS.index(node.enter) * len(DIRECTIONS) + DIRECTIONS.index(queue)
        return Signals(inner, "router_crosspoint", "lane_valid", "pop", bit)
    if fabric == "wormhole":
        bit = DIRECTIONS.index(node.leave)
        return Signals(scope, module, *out_of, bit)
    return None


def points(design: Design) -> list[dict[str, Any]]:
    """For the manifest: places where messages can wait, and the places each may wait for."""
    graph = design.resource_graph
    at = {(tile.x, tile.y): tile for tile in design.tiles}
    signals: dict[Resource, Signals] = {}
    for node in sorted(graph, key=str):
        tile = node.tile if isinstance(node, Input) else at[node.at]
        if seen := _signals(design, node, tile):
            signals[node] = seen
    numbers = {node: number for number, node in enumerate(signals)}
    return [
        {
            "name": name(node),
            "scope": ".".join(seen.scope),
            "module": seen.module,
            "valid": seen.valid,
            "moves": seen.moves,
            "bit": seen.bit,
            "waits_for": sorted(numbers[other] for other in _seen_next(graph, node, numbers)),
        }
        for node, seen in signals.items()
    ]


def _seen_next(
    graph: nx.DiGraph[Resource], node: Resource, seen: Container[Resource]
) -> set[Resource]:
    """What a node may wait for; in place of what cannot be seen, what that may wait for."""
    found: set[Resource] = set()
    passed = {node}
    front = [node]
    while front:
        for other in graph.successors(front.pop()):
            if other in seen:
                found.add(other)
            elif other not in passed:
                passed.add(other)
                front.append(other)
    return found


def name(node: Resource) -> str:
    """A node of the resource graph in words."""
    return str(node) if isinstance(node, Channel) else f"layer {node}"
