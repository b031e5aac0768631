# SPDX-License-Identifier: Apache-2.0
"""The SystemVerilog of a facts, from the templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bombus.base.systemverilog import bits, laid_out
from bombus.base.templates import templates
from bombus.base.values import mac_number
from bombus.design import rtl
from bombus.design.config import MacPort, Route
from bombus.design.elements import Layer
from bombus.design.facts import Facts
from bombus.design.network import Network
from bombus.generation import memories
from bombus.generation.instances import beat_type
from bombus.generation.mac_ports import CROSSING, Crossing, TopMacPort, top_mac_ports
from bombus.generation.registers import of_design
from bombus.generation.tiles import (
    RaisedPort,
    TileContext,
    tile_context,
)


def _bits(count: int) -> int:
    """Bits that number `count` things; at least one."""
    return max(1, (count - 1).bit_length())


@dataclass(frozen=True)
class NetworkContext:
    """The types of a network, for the package."""

    name: str
    prefix: str
    camel: str  # the prefix in camel case
    label: str
    beat: rtl.Beat
    same: NetworkContext | None  # the first one with equal beats
    data_width: int
    port_bits: int
    link: Mapping[str, str]  # parameters


@dataclass(frozen=True)
class PortContext:
    """Addresses of a MAC port."""

    host: MacPort
    mac: int


@dataclass(frozen=True)
class SourceRange:
    """Sources of a window in a tile."""

    tile: str
    bits: str


@dataclass(frozen=True)
class WindowOfNetwork:
    """The window of a network: its sources, and where messages leave."""

    prefix: str
    camel: str  # the prefix in camel case
    label: str
    flits: int
    count_bits: int
    register: int
    num_sources: int
    ranges: list[SourceRange]
    tiles: list[str]


@dataclass(frozen=True)
class BroadcastContext:
    """A broadcast among layers."""

    name: str
    members: int
    width: int


@dataclass(frozen=True)
class Common:
    """What the templates of all files of a design share."""

    name: str
    source: str  # the design file
    networks: list[NetworkContext]
    layer_beats: Mapping[str, rtl.Beat]
    message_kinds: Sequence[rtl.MessageKind]  # by number
    payload_mask: str
    widths: str
    columns: int
    rows: int
    x_bits: int
    y_bits: int
    ports: list[PortContext]
    num_routes: int
    fixed_tables: bool
    windows: list[WindowOfNetwork]
    window_registers: list[int]
    has_groups: bool
    address_bits: int
    window_bits: int
    register_types: list[list[str]]


@dataclass(frozen=True)
class TopPorts:
    """Ports of the top beside those of every design."""

    mac_ports: list[TopMacPort]
    raised_ports: list[RaisedPort]


@dataclass(frozen=True)
class Top(TopPorts):
    """The top of a design."""

    tiles: list[TileContext]
    broadcasts: list[BroadcastContext]
    register_masters: Sequence[Layer]
    register_hub: int | None  # node of the mesh of registers at which the hub is; None: no mesh
    crossing: Crossing = CROSSING

    def variables(self, routes: Sequence[Route]) -> dict[str, object]:
        """For the template, by name; `routes`: those of the design file."""
        tiles = self.tiles
        has_host = any(tile.has_host for tile in tiles)
        has_routes = any(tile.has_routes for tile in tiles)
        has_time = any(tile.has_time for tile in tiles)
        return {
            **vars(self),
            "links": [link for tile in tiles for link in tile.links],
            "loads": [tile.name for tile in tiles if tile.tells_load],
            "has_time": has_time,
            "routes": routes,
            "unused": [
                *(() if has_time else ["tick_us_i"]),
                *(() if any(tile.has_hold for tile in tiles) else ["hold"]),
                *(() if has_host and has_routes else ["effective"]),
            ],
        }


def _networks(facts: Facts, tiles: list[TileContext]) -> list[NetworkContext]:
    found: list[NetworkContext] = []
    for network in facts.design.networks:
        sinks = (
            each.num_sinks
            for tile in tiles
            for each in tile.interfaces
            if each.prefix == network.prefix
        )
        beat = facts.messages.beat(network)
        found.append(
            NetworkContext(
                name=network.name,
                prefix=network.prefix,
                camel=network.camel,
                label=network.label,
                beat=beat,
                same=next((other for other in found if other.beat == beat), None),
                data_width=network.data_width,
                port_bits=_bits(max(sinks, default=1)),
                link=network.fabric.traits.link_parameters(network.fabric),
            )
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


def _windows(facts: Facts, tiles: list[TileContext]) -> list[WindowOfNetwork]:
    found = []
    for network, counted in facts.flights.items():
        counting = [
            (tile.name, each.window)
            for tile in tiles
            for each in tile.windows
            if each.prefix == network.prefix and each.window
        ]
        ranges, first = [], 0
        for tile, part in counting:
            if count := len(part.gates):
                ranges.append(SourceRange(tile, bits(first + count - 1, first)))
                first += count
        found.append(
            WindowOfNetwork(
                prefix=network.prefix,
                camel=network.camel,
                label=network.label,
                flits=counted.flits,
                # With room for credits that arrive while others are given back.
                count_bits=(counted.flits + len(counting)).bit_length(),
                register=_window_networks(facts).index(network),
                num_sources=first,
                ranges=ranges,
                tiles=[tile for tile, _ in counting],
            )
        )
    return found


def _common(facts: Facts, tiles: list[TileContext], types: list[list[str]]) -> Common:
    design, messages, register_map = facts.design, facts.messages, facts.register_map
    config = design.config
    return Common(
        name=config.name,
        source=design.file.path.name,
        networks=_networks(facts, tiles),
        layer_beats=_layer_beats(facts),
        message_kinds=messages.by_number,
        payload_mask=messages.bits(messages.payload_mask),
        widths=" and ".join(str(network.data_width) for network in design.networks),
        columns=design.columns,
        rows=design.rows,
        x_bits=_bits(design.columns),
        y_bits=_bits(design.rows),
        ports=[PortContext(port, mac_number(port.mac)) for port in config.ports],
        num_routes=config.num_routes,
        fixed_tables=config.tables == "fixed",
        windows=_windows(facts, tiles),
        window_registers=list(range(len(_window_networks(facts)))),
        has_groups=any(each.groups for tile in tiles for each in tile.interfaces),
        address_bits=register_map.address_bits,
        window_bits=register_map.window_bits,
        register_types=types,
    )


def _top(facts: Facts, tiles: list[TileContext]) -> Top:
    network = facts.register_network
    return Top(
        mac_ports=top_mac_ports(facts.design),
        raised_ports=[port for tile in tiles for port in tile.raised_ports],
        tiles=tiles,
        broadcasts=[
            BroadcastContext(name, len(members), members[0].kind.ports[f"{name}_word_o"])
            for name, members in facts.broadcasts.items()
        ],
        register_masters=facts.register_masters,
        register_hub=network.hub_node if network else None,
    )


def render(facts: Facts) -> dict[str, str]:
    """The generated SystemVerilog, text by path in the output folder."""
    config = facts.design.config
    environment = templates()
    resets = _host_resets(config.name, len(config.ports)) | _route_resets(config.routes)
    registers = of_design(facts.register_map, resets)
    tiles = [tile_context(each, facts, registers.tiles[each.name]) for each in facts.design.tiles]
    common, top = vars(_common(facts, tiles, registers.types)), _top(facts, tiles)

    def rendered(template: str, more: Mapping[str, object] | None = None, **named: object) -> str:
        context = {**common, **(more or {}), **named}
        return laid_out(environment.get_template(template).render(context))

    found = {
        f"{config.name}_registers_pkg.sv": rendered("registers_package.sv.j2"),
        f"{config.name}_registers.sv": rendered(
            "registers.sv.j2",
            registers.block.variables(),
            module=f"{config.name}_registers",
            of=f"design {config.name} itself",
        ),
        f"{config.name}_pkg.sv": rendered("package.sv.j2"),
        f"{config.name}_top.sv": rendered("top.sv.j2", top.variables(config.routes)),
    }
    if config.memories:
        around = memories.context(facts)
        # Its ports are those of the top, without those of memories.
        wires = {wire.name for memory in around for wire in memory.wires}
        pins = [port for port in top.raised_ports if port.name not in wires]
        ports = TopPorts(top.mac_ports, pins)
        found[f"sim/{config.name}_sim.sv"] = rendered(
            "simulation.sv.j2", vars(ports), memories=around
        )
    for tile in tiles:
        module = f"{config.name}_tile_{tile.name}"
        found[f"tiles/{module}.sv"] = rendered("tile.sv.j2", tile=tile)
        found[f"tiles/{module}_registers.sv"] = rendered(
            "registers.sv.j2",
            tile.registers.variables(),
            module=f"{module}_registers",
            of=f"tile {tile.name} of design {config.name}",
        )
    return found


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
