# SPDX-License-Identifier: Apache-2.0
"""The SystemVerilog of a facts, from the templates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2

from bombus.analysis import flight
from bombus.base import paths
from bombus.base.text import camel_case
from bombus.base.values import mac_number
from bombus.design import rtl
from bombus.design.config import Route
from bombus.design.facts import Facts
from bombus.design.network import Network
from bombus.generation import memories, registers
from bombus.generation.instances import beat_type
from bombus.generation.mac_ports import CROSSING, top_mac_ports
from bombus.generation.tiles import broadcasts, register_masters, tile_context


def _bits(count: int) -> int:
    """Bits that number `count` things; at least one."""
    return max(1, (count - 1).bit_length())


def _networks(facts: Facts, tiles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The types of each network, for the package."""
    found: list[dict[str, Any]] = []
    for network in facts.design.networks:
        sinks = (
            each["num_sinks"]
            for tile in tiles
            for each in tile["interfaces"]
            if each["prefix"] == network.prefix
        )
        beat = facts.messages.beat(network)
        same = (other for other in found if other["beat"] == beat)
        found.append(
            {
                "name": network.name,
                "prefix": network.prefix,
                "camel": camel_case(network.prefix),
                "label": network.label,
                "beat": beat,
                "same": next(same, None),  # the first one with equal beats
                "data_width": network.data_width,
                "port_bits": _bits(max(sinks, default=1)),
                "router": network.fabric.traits.router_parameters(network.fabric),
            }
        )
    return found


def _layer_beats(facts: Facts) -> dict[str, rtl.Beat]:
    """Types of beats other than those of networks, for the package."""
    messages = facts.messages
    found = {
        beat_type(layer, name, facts): messages.beat(network, messages.of(layer, name))
        for layer in facts.design.layers()
        for name, network in layer.types.items()
    }
    of_networks = {f"{network.prefix}{rtl.BEAT}" for network in facts.design.networks}
    return {name: beat for name, beat in sorted(found.items()) if name not in of_networks}


def _window_networks(facts: Facts) -> list[Network]:
    """Networks whose windows have registers, by number."""
    return [network for network in facts.design.networks if network.given.window is not None]


