# SPDX-License-Identifier: Apache-2.0
"""Signals that the stall watchdog observes.

`points` lists, for the manifest, every place where a message can wait: nodes of
the resource graph (`bombus.design.resources`) with their signals and what each may wait
for. The simulator (`sim/platform/watchdog.h`) finds those that stand still.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bombus.design.elements import Input, Resource, Tile, resource_name
from bombus.design.facts import Facts
from bombus.design.knots import seen_next
from bombus.fabric.routing import Position


@dataclass(frozen=True)
class Signals:
    """Something waits while the bit of `valid` is high and that of `moves` is low."""

    scope: tuple[str, ...]  # instances below the top
    module: str
    valid: str
    moves: str
    bit: int = 0


def _signals(facts: Facts, node: Resource, at: Mapping[Position, Tile]) -> list[Signals]:
    """Signals that show whether a node of the resource graph waits."""
    if isinstance(node, Input):
        module = _module(facts, node.tile)
        return [Signals(_scope(node.tile), module, f"{node.signal}_valid", f"{node.signal}_ready")]
    tile = at[node.at]
    network = next(each for each in facts.design.networks if each.label == node.network)
    fabric, prefix = network.fabric, network.prefix
    if node.is_injection:
        into = (f"{prefix}inj_valid", f"{prefix}inj_taken")
        return [Signals(_scope(tile), _module(facts, tile), *into)]
    if node.is_ejection:
        out_of = (f"{prefix}ej_valid", f"{prefix}ej_ready")
        return [Signals(_scope(tile), _module(facts, tile), *out_of)]
    return [
        Signals(
            (*_scope(at[each.at]), f"u_{prefix}router", *each.scope),
            each.module,
            each.valid,
            each.moves,
            each.bit,
        )
        for each in fabric.traits.wait_points(node, fabric)
    ]


def _scope(tile: Tile) -> tuple[str, ...]:
    return (f"u_{tile.name}",)


def _module(facts: Facts, tile: Tile) -> str:
    return f"{facts.design.config.name}_tile_{tile.name}"


def points(facts: Facts) -> list[dict[str, Any]]:
    """For the manifest: places where messages can wait, and the places each may wait for."""
    graph = facts.resource_graph
    at = {(tile.x, tile.y): tile for tile in facts.design.tiles}
    seen: list[tuple[Resource, Signals]] = []
    numbers: dict[Resource, list[int]] = {}
    for node in sorted(facts.observable, key=str):
        for signals in _signals(facts, node, at):
            numbers.setdefault(node, []).append(len(seen))
            seen.append((node, signals))
    return [
        {
            "name": resource_name(node),
            "scope": ".".join(signals.scope),
            "module": signals.module,
            "valid": signals.valid,
            "moves": signals.moves,
            "bit": signals.bit,
            "waits_for": sorted(
                n for other in seen_next(graph, node, numbers) for n in numbers[other]
            ),
        }
        for node, signals in seen
    ]
