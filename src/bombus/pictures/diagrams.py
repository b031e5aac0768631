# SPDX-License-Identifier: Apache-2.0
"""Diagrams of the documentation: a tile's blocks, and the metadata as `bombus_pkg` defines it.

As a program (`make docs`): `python -m bombus.pictures.diagrams FOLDER` writes both as SVG.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from bombus.design.rtl import StructField, length_bits, struct_layout

_INK, _GREY, _PAPER = "#222222", "#8a94a0", "#ffffff"
_FABRIC, _INTERFACE, _LAYER, _CONTROL = "#dbe7f5", "#e4f1e4", "#fff4d6", "#eeeeee"
_ROW_BITS = 32  # bits in a row of the metadata diagram
_KIND_BITS = 3  # of a beat of a design with 5 to 8 kinds of messages

Point = tuple[float, float]


def _axes(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure of this size in inches whose coordinates are inches."""
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    axes.axis("off")
    return figure, axes


def _box(
    axes: Axes, corner: Point, size: Point, fill: str, title: str = "", lines: tuple[str, ...] = ()
) -> None:
    """A box with a bold title and lines of text below it; centred if it has no lines."""
    (x, y), (width, height) = corner, size
    shape = FancyBboxPatch(
        corner,
        width,
        height,
        boxstyle="round,pad=0,rounding_size=0.06",
        facecolor=fill,
        edgecolor=_INK,
        linewidth=1.0,
    )
    axes.add_patch(shape)
    middle = x + width / 2
    at = y + height - 0.17 if lines else y + height / 2
    axes.text(middle, at, title, ha="center", va="center", fontsize=9, weight="bold")
    for i, line in enumerate(lines):
        axes.text(middle, at - 0.2 * (i + 1), line, ha="center", va="center", fontsize=8)


def _arrow(
    axes: Axes,
    start: Point,
    end: Point,
    text: str = "",
    *,
    shift: Point = (0, 0.1),
    line: str = "-",
    both: bool = False,
) -> None:
    patch = FancyArrowPatch(
        start,
        end,
        arrowstyle="<|-|>" if both else "-|>",
        mutation_scale=11,
        linewidth=1.3,
        linestyle=line,
        color=_INK,
        shrinkA=0,
        shrinkB=0,
    )
    axes.add_patch(patch)
    if text:
        x, y = (start[0] + end[0]) / 2 + shift[0], (start[1] + end[1]) / 2 + shift[1]
        axes.text(x, y, text, ha="center", va="center", fontsize=8)


def tile() -> Figure:
    """A tile with two layers: router, network interface, layers, counters and registers."""
    figure, axes = _axes(9.2, 5.0)
    frame = FancyBboxPatch(
        (1.0, 0.75),
        7.1,
        3.7,
        boxstyle="round,pad=0,rounding_size=0.1",
        facecolor="#f8f9fb",
        edgecolor=_GREY,
        linestyle="--",
        linewidth=1.0,
    )
    axes.add_patch(frame)
    axes.text(8.0, 4.3, "tile", ha="right", va="center", fontsize=10, weight="bold", color=_GREY)

    _box(axes, (1.5, 1.9), (1.4, 2.0), _FABRIC, "router")
    for name, inner, outer, at in (
        ("north", (2.2, 3.9), (2.2, 4.75), (2.45, 4.62)),
        ("south", (2.2, 1.9), (2.2, 0.3), (2.45, 0.45)),
        ("west", (1.5, 2.9), (0.35, 2.9), (0.55, 3.05)),
    ):
        _arrow(axes, outer, inner, both=True)
        axes.text(*at, name, ha="center", va="center", fontsize=8)
    # The east link runs below the other blocks.
    axes.plot([3.2, 3.2, 8.62], [2.05, 1.75, 1.75], color=_INK, linewidth=1.3)
    _arrow(axes, (3.2, 2.05), (2.9, 2.05))
    _arrow(axes, (8.6, 1.75), (8.85, 1.75))
    axes.text(8.62, 1.9, "east", ha="center", va="center", fontsize=8)

    _box(
        axes,
        (4.0, 3.1),
        (1.75, 0.95),
        _INTERFACE,
        "injection",
        ("next-hop table", "replica slots, policy", "drop: no_route"),
    )
    _box(axes, (4.0, 2.0), (1.75, 0.8), _INTERFACE, "ejection", ("select layer", "by entry port"))
    axes.text(4.87, 4.2, "network interface", ha="center", va="center", fontsize=8, color=_GREY)
    _arrow(axes, (4.0, 3.55), (2.9, 3.55), "flits", shift=(0, 0.12))
    _arrow(axes, (2.9, 2.4), (4.0, 2.4), "flits", shift=(0, 0.12))

    _box(axes, (6.5, 2.0), (1.35, 0.8), _LAYER, "layer A")
    _box(axes, (6.5, 3.22), (1.35, 0.8), _LAYER, "layer B")
    _arrow(axes, (5.75, 2.4), (6.5, 2.4), "beats", shift=(0, 0.12))
    _arrow(axes, (7.17, 2.8), (7.17, 3.22), "wires", shift=(0.3, 0))
    _arrow(axes, (6.5, 3.62), (5.75, 3.62), "beats,\nnext hop", shift=(0, 0.25))
    _arrow(axes, (7.85, 3.62), (8.85, 3.62), both=True)
    axes.text(8.5, 3.76, "MAC port", ha="center", va="center", fontsize=8)
    axes.text(8.5, 3.48, "(optional)", ha="center", va="center", fontsize=7, color=_GREY)

    _box(axes, (4.0, 0.9), (3.85, 0.6), _CONTROL, "counters and table writes")
    _arrow(axes, (5.9, 0.3), (5.9, 0.9), both=True)
    axes.text(6.0, 0.42, "register port", ha="left", va="center", fontsize=8)
    for start in ((4.6, 2.0), (7.17, 2.0)):
        _arrow(axes, start, (start[0], 1.5), line=":")
    axes.text(7.27, 1.6, "pulses", ha="left", va="center", fontsize=7, color=_GREY)
    return figure