def _windows(facts: Facts, tiles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The window of each network that has one: its sources, and where messages leave."""
    found = []
    for network, counted in flight.flights(facts).items():
        counting = [
            (tile["name"], each["window"])
            for tile in tiles
            for each in tile["windows"]
            if each["prefix"] == network.prefix
        ]
        ranges, first = [], 0
        for tile, part in counting:
            if count := len(part["gates"]):
                ranges.append({"tile": tile, "bits": f"{first + count - 1}:{first}"})
                first += count
        found.append(
            {
                "prefix": network.prefix,
                "camel": camel_case(network.prefix),
                "label": network.label,
                "flits": counted.flits,
                # With room for credits that arrive while others are given back.
                "count_bits": (counted.flits + len(counting)).bit_length(),
                "register": _window_networks(facts).index(network),
                "num_sources": first,
                "ranges": ranges,  # of sources, by tile
                "tiles": [tile for tile, _ in counting],
            }
        )
    return found


def templates(*folders: Path) -> jinja2.Environment:
    """The templates of generated files, including those in further folders."""
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, paths.TEMPLATES]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    found.filters["camel_case"] = camel_case
    return found


def render(facts: Facts) -> dict[str, str]:
    """The generated SystemVerilog, text by path in the output folder."""
    config = facts.design.config
    environment = templates()
    tiles = [tile_context(tile, facts) for tile in facts.design.tiles]
    register_map = facts.register_map
    common = {
        "name": config.name,
        "source": facts.design.file.path.name,
        "networks": _networks(facts, tiles),
        "layer_beats": _layer_beats(facts),
        "message_kinds": facts.messages.by_number,
        "payload_mask": facts.messages.bits(facts.messages.payload_mask),
        "widths": " and ".join(str(network.data_width) for network in facts.design.networks),
        "columns": facts.design.columns,
        "rows": facts.design.rows,
        "x_bits": _bits(facts.design.columns),
        "y_bits": _bits(facts.design.rows),
        "ports": [{"host": port, "mac": mac_number(port.mac)} for port in config.ports],
        "num_routes": config.num_routes,
        "fixed_tables": config.tables == "fixed",
        "windows": _windows(facts, tiles),
        "window_registers": list(range(len(_window_networks(facts)))),
        "has_groups": any(each["groups"] for tile in tiles for each in tile["interfaces"]),
        "address_bits": register_map.address_bits,
        "window_bits": (register_map.window - 1).bit_length(),
        "register_types": registers.types(facts),
    }
    top_ports = {
        "mac_ports": top_mac_ports(facts.design),
        "raised_ports": [port for tile in tiles for port in tile["raised_ports"]],
    }
    registers_template = environment.get_template("registers.sv.j2")
    rendered = {
        f"{config.name}_registers_pkg.sv": environment.get_template(
            "registers_package.sv.j2"
        ).render(common),
        f"{config.name}_registers.sv": registers_template.render(
            common,
            module=f"{config.name}_registers",
            of=f"design {config.name} itself",
            **registers.design_window(
                register_map,
                {**_host_resets(config.name, len(config.ports)), **_route_resets(config.routes)},
            ),
        ),
        f"{config.name}_pkg.sv": environment.get_template("package.sv.j2").render(common),
        f"{config.name}_top.sv": environment.get_template("top.sv.j2").render(
            common,
            **top_ports,
            tiles=tiles,
            crossing=CROSSING,
            links=[link for tile in tiles for link in tile["links"]],
            broadcasts=[
                {
                    "name": name,
                    "members": len(members),
                    "width": members[0].kind.ports[f"{name}_word_o"],
                }
                for name, members in broadcasts(facts).items()
            ],
            register_masters=register_masters(facts),
            loads=[tile["name"] for tile in tiles if tile["tells_load"]],
            has_host=any(tile["has_host"] for tile in tiles),
            has_routes=any(tile["has_routes"] for tile in tiles),
            has_time=any(tile["has_time"] for tile in tiles),
        ),
    }
    if config.memories:
        around = memories.context(facts.design)
        # Its ports are those of the top, without those of memories.
        wires = {wire["name"] for memory in around for wire in memory["wires"]}
        pins = [port for port in top_ports["raised_ports"] if port["name"] not in wires]
        rendered[f"sim/{config.name}_sim.sv"] = environment.get_template("simulation.sv.j2").render(
            common, **{**top_ports, "raised_ports": pins}, memories=around
        )
    template = environment.get_template("tile.sv.j2")
    for tile in tiles:
        module = f"{config.name}_tile_{tile['name']}"
        rendered[f"tiles/{module}.sv"] = template.render(common, tile=tile)
        rendered[f"tiles/{module}_registers.sv"] = registers_template.render(
            common,
            module=f"{module}_registers",
            of=f"tile {tile['name']} of design {config.name}",
            **tile["registers"],
        )
    return rendered


def _route_resets(routes: Sequence[Route]) -> dict[str, str]:
    """The values of the routing table after reset, by their path."""
    found: dict[str, str] = {}
    for n, route in enumerate(routes):
        entry = f"route[{n}].entry"
        found |= {
            f"{entry}.network": f"32'h{int(route.to.network_address):08x}",
            f"{entry}.gateway": f"32'h{int(route.via or 0):08x}",
            f"{entry}.length": f"6'd{route.to.prefixlen}",
            f"{entry}.mac_port": f"3'd{route.mac_port}",
            f"{entry}.valid": "1'b1",
        }
    return found


def _host_resets(name: str, num_ports: int) -> dict[str, str]:
    """Reset values of the MAC ports' registers, by path."""
    return {
        f"host[{port}].{register}": f"{name}_pkg::HostInit[{port}].{value}"
        for port in range(num_ports)
        for register, value in (
            ("mac.address", "mac"),
            ("ip.address", "ip"),
            ("netmask.mask", "netmask"),
            ("gateway.address", "gateway"),
        )
    }
