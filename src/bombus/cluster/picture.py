# SPDX-License-Identifier: Apache-2.0
"""A picture of a cluster: its boards with their tiles, and the links between their ports."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from bombus.cluster.layout import Point, is_clear, positions, stub
from bombus.cluster.split import BRIDGE, Cluster
from bombus.pictures.files import save

_WIDTH, _LINE = 1.5, 0.17  # inches: of a board, of a line of its text
_MOST_TILES = 8  # named on a board
_GAP = (0.75, 0.6)  # between boards
_MARGIN, _STUB = 0.75, 0.4
_ABOVE = 0.12  # a horizontal line: its text
_INK, _BOARD, _EMPTY = "#222222", "#dbe7f5", "#eeeeee"


def draw(cluster: Cluster, file: Path) -> None:
    """Draws the boards of a cluster."""
    tiles = [tiles_of(cluster, board.number) for board in cluster.boards]
    save(lambda: _figure(cluster, tiles), file, cluster.file.config.name)


def tiles_of(cluster: Cluster, board: int) -> list[str]:
    """The tiles of a board, as the design file names them, without that of the network."""
    names = []
    for tile in cluster.boards[board].data["tiles"]:
        if tile["name"] != BRIDGE:
            count = tile.get("replicas", 1)
            names.append(
                f"{tile['name']} \N{MULTIPLICATION SIGN}{count}" if count > 1 else tile["name"]
            )
    return names


def _figure(cluster: Cluster, tiles: list[list[str]]) -> Figure:
    places = positions(cluster.links.topology)
    lines = min(_MOST_TILES, max(map(len, tiles))) + 1
    height = _LINE * (lines + 1)
    pitch = _WIDTH + _GAP[0], height + _GAP[1]
    columns, rows = (max(place[axis] for place in places) for axis in (0, 1))
    size = columns * pitch[0] + _WIDTH + 2 * _MARGIN, rows * pitch[1] + height + 2 * _MARGIN
    figure = Figure(figsize=size)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, size[0])
    axes.set_ylim(0, size[1])
    axes.axis("off")
    centres = [
        (
            _MARGIN + _WIDTH / 2 + x * pitch[0],
            size[1] - _MARGIN - height / 2 - y * pitch[1],
        )
        for x, y in places
    ]
    names = cluster.config.names
    for one, other in cluster.links.ends:
        here, there = centres[one.board], centres[other.board]
        if is_clear(places, one.board, other.board):
            _line(axes, here, there)
            middle = (here[0] + there[0]) / 2, (here[1] + there[1]) / 2
            _label(axes, middle, f"{one.port} \N{EN DASH} {other.port}")
            continue
        for end, peer, at, away in ((one, other, here, there), (other, one, there, here)):
            tip = stub(at, away, (_WIDTH / 2 + _STUB, height / 2 + _STUB))
            text_at = tip[0], tip[1] + (_ABOVE if tip[1] == at[1] else 0)
            _line(axes, at, tip)
            _label(axes, text_at, f"{end.port} \N{EN DASH} {names[peer.board]}.{peer.port}")
    for board, at in zip(cluster.boards, centres, strict=True):
        _board(axes, at, height, board.name, tiles[board.number])
    return figure


def _board(axes: Axes, at: Point, height: float, name: str, tiles: list[str]) -> None:
    x, y = at
    axes.add_patch(
        FancyBboxPatch(
            (x - _WIDTH / 2, y - height / 2),
            _WIDTH,
            height,
            boxstyle="round,pad=0,rounding_size=0.06",
            facecolor=_BOARD if tiles else _EMPTY,
            edgecolor=_INK,
            linewidth=1.0,
            zorder=3,
        )
    )
    top = y + height / 2 - _LINE
    axes.text(x, top, name, ha="center", va="center", fontsize=9, weight="bold", zorder=4)
    shown = tiles if len(tiles) <= _MOST_TILES else tiles[: _MOST_TILES - 1]
    if len(shown) < len(tiles):
        shown = [*shown, f"and {len(tiles) - len(shown)} more"]
    for n, text in enumerate(shown or ["passes packets on"]):
        style = "normal" if tiles else "italic"
        at_y = top - (n + 1) * _LINE
        axes.text(x, at_y, text, ha="center", va="center", fontsize=8, style=style, zorder=4)


def _line(axes: Axes, one: Point, other: Point) -> None:
    axes.plot(*zip(one, other, strict=True), color=_INK, linewidth=1.4, zorder=1)


def _label(axes: Axes, at: Point, text: str) -> None:
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    axes.text(*at, text, ha="center", va="center", fontsize=7, color=_INK, zorder=2, bbox=box)
