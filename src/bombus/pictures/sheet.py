# SPDX-License-Identifier: Apache-2.0
"""Drawing surface of a mesh: its scale, and the shapes of tiles, links, MAC ports and memories.

Meshes of up to four columns have full names beside their arrows. Wider ones are read at the same
page width, so that their text is larger in proportion, and keys that a legend explains take the
place of names. The gaps between tiles are as wide as the longest text beside an arrow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain, product
from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.textpath import TextPath

from bombus.design.elements import Layer, Tile
from bombus.design.network import Network
from bombus.design.resolved import Design
from bombus.fabric.routing import Link

INK, FAINT = "#222222", "#c8ccd0"
_TILE_FILL, _EMPTY_FILL, _LAYER_FILL = "#f1f4f8", "#fafafa", "#ffffff"
_APP_COLOUR, _MEMORY_COLOUR = "#fff4d6", "#dfeee3"
_ALARM = "#B00020"

# Ten hues that are distinguishable with most kinds of colour blindness (Okabe and Ito, and four
# more), each in three line styles: 30 combinations.
_HUES = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"),
    *("#56B4E9", "#7A5230", "#6A3D9A", "#7FB800", "#555555"),
)
_LINES = ("-", (0, (4, 1.5)), (0, (1, 1.2)))

_BESIDE = 0.05  # between the faint lines of two networks
_OUTSIDE = 0.5  # length of an arrow from or to the outside
_POINTS = 72  # per inch

Line = str | tuple[int, tuple[float, ...]]
Point = tuple[float, float]


def line_style(index: int) -> tuple[str, Line]:
    """Colour and kind of line number `index`; the first 30 differ."""
    return _HUES[index % len(_HUES)], network_line(index // len(_HUES))


def network_line(index: int) -> Line:
    """Kind of line of a network's arrows, where a design has several; the first three differ."""
    return _LINES[index % len(_LINES)]


@dataclass(frozen=True)
class Scale:
    """Lengths in inches and font sizes in points of a sheet."""

    tile_width: float = 1.7
    tile_height: float = 1.05
    gap_x: float = 1.05
    gap_y: float = 0.85
    lane: float = 0.18  # between the arrows that share a link, with room for their text
    margin: float = 0.75
    heading: float = 0.55
    legend_line: float = 0.22
    tile_font: float = 9
    layer_font: float = 6.5
    lane_font: float = 6
    mac_font: float = 6.5
    title_font: float = 12
    legend_font: float = 8
    has_keys: bool = False  # arrows have keys, explained by a legend, instead of names


def scale_of(design: Design) -> Scale:
    """The scale at which a design's text is readable at page width."""
    if design.columns <= 4:
        return Scale()
    larger = min(design.columns / 3.5, 4.0)  # more columns, larger text at the same page width
    gap = 0.37 * larger
    rows = max((len(tile.layers) for tile in design.tiles), default=1)
    return Scale(
        tile_height=0.2 * larger * 1.15 + max(rows, 2) * 0.15 * larger,
        gap_x=gap,
        gap_y=gap,
        lane=0.165 * larger,
        heading=0.45 * larger,
        legend_line=0.18 * larger,
        tile_font=6.9 * larger,
        layer_font=6.2 * larger,
        lane_font=6.2 * larger,
        mac_font=5.5 * larger,
        title_font=9 * larger,
        legend_font=6.3 * larger,
        has_keys=True,
    )


@dataclass(frozen=True)
class Lane:
    """One arrow along a link."""

    text: str
    colour: str
    width: float = 1.3
    line: Line = "-"
    slanted: bool = False  # its text is slanted, if it hides the line style


def _text_width(text: str, font: float) -> float:
    """In inches."""
    return float(TextPath((0, 0), text, size=font).get_extents().width) / _POINTS


def _fitting(text: str, font: float, width: float) -> float:
    """The font size, smaller where the text would be wider than `width` inches."""
    return min(font, font * width / (_text_width(text, font) or width))


