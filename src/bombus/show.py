"""Draws a design's mesh: tiles with their layers, and every flow on every link.

A flow is a next hop that leads to another tile. It goes first along x, then
along y, and is drawn as an arrow on each link that it takes, in the colour of
its next hop. Where too many share a link, their number stands for them: "11 ways".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from bombus.deadlock import Cycle
from bombus.errors import UserError
from bombus.network import Layer, Network, Tile
from bombus.routing import Channel, Link

FORMATS = (".svg", ".png", ".pdf")

# Lengths in inches.
_TILE_WIDTH, _TILE_HEIGHT = 1.7, 1.05
_GAP_X, _GAP_Y = 1.05, 0.85
_LANE = 0.17  # between the arrows of flows that share a link
_MAX_LANES = 3  # more next hops than these in one direction become one arrow
_MARGIN = 0.75
_HEADING = 0.55
_FOOT = 0.3
_LEGEND_LINE = 0.2

# Colours that stay apart for most kinds of colour blindness (Okabe and Ito).
_PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#555555")
_INK, _FAINT, _PAPER = "#222222", "#c8ccd0", "#ffffff"
_TILE_FILL, _EMPTY_FILL, _LAYER_FILL = "#f1f4f8", "#fafafa", "#ffffff"
_APP_COLOUR = "#fff4d6"
_ALARM = "#B00020"


@dataclass(frozen=True)
class Flow:
    """Messages with one next hop on the way to one layer."""

    name: str  # of the next hop
    target: Layer


def flows_by_link(network: Network) -> dict[Link, list[Flow]]:
    """The flows on each link of the mesh; several senders to one layer count once each."""
    links: dict[Link, list[Flow]] = {}
    for hop in network.hops:
        if hop.target is None or hop.in_tile:
            continue
        flow = Flow(network.library.next_names[hop.number], hop.target)
        for link in network.links(hop.source.tile, hop.target.tile):
            links.setdefault(link, []).append(flow)
    return links


@dataclass(frozen=True)
class Lane:
    """One arrow along a link."""

    text: str
    colour: str
    width: float = 1.3
    line: str = "-"


def _centre(position: tuple[int, int]) -> tuple[float, float]:
    """Centre of a tile in the figure; y grows to the south in the mesh, upwards here."""
    x, y = position
    return x * (_TILE_WIDTH + _GAP_X), -y * (_TILE_HEIGHT + _GAP_Y)


def _draw_box(axes: Axes, x: float, y: float, width: float, height: float, **style: Any) -> None:
    axes.add_patch(
        FancyBboxPatch(
            (x - width / 2, y - height / 2),
            width,
            height,
            boxstyle="round,pad=0,rounding_size=0.06",
            **style,
        )
    )


def _rows(layers: list[Layer]) -> Iterator[list[Layer]]:
    """Layers in rows of a tile: as many in each as fit."""
    per_row = 1 if len(layers) <= 2 else 2
    for start in range(0, len(layers), per_row):
        yield layers[start : start + per_row]


def _draw_tile(axes: Axes, tile: Tile, *, highlight: bool = False) -> None:
    x, y = _centre((tile.x, tile.y))
    if not tile.layers:
        empty = {"facecolor": _EMPTY_FILL, "edgecolor": _FAINT, "linestyle": "--"}
        _draw_box(axes, x, y, _TILE_WIDTH, _TILE_HEIGHT, linewidth=0.8, zorder=3, **empty)
        axes.text(x, y, "empty", ha="center", va="center", fontsize=7, color="#999999", zorder=5)
        return
    style: dict[str, Any] = {"facecolor": _TILE_FILL, "edgecolor": _ALARM if highlight else _INK}
    style["linewidth"] = 2.2 if highlight else 1.1
    _draw_box(axes, x, y, _TILE_WIDTH, _TILE_HEIGHT, zorder=3, **style)
    top = y + _TILE_HEIGHT / 2
    axes.text(
        x, top - 0.15, tile.name, ha="center", va="center", weight="bold", fontsize=9, zorder=5
    )
    rows = list(_rows(tile.layers))
    height = min(0.23, (_TILE_HEIGHT - 0.32) / len(rows))
    middle = top - 0.28 - (_TILE_HEIGHT - 0.32) / 2
    first = middle + height * (len(rows) - 1) / 2
    for i, row in enumerate(rows):
        width = (_TILE_WIDTH - 0.16) / len(row)
        for j, layer in enumerate(row):
            at_x = x + (j - (len(row) - 1) / 2) * width
            at_y = first - i * height
            fill = _APP_COLOUR if layer.app_index is not None else _LAYER_FILL
            style = {"facecolor": fill, "edgecolor": "#8a94a0", "linewidth": 0.6, "zorder": 4}
            _draw_box(axes, at_x, at_y, width - 0.05, height - 0.035, **style)
            port = layer.param("udp_port") if layer.app_index is not None else None
            text = f"{layer.name} :{port}" if port else layer.name
            axes.text(at_x, at_y - 0.005, text, ha="center", va="center", fontsize=6.5, zorder=5)


def _arrow(
    axes: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    colour: str,
    width: float,
    line: str = "-",
) -> None:
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>",
            mutation_scale=9 + 2 * width,
            linewidth=width,
            linestyle=line,
            color=colour,
            shrinkA=0,
            shrinkB=0,
            zorder=2,
        )
    )


def _flow_lanes(flows: list[Flow], colours: dict[str, str]) -> list[Lane]:
    """An arrow for each next hop, wider where several flows share it."""
    numbers = Counter(flow.name for flow in flows)
    if len(numbers) > _MAX_LANES:
        return [Lane(f"{len(flows)} ways", _INK, 2.6)]
    return [
        Lane(
            name if number == 1 else f"{name} \N{MULTIPLICATION SIGN}{number}",
            colours[name],
            min(2.6, 1.1 + 0.2 * number),
        )
        for name, number in numbers.items()
    ]


def _draw_link(axes: Axes, link: Link, lanes: list[Lane]) -> None:
    """The arrows of one link, to the right-hand side of its middle line as they move."""
    (x0, y0), (x1, y1) = _centre(link[0]), _centre(link[1])
    dx, dy = (x1 > x0) - (x1 < x0), (y1 > y0) - (y1 < y0)
    half_x, half_y = _TILE_WIDTH / 2, _TILE_HEIGHT / 2
    side_x, side_y = dy, -dx
    for i, lane in enumerate(lanes):
        offset = _LANE * (i + 0.55)
        shift_x, shift_y = side_x * offset, side_y * offset
        start = (x0 + dx * half_x + shift_x, y0 + dy * half_y + shift_y)
        end = (x1 - dx * half_x + shift_x, y1 - dy * half_y + shift_y)
        _arrow(axes, start, end, lane.colour, lane.width, lane.line)
        axes.text(
            (start[0] + end[0]) / 2 - dx * 0.05,
            (start[1] + end[1]) / 2 - dy * 0.05,
            lane.text,
            rotation=0 if dx else 90,
            ha="center",
            va="center",
            fontsize=6,
            color=lane.colour,
            zorder=6,
            bbox={"facecolor": _PAPER, "edgecolor": "none", "pad": 0.6},
        )


def _draw_mac(axes: Axes, tile: Tile) -> None:
    """Short arrows from and to the network at tiles with a MAC port."""
    x, y = _centre((tile.x, tile.y))
    edge = x - _TILE_WIDTH / 2
    for layer in tile.layers:
        number = layer.param("mac_port") or 0
        for direction in sorted(layer.mac_directions()):
            # West of the first column there is room; elsewhere above the tile.
            if tile.x == 0:
                at = y + (0.12 if direction == "rx" else -0.12)
                outer, inner = (edge - 0.5, at), (edge, at)
                label: dict[str, Any] = {"x": edge - 0.54, "y": at, "ha": "right", "va": "center"}
            else:
                top = y + _TILE_HEIGHT / 2
                at = x - _TILE_WIDTH / 2 + (0.15 if direction == "rx" else 0.4)
                outer, inner = (at, top + 0.3), (at, top)
                label = {"x": at, "y": top + 0.32, "ha": "center", "va": "bottom"}
            ends = (outer, inner) if direction == "rx" else (inner, outer)
            _arrow(axes, *ends, _INK, 1.6)
            axes.text(s=f"MAC {number} {direction}", fontsize=6.5, color=_INK, **label)


def _canvas(network: Network, name: str, heading: str, foot: float) -> tuple[Figure, Axes]:
    """A figure with a heading and the lines of the mesh; `foot`: height left free below."""
    width = network.columns * (_TILE_WIDTH + _GAP_X) - _GAP_X + 2 * _MARGIN + 0.5
    height = network.rows * (_TILE_HEIGHT + _GAP_Y) - _GAP_Y + _HEADING + foot
    picture = Figure(figsize=(width, height))
    axes = picture.add_axes((0, 0, 1, 1))
    left = -_TILE_WIDTH / 2 - _MARGIN - 0.5
    top = _TILE_HEIGHT / 2 + _HEADING
    axes.set_xlim(left, left + width)
    axes.set_ylim(top - height, top)
    axes.set_aspect("equal")
    axes.axis("off")
    x = -_TILE_WIDTH / 2
    axes.text(x, top - 0.2, name, fontsize=12, weight="bold", va="center")
    middle = left + width - _MARGIN
    axes.text(middle, top - 0.2, heading, fontsize=7.5, color="#555555", va="center", ha="right")
    for tile in network.tiles:
        x, y = _centre((tile.x, tile.y))
        if tile.x + 1 < network.columns:
            axes.plot([x, x + _TILE_WIDTH + _GAP_X], [y, y], color=_FAINT, lw=0.8, zorder=1)
        if tile.y + 1 < network.rows:
            axes.plot([x, x], [y, y - _TILE_HEIGHT - _GAP_Y], color=_FAINT, lw=0.8, zorder=1)
    return picture, axes


def figure(network: Network) -> Figure:
    """The picture of a design's mesh."""
    design = network.design
    heading = (
        f"{network.columns} x {network.rows} tiles, {design.data_width} bits, "
        f"{design.clock_mhz:g} MHz, {design.line_rate_gbps:g} Gbit/s"
    )
    picture, axes = _canvas(network, design.name, heading, _FOOT)
    links = flows_by_link(network)
    names = list(dict.fromkeys(flow.name for flows in links.values() for flow in flows))
    colours = {name: _PALETTE[i % len(_PALETTE)] for i, name in enumerate(names)}
    for link, flows in links.items():
        _draw_link(axes, link, _flow_lanes(flows, colours))
    for tile in network.tiles:
        _draw_tile(axes, tile)
        _draw_mac(axes, tile)
    return picture


