# SPDX-License-Identifier: Apache-2.0
"""The manifest of a generated facts, for programs that drive or measure it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bombus.design import rtl
from bombus.design.elements import Hop, Output, Tile
from bombus.design.facts import Facts
from bombus.design.outline import outline
from bombus.design.register_map import shown
from bombus.generation import beat_links, memories, raised_streams, watchpoints
from bombus.registers.plain import to_plain

MANIFEST_VERSION = 1


def _next_hops(tile: Tile, facts: Facts) -> dict[tuple[Output, str], tuple[str, int]]:
    """Names of a tile's next hops and their numbers in its table, by output and own name.

    If two outputs have next hops with the same name, the later one is prefixed with the output's
    name.
    """
    found: dict[tuple[Output, str], tuple[str, int]] = {}
    names: set[str] = set()
    for interface in tile.interfaces:
        base = facts.tables.first_hop[interface]
        for source, first in facts.tables.next[interface].first.items():
            for number, name in enumerate(facts.next_hops.names[source], base + first):
                unique = f"{source}.{name}" if name in names else name
                names.add(unique)
                found[source, name] = unique, number
    return found


def _entry(hop: Hop, facts: Facts) -> int | None:
    """The entry of a next hop in the table of its tile; None: it has none."""
    for interface in hop.source.tile.interfaces:
        if hop.source in interface.sources and not hop.in_tile:
            first = facts.tables.next[interface].first[hop.source]
            return facts.tables.first_hop[interface] + first + hop.number
    return None


def _dispatches(tile: Tile, facts: Facts) -> Iterator[dict[str, Any]]:
    """The groups of replicas that a tile distributes messages among."""
    names = _next_hops(tile, facts)
    for interface in tile.interfaces:
        hops = [hop for source in interface.sources for hop in facts.topology.hops_from(source)]
        for number, dispatch in enumerate(facts.dispatches[interface]):
            leading = [hop for hop in hops if hop.target in dispatch.targets]
            yield {
                "tile": tile.name,
                "next": list(dict.fromkeys(names[hop.source, hop.name][0] for hop in leading)),
                "group": dispatch.group.name,
                "network": interface.network.name,
                "number": number,  # in the entries of the next-hop table that lead to it
                "policy": dispatch.group.policy,
                "policies": list(dispatch.group.policies),
                "slot_policy": dispatch.group.slot_policy,
                "first_slot": facts.tables.first_slot[interface] + dispatch.first_slot,
                "replicas": [target.full_name for target in dispatch.targets],
                "slots": [
                    {"to": target.tile.name, "port": target.entry_port} for target in dispatch.slots
                ],
            }


def _hop_tables(facts: Facts) -> Iterator[dict[str, Any]]:
    """The writable tables of next hops and slots: where their entries are in the register map.

    `target`: of the register hub, with the registers from address `window` on.
    """
    tiles = facts.register_map.tiles
    for tile in facts.design.tiles:
        window = tiles.offset + facts.register_map.tile(tile.name).offset
        for table in facts.register_map.tables[tile.name]:
            if table.type == facts.register_map.next_hop.type and table.count:
                yield {
                    "tile": tile.name,
                    "table": table.name,
                    "target": 1 + tile.index,
                    "window": window,
                    "offset": table.offset,
                    "count": table.count,
                    "stride": table.stride,
                }


def manifest(facts: Facts) -> dict[str, Any]:
    """Description of a generated design for programs that drive or measure it."""
    config = facts.design.config
    there = {
        layer.param("mac_port") or 0 for layer in facts.design.layers() if layer.kind.mac_ports
    }
    return {
        "version": MANIFEST_VERSION,
        "name": config.name,
        "top": f"{config.name}_top",
        # The module to build a simulator from: the top, or a module around it.
        "simulation": {
            "top": f"{config.name}_sim" if config.memories else f"{config.name}_top",
            "instance": f"{config.name}_sim.u_top" if config.memories else f"{config.name}_top",
            "file_list": f"{config.name}_sim.f" if config.memories else f"{config.name}.f",
        },
        "pins": memories.pins(facts),
        "streams": raised_streams.streams(facts.design),
        "beat_links": beat_links.beat_links(facts.raised_ports),
        "data_width": facts.design.networks[0].data_width,
        "clock_mhz": config.clock_mhz,
        "line_rate_gbps": config.line_rate_gbps,
        "max_frame_bytes": rtl.constant("bombus_pkg::MaxFrameBytes"),
        "mac_ports": [
            {
                "mac": port.mac,
                "ip": str(port.ip),
                "prefix": port.prefix,
                "gateway": str(port.gateway) if port.gateway else None,
                "clock_mhz": port.clock_mhz,
                # The top does not have it: its layers are in another design
                **({} if number in there else {"at_top": False}),
            }
            for number, port in enumerate(config.ports)
        ],
        # Whether a layer answers requests for these addresses
        "answers_for_host": any(each.kind.answers_for_host for each in facts.design.layers()),
        "message_kinds": [
            {"number": number, **kind.described()}
            for number, kind in enumerate(facts.messages.by_number)
        ],
        "route_entries": config.num_routes,
        "mesh": {"columns": facts.design.columns, "rows": facts.design.rows},
        "networks": [
            {
                "name": network.name,
                "data_width": network.data_width,
                "fabric": network.fabric.kind,
                **network.area._asdict(),
            }
            for network in facts.design.networks
        ],
        "tiles": [
            {
                "name": tile.name,
                "index": tile.index,
                "x": tile.x,
                "y": tile.y,
                "layers": [
                    {
                        "name": layer.name,
                        "kind": layer.kind.name,
                        "params": {
                            key: layer.param(key)
                            for key, parameter in layer.kind.parameters.items()
                            if not parameter.is_filled_in
                        },
                    }
                    for layer in tile.layers
                ],
                "entries": {
                    interface.network.name: [
                        target.full_name.partition(".")[2] for target in interface.entries
                    ]
                    for interface in tile.interfaces
                },
                "counters": tile.counters(),
                "next_hops": dict(_next_hops(tile, facts).values()),
                "hop_networks": [
                    {"network": each.network.name, "first_hop": facts.tables.first_hop[each]}
                    for each in tile.interfaces
                    if each.sources
                ],
            }
            for tile in facts.design.tiles
        ],
        "hops": [
            {
                "from": hop.source.full_name,
                "number": hop.number,
                "next": hop.name,
                "to": hop.target.full_name if hop.target else None,
                "group": hop.group.name if hop.group else None,
                "in_tile": hop.in_tile,
                "network": None if hop.in_tile else hop.network.name,
                "entry": _entry(hop, facts),
            }
            for hop in facts.design.hops
        ],
        "tables": config.tables,
        "dispatch": [each for tile in facts.design.tiles for each in _dispatches(tile, facts)],
        "hop_tables": list(_hop_tables(facts)),
        "registers": to_plain(shown(facts.design, facts.register_map)),
        "waiting": outline(facts.design),
        "watch": watchpoints.points(facts),
    }
