# SPDX-License-Identifier: Apache-2.0
"""Template context of a tile: links, layers, wires and counters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bombus.analysis import flight
from bombus.base.text import camel_case
from bombus.base.values import Policy
from bombus.design.dispatch import Dispatch, num_slots
from bombus.design.elements import Input, Interface, Layer, Tile
from bombus.design.network import Network
from bombus.design.resolved import Design
from bombus.fabric.router import direction_enum, router_parameters
from bombus.fabric.routing import DIRECTIONS, LOCAL, STEPS, Channel, eject, inject, step
from bombus.generation import registers
from bombus.generation.instances import (
    checked_streams,
    connections,
    joined_signals,
    parameters,
    shared_port,
)
from bombus.generation.mac_ports import (
    crossing_drops,
    logic,
    tile_mac_ports,
    tile_mac_streams,
)
from bombus.generation.wiring import waiting, wiring


def _raised_ports(tile: Tile) -> list[dict[str, str]]:
    """Raised ports of the tile's layers, by their names at the top."""
    ports = []
    for layer in tile.layers:
        for port in layer.kind.further:
            if port.name in {*layer.joined, *layer.open, *layer.shared}:
                continue
            direction = "output" if port.is_output else "input"
            name = layer.raised[port.name]
            declaration = f"{direction} {logic(port.width, name)}"
            ports.append({"name": name, "declaration": declaration})
    return ports


def _shared_ports(tile: Tile, design: Design) -> list[dict[str, str]]:
    """Ports of the tile for the broadcasts of its layers, and the signals at the top."""
    ports = []
    for layer in tile.layers:
        members = broadcasts(design).get(layer.kind.broadcasts, [])
        for port in layer.kind.further:
            if port.name not in layer.shared:
                continue
            direction = "output" if port.is_output else "input"
            name = shared_port(layer, port.name)
            # These inputs are shared by all members.
            each = not port.name.endswith(("_given_i", "_got_i"))
            place = f"[{members.index(layer)}]" if each else ""
            ports.append(
                {
                    "name": name,
                    "declaration": f"{direction} {logic(port.width, name)}",
                    "signal": f"{port.name[:-2]}{place}",
                }
            )
    return ports


def broadcasts(design: Design) -> dict[str, list[Layer]]:
    """The layers that share each broadcast, by its name."""
    found: dict[str, list[Layer]] = {}
    for layer in design.layers():
        if layer.shared:
            found.setdefault(layer.kind.broadcasts, []).append(layer)
    return found


def _links(
    tile: Tile, network: Network, design: Design
) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """The tile's links to its neighbours, and the directions without neighbour."""
    links, missing = [], []
    prefix = network.prefix
    for name in STEPS:
        at = step(tile.at, name)
        direction = {"dir": f"{prefix}{name}", "enum": direction_enum(name), "prefix": prefix}
        direction["camel"] = camel_case(prefix)
        if network.area.holds(at):
            other = design.tiles[at[1] * design.columns + at[0]].name
            ends = {
                "incoming": network.link_name(other, tile.name),
                "outgoing": network.link_name(tile.name, other),
            }
            links.append(direction | ends)
        else:
            missing.append(direction)
    return links, missing


def _route_word(target: Input) -> str:
    """An entry of a table that leads to an input of a layer."""
    tile = target.tile
    return f"route({tile.x}, {tile.y}, {target.entry_port})"


def _routes(interface: Interface, design: Design) -> list[dict[str, Any]]:
    """Initial entries of an interface's next-hop table."""
    table = design.next_tables[interface]
    plan = design.dispatches[interface]
    routes: dict[int, dict[str, Any]] = {}
    for output in interface.sources:
        for hop in design.hops_from(output):
            if hop.target is None or hop.in_tile:
                continue
            target, word = str(hop.target), _route_word(hop.target)
            if hop.group:
                group = next(n for n, each in enumerate(plan) if hop.target in each.targets)
                target, word = f"replicas of {hop.group.name}", f"group({group})"
            number = table.first[output] + hop.number
            name = f"{output}: {hop.name}" if len(interface.sources) > 1 else hop.name
            routes[number] = {"number": number, "name": name, "target": target, "word": word}
    return [routes[number] for number in sorted(routes)]


