# SPDX-License-Identifier: Apache-2.0
"""Tables and pictures of the noc benchmark, the published figures beside ours."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from _noc_rows import ALGORITHMS, Row, ZeroLoad
from rich.table import Table

from bombus.base.paths import BENCHMARKS
from bombus.fabric.kinds import kind_of_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Line = tuple[str, str]  # colour and kind

LOSSLESS, DROPPING = "crosspoint, lossless", "crosspoint, dropping"
BUFFERED = "wormhole, virtual channels (xy)"
PLAIN = "#444444"
# Colour, marker and marker size of an algorithm (crosspoint) or a fabric (others).
STYLES = {
    "xy": ("#0072B2", "o", 9),
    "o1turn": ("#D55E00", "s", 6),
    "adaptive": ("#009E73", "^", 3.5),
    "wormhole": ("#0072B2", "o", 4),
    "virtual channels 1": ("#D55E00", "s", 10),
    "virtual channels 2": ("#009E73", "D", 7),
    "virtual channels 4": ("#6A3D9A", "^", 4),
}
LOW_LOAD = 0.2  # load that every fabric carries with every pattern


@cache
def _peers() -> dict[str, Any]:
    peers: dict[str, Any] = json.loads((BENCHMARKS / "peers.json").read_text())
    return peers


def _kind(row: Row | ZeroLoad) -> str:
    return row.fabric if row.lossless else f"{row.fabric}, dropping"


def _series(rows: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((_kind(row), row.algorithm), []).append(row)
    return found


def _saturation(rows: Sequence[Row], traffic: str) -> Table:
    """Accepted load at full load, and the published figures."""
    patterns = list(dict.fromkeys(row.pattern for row in rows if row.traffic == traffic))
    what = "own sources, 24 flits" if traffic == "independent" else "chains of all tiles"
    highest = max(row.offered for row in rows)
    table = Table(
        title=f"Accepted at an offered load of {highest:g}, flits per node and cycle: {what}"
    )
    for heading in ("fabric", "algorithm", *(name.replace("_", " ") for name in patterns)):
        table.add_column(heading)
    for (kind, algorithm), series in _series(r for r in rows if r.traffic == traffic).items():
        full = {row.pattern: row for row in series if row.offered == max(r.offered for r in series)}
        cells = []
        for pattern in patterns:
            row = full.get(pattern)
            lost = f" (lost {row.loss:.1%})" if row and row.loss else ""
            cells.append(f"{row.accepted:.3f}{lost}" if row else "")
        table.add_row(kind, algorithm, *cells)
    # Published figures are for full load.
    for name, peer in _peers().items() if highest == 1 else ():
        if traffic == "independent":
            by_name: dict[str, dict[str, float]] = {}
            for entry in peer.get("saturation", ()):
                label = " ".join(
                    f"{entry[key]} {word}"
                    for key, word in (("virtual_channels", "VC"), ("depth", "deep"))
                    if key in entry
                )
                by_name.setdefault(f"{name} {label}".strip(), {})[entry["pattern"]] = entry[
                    "accepted"
                ]
            for label, accepted in by_name.items():
                table.add_row(label, "xy", *(f"{accepted.get(p, '')}" for p in patterns))
        else:
            for algorithm in ALGORITHMS:
                known = {
                    e["pattern"]: e for e in peer.get("peak", ()) if e["algorithm"] == algorithm
                }
                if known:
                    cells = [f"{known[p]['accepted']}" if p in known else "" for p in patterns]
                    table.add_row(f"{name}, dropping, at its best load", algorithm, *cells)
    return table


def _losses(rows: Sequence[Row]) -> Table:
    """Table I of the HiPerNoC paper, ours and theirs."""
    table = Table(title="Messages lost, per cent: ours / the paper's (dropping form, chains)")
    theirs = {
        (e["pattern"], e["algorithm"], e["offered"]): e["loss_percent"]
        for e in _peers()["HiPerNoC"]["loss"]
    }
    ours = {
        (row.pattern, row.algorithm, row.offered): 100 * row.loss
        for row in rows
        if row.traffic == "chain" and not row.lossless
    }
    columns = list(dict.fromkeys((pattern, algorithm) for pattern, algorithm, _ in ours))
    table.add_column("load", justify="right")
    for pattern, algorithm in columns:
        table.add_column(f"{pattern.replace('_', ' ')}\n{algorithm}", justify="right")
    for load in sorted({load for _, _, load in ours}):
        cells = []
        for pattern, algorithm in columns:
            loss = ours.get((pattern, algorithm, load))
            known = theirs.get((pattern, algorithm, load))
            left = "" if loss is None else f"{loss:.1f}"
            cells.append(f"{left} / {'-' if known is None else known}")
        table.add_row(f"{load:.0%}", *cells)
    return table


def tables(rows: Sequence[Row], zero: Sequence[ZeroLoad]) -> Iterator[Table]:
    for traffic in dict.fromkeys(row.traffic for row in rows):
        yield _saturation(rows, traffic)
    if any(row.traffic == "chain" and not row.lossless for row in rows):
        yield _losses(rows)
    table = Table(title="Latency without other traffic, cycles")
    for heading in ("fabric", "algorithm", "a hop", "over one hop, tile to tile"):
        table.add_column(heading)
    for row in zero:
        table.add_row(
            _kind(row), row.algorithm, f"{row.cycles_per_hop:g}", f"{row.latency_one_hop:g}"
        )
    for name, peer in _peers().items():
        if "cycles_per_hop" in peer:
            table.add_row(name, "xy", f"{peer['cycles_per_hop']}", "")
    yield table


def _carried(series: Sequence[Row]) -> list[Row]:
    """The loads that the fabric carries, as the paper draws them."""
    # With some patterns not every node sends.
    low = [row.accepted / row.offered for row in series if row.offered <= LOW_LOAD]
    share = min(1.0, max(low, default=1.0))
    return [
        row
        for row in series
        if row.loss < 0.001
        and (row.offered <= LOW_LOAD or row.accepted >= 0.96 * share * row.offered)
    ]


def _published(traffic: str, pattern: str, group: str) -> Iterator[tuple[str, float, Line]]:
    """Name, accepted load and line of published figures that compare with a group of fabrics."""
    for name, peer in _peers().items():
        if traffic == "chain":
            for entry in peer.get("peak", ()):
                if entry["pattern"] == pattern and group == DROPPING:
                    algorithm = entry["algorithm"]
                    colour = STYLES[algorithm][0]
                    yield f"{name}, {algorithm}: highest accepted", entry["accepted"], (colour, ":")
            continue
        found = [entry for entry in peer.get("saturation", ()) if entry["pattern"] == pattern]
        if found and group == BUFFERED:
            best = max(entry["accepted"] for entry in found)
            line = (PLAIN, ":") if name == "ProNoC" else (PLAIN, "--")
            yield f"{name}: highest accepted", best, line


def _group(row: Row) -> str:
    """The column of a fabric, so that no panel has more than four curves."""
    if len(kind_of_label(row.fabric).algorithms) == 1:
        return BUFFERED
    return LOSSLESS if row.lossless else DROPPING


def _plot(axis: Axes, rows: Sequence[Row], traffic: str, pattern: str, group: str) -> None:
    """Curves, a triangle at the highest accepted load of each, and published figures."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    for (kind, algorithm), series in _series(rows).items():
        if _group(series[0]) != group:
            continue
        name = algorithm if group != BUFFERED else kind.replace("_", " ")
        colour, marker, size = STYLES[name]
        carried = _carried(series)
        # Open markers of several sizes, so that curves that coincide all remain visible.
        axis.plot(
            [row.accepted for row in carried],
            [row.latency_mean for row in carried],
            marker=marker,
            markersize=size,
            markerfacecolor="none",
            linewidth=1.2,
            color=colour,
            label=name,
        )
        highest = max(row.accepted for row in series)
        top = axis.get_xaxis_transform()
        axis.plot(
            highest, 0.94, "v", color=colour, markersize=size, fillstyle="none", transform=top
        )
    for label, accepted, (colour, line) in _published(traffic, pattern, group):
        axis.axvline(accepted, color=colour, linestyle=line, linewidth=1.3, label=label)
    axis.set(yscale="log", xlim=(0, 1))
    axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axis.yaxis.set_minor_formatter(NullFormatter())
    axis.tick_params(labelsize=8, which="both")
    axis.grid(alpha=0.3)