def _segments(offset: int, width: int) -> Iterator[tuple[int, int, int]]:
    """(row, highest bit in the row, bits) of a field, row 0 with the lowest bits."""
    while width:
        row, low = divmod(offset, _ROW_BITS)
        bits = min(_ROW_BITS - low, width)
        yield row, low + bits - 1, bits
        offset, width = offset + bits, width - bits


def metadata() -> Figure:
    """The metadata of a packet in rows of 32 bits, highest bit first, and the forms of `l4`."""
    layout = struct_layout("packet_meta_t")
    fields = {name: field for name, field in layout.items() if "." not in name}
    top_bit = sum(field.width for field in fields.values())
    for name, width in (("length", length_bits()), ("kind", _KIND_BITS)):
        fields[name] = StructField(top_bit, width)
        top_bit += width
    bits = sum(field.width for field in fields.values())
    forms: dict[str, list[str]] = {}
    for name in layout:
        if name.startswith("l4.") and name.count(".") == 2:
            forms.setdefault(name.rpartition(".")[0], []).append(name)
    rows = -(-bits // _ROW_BITS)
    cell, high, left = 0.25, 0.42, 1.0
    lines = rows + len(forms)
    figure, axes = _axes(left + _ROW_BITS * cell + 0.2, lines * high + 0.95)
    top = lines * high + 0.45
    axes.text(
        left,
        top + 0.25,
        f"kind, length and packet_meta_t, {bits} bits",
        fontsize=9,
        weight="bold",
        va="center",
    )

    def draw(text: str, line: float, high_bit: int, width: int, fill: str) -> None:
        x, y = left + (_ROW_BITS - 1 - high_bit) * cell, top - (line + 1) * high
        axes.add_patch(
            Rectangle((x, y), width * cell, high, facecolor=fill, edgecolor=_INK, linewidth=0.8)
        )
        axes.text(x + width * cell / 2, y + high / 2, text, ha="center", va="center", fontsize=7.5)

    def mark(text: str, line: float) -> None:
        axes.text(left - 0.1, top - (line + 0.5) * high, text, ha="right", va="center", fontsize=8)

    for name, field in fields.items():
        short = {"dont_fragment": "DF"}.get(name, name)
        pieces = list(_segments(field.offset, field.width))
        widest = max(piece[2] for piece in pieces)
        for row, high_bit, width in pieces:
            text = f"{short}\n{field.width}" if width == widest else short
            draw(text, rows - 1 - row, high_bit, width, _LAYER if name == "l4" else _FABRIC)
    for row in range(rows):
        mark(f"{min(bits, (row + 1) * _ROW_BITS) - 1}:{row * _ROW_BITS}", rows - 1 - row)
    for i, (form, names) in enumerate(forms.items()):
        for name in names:
            field = layout[name]
            high_bit = field.offset - layout["l4"].offset + field.width - 1
            text = f"{name.rpartition('.')[2]}\n{field.width}"
            draw(text, rows + 0.35 + i, high_bit, field.width, _LAYER)
        mark(form, rows + 0.35 + i)
    return figure


DIAGRAMS = {"tile.svg": tile, "metadata.svg": metadata}


def write(name: str, file: Path) -> None:
    """Writes one of DIAGRAMS; the output is reproducible."""
    settings = {"svg.fonttype": "none", "svg.hashsalt": name}
    with matplotlib.rc_context(settings):  # type: ignore[arg-type]
        DIAGRAMS[name]().savefig(
            file, dpi=150, metadata={"Date": None} if file.suffix == ".svg" else {}
        )


if __name__ == "__main__":
    for each in DIAGRAMS:
        write(each, Path(sys.argv[1]) / each)
