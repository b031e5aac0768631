# SPDX-License-Identifier: Apache-2.0
"""The cluster as SVG: boards as boxes, links as lines in the colour of their load."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any

from bombus.applications.control.web.mesh import colour, percent, width
from bombus.cluster.layout import Point, stub

_PITCH, _BOX, _MARGIN = (190, 110), (112, 56), 70
_STUB = (_BOX[0] / 2 + 35, _BOX[1] / 2 + 30)  # from a board's centre
_DEAD = "#dc2626"
STYLE = """
.cluster .board rect { fill: #e8eef7; stroke: #64748b; stroke-width: 1.2; cursor: pointer; }
.cluster .board.selected rect { stroke: #1d4ed8; stroke-width: 3; }
.cluster .board text { pointer-events: none; }
.cluster text { font-size: 12px; text-anchor: middle; fill: #0f172a; }
.cluster .link text { font-size: 11px; paint-order: stroke; stroke: white; stroke-width: 4px; }
.cluster .link.down line { stroke-dasharray: 6 5; }
"""
SCRIPT = """
window.bombusCluster = (links, board) => {
  for (const [number, [colour, width, text, title, up]] of Object.entries(links)) {
    for (const place of document.querySelectorAll(`.cluster [data-link="${number}"]`)) {
      place.classList.toggle('down', !up);
      place.querySelector('line').style.stroke = colour;
      place.querySelector('line').style.strokeWidth = width;
      place.querySelector('text').textContent = text;
      place.querySelector('title').textContent = title;
    }
  }
  for (const place of document.querySelectorAll('.cluster [data-board]'))
    place.classList.toggle('selected', place.dataset.board == board);
};
"""


def svg(overview: Mapping[str, Any]) -> str:
    """Boards and links of `overview` (`bombus.cluster.live_calls`)."""
    at = {each["board"]: _centre(each["place"]) for each in overview["boards"]}
    right, low = (max(place[axis] for place in at.values()) for axis in (0, 1))
    size = right + _BOX[0] / 2 + _MARGIN, low + _BOX[1] / 2 + _MARGIN
    parts = [f'<svg class="cluster" viewBox="0 0 {size[0]:.0f} {size[1]:.0f}" role="img">']
    for number, link in enumerate(overview["links"]):
        here, there = at[link["a"][0]], at[link["b"][0]]
        if link["is_clear"]:
            middle = (here[0] + there[0]) / 2, (here[1] + there[1]) / 2
            parts.append(_link(number, here, there, middle))
        else:  # a short line at each end
            for one, other in ((here, there), (there, here)):
                tip = stub(one, other, _STUB)
                parts.append(_link(number, one, tip, tip))
    for each in overview["boards"]:
        parts.append(_board(each, at[each["board"]]))
    return "".join([*parts, "</svg>"])


def _centre(place: Point) -> Point:
    first = _BOX[0] / 2 + _MARGIN, _BOX[1] / 2 + _MARGIN
    return first[0] + place[0] * _PITCH[0], first[1] + place[1] * _PITCH[1]


def _link(number: int, one: Point, other: Point, text: Point) -> str:
    ends = "".join(
        f'{name}="{value:.1f}" '
        for name, value in zip(("x1", "y1", "x2", "y2"), (*one, *other), strict=True)
    )
    return (
        f'<g class="link" data-link="{number}"><title></title><line {ends}stroke="#94a3b8"/>'
        f'<text x="{text[0]:.1f}" y="{text[1] + 4:.1f}"></text></g>'
    )


def _board(board: Mapping[str, Any], at: Point) -> str:
    x, y = at[0] - _BOX[0] / 2, at[1] - _BOX[1] / 2
    name = escape(board["name"])
    count = len(board["tiles"])
    tiles = f"{count} tile{'s' * (count != 1)}"
    return (
        f'<g class="board" data-board="{board["board"]}" tabindex="0" role="button" '
        f'aria-label="{name}"><rect x="{x:.1f}" y="{y:.1f}" width="{_BOX[0]}" '
        f'height="{_BOX[1]}" rx="6"/><text x="{at[0]:.1f}" y="{at[1] - 4:.1f}" '
        f'font-weight="600">{name}</text><text x="{at[0]:.1f}" y="{at[1] + 14:.1f}">{tiles}</text>'
        "</g>"
    )


def update(links: list[tuple[bool, float, float, str]], board: int) -> str:
    """JavaScript that shows links, each up with loads of both directions and a title, and which
    board is selected.
    """
    shown = {
        number: (
            colour(max(loads)) if up else _DEAD,
            width(max(loads)) if up else 2,
            percent(max(loads)) if up else "down",
            title,
            up,
        )
        for number, (up, *loads, title) in enumerate(links)
    }
    return f"window.bombusCluster({json.dumps(shown)}, {board})"