def _turns(tile: Tile, network: Network, design: Design) -> list[str]:
    """Value of a router's `Turns`, the last output first; empty: all turns that its fabric
    allows.
    """
    if design.config.tables != "fixed" or network.fabric.kind != "wormhole":
        return []
    return [
        "5'b"
        + "".join(
            str(int((network, (tile.at, enter, leave)) in design.turns))
            for enter in reversed(DIRECTIONS)
        )
        for leave in reversed(DIRECTIONS)
    ]


def _checked_links(
    tile: Tile, network: Network, links: list[dict[str, str]]
) -> list[dict[str, Any]]:
    """Streams between the tile's router and the tile, for the checkers in simulation.

    Links are checked in the tile that sends.
    """
    prefix, label = network.prefix, network.label
    local = {"enum": direction_enum(LOCAL), "local": True}
    found: list[dict[str, Any]] = [
        local | {"instance": f"{prefix}injection", "base": f"{prefix}router_in"},
        local | {"instance": f"{prefix}ejection", "base": f"{prefix}router_out"},
    ]
    names = [inject(tile.at, label), eject(tile.at, label)]
    for link in links:
        out = {"instance": link["dir"], "enum": link["enum"], "base": f"{prefix}router_out"}
        found.append(out | {"local": False})
        names.append(Channel(tile.at, "", link["dir"].removeprefix(prefix), network=label))
    return [each | {"name": str(name)} for each, name in zip(found, names, strict=True)]


_ALWAYS_BUSY = ("router", "network_interface")  # what each interface consists of
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


def _dispatch_context(dispatches: list[Dispatch]) -> dict[str, Any]:
    """Groups of replicas that an interface distributes messages among."""
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


def _load_context(tile: Tile, design: Design) -> dict[str, Any]:
    """Signals by which a replica reports finished messages, if a sender needs them."""
    plans = [dispatch for plan in design.dispatches.values() for dispatch in plan]
    dispatched = {
        each
        for dispatch in plans
        if dispatch.group is tile.group
        for each in dispatch.targets
        if each.tile is tile
    }
    others = [each for each in tile.entries if each not in dispatched]
    entered = [
        " && ".join(
            [f"{network.prefix}in_message"]
            + [f"!{_sink_valid(each)}" for each in others if each.network is network]
        )
        for network in dict.fromkeys(each.network for each in dispatched)
    ]
    drops = [layer for layer in tile.layers if layer.kind.drops]
    return {
        "tells_load": tile.group is not None
        and tile.group.needs_dispatch
        and tile.group.policy == "least_loaded",
        "entered": " || ".join(sorted(entered)) or "1'b0",
        # A message of a join finishes together with the one waiting for it.
        "others": [
            f"{each.network.prefix}in_message && {_sink_valid(each)}"
            for each in others
            if not _is_joined(each)
        ],
        "ends": [
            *(f"{interface.network.prefix}out_end" for interface in tile.interfaces),
            *(f"|{layer.name}_drop" for layer in drops),
        ],
        "working": [
            *(f"{interface.network.prefix}entering" for interface in tile.interfaces),
            *_busy_signals(tile, design),
        ],
    }


def _is_joined(target: Input) -> bool:
    """Whether another input waits for its messages, so that both finish together."""
    waits = any(target.name in each.stream.waits_for_inputs for each in target.layer.inputs)
    return waits and not target.stream.answers


def _sink_valid(target: Input) -> str:
    return f"{target.network.prefix}sink_valid[{target.entry_port}]"


def _busy_signals(tile: Tile, design: Design) -> list[str]:
    layers = [f"{layer.name}_busy" for layer in tile.layers if "busy_o" in layer.kind.ports]
    return layers + waiting(tile, design)


