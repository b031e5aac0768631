# SPDX-License-Identifier: Apache-2.0
"""Template context of a tile: links, layers, wires and counters."""

from __future__ import annotations

from typing import Any

from bombus.base.values import Policy
from bombus.design.dispatch import Dispatch, num_slots
from bombus.design.resolved import Design, Input, Tile
from bombus.fabric.router import direction_enum
from bombus.fabric.routing import DIRECTIONS, LOCAL, STEPS, step
from bombus.generation.instances import checked_streams, connections, parameters
from bombus.generation.wiring import wiring


def _mac_ports(tile: Tile) -> list[dict[str, str]]:
    """A tile's MAC ports under the names that they have at the top."""
    ports = []
    for layer in tile.layers:
        number = layer.param("mac_port") or 0
        for port in layer.kind.mac_ports:
            width = layer.kind.ports[port]
            direction = "output" if port.endswith("_o") else "input"
            vector = f" [{width - 1}:0]" if width > 1 else ""
            name = port.replace("mac_", f"mac{number}_", 1)
            ports.append({"name": name, "declaration": f"{direction} logic{vector} {name}"})
    return ports


def _raised_ports(tile: Tile) -> list[dict[str, str]]:
    """Ports of the tile's layers under the names that they have at the top."""
    ports = []
    for layer in tile.layers:
        for port in layer.kind.further:
            direction = "output" if port.is_output else "input"
            vector = f" [{port.width - 1}:0]" if port.width > 1 else ""
            name = layer.raised[port.name]
            ports.append({"name": name, "declaration": f"{direction} logic{vector} {name}"})
    return ports


def _link(source: Tile, target: Tile) -> str:
    return f"{source.name}_to_{target.name}"


def _links(tile: Tile, design: Design) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """The tile's links to its neighbours, and the directions without neighbour."""
    links, missing = [], []
    for name in STEPS:
        x, y = step((tile.x, tile.y), name)
        enum = direction_enum(name)
        if 0 <= x < design.columns and 0 <= y < design.rows:
            other = design.tiles[y * design.columns + x]
            links.append(
                {
                    "dir": name,
                    "enum": enum,
                    "incoming": _link(other, tile),
                    "outgoing": _link(tile, other),
                }
            )
        else:
            missing.append({"dir": name, "enum": enum})
    return links, missing


def _route_word(target: Input) -> str:
    """An entry of a table that leads to an input of a layer."""
    tile = target.tile
    return f"route({tile.x}, {tile.y}, {tile.entries.index(target)})"


def _routes(tile: Tile, design: Design) -> list[dict[str, Any]]:
    """Initial entries of the tile's next-hop table."""
    table = design.next_tables[tile]
    plan = design.dispatches[tile]
    routes: dict[int, dict[str, Any]] = {}
    for output in tile.sources:
        for hop in design.hops_from(output):
            if hop.target is None or hop.in_tile:
                continue
            target, word = str(hop.target), _route_word(hop.target)
            if hop.group:
                group = next(n for n, each in enumerate(plan) if hop.target in each.targets)
                target, word = f"replicas of {hop.group.name}", f"group({group})"
            number = table.first[output] + hop.number
            name = f"{output}: {hop.name}" if len(tile.sources) > 1 else hop.name
            routes[number] = {"number": number, "name": name, "target": target, "word": word}
    return [routes[number] for number in sorted(routes)]


_POLICIES: dict[Policy, str] = {
    "round_robin": "RoundRobin",
    "flow_hash": "FlowHash",
    "dst_port": "DstPort",
    "least_loaded": "LeastLoaded",
}
_FLOWS = {
    "meta": "FlowMeta",
    "payload": "FlowPayload",
    "address": "FlowAddress",
    "none": "FlowMeta",
}