def _with_room(scale: Scale, links: Mapping[Link, list[Lane]]) -> Scale:
    """The scale with gaps as wide as the longest text beside an arrow."""
    gaps = [scale.gap_x, scale.gap_y]
    for (start, end), lanes in links.items():
        axis = int(start[0] == end[0])  # 0: a link along x
        room = (_text_width(lane.text, scale.lane_font) + scale.lane for lane in lanes)
        gaps[axis] = max(gaps[axis], *room)
    return replace(scale, gap_x=gaps[0], gap_y=gaps[1])


def _is_app(layer: Layer) -> bool:
    """Whether messages are sent to it by its own number, such as a UDP port."""
    return bool(layer.bound_key) and not layer.kind.mac_ports


def _raised(design: Design, tile: Tile) -> list[str]:
    """Labels of the raised ports of a tile: memories with their kind, or names of ports."""
    memories = design.config.memories
    lines: dict[str, None] = {}  # each once, in order
    for name in chain.from_iterable(layer.raised.values() for layer in tile.layers):
        of = (memory for memory in memories if name.startswith(f"{memory}_"))
        memory = next(of, None)
        lines[f"{memory}: {memories[memory].preset}" if memory else name] = None
    return list(lines)


class Sheet:
    """A figure with a heading, and the lines of the mesh with the arrows on its links.

    `foot`: lines of a legend below; one about the colour of applications follows them.
    """

    def __init__(
        self, design: Design, name: str, heading: str, foot: int, links: Mapping[Link, list[Lane]]
    ) -> None:
        self.scale = scale = _with_room(scale_of(design), links)
        apps = [layer for tile in design.tiles for layer in tile.layers if _is_app(layer)]
        foot += bool(apps)
        self._columns = design.columns
        self._pitch = (scale.tile_width + scale.gap_x, scale.tile_height + scale.gap_y)
        pitch_x, pitch_y = self._pitch
        raised = {tile: lines for tile in design.tiles if (lines := _raised(design, tile))}
        right = scale.margin + _OUTSIDE * any(
            0 < tile.x == design.columns - 1 and layer.kind.mac_directions
            for tile in design.tiles
            for layer in tile.layers
        )
        width = design.columns * pitch_x - scale.gap_x + scale.margin + _OUTSIDE + right
        below = 0.3 + foot * scale.legend_line
        if any(tile.y == design.rows - 1 for tile in raised):
            below += scale.gap_y
        height = design.rows * pitch_y - scale.gap_y + scale.heading + below
        self.figure = Figure(figsize=(width, height))
        self.axes: Axes = self.figure.add_axes((0, 0, 1, 1))
        left = -scale.tile_width / 2 - scale.margin - _OUTSIDE
        top = scale.tile_height / 2 + scale.heading
        self.axes.set_xlim(left, left + width)
        self.axes.set_ylim(top - height, top)
        self.axes.set_aspect("equal")
        self.axes.axis("off")
        self.left, self.right = -scale.tile_width / 2, left + width - right
        self.bottom = top - height + 0.1 + foot * scale.legend_line
        title: dict[str, Any] = {"y": top - scale.heading * 0.4, "va": "center"}
        self.text(self.left, text=name, fontsize=scale.title_font, weight="bold", **title)
        small = scale.legend_font * 0.95
        self.text(self.right, text=heading, fontsize=small, color="#555555", ha="right", **title)
        if apps:
            self._explain_apps(self.bottom - scale.legend_line * (foot - 0.5))
        for network in design.networks:
            self._mesh(network)
        for link, lanes in links.items():
            self._link(link, lanes)
        for tile, lines in raised.items():
            self._raised_ports(tile, lines)

    def _explain_apps(self, y: float) -> None:
        """A line of the legend."""
        scale = self.scale
        style: dict[str, Any] = {"facecolor": _APP_COLOUR, "edgecolor": "#8a94a0"}
        self._box(self.left + 0.4, y, 0.8, scale.legend_line * 0.7, linewidth=0.6, **style)
        text = "application, with the port or number by which messages are sent to it"
        self.text(self.left + 0.9, y, text, fontsize=scale.legend_font, va="center")

    def _mesh(self, network: Network) -> None:
        """The links of a network as faint lines, those of further networks beside the first's."""
        area, (pitch_x, pitch_y) = network.area, self._pitch
        beside = network.index * _BESIDE
        style: dict[str, Any] = {"color": FAINT, "lw": 0.8, "zorder": 1}
        style["ls"] = network_line(network.index)
        for j, i in product(range(area.rows), range(area.columns)):
            x, y = self.centre((area.x + i, area.y + j))
            if i + 1 < area.columns:
                self.axes.plot([x, x + pitch_x], [y + beside] * 2, **style)
            if j + 1 < area.rows:
                self.axes.plot([x + beside] * 2, [y, y - pitch_y], **style)

    def centre(self, position: tuple[int, int]) -> Point:
        """Centre of a tile in the figure; y grows to the south in the mesh, upwards here."""
        return position[0] * self._pitch[0], -position[1] * self._pitch[1]

    def text(self, x: float, y: float, text: str, **style: Any) -> None:
        self.axes.text(x, y, text, **style)

    def arrow(
        self,
        start: Point,
        end: Point,
        colour: str,
        width: float,
        line: Line = "-",
        heads: str = "-|>",
    ) -> None:
        larger = (self.scale.lane_font / 6) ** 0.5  # wide arrows would touch the text beside them
        self.axes.add_patch(
            FancyArrowPatch(
                start,
                end,
                arrowstyle=heads,
                mutation_scale=(9 + 2 * width) * larger,
                linewidth=width * larger,
                linestyle=line,
                color=colour,
                shrinkA=0,
                shrinkB=0,
                zorder=2,
            )
        )

    def _box(self, x: float, y: float, width: float, height: float, **style: Any) -> None:
        corner = (x - width / 2, y - height / 2)
        shape = "round,pad=0,rounding_size=0.06"
        self.axes.add_patch(FancyBboxPatch(corner, width, height, boxstyle=shape, **style))

    def tile(self, tile: Tile, *, highlight: bool = False) -> None:
        """A tile with its layers; `highlight`: it takes part in a cycle."""
        scale = self.scale
        x, y = self.centre((tile.x, tile.y))
        size = (scale.tile_width, scale.tile_height)
        middle: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 5}
        if not tile.layers:
            empty: dict[str, Any] = {
                "facecolor": _EMPTY_FILL,
                "edgecolor": FAINT,
                "linestyle": "--",
            }
            self._box(x, y, *size, linewidth=0.8, zorder=3, **empty)
            self.text(x, y, "empty", fontsize=scale.layer_font, color="#999999", **middle)
            return
        edge: dict[str, Any] = {"edgecolor": _ALARM if highlight else INK}
        edge["linewidth"] = 2.2 if highlight else 1.1
        self._box(x, y, *size, facecolor=_TILE_FILL, zorder=3, **edge)
        top = y + scale.tile_height / 2
        title = scale.tile_font / 60
        font = _fitting(tile.name, scale.tile_font, scale.tile_width - 0.3)
        self.text(x, top - title, tile.name, weight="bold", fontsize=font, **middle)
        rows = _rows(tile.layers, one_each=scale.has_keys)
        room = scale.tile_height - 2 * title - 0.02
        height = min(0.0355 * scale.layer_font, room / len(rows))
        first = top - 2 * title + 0.02 - room / 2 + height * (len(rows) - 1) / 2
        for i, row in enumerate(rows):
            width = (scale.tile_width - 0.16) / len(row)
            for j, layer in enumerate(row):
                at = x + (j - (len(row) - 1) / 2) * width, first - i * height
                fill = _APP_COLOUR if _is_app(layer) else _LAYER_FILL
                style: dict[str, Any] = {"facecolor": fill, "edgecolor": "#8a94a0"}
                self._box(*at, width - 0.05, height - 0.035, linewidth=0.6, zorder=4, **style)
                port = layer.param(layer.bound_key) if layer.bound_key else None
                name = f"{layer.name} :{port}" if port else layer.name
                font = _fitting(name, scale.layer_font, width - 0.13)
                self.text(at[0], at[1] - 0.005, name, fontsize=font, **middle)

    def _raised_ports(self, tile: Tile, lines: list[str]) -> None:
        """A box below the right-hand corner of a tile, with what is connected to its raised
        ports.
        """
        scale = self.scale
        x, y = self.centre((tile.x, tile.y))
        corner = x + scale.tile_width / 2
        left, right = corner - 0.3, corner + min(scale.gap_x - 0.1, scale.margin - 0.1)
        top, bottom = y - scale.tile_height / 2 - 0.22, y - scale.tile_height / 2 - scale.gap_y
        height = min(top - bottom - 0.12, 0.025 * scale.layer_font * len(lines))
        self.arrow((corner - 0.15, top), (corner - 0.15, top + 0.22), INK, 1.1, heads="<|-|>")
        middle = ((left + right) / 2, top - height / 2)
        style: dict[str, Any] = {"facecolor": _MEMORY_COLOUR, "edgecolor": INK, "zorder": 4}
        self._box(*middle, right - left, height, linewidth=0.8, **style)
        fitting = min(_fitting(line, scale.layer_font, right - left - 0.1) for line in lines)
        font = min(fitting, height * _POINTS * 0.8 / len(lines))
        align: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 5, "linespacing": 1.1}
        self.text(*middle, "\n".join(lines), fontsize=font, **align)

    def _link(self, link: Link, lanes: list[Lane]) -> None:
        """The arrows of one link, on the right of its centre line in their direction.

        The text of an arrow is on its outer side, so that it covers no arrow.
        """
        scale = self.scale
        (x0, y0), (x1, y1) = self.centre(link[0]), self.centre(link[1])
        dx, dy = (x1 > x0) - (x1 < x0), (y1 > y0) - (y1 < y0)
        half_x, half_y = scale.tile_width / 2, scale.tile_height / 2
        for i, lane in enumerate(lanes):
            offset = scale.lane * (i + 0.3)
            shift_x, shift_y = dy * offset, -dx * offset
            start = (x0 + dx * half_x + shift_x, y0 + dy * half_y + shift_y)
            end = (x1 - dx * half_x + shift_x, y1 - dy * half_y + shift_y)
            self.arrow(start, end, lane.colour, lane.width, lane.line)
            self.text(
                (start[0] + end[0]) / 2 + dy * scale.lane * 0.55,
                (start[1] + end[1]) / 2 - dx * scale.lane * 0.55,
                lane.text,
                rotation=0 if dx else 90,
                ha="center",
                va="center",
                fontsize=scale.lane_font,
                style="italic" if lane.slanted else "normal",
                color=lane.colour,
                zorder=6,
            )

    def mac_ports(self, tile: Tile) -> None:
        """Short arrows from and to the network at tiles with a MAC port."""
        scale = self.scale
        x, y = self.centre((tile.x, tile.y))
        edge = x - scale.tile_width / 2
        east = x + scale.tile_width / 2
        for layer in tile.layers:
            number = layer.param("mac_port") or 0
            for direction in sorted(layer.kind.mac_directions):
                is_rx = direction == "rx"
                # There is room beside the first and the last column; elsewhere above the tile.
                if tile.x == 0:
                    at = y + (0.12 if is_rx else -0.12)
                    outer, inner = (edge - _OUTSIDE, at), (edge, at)
                    label: dict[str, Any] = {"x": outer[0] - 0.04, "y": at, "ha": "right"}
                    label["va"] = "center"
                elif tile.x == self._columns - 1:
                    at = y + (0.12 if is_rx else -0.12)
                    outer, inner = (east + _OUTSIDE, at), (east, at)
                    label = {"x": outer[0] + 0.04, "y": at, "ha": "left", "va": "center"}
                else:
                    top = y + scale.tile_height / 2
                    at = edge + (0.15 if is_rx else 0.4)
                    outer, inner = (at, top + 0.3), (at, top)
                    label = {"x": at - 0.1, "y": top + (0.22 if is_rx else 0.4), "ha": "right"}
                    label["va"] = "center"
                self.arrow(*((outer, inner) if is_rx else (inner, outer)), INK, 1.6)
                text = f"MAC {number} {direction}"
                self.text(text=text, fontsize=scale.mac_font, color=INK, **label)


def _rows(layers: list[Layer], *, one_each: bool) -> list[list[Layer]]:
    """Layers in rows of a tile: as many in each as fit."""
    per_row = 1 if one_each or len(layers) <= 2 else 2
    return [layers[start : start + per_row] for start in range(0, len(layers), per_row)]
