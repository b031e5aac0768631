"""The stall watchdog: which signals of a generated design tell that something waits.

`points` lists, for the manifest, every place where a message can wait: nodes of
the resource graph (`bombus.deadlock`) with their signals and what each may wait
for. The simulator (`sim/watchdog.h`) finds those that stand still.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bombus.deadlock import Resource, resource_graph
from bombus.network import Layer, Network, Tile
from bombus.routing import LOCAL, OPPOSITE, Channel, eject, inject

# Bits of noc_pkg::dir_e.
_DIRECTIONS = {LOCAL: 0, "north": 1, "east": 2, "south": 3, "west": 4}
_SECOND_LANES = ("turned", "westbound")  # of noc_pkg::lane_of


@dataclass(frozen=True)
class Signals:
    """Something waits while the bit of `valid` is high and that of `moves` is low."""

    scope: tuple[str, ...]  # instances below the top
    module: str
    valid: str
    moves: str
    bit: int


def _channels(network: Network) -> int:
    fabric = network.design.fabric
    counts = {"virtual_channels": fabric.virtual_channels, "crosspoint": len(_DIRECTIONS)}
    return counts.get(fabric.kind, 1)


def _signals(network: Network, node: Resource, tile: Tile) -> Iterator[Signals]:
    """Where to see that a node of the resource graph waits; a link once for each channel."""
    scope = (f"u_{tile.name}",)
    module = f"{network.design.name}_tile_{tile.name}"
    count = _channels(network)
    if isinstance(node, Layer):
        if node.kind.has_input:
            yield Signals(scope, module, f"{node.name}_in_valid", f"{node.name}_in_ready", 0)
    elif node == inject((tile.x, tile.y)):
        yield Signals(scope, module, "router_in_valid", "router_in_ready", 0)
    elif node == eject((tile.x, tile.y)):
        yield Signals(scope, module, "router_out_valid", "router_out_ready", 0)
    elif network.design.fabric.kind == "crosspoint":
        # A queue: its number is the output's, that of a second lane the input's.
        is_second = node.lane in _SECOND_LANES
        queue = OPPOSITE[node.leave] if is_second else node.leave
        inner = (*scope, "u_router", "gen_crosspoint", "u_router")
        bit = _DIRECTIONS[node.enter] * len(_DIRECTIONS) + _DIRECTIONS[queue]
        yield Signals(inner, "router_crosspoint", "lane_valid", "pop", bit)
    else:
        for channel in range(count):
            bit = _DIRECTIONS[node.leave] * count + channel
            yield Signals(scope, module, "router_out_valid", "router_out_ready", bit)


def points(network: Network) -> list[dict[str, Any]]:
    """For the manifest: places where messages can wait, and the places each may wait for."""
    graph = resource_graph(network)
    at = {(tile.x, tile.y): tile for tile in network.tiles}
    numbers: dict[Resource, list[int]] = {}
    found: list[dict[str, Any]] = []
    nodes: list[Resource] = []
    for node in sorted(graph, key=str):
        tile = node.tile if isinstance(node, Layer) else at[node.at]
        for signals in _signals(network, node, tile):
            numbers.setdefault(node, []).append(len(found))
            nodes.append(node)
            found.append(
                {
                    "name": name(node),
                    "scope": ".".join(signals.scope),
                    "module": signals.module,
                    "valid": signals.valid,
                    "moves": signals.moves,
                    "bit": signals.bit,
                }
            )
    for point, node in zip(found, nodes, strict=True):
        point["waits_for"] = [n for other in graph.successors(node) for n in numbers.get(other, [])]
    return found


def name(node: Resource) -> str:
    """A node of the resource graph in words."""
    return str(node) if isinstance(node, Channel) else f"layer {node}"