def draw(rows: Sequence[Row], folder: Path) -> None:
    """Load-latency curves: a picture per traffic, a row per pattern, a column per kind of fabric.

    Figure 3 of the HiPerNoC paper has the same axes.
    """
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot
    from matplotlib.lines import Line2D

    folder.mkdir(parents=True, exist_ok=True)
    for traffic in dict.fromkeys(row.traffic for row in rows):
        of_traffic = [row for row in rows if row.traffic == traffic]
        patterns = list(dict.fromkeys(row.pattern for row in of_traffic))
        found = {_group(row) for row in of_traffic}
        groups = [group for group in (LOSSLESS, DROPPING, BUFFERED) if group in found]
        figure, axes = pyplot.subplots(
            len(patterns),
            len(groups),
            figsize=(3.1 * len(groups) + 0.3, 2.3 * len(patterns) + 1.5),
            squeeze=False,
            sharex=True,
            sharey="row",
        )
        for axis_row, pattern in zip(axes, patterns, strict=True):
            here = [row for row in of_traffic if row.pattern == pattern]
            for axis, group in zip(axis_row, groups, strict=True):
                _plot(axis, here, traffic, pattern, group)
            axis_row[0].set_ylabel(f"{pattern.replace('_', ' ')}\nmean latency, cycles", fontsize=8)
        for axis, group in zip(axes[0], groups, strict=True):
            axis.set_title(group, fontsize=10)
        figure.tight_layout(rect=(0, 1.15 / figure.get_figheight(), 1, 1))
        for axis, column in zip(axes[-1], axes.T, strict=True):
            axis.set_xlabel("accepted, flits per node and cycle", fontsize=8)
            entries = {
                label: handle
                for each in column
                for handle, label in zip(*each.get_legend_handles_labels(), strict=True)
            }
            mark = Line2D([], [], marker="v", color=PLAIN, linestyle="", fillstyle="none")
            entries["highest accepted at any load"] = mark
            axis.legend(
                entries.values(),
                entries,
                fontsize=7.5,
                loc="upper left",
                bbox_to_anchor=(-0.02, -0.24),
                frameon=False,
                labelspacing=0.3,
            )
        figure.savefig(folder / f"noc_{traffic}.svg", metadata={"Date": None})
        pyplot.close(figure)
