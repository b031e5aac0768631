"""Tables and pictures of the noc benchmark, the published figures beside ours."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from bombus.paths import BENCHMARKS

if TYPE_CHECKING:
    from noc import Row, ZeroLoad

COLOURS = {"xy": "tab:blue", "o1turn": "tab:orange", "adaptive": "tab:green"}
MARKS = {"crosspoint": "o", "wormhole": "s"}


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
            for label, known in by_name.items():
                table.add_row(label, "xy", *(f"{known.get(p, '')}" for p in patterns))
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


def draw(rows: Sequence[Row], folder: Path) -> None:
    """Load-latency curves as figure 3 of the HiPerNoC paper, one picture for each traffic."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    peaks = _peers()["HiPerNoC"]["peak"]
    for traffic in dict.fromkeys(row.traffic for row in rows):
        patterns = list(dict.fromkeys(row.pattern for row in rows if row.traffic == traffic))
        figure, axes = pyplot.subplots(
            1, len(patterns), figsize=(4.2 * len(patterns), 4.2), sharey=True, squeeze=False
        )
        for axis, pattern in zip(axes[0], patterns, strict=True):
            here = [r for r in rows if r.traffic == traffic and r.pattern == pattern]
            for (kind, algorithm), series in _series(here).items():
                # As in the paper: only loads that the fabric carries.
                carried = [r for r in series if r.accepted >= 0.97 * r.offered and r.loss < 0.001]
                if not carried:
                    continue
                colour = COLOURS[algorithm] if kind.startswith("crosspoint") else None
                style = "--" if kind.endswith("dropping") else "-"
                (line,) = axis.plot(
                    [r.accepted for r in carried],
                    [r.latency_mean for r in carried],
                    style,
                    marker="." if kind.startswith("crosspoint") else "s",
                    markersize=4,
                    color=colour,
                    label=f"{kind.replace('_', ' ')} {algorithm}",
                )
                axis.axvline(
                    max(r.accepted for r in series),
                    color=line.get_color(),
                    linestyle=style,
                    linewidth=0.6,
                )
            if traffic == "chain":
                for entry in peaks:
                    if entry["pattern"] == pattern:
                        axis.axvline(
                            entry["accepted"],
                            color=COLOURS[entry["algorithm"]],
                            linestyle=":",
                            linewidth=1.2,
                            label=f"paper's peak {entry['algorithm']}",
                        )
            axis.set(title=pattern.replace("_", " "), yscale="log", xlim=(0, 1))
            axis.set_xlabel("accepted, flits per node and cycle")
            axis.grid(alpha=0.3)
        axes[0][0].set_ylabel("mean latency, cycles")
        axes[0][-1].legend(fontsize=6, loc="upper left")
        figure.tight_layout()
        figure.savefig(folder / f"noc_{traffic}.svg", metadata={"Date": None})
        pyplot.close(figure)
