# SPDX-License-Identifier: Apache-2.0
"""The mesh as SVG: tiles as boxes, two arrows between neighbours, coloured by their load."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from html import escape
from math import sqrt
from typing import Any

from bombus.applications.control.web.loads import Link, pairs, route

_TILE_WIDTH, _TILE_HEIGHT = 132, 62
_GAP_X, _GAP_Y = 84, 58
_STEP_X, _STEP_Y = _TILE_WIDTH + _GAP_X, _TILE_HEIGHT + _GAP_Y
_MARGIN = 14
_LANE = 9  # half the distance of the two directions
_HEAD = 7  # length of an arrow's head
_IDLE = "#d5dae1"
# Colours of loads, from little to full.
_SCALE = (
    (0.0, (155, 190, 232)),
    (0.35, (247, 189, 92)),
    (0.7, (229, 106, 57)),
    (1.0, (176, 20, 46)),
)

STYLE = """
.mesh { width: 100%; height: auto; display: block; font-family: inherit; }
.mesh .tile { cursor: pointer; outline: none; }
.mesh .tile rect { fill: #fff; stroke: #64748b; stroke-width: 1.4; }
.mesh .tile:hover rect, .mesh .tile:focus-visible rect { fill: #f1f5f9; }
.mesh .tile.selected rect { stroke: #1d4ed8; stroke-width: 3; fill: #eff6ff; }
.mesh .tile.drops rect { stroke: #b91c1c; }
.mesh .name { font-size: 14.5px; font-weight: 600; fill: #0f172a; }
.mesh .layers { font-size: 11px; fill: #475569; }
.mesh .rate { font-size: 11.5px; fill: #334155; font-variant-numeric: tabular-nums; }
.mesh .load { font-size: 11px; fill: #334155; font-variant-numeric: tabular-nums; }
.mesh .mac { font-size: 11px; fill: #475569; }
"""

# Called with {id: [colour, width, text, title]} of links and {name: [text, classes]} of tiles.
SCRIPT = """
window.bombusMesh = (links, tiles) => {
  for (const [id, [colour, width, text, title]] of Object.entries(links)) {
    const group = document.getElementById(id);
    if (!group) continue;
    group.querySelector('path').setAttribute('stroke', colour);
    group.querySelector('path').setAttribute('stroke-width', width);
    group.querySelector('polygon').setAttribute('fill', colour);
    group.querySelector('text').textContent = text;
    group.querySelector('title').textContent = title;
  }
  for (const [id, [text, classes]] of Object.entries(tiles)) {
    const group = document.getElementById(id);
    if (!group) continue;
    group.querySelector('.rate').textContent = text;
    group.setAttribute('class', 'tile ' + classes);
  }
};
"""


def colour(share: float) -> str:
    """Of a link with this share of its bandwidth in use; the square root makes low ones visible."""
    if share <= 0:
        return _IDLE
    value = min(1.0, sqrt(share))
    for (low, first), (high, last) in itertools.pairwise(_SCALE):
        if value <= high:
            part = (value - low) / (high - low)
            mixed = (round(a + (b - a) * part) for a, b in zip(first, last, strict=True))
            return "#" + "".join(f"{each:02x}" for each in mixed)
    return _IDLE


def width(share: float) -> float:
    """Width of a link's line."""
    return 2.0 if share <= 0 else round(2.5 + 3.5 * min(1.0, sqrt(share)), 1)


def percent(share: float) -> str:
    """Two digits."""
    if share <= 0:
        return ""
    value = 100 * share
    return f"{value:.0f} %" if value >= 10 else f"{value:.1f} %" if value >= 0.1 else "<0.1 %"


def link_id(link: Link) -> str:
    (x, y), (to_x, to_y) = link
    return f"link-{x}-{y}-{to_x}-{to_y}"


def tile_id(name: str) -> str:
    return f"tile-{name}"


def links(manifest: Mapping[str, Any]) -> list[Link]:
    """Links that a next hop uses, of any network, each once."""
    places = {tile["name"]: (tile["x"], tile["y"]) for tile in manifest["tiles"]}
    found = (
        link
        for network in manifest["networks"]
        for source, target in pairs(manifest, network["name"])
        for link in route(places[source], places[target])
    )
    return list(dict.fromkeys(found))


def svg(manifest: Mapping[str, Any]) -> str:
    """The mesh without loads; `bombusMesh` of `SCRIPT` adds them."""
    tiles = manifest["tiles"]
    columns = 1 + max(tile["x"] for tile in tiles)
    rows = 1 + max(tile["y"] for tile in tiles)
    wide = columns * _STEP_X - _GAP_X + 2 * _MARGIN
    high = rows * _STEP_Y - _GAP_Y + 2 * _MARGIN
    parts = [_arrow(link) for link in links(manifest)]
    parts += [_tile(tile) for tile in tiles]
    return (
        f'<svg class="mesh" viewBox="0 0 {wide} {high}" style="max-width:{wide * 1.15:.0f}px" '
        f'role="group" aria-label="mesh">{"".join(parts)}</svg>'
    )


def _tile(tile: Mapping[str, Any]) -> str:
    x, y = _MARGIN + tile["x"] * _STEP_X, _MARGIN + tile["y"] * _STEP_Y
    name = escape(tile["name"])
    kinds = ", ".join(layer["kind"] for layer in tile["layers"]) or "router only"
    label = kinds if kinds != tile["name"] else ""
    if len(label) > 22:
        label = label[:21] + "\N{HORIZONTAL ELLIPSIS}"
    middle = x + _TILE_WIDTH / 2
    return (
        f'<g class="tile" id="{tile_id(name)}" data-tile="{name}" tabindex="0" role="button" '
        f'aria-label="tile {name}"><title>{name}: {escape(kinds)}</title>'
        f'<rect x="{x}" y="{y}" width="{_TILE_WIDTH}" height="{_TILE_HEIGHT}" rx="6"/>'
        f'<text class="name" x="{middle}" y="{y + 21}" text-anchor="middle">{name}</text>'
        f'<text class="layers" x="{middle}" y="{y + 36}" text-anchor="middle">'
        f"{escape(label)}</text>"
        f'<text class="rate" x="{middle}" y="{y + 53}" text-anchor="middle"></text></g>'
    )


def _arrow(link: Link) -> str:
    (x, y), (to_x, to_y) = link
    dx, dy = to_x - x, to_y - y
    middle_x = _MARGIN + x * _STEP_X + _TILE_WIDTH / 2
    middle_y = _MARGIN + y * _STEP_Y + _TILE_HEIGHT / 2
    # Each direction keeps to its right.
    start_x = middle_x + dx * _TILE_WIDTH / 2 - dy * _LANE
    start_y = middle_y + dy * _TILE_HEIGHT / 2 + dx * _LANE
    gap = _GAP_X if dx else _GAP_Y
    neck_x, neck_y = start_x + dx * (gap - _HEAD - 2), start_y + dy * (gap - _HEAD - 2)
    tip_x, tip_y = start_x + dx * (gap - 2), start_y + dy * (gap - 2)
    side = 5.5
    head = " ".join(
        f"{px:.1f},{py:.1f}"
        for px, py in (
            (tip_x, tip_y),
            (neck_x - dy * side, neck_y + dx * side),
            (neck_x + dy * side, neck_y - dx * side),
        )
    )
    text_x, text_y, anchor = (start_x + dx * gap / 2, start_y + dx * 10 + 4, "middle")
    if dx:
        text_y = start_y + (14 if dx > 0 else -7)
    else:
        text_x, text_y = start_x - dy * 9, start_y + dy * gap / 2 + 4
        anchor = "end" if dy > 0 else "start"
    return (
        f'<g id="{link_id(link)}" data-link="{x},{y} {to_x},{to_y}"><title></title>'
        f'<path d="M{start_x:.1f} {start_y:.1f}L{neck_x:.1f} {neck_y:.1f}" stroke="{_IDLE}" '
        f'stroke-width="2" fill="none"/><polygon points="{head}" fill="{_IDLE}"/>'
        f'<text class="load" x="{text_x:.1f}" y="{text_y:.1f}" text-anchor="{anchor}"></text></g>'
    )


def sparkline(values: list[float]) -> str:
    """Points of a polyline, 100 by 20; the newest value is at the right."""
    if len(values) < 2:
        return ""
    top = max(max(values), 1e-9)
    step = 100 / (len(values) - 1)
    return " ".join(
        f"{n * step:.1f},{19 - 18 * max(0, value) / top:.1f}" for n, value in enumerate(values)
    )
