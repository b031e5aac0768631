# SPDX-License-Identifier: Apache-2.0
"""The manifest of a generated design: what is where, for programs that drive or measure it."""

from __future__ import annotations

from typing import Any

from bombus.design import rtl
from bombus.design.dispatch import Dispatch
from bombus.design.elements import Interface, Tile
from bombus.design.register_map import shown
from bombus.design.resolved import Design
from bombus.generation import memories, raised_streams, watchpoints
from bombus.registers.plain import to_plain

MANIFEST_VERSION = 1


def _next_hops(tile: Tile, design: Design) -> dict[str, int]:
    """Numbers of a tile's next hops in its table; those of two outputs have the output's name."""
    numbers: dict[str, int] = {}
    for interface in tile.interfaces:
        base = design.first_hop(tile, interface)
        for source, first in design.next_tables[interface].first.items():
            for number, name in enumerate(design.hop_names(source), base + first):
                numbers[name if name not in numbers else f"{source}.{name}"] = number
    return numbers


def _hops_to(dispatch: Dispatch, interface: Interface, design: Design) -> list[str]:
    """Names of an interface's next hops that lead to a group of replicas."""
    hops = (hop for source in interface.sources for hop in design.hops_from(source))
    return list(dict.fromkeys(hop.name for hop in hops if hop.target in dispatch.targets))


def manifest(design: Design) -> dict[str, Any]:
    """What is where in a generated design, for programs that drive or measure it."""
    config = design.config
    return {
        "version": MANIFEST_VERSION,
        "name": config.name,
        "top": f"{config.name}_top",
        # What a simulator is built from: the top, or a module around it.
        "simulation": {
            "top": f"{config.name}_sim" if config.memories else f"{config.name}_top",
            "instance": f"{config.name}_sim.u_top" if config.memories else f"{config.name}_top",
            "file_list": f"{config.name}_sim.f" if config.memories else f"{config.name}.f",
        },
        "pins": memories.pins(design),
        "streams": raised_streams.streams(design),
        "data_width": design.networks[0].data_width,
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
            }
            for port in config.ports
        ],
        "route_entries": config.num_routes,
        "mesh": {"columns": design.columns, "rows": design.rows},
        "networks": [
            {
                "name": network.name,
                "data_width": network.data_width,
                "fabric": network.fabric.kind,
                **network.area._asdict(),
            }
            for network in design.networks
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
                "next_hops": _next_hops(tile, design),
                "hop_networks": [
                    {"network": each.network.name, "first_hop": design.first_hop(tile, each)}
                    for each in tile.interfaces
                    if each.sources
                ],
            }
            for tile in design.tiles
        ],
        "hops": [
            {
                "from": hop.source.full_name,
                "next": hop.name,
                "to": hop.target.full_name if hop.target else None,
                "in_tile": hop.in_tile,
                "network": None if hop.in_tile else hop.network.name,
            }
            for hop in design.hops
        ],
        "tables": config.tables,
        "dispatch": [
            {
                "tile": tile.name,
                "next": _hops_to(dispatch, interface, design),
                "group": dispatch.group.name,
                "policy": dispatch.group.policy,
                "first_slot": design.first_slot(tile, interface) + dispatch.first_slot,
                "replicas": [target.full_name for target in dispatch.targets],
                "slots": [
                    {"to": target.tile.name, "port": target.entry_port} for target in dispatch.slots
                ],
            }
            for tile in design.tiles
            for interface in tile.interfaces
            for dispatch in design.dispatches[interface]
        ],
        "registers": to_plain(shown(design)),
        "watch": watchpoints.points(design),
    }
