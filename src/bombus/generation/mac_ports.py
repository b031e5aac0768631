# SPDX-License-Identifier: Apache-2.0
"""MAC ports of the top and of tiles, and the clock crossing where a MAC has its own clock."""

from __future__ import annotations

from typing import Any

from bombus.design.elements import Layer, Tile
from bombus.design.resolved import Design

# Beats that must be in the crossing before a frame starts towards a MAC whose clock is not faster.
_START_BEATS = 4
_SIGNALS = ("tdata", "tkeep", "tvalid", "tready", "tlast", "tuser")
_BACK = ("tready",)  # in the opposite direction
# Ports of mac_clock_crossing on the MAC's side, and those on the core's side.
CROSSING = {
    "mac": [
        *(f"rx_{name}_{'o' if name in _BACK else 'i'}" for name in _SIGNALS),
        *(f"tx_{name}_{'i' if name in _BACK else 'o'}" for name in _SIGNALS),
    ],
    "core": [
        *(f"rx_{name}_{'i' if name in _BACK else 'o'}" for name in _SIGNALS),
        *(f"tx_{name}_{'o' if name in _BACK else 'i'}" for name in _SIGNALS if name != "tuser"),
        *("rx_drop_o", "tx_drop_o"),
    ],
}


def logic(width: int, name: str) -> str:
    """The declaration of a signal with this many bits."""
    vector = f" [{width - 1}:0]" if width > 1 else ""
    return f"logic{vector} {name}"


def _number(layer: Layer) -> int:
    return layer.param("mac_port") or 0


def _streams(layer: Layer) -> list[dict[str, Any]]:
    """The MAC ports of a layer, under the names that they have at the top."""
    return [
        {
            "name": port.replace("mac_", f"mac{_number(layer)}_", 1),
            "core": f"core{_number(layer)}_{port.removeprefix('mac_')[:-2]}",
            "direction": "output" if port.endswith("_o") else "input",
            "width": layer.kind.ports[port],
        }
        for port in layer.kind.mac_ports
    ]


def crossing_drops(tile: Tile) -> list[str]:
    """Inputs of a tile that signal frames lost between it and a MAC, in the order of
    `Tile.crossings`.
    """
    return [f"mac{number}_{way}_drop_i" for number, way in tile.crossings]


def tile_mac_ports(tile: Tile, design: Design) -> list[dict[str, str]]:
    """MAC ports of a tile: each port's declaration and its signal at the top."""
    ports = []
    for layer in tile.layers:
        crosses = design.config.has_own_clock(_number(layer))
        for port in _streams(layer):
            declaration = f"{port['direction']} {logic(port['width'], port['name'])}"
            signal = port["core"] if crosses else port["name"]
            ports.append({"name": port["name"], "declaration": declaration, "signal": signal})
    for (number, way), name in zip(tile.crossings, crossing_drops(tile), strict=True):
        signal = f"core{number}_{way}_drop"
        ports.append({"name": name, "declaration": f"input {logic(1, name)}", "signal": signal})
    return ports


def _checked(number: int, way: str, width: int, signals: list[str]) -> dict[str, Any]:
    """Frames of a MAC port, by their signals at the top, for the checkers in simulation."""
    return {
        "name": f"MAC port {number}, {'receive' if way == 'rx' else 'transmit'}",
        "signal": f"mac{number}_{way}",
        "way": way,
        "width": width,
        "ports": {
            name: next((s for s in signals if f"_{name}_" in s), "1'b0") for name in _SIGNALS
        },
        "clk": "clk_i",
        "rst": "rst_i",
    }


def _checked_streams(layer: Layer) -> list[dict[str, Any]]:
    ports = _streams(layer)
    found = []
    for way in sorted(layer.kind.mac_directions):
        of_way = {p["name"]: p["width"] for p in ports if f"_{way}_" in p["name"]}
        width = next(width for name, width in of_way.items() if "_tdata_" in name)
        found.append(_checked(_number(layer), way, width, list(of_way)))
    return found


def tile_mac_streams(tile: Tile) -> list[dict[str, Any]]:
    """Streams between the layers of a tile and MACs, for the checkers in simulation."""
    return [stream for layer in tile.layers for stream in _checked_streams(layer)]


def with_clock(number: int, declarations: list[str]) -> list[str]:
    """Declarations of a MAC port that has its own clock."""
    clock = [f"input {logic(1, f'mac{number}_{name}_i')}" for name in ("clk", "rst")]
    return [*clock, *declarations, f"output {logic(1, f'mac{number}_tx_tuser_o')}"]


def top_mac_ports(design: Design) -> list[dict[str, Any]]:
    """MAC ports of the top by number: declarations, and their clock crossings."""
    found = []
    for number, given in enumerate(design.config.ports):
        layers = [layer for layer in design.layers() if layer.kind.mac_ports]
        streams = [port for la in layers if _number(la) == number for port in _streams(la)]
        declarations = [f"{p['direction']} {logic(p['width'], p['name'])}" for p in streams]
        if given.clock_mhz is not None:
            declarations = with_clock(number, declarations)
        checked = [
            stream for la in layers if _number(la) == number for stream in _checked_streams(la)
        ]
        for stream in checked:  # on the MAC's side of the crossing
            stream |= {"clk": f"mac{number}_clk_i", "rst": f"mac{number}_rst_i"}
            if stream["way"] == "tx":
                stream["ports"]["tuser"] = f"mac{number}_tx_tuser_o"
        is_faster = (given.clock_mhz or 0) > design.config.clock_mhz
        found.append(
            {
                "number": number,
                "declarations": declarations,
                "has_own_clock": given.clock_mhz is not None,
                "checked": checked,
                "core_signals": [logic(port["width"], port["core"]) for port in streams],
                "start_beats": 0 if is_faster else _START_BEATS,
            }
        )
    return found