def _dispatch_context(tile: Tile, dispatches: list[Dispatch]) -> dict[str, Any]:
    """Groups of replicas that the tile distributes messages among."""
    groups, slots, loads = [], [], []
    for dispatch in dispatches:
        groups.append(
            {
                "name": f"Replicas of {dispatch.group.name}",
                "policy": _POLICIES[dispatch.group.policy],
                "flow": _FLOWS[dispatch.flow],
                "replicas": len(dispatch.targets),
                "first_slot": dispatch.first_slot,
                "slot_bits": dispatch.slot_bits,
            }
        )
        for i, target in enumerate(dispatch.slots):
            slots.append({"index": dispatch.first_slot + i, "word": _route_word(target)})
        if dispatch.group.policy == "least_loaded":
            for i, target in enumerate(dispatch.targets):
                name = target.tile.name
                port = f"done_from_{name}_i"
                loads.append({"port": port, "tile": name, "slot": dispatch.first_slot + i})
    return {
        "groups": groups,
        "slots": slots,
        "num_slots": num_slots(dispatches),
        "load_inputs": loads,
    }


def _load_context(tile: Tile) -> dict[str, Any]:
    """How a replica tells that it is through with messages, if somebody wants to know."""
    drops = [layer for layer in tile.layers if layer.kind.drops]
    return {
        "tells_load": tile.group is not None
        and tile.group.needs_dispatch
        and tile.group.policy == "least_loaded",
        "ends": ["out_end", *(f"|{layer.name}_drop" for layer in drops)],
        "working": ["entering", *_busy_signals(tile)],
    }


def _busy_signals(tile: Tile) -> list[str]:
    return [f"{layer.name}_busy" for layer in tile.layers if "busy_o" in layer.kind.ports]


def _event_slices(tile: Tile) -> list[dict[str, Any]]:
    slices: list[dict[str, Any]] = []
    low = 1
    if tile.router_drops:
        low += len(tile.router_drops)
        slices.append({"low": 1, "high": low - 1, "signal": "router_drop"})
    for layer in tile.layers:
        for port, names in (("drop", layer.kind.drops), ("event", layer.kind.events)):
            if names:
                high = low + len(names) - 1
                slices.append({"low": low, "high": high, "signal": f"{layer.name}_{port}"})
                low = high + 1
    return slices


def _mac_counts(tile: Tile) -> dict[str, dict[str, str]]:
    """Signals that count the frames and bytes of each direction, as seen from the tile."""
    counts = {way: {"message": "1'b0", "bytes": "'0"} for way in ("in", "out")}
    for layer in tile.layers:
        if "mac_message_o" in layer.kind.ports:
            way = "in" if "rx" in layer.mac_directions() else "out"
            counts[way] = {
                "message": f"{layer.name}_mac_message",
                "bytes": f"{layer.name}_mac_bytes",
            }
    return counts


def tile_context(tile: Tile, design: Design) -> dict[str, Any]:
    links, missing = _links(tile, design)
    ports = {port for layer in tile.layers for port in layer.kind.ports}
    layers = []
    for layer in tile.layers:
        connected, signals = connections(layer)
        layers.append(
            {
                "name": layer.name,
                "kind": layer.kind,
                "parameters": parameters(layer, design),
                "connections": connected,
                "signals": signals,
                "checked": checked_streams(layer, design),
            }
        )
    present = {LOCAL, *(link["dir"] for link in links)}
    router_ports = sum(1 << n for n, name in enumerate(DIRECTIONS) if name in present)
    timers = [f"{la.name}_timer" for la in tile.layers if "timer_o" in la.kind.ports]
    dispatches = design.dispatches[tile]
    return {
        "name": tile.name,
        "index": tile.index,
        "x": tile.x,
        "y": tile.y,
        "layers": layers,
        "links": links,
        "missing_links": missing,
        "router_ports": router_ports,
        "mac_ports": _mac_ports(tile),
        "raised_ports": _raised_ports(tile),
        "mac_counts": _mac_counts(tile),
        "has_host": "host_i" in ports,
        "has_time": "time_us_i" in ports,
        "has_timer": bool(timers),
        "timers": timers,
        "busy": ["router_busy", "network_interface_busy", *_busy_signals(tile)],
        "routes": _routes(tile, design),
        "next_table_size": design.next_tables[tile].size,
        "next_table_bits": max(1, (design.next_tables[tile].size - 1).bit_length()),
        "sources": [str(output) for output in tile.sources],
        "num_sources": max(1, len(tile.sources)),
        "num_sinks": max(1, len(tile.entries)),
        "events": tile.events(),
        "router_drops": bool(tile.router_drops),
        "event_slices": _event_slices(tile),
        **wiring(tile, design),
        **_dispatch_context(tile, dispatches),
        **_load_context(tile),
    }
