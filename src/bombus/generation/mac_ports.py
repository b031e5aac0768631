# SPDX-License-Identifier: Apache-2.0
"""MAC ports of the top and of tiles, and the clock crossing where a MAC has its own clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bombus.base.systemverilog import logic
from bombus.design.elements import Layer, Tile
from bombus.design.resolved import Design

# Beats that must be in the crossing before a frame starts towards a MAC whose clock is not faster.
_START_BEATS = 4
_SIGNALS = ("tdata", "tkeep", "tvalid", "tready", "tlast", "tuser")
_BACK = ("tready",)  # in the opposite direction


@dataclass(frozen=True)
class Crossing:
    """Ports of mac_clock_crossing."""

    mac: list[str]  # on the MAC's side
    core: list[str]  # on the core's side


CROSSING = Crossing(
    mac=[
        *(f"rx_{name}_{'o' if name in _BACK else 'i'}" for name in _SIGNALS),
        *(f"tx_{name}_{'i' if name in _BACK else 'o'}" for name in _SIGNALS),
    ],
    core=[
        *(f"rx_{name}_{'i' if name in _BACK else 'o'}" for name in _SIGNALS),
        *(f"tx_{name}_{'o' if name in _BACK else 'i'}" for name in _SIGNALS if name != "tuser"),
        *("rx_drop_o", "tx_drop_o"),
    ],
)


@dataclass(frozen=True)
class _Port:
    """A MAC port of a layer."""

    name: str  # at the top
    core: str  # its signal at the top, on the core's side of a clock crossing
    direction: str
    width: int

    @property
    def declaration(self) -> str:
        return f"{self.direction} {logic(self.width, self.name)}"


@dataclass(frozen=True)
class TilePort:
    """A port of a tile's module."""

    name: str
    declaration: str
    signal: str  # at the top


@dataclass(frozen=True)
class CheckedFrames:
    """Frames of a MAC port, by their signals at the top, for the checkers in simulation."""

    name: str
    signal: str
    way: str  # `rx` or `tx`
    width: int  # bits
    ports: Mapping[str, str]  # signals by AXI-Stream name
    clk: str = "clk_i"
    rst: str = "rst_i"


@dataclass(frozen=True)
class TopMacPort:
    """A MAC port of the top."""

    number: int
    declarations: list[str]
    has_own_clock: bool
    checked: list[CheckedFrames]
    core_signals: list[str]  # declarations
    start_beats: int


def _number(layer: Layer) -> int:
    return layer.param("mac_port") or 0


def _ports(layer: Layer) -> list[_Port]:
    """The MAC ports of a layer."""
    return [
        _Port(
            name=port.replace("mac_", f"mac{_number(layer)}_", 1),
            core=f"core{_number(layer)}_{port.removeprefix('mac_')[:-2]}",
            direction="output" if port.endswith("_o") else "input",
            width=layer.kind.ports[port],
        )
        for port in layer.kind.mac_ports
    ]


def crossing_drops(tile: Tile) -> list[str]:
    """Inputs of a tile that signal frames lost between it and a MAC, in the order of
    `Tile.crossings`.
    """
    return [f"mac{number}_{way}_drop_i" for number, way in tile.crossings]


def tile_mac_ports(tile: Tile, design: Design) -> list[TilePort]:
    """MAC ports of a tile."""
    ports = []
    for layer in tile.layers:
        crosses = design.config.has_own_clock(_number(layer))
        for port in _ports(layer):
            ports.append(TilePort(port.name, port.declaration, port.core if crosses else port.name))
    for (number, way), name in zip(tile.crossings, crossing_drops(tile), strict=True):
        ports.append(TilePort(name, f"input {logic(1, name)}", f"core{number}_{way}_drop"))
    return ports


def _checked(layer: Layer) -> list[CheckedFrames]:
    ports, number = _ports(layer), _number(layer)
    found = []
    for way in sorted(layer.kind.mac_directions):
        of_way = {port.name: port.width for port in ports if f"_{way}_" in port.name}
        signals = {
            name: next((each for each in of_way if f"_{name}_" in each), "1'b0")
            for name in _SIGNALS
        }
        found.append(
            CheckedFrames(
                name=f"MAC port {number}, {'receive' if way == 'rx' else 'transmit'}",
                signal=f"mac{number}_{way}",
                way=way,
                width=next(width for name, width in of_way.items() if "_tdata_" in name),
                ports=signals,
            )
        )
    return found


def tile_mac_streams(tile: Tile) -> list[CheckedFrames]:
    """Streams between the layers of a tile and MACs, for the checkers in simulation."""
    return [stream for layer in tile.layers for stream in _checked(layer)]


def _beyond_crossing(frames: CheckedFrames, number: int) -> CheckedFrames:
    """The same frames on the MAC's side of the crossing."""
    ports = dict(frames.ports)
    if frames.way == "tx":
        ports["tuser"] = f"mac{number}_tx_tuser_o"
    return replace(frames, ports=ports, clk=f"mac{number}_clk_i", rst=f"mac{number}_rst_i")


def with_clock(number: int, declarations: list[str]) -> list[str]:
    """Declarations of a MAC port that has its own clock."""
    clock = [f"input {logic(1, f'mac{number}_{name}_i')}" for name in ("clk", "rst")]
    return [*clock, *declarations, f"output {logic(1, f'mac{number}_tx_tuser_o')}"]


def top_mac_ports(design: Design) -> list[TopMacPort]:
    """MAC ports of the top by number."""
    found = []
    for number, given in enumerate(design.config.ports):
        layers = [
            layer for layer in design.layers() if layer.kind.mac_ports and _number(layer) == number
        ]
        ports = [port for layer in layers for port in _ports(layer)]
        declarations = [port.declaration for port in ports]
        if given.clock_mhz is not None:
            declarations = with_clock(number, declarations)
        is_faster = (given.clock_mhz or 0) > design.config.clock_mhz
        found.append(
            TopMacPort(
                number=number,
                declarations=declarations,
                has_own_clock=given.clock_mhz is not None,
                checked=[_beyond_crossing(each, number) for la in layers for each in _checked(la)],
                core_signals=[logic(port.width, port.core) for port in ports],
                start_beats=0 if is_faster else _START_BEATS,
            )
        )
    return found
