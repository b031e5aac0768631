# SPDX-License-Identifier: Apache-2.0
"""Table and pictures of the benchmark `cluster`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = Mapping[str, Any]  # as in the JSON of a run

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#6A3D9A", "#CC79A7")
MARKERS = "os^Dv"
PLAIN = "#444444"
# What the paper states: the most that it reaches, and the time of a hop that it stays below.
PAPER_GBPS = 17
PAPER_HOP_US = 0.5


def table(rows: Sequence[Row]) -> Table:
    """All rows; `share` is the bandwidth as a part of the bound."""
    found = Table("figure", title="Boards with links of 20 Gb/s; 64-byte packets")
    names = list(rows[0])[2:]
    for name in (*names[:-2], "share", *names[-2:]):
        found.add_column(name, justify="right")
    for row in rows:
        shown = ["" if row[name] is None else str(row[name]) for name in names]
        both = row["bandwidth_gbps"], row["bound_gbps"]
        share = f"{both[0] / both[1]:.3f}" if all(both) else ""
        found.add_row(row["figure"], *shown[:-2], share, *shown[-2:])
    return found


def _save(figure: Figure, file: Path) -> None:
    from bombus.pictures.files import save

    save(lambda: figure, file, salt=file.stem)


def _measured_and_law(axis: Axes, lines: Mapping[str, Sequence[Row]], key: str) -> None:
    for place, (name, series) in enumerate(lines.items()):
        given = [row[key] for row in series]
        axis.plot(
            given,
            [row["bandwidth_gbps"] for row in series],
            MARKERS[place % len(MARKERS)],
            color=COLOURS[place % len(COLOURS)],
            markerfacecolor="none",
            label=name,
        )
        law = [row["bound_gbps"] for row in series]
        axis.plot(given, law, color=COLOURS[place % len(COLOURS)], linewidth=0.9)


def _finish(axis: Axes, title: str, x: str, y: str = "payload, Gbit/s") -> None:
    axis.set_title(title, fontsize=10)
    axis.set(xlabel=x, ylabel=y, ylim=(0, None))
    axis.grid(alpha=0.3)
    axis.tick_params(labelsize=8)
    axis.legend(fontsize=8, frameon=False)


def _by(rows: Iterable[Row], key: str, name: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(name.format(row[key]), []).append(row)
    return found


def _ticks(axis: Axes, values: Iterable[int]) -> None:
    axis.set_xscale("log", base=2)
    known = sorted(set(values))
    axis.set_xticks(known, [str(value) for value in known])
    axis.minorticks_off()


def _strides(axis: Axes, rows: Sequence[Row]) -> None:
    _measured_and_law(axis, _by(rows, "hops", "hops: {}"), "stride")
    axis.axhline(PAPER_GBPS, color=PLAIN, linestyle=":", label="paper, most")
    axis.plot([512], [PAPER_GBPS], "*", color=PLAIN, label="paper, 3 hops")
    _ticks(axis, [row["stride"] for row in rows])
    _finish(axis, "Figure 8: one sender", "FlowStride, packets of 64 bytes")


def _endpoints(axis: Axes, rows: Sequence[Row]) -> None:
    _measured_and_law(axis, _by(rows, "stride", "FlowStride {}"), "endpoints")
    axis.axhline(PAPER_GBPS, color=PLAIN, linestyle=":", label="paper, most")
    _ticks(axis, [row["endpoints"] for row in rows])
    _finish(axis, "Figure 9: endpoints over 3 hops", "endpoints")


def _contended(axis: Axes, rows: Sequence[Row]) -> None:
    names = [row["figure"].split()[1] for row in rows]
    places = range(len(rows))
    axis.bar(places, [row["bandwidth_gbps"] for row in rows], 0.6, color=COLOURS[0], label="RTL")
    law = [row["bound_gbps"] for row in rows]
    axis.plot(places, law, "_", color=PLAIN, markersize=22, label="law")
    axis.set_xticks(places, names)
    _finish(axis, "Figure 10: three senders to one", "stride x number + offset")


def _trips(axis: Axes, rows: Sequence[Row]) -> None:
    hops = [row["hops"] for row in rows]
    axis.plot(hops, [row["round_trip_us"] for row in rows], "o-", color=COLOURS[0], label="RTL")
    limit = [2 * PAPER_HOP_US * each for each in hops]
    axis.plot(hops, limit, ":", color=PLAIN, label="paper: below 0.5 us a hop and way")
    axis.set_xticks(hops)
    _finish(axis, "Figure 11: round trip", "hops", "us")


def draw(rows: Sequence[Row], folder: Path) -> None:
    """Figures 8 to 11: points are measured, lines the law."""
    from matplotlib.figure import Figure

    for number, drawing in {8: _strides, 9: _endpoints, 10: _contended, 11: _trips}.items():
        series = [row for row in rows if row["figure"].split()[0] == str(number)]
        if not series:
            continue
        figure = Figure(figsize=(4.8, 3.4))
        drawing(figure.subplots(), series)
        figure.tight_layout()
        _save(figure, folder / f"cluster_{number}.svg")