def _event_slices(tile: Tile) -> list[dict[str, Any]]:
    slices: list[dict[str, Any]] = []
    low = 0
    for interface in tile.interfaces:
        prefix = interface.network.prefix
        lost = f"{{{prefix}unknown_kind, {prefix}no_route}}"
        slices.append({"range": f"{low + 1}:{low}", "signal": lost})
        low += 2
        if count := len(interface.router_drops):
            high = low + count - 1
            slices.append({"range": f"{high}:{low}", "signal": f"{prefix}router_drop"})
            low = high + 1
    for signal in crossing_drops(tile):
        slices.append({"range": f"{low}", "signal": signal})
        low += 1
    for layer in tile.layers:
        for port, names in (("drop", layer.kind.drops), ("event", layer.kind.events)):
            if names:
                high = low + len(names) - 1
                slices.append({"range": f"{high}:{low}", "signal": f"{layer.name}_{port}"})
                low = high + 1
    return slices


def _mac_counts(tile: Tile) -> dict[str, dict[str, str]]:
    """Signals that count the frames and bytes of each direction, as seen from the tile."""
    counts = {way: {"message": "1'b0", "bytes": "14'd0"} for way in ("in", "out")}
    for layer in tile.layers:
        if "mac_message_o" in layer.kind.ports:
            way = "in" if "rx" in layer.kind.mac_directions else "out"
            counts[way] = {
                "message": f"{layer.name}_mac_message",
                "bytes": f"{layer.name}_mac_bytes",
            }
    return counts


