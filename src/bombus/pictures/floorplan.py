# SPDX-License-Identifier: Apache-2.0
"""Draw where the tiles of a design were placed on a device, in one colour per tile.

A square is a location of the grid: it has the colour of the tile that has most cells there,
the fainter the fewer there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from bombus.pictures.sheet import FAINT, INK, line_style

_HUES = 10  # of `line_style`; further tiles reuse them, lighter
_FULL = 8  # LUTs of a location
_FAINTEST = 0.35
_UNIT = 0.07  # inches per square
_SIDE, _HEAD = 2.2, 0.5  # inches for the legend and the title


@dataclass(frozen=True)
class Spot:
    """A cell of a tile on the grid; x from the left, y from the top."""

    tile: str
    x: int
    y: int


def _colour(index: int) -> tuple[float, float, float]:
    lighter = 0.45 * (index // _HUES % 3) / 2
    red, green, blue = to_rgb(line_style(index % _HUES)[0])
    return (
        red + (1 - red) * lighter,
        green + (1 - green) * lighter,
        blue + (1 - blue) * lighter,
    )


def figure(spots: Sequence[Spot], tiles: Sequence[str], title: str) -> Figure:
    """The picture; `tiles` gives the order of the colours."""
    colours = {tile: _colour(i) for i, tile in enumerate(tiles)}
    places: dict[tuple[int, int], Counter[str]] = {}
    for spot in spots:
        places.setdefault((spot.x, spot.y), Counter())[spot.tile] += 1
    columns = max(x for x, _ in places) + 1
    rows = max(y for _, y in places) + 1
    image = np.ones((rows, columns, 3))
    for (x, y), counts in places.items():
        tile, _ = counts.most_common(1)[0]
        share = _FAINTEST + (1 - _FAINTEST) * min(1.0, counts.total() / _FULL)
        image[y, x] = 1 - share * (1 - np.array(colours[tile]))
    size = (columns * _UNIT + _SIDE, rows * _UNIT + _HEAD)
    picture = Figure(figsize=size)
    axes = picture.add_axes(
        (0.1 / size[0], 0.1 / size[1], columns * _UNIT / size[0], rows * _UNIT / size[1])
    )
    edges = np.arange(columns + 1), np.arange(rows + 1)
    axes.pcolormesh(*edges, image, rasterized=True)
    axes.invert_yaxis()
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_color(FAINT)
    picture.text(0.1 / size[0], 1 - 0.3 / size[1], title, fontsize=10, weight="bold", color=INK)
    number = Counter(spot.tile for spot in spots)
    legend = [
        Patch(facecolor=colours[tile], label=f"{tile}: {number[tile]:,}")
        for tile in tiles
        if number[tile]
    ]
    picture.legend(
        handles=legend,
        loc="upper left",
        bbox_to_anchor=((columns * _UNIT + 0.15) / size[0], 1 - _HEAD / size[1] + 0.01),
        title="LUTs of the tile",
        alignment="left",
        fontsize=8,
        title_fontsize=8,
        frameon=False,
    )
    return picture
