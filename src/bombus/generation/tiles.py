# SPDX-License-Identifier: Apache-2.0
"""Template context of a tile: its ports, layers, busy signals and counters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bombus.design.elements import Input, Layer, Tile
from bombus.design.facts import Facts
from bombus.design.rtl.ports import REGISTER_MASTER_PORTS
from bombus.generation import registers
from bombus.generation.instances import (
    checked_streams,
    connections,
    joined_signals,
    parameters,
    shared_port,
)
from bombus.generation.interfaces import interface_contexts
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


def _shared_ports(tile: Tile, facts: Facts) -> list[dict[str, str]]:
    """Ports of the tile for the broadcasts of its layers and for those that are masters of
    registers, and the signals at the top.
    """
    ports = []
    for layer in tile.layers:
        members = broadcasts(facts).get(layer.kind.broadcasts, [])
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
        if layer.kind.is_register_master:
            ports += _register_master_ports(layer, facts)
    return ports


def _register_master_ports(layer: Layer, facts: Facts) -> Iterator[dict[str, str]]:
    """Ports of the tile for a master of registers; the register port of the top is master 0."""
    number = 1 + register_masters(facts).index(layer)
    for port, width in REGISTER_MASTER_PORTS.items():
        name = shared_port(layer, port)
        type_ = f"bombus_pkg::register_request_t {name}" if width is None else logic(width, name)
        yield {
            "name": name,
            "declaration": f"{'output' if port.endswith('_o') else 'input'} {type_}",
            # All masters see the data of a response.
            "signal": port[:-2] + ("" if port == "register_response_i" else f"[{number}]"),
        }


def register_masters(facts: Facts) -> list[Layer]:
    """The layers that are masters of registers."""
    return [layer for layer in facts.design.layers() if layer.kind.is_register_master]


def broadcasts(facts: Facts) -> dict[str, list[Layer]]:
    """The layers that share each broadcast, by its name."""
    found: dict[str, list[Layer]] = {}
    for layer in facts.design.layers():
        if layer.shared:
            found.setdefault(layer.kind.broadcasts, []).append(layer)
    return found


EMPTY_SLOT = "empty_slot"  # event: a program has taken one, which it sends or drops
_ALWAYS_BUSY = ("router", "network_interface")  # what each interface consists of


def _load_context(tile: Tile, facts: Facts) -> dict[str, Any]:
    """Signals by which a replica reports finished messages, if a sender needs them."""
    plans = [dispatch for plan in facts.dispatches.values() for dispatch in plan]
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
        and tile.group.counts_load,
        "entered": " || ".join(sorted(entered)) or "1'b0",
        # A message of a join finishes together with the one waiting for it.
        "others": [
            f"{each.network.prefix}in_message && {_sink_valid(each)}"
            for each in others
            if not _is_joined(each)
        ]
        # An empty slot ends like a message, too.
        + [
            f"{layer.name}_event[{layer.kind.events.index(EMPTY_SLOT)}]"
            for layer in tile.layers
            if EMPTY_SLOT in layer.kind.events
        ],
        "discards": [f"{la.name}_discards" for la in tile.layers if "discards_o" in la.kind.ports],
        "ends": [
            *(f"{interface.network.prefix}out_end" for interface in tile.interfaces),
            *(f"|{layer.name}_drop" for layer in drops),
        ],
        "working": [
            *(f"{interface.network.prefix}entering" for interface in tile.interfaces),
            *_busy_signals(tile, facts),
        ],
    }


def _is_joined(target: Input) -> bool:
    """Whether another input waits for its messages, so that both finish together."""
    waits = any(target.name in each.stream.waits_for_inputs for each in target.layer.inputs)
    return waits and not target.stream.answers


def _sink_valid(target: Input) -> str:
    return f"{target.network.prefix}sink_valid[{target.entry_port}]"


def _busy_signals(tile: Tile, facts: Facts) -> list[str]:
    layers = [f"{layer.name}_busy" for layer in tile.layers if "busy_o" in layer.kind.ports]
    return layers + waiting(tile, facts)


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


def tile_context(tile: Tile, facts: Facts) -> dict[str, Any]:
    ports = {port for layer in tile.layers for port in layer.kind.ports}
    of_registers = registers.layer_signals(tile, facts.register_map)
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
                "parameters": parameters(layer, facts),
                "connections": connected,
                "signals": signals,
                "checked": checked_streams(layer, facts),
            }
        )
    interfaces = interface_contexts(tile, facts)
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
        "took_outputs": [signal for each in interfaces for signal in each["took"]],
        "took_inputs": [signal for each in interfaces for signal in each["others"]],
        "windows": [each for each in interfaces if each["window"]],
        "mac_ports": tile_mac_ports(tile, facts.design),
        "mac_streams": tile_mac_streams(tile),
        "raised_ports": _raised_ports(tile),
        "shared_ports": _shared_ports(tile, facts),
        "has_host": "host_i" in ports,
        "has_routes": "route_i" in ports,
        "has_time": "time_us_i" in ports,
        "has_timer": bool(timers),
        "timers": timers,
        "busy": [
            *(f"{each['prefix']}{what}_busy" for each in interfaces for what in _ALWAYS_BUSY),
            *_busy_signals(tile, facts),
        ],
        "table_ready": " && ".join(f"{each['prefix']}table_ready" for each in interfaces),
        "stream_messages": _streams(tile, "message", _mac_counts(tile)),
        "stream_bytes": _streams(tile, "bytes", _mac_counts(tile)),
        "events": tile.events(),
        "event_slices": _event_slices(tile),
        "table_bits": registers.index_bits(tile, facts.register_map),
        "register_connections": registers.connections(tile, facts.register_map),
        "registers": registers.tile_window(tile, facts.register_map),
        **wiring(tile, facts),
        **_load_context(tile, facts),
    }