def _streams(tile: Tile, what: str, macs: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Signals that count messages across the tile's boundary, in the order of the counters, last
    first.
    """
    first, *further = (interface.network.prefix for interface in tile.interfaces)
    found = [f"{first}{way}_{what}" for way in ("in", "out")]
    found += [macs[way][what] for way in ("in", "out")]
    found += [f"{prefix}{way}_{what}" for prefix in further for way in ("in", "out")]
    return found[::-1]


def _write(table: str, first: int, size: int, total: int) -> dict[str, str]:
    """Condition and index of a register write to an interface's part of a table of the tile."""
    condition = f"{table}_request && {table}_write && tables_ready"
    if size == total:
        return {"condition": condition, "index": f"{table}_index"}
    bits, wide = (max(1, (count - 1).bit_length()) for count in (size, total))
    conditions = [condition, f"32'({table}_index) < {first + size}"]
    if first:
        conditions.insert(1, f"32'({table}_index) >= {first}")
    return {
        "condition": " && ".join(conditions),
        "index": f"{bits}'({table}_index - {wide}'d{first})",
    }


def _window(tile: Tile, interface: Interface, design: Design) -> dict[str, Any] | None:
    """The part of the tile in the window of an interface's network."""
    found = flight.of_tile(tile, interface.network, design)
    if found is None:
        return None
    prefix = interface.network.prefix

    def mask(inputs: list[Input]) -> str:
        bits = "".join(str(int(each in inputs)) for each in reversed(interface.entries))
        return f"{len(bits) or 1}'b{bits or '0'}"

    def taken(numbers: list[int]) -> str:
        each = (f"({prefix}src_valid[{n}] && {prefix}src_ready[{n}])" for n in numbers)
        return " || ".join(each) or "1'b0"

    def lost() -> str:
        """Condition under which a flit without a route is sent."""
        if not design.dispatches[interface]:
            return f"({taken(sorted(passing + gates))}) && !{prefix}inj_valid"
        # There is a register between table and router, so check for next hops that drop.
        each = [
            f"({taken([number])} && {prefix}src_next[{number}] == {hop.number})"
            for number, output in enumerate(interface.sources)
            if number in passing + gates
            for hop in design.hops_from(output)
            if hop.target is None
        ]
        return " || ".join(each) or "1'b0"

    passing = [interface.sources.index(output) for output in found.passing]
    gates = [interface.sources.index(output) for output in found.gates]
    working = [
        f"{prefix}entering",
        *(f"{layer.name}_busy" for layer in found.layers if "busy_o" in layer.kind.ports),
        *waiting(tile, design, interface.network),
        *(f"{prefix}src_valid[{n}]" for n in passing),
    ]
    return {
        "share": found.flight.share,
        "flit_bytes": interface.network.data_width // 8,
        "gates": gates,
        "open": [n for n in range(max(1, len(interface.sources))) if n not in gates],
        "passes": mask(found.passes),
        "leaves": mask(found.leaves),
        "went": taken(passing),
        "lost": lost(),
        "working": " || ".join(working),
    }


def _interfaces(tile: Tile, design: Design) -> list[dict[str, Any]]:
    """The tile's router and network interface in each network."""
    found = []
    num_hops, tile_slots = design.table_sizes(tile)
    kinds = design.messages
    for interface in tile.interfaces:
        network = interface.network
        links, missing = _links(tile, network, design)
        present = {LOCAL, *(link["dir"].removeprefix(network.prefix) for link in links)}
        table = design.next_tables[interface]
        first_hop = design.first_hop(tile, interface)
        first_slot = design.first_slot(tile, interface)
        slots = num_slots(design.dispatches[interface]) if design.dispatches[interface] else 0
        has_hops = interface.sources or len(tile.interfaces) == 1
        found.append(
            {
                "prefix": network.prefix,
                "camel": camel_case(network.prefix),
                "of": f" of {network.label}" if network.label else "",
                "router": router_parameters(network.fabric),
                "area": network.area,
                "links": links,
                "missing_links": missing,
                "checked": _checked_links(tile, network, links),
                "router_ports": sum(1 << n for n, d in enumerate(DIRECTIONS) if d in present),
                "router_turns": _turns(tile, network, design),
                "routes": _routes(interface, design),
                "hop_write": num_hops
                and has_hops
                and _write("next_hop", first_hop, table.size, num_hops),
                "slot_write": tile_slots
                and slots
                and _write("slot", first_slot, slots, tile_slots),
                "next_table_size": table.size,
                "first_hops": [f"16'd{table.first[each]}" for each in reversed(interface.sources)]
                or ["16'd0"],
                "next_bits": design.next_bits(interface),
                "has_sources": bool(interface.sources),
                "num_sources": max(1, len(interface.sources)),
                "has_sinks": bool(interface.entries),
                "num_sinks": max(1, len(interface.entries)),
                "takes": [
                    kinds.bits(kinds.taken_mask(each)) for each in reversed(interface.entries)
                ],
                "router_drops": bool(interface.router_drops),
                "window": _window(tile, interface, design),
                **_dispatch_context(design.dispatches[interface]),
            }
        )
    return found


def tile_context(tile: Tile, design: Design) -> dict[str, Any]:
    ports = {port for layer in tile.layers for port in layer.kind.ports}
    of_registers = registers.layer_signals(tile, design.register_map)
    layers = []
    for layer in tile.layers:
        connected, signals = connections(layer)
        if layer is tile.layers[0]:
            signals = joined_signals(tile.layers) + signals
        signals += of_registers.get(layer.name, [])
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
    interfaces = _interfaces(tile, design)
    timers = [f"{la.name}_timer" for la in tile.layers if "timer_o" in la.kind.ports]
    return {
        "name": tile.name,
        "index": tile.index,
        "x": tile.x,
        "y": tile.y,
        "layers": layers,
        "interfaces": interfaces,
        "links": [link for each in interfaces for link in each["links"]],
        "load_inputs": [signal for each in interfaces for signal in each["load_inputs"]],
        "windows": [each for each in interfaces if each["window"]],
        "mac_ports": tile_mac_ports(tile, design),
        "mac_streams": tile_mac_streams(tile),
        "raised_ports": _raised_ports(tile),
        "shared_ports": _shared_ports(tile, design),
        "has_host": "host_i" in ports,
        "has_routes": "route_i" in ports,
        "has_time": "time_us_i" in ports,
        "has_timer": bool(timers),
        "timers": timers,
        "busy": [
            *(f"{each['prefix']}{what}_busy" for each in interfaces for what in _ALWAYS_BUSY),
            *_busy_signals(tile, design),
        ],
        "table_ready": " && ".join(f"{each['prefix']}table_ready" for each in interfaces),
        "stream_messages": _streams(tile, "message", _mac_counts(tile)),
        "stream_bytes": _streams(tile, "bytes", _mac_counts(tile)),
        "events": tile.events(),
        "event_slices": _event_slices(tile),
        "table_bits": registers.index_bits(tile, design.register_map),
        "register_connections": registers.connections(tile, design.register_map),
        "registers": registers.tile_window(tile, design.register_map),
        **wiring(tile, design),
        **_load_context(tile, design),
    }
