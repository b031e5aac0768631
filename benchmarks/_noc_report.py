"""Tables and pictures of the noc benchmark, the published figures beside ours."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from bombus.paths import BENCHMARKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from noc import Row, ZeroLoad

COLOURS = {"xy": "tab:blue", "o1turn": "tab:orange", "adaptive": "tab:green"}
LOW_LOAD = 0.2  # every fabric carries it, with every pattern


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
    # Published figures are of full load.
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
            for algorithm in COLOURS:
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


def _published(traffic: str, pattern: str) -> Iterator[tuple[str, float, str]]:
    """Name, accepted load and colour of what others have published."""
    for name, peer in _peers().items():
        if traffic == "chain":
            for entry in peer.get("peak", ()):
                if entry["pattern"] == pattern:
                    algorithm = entry["algorithm"]
                    yield f"{name}'s peak, {algorithm}", entry["accepted"], COLOURS[algorithm]
            continue
        found = [entry for entry in peer.get("saturation", ()) if entry["pattern"] == pattern]
        if found:
            best = max(entry["accepted"] for entry in found)
            yield f"{name} at its best", best, "black" if name == "ProNoC" else "gray"


def _plot(axis: Axes, rows: Sequence[Row], traffic: str, pattern: str) -> None:
    others = iter(("tab:red", "tab:purple", "tab:brown", "tab:pink"))
    for (kind, algorithm), series in _series(rows).items():
        is_crosspoint = kind.startswith("crosspoint")
        colour = COLOURS[algorithm] if is_crosspoint else next(others)
        style = "--" if kind.endswith("dropping") else "-"
        carried = _carried(series)
        axis.plot(
            [row.accepted for row in carried],
            [row.latency_mean for row in carried],
            style,
            marker="." if is_crosspoint else "s",
            markersize=4,
            color=colour,
            label=f"{kind.replace('_', ' ')}, {algorithm}",
        )
        axis.axvline(
            max(row.accepted for row in series), color=colour, linestyle=style, linewidth=0.6
        )
    for label, accepted, colour in _published(traffic, pattern):
        axis.axvline(accepted, color=colour, linestyle=":", linewidth=1.4, label=label)
    axis.set(title=pattern.replace("_", " "), yscale="log", xlim=(0, 1))
    axis.grid(alpha=0.3)


def draw(rows: Sequence[Row], folder: Path) -> None:
    """Load-latency curves as figure 3 of the HiPerNoC paper, one picture for each traffic.

    Upright lines: the most that a fabric accepts at any load.
    """
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    for traffic in dict.fromkeys(row.traffic for row in rows):
        patterns = list(dict.fromkeys(row.pattern for row in rows if row.traffic == traffic))
        # One place is left for the legend.
        columns = 3 if len(patterns) > 3 else 2
        lines = -(-(len(patterns) + 1) // columns)
        figure, axes = pyplot.subplots(
            lines, columns, figsize=(4 * columns, 3.6 * lines), squeeze=False
        )
        places = list(axes.flat)
        for axis, pattern in zip(places, patterns, strict=False):
            here = [row for row in rows if row.traffic == traffic and row.pattern == pattern]
            _plot(axis, here, traffic, pattern)
            axis.set_xlabel("accepted, flits per node and cycle")
            axis.set_ylabel("mean latency, cycles")
        for axis in places[len(patterns) :]:
            axis.axis("off")
        places[len(patterns)].legend(
            *places[0].get_legend_handles_labels(), fontsize=8, loc="upper left"
        )
        figure.tight_layout()
        figure.savefig(folder / f"noc_{traffic}.svg", metadata={"Date": None})
        pyplot.close(figure)