def cycle_figure(network: Network, cycle: Cycle) -> Figure:
    """A cycle of channels on the mesh: what each leg holds, and what it waits for."""
    picture, axes = _canvas(
        network,
        f"{network.design.name}: deadlock",
        "whole lines: held; dashed: waited for; thin: the rest of the way",
        _FOOT + _LEGEND_LINE * len(cycle.legs),
    )
    lanes: dict[Link, list[Lane]] = {}
    bottom = -(network.rows - 1) * (_TILE_HEIGHT + _GAP_Y) - _TILE_HEIGHT / 2 - 0.25
    for i, leg in enumerate(cycle.legs):
        colour = _PALETTE[i % len(_PALETTE)]
        source, target = leg.hop.source, leg.hop.target
        assert target is not None
        needed = cycle.legs[(i + 1) % len(cycle.legs)].resources[0]
        held = {channel.link for channel in leg.channels}
        awaited = needed.link if isinstance(needed, Channel) else None
        for link in network.links(source.tile, target.tile):
            if link in held:
                lane = Lane(f"{i + 1} holds", colour, 2.6)
            elif link == awaited:
                lane = Lane(f"{i + 1} waits", colour, 2.0, "--")
            else:
                lane = Lane(f"{i + 1}", colour, 0.8)
            lanes.setdefault(link, []).append(lane)
        text = f"{i + 1}  {source} \N{RIGHTWARDS ARROW} {target}"
        y = bottom - _LEGEND_LINE * (i + 0.5)
        axes.text(-_TILE_WIDTH / 2, y, text, fontsize=8, color=colour, va="center")
    for link, of_link in lanes.items():
        _draw_link(axes, link, of_link)
    for tile in network.tiles:
        _draw_tile(axes, tile, highlight=tile in cycle.tiles)
        _draw_mac(axes, tile)
    return picture


def draw(network: Network, file: Path, cycle: Cycle | None = None) -> None:
    """Writes the picture, of a cycle if one is given; the name's ending chooses SVG, PNG or PDF."""
    if file.suffix not in FORMATS:
        raise UserError(f"{file}: a picture's name should end in {', '.join(FORMATS)}")
    file.parent.mkdir(parents=True, exist_ok=True)
    # Text stays text, and the same design gives the same file.
    settings: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": network.design.name}
    metadata = {"Date": None} if file.suffix == ".svg" else {}
    with matplotlib.rc_context(settings):
        picture = cycle_figure(network, cycle) if cycle else figure(network)
        picture.savefig(file, dpi=200, metadata=metadata)
