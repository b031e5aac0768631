# SPDX-License-Identifier: Apache-2.0
"""Cost of a simulated cycle by mesh size, relative to 4x4, and the traffic carried."""

from __future__ import annotations

import resource
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from rich.table import Table

from bombus.base.console import new_console
from bombus.base.errors import UserError
from bombus.fabric.config import Fabric
from bombus.measure.bench import numbers, report
from bombus.measure.mesh import Traffic, build

KINDS = ("wormhole", "crosspoint")
SIZES = (2, 4, 8, 16)
REFERENCE = 4  # columns and rows that costs are relative to
# Flits per node and cycle on 4x4; less on a wider mesh, whose middle has fewer links per node.
OFFERED = 0.4
CYCLES = 20_000


@dataclass(frozen=True)
class Row:
    """Figures of one size; docs/benchmarks.md defines them."""

    fabric: str
    columns: int
    rows: int
    nodes: int
    offered: float
    accepted: float
    latency_mean: float
    relative_cost: float
    relative_cost_per_node: float
    errors: int


def _children_seconds() -> float:
    """CPU time of programs that have ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def measure(kind: str, sizes: list[int], cycles: int) -> list[Row]:
    """Rows of one fabric. Costs are CPU time of one run: only their ratio says something."""
    console = new_console(stderr=True)
    found = []
    for size in sizes:
        mesh = build(Fabric(kind=kind), size, size, console=console)
        offered = min(OFFERED, OFFERED * REFERENCE / size)
        traffic = Traffic(offered=offered, warmup=cycles // 4, measure=cycles - cycles // 4)
        mesh.run([Traffic(offered=offered, warmup=100, measure=100)])  # load into memory
        before = _children_seconds()
        (result,) = mesh.run([traffic])
        found.append((size, offered, result, (_children_seconds() - before) / cycles))
    reference = next(cost for size, *_, cost in found if size == REFERENCE)
    return [
        Row(
            kind,
            size,
            size,
            size * size,
            round(offered, 4),
            round(result.accepted, 4),
            round(result.latency_mean, 1),
            round(cost / reference, 3),
            round(cost / reference * REFERENCE**2 / size**2, 3),
            result.wrong + result.missing + int(result.stalled),
        )
        for size, offered, result, cost in found
    ]


MARKERS = {"wormhole": "o-", "crosspoint": "s-"}


def draw(rows: list[Row], file: Path) -> None:
    """Cost by number of nodes, both axes logarithmic, one line a fabric."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axis = pyplot.subplots(figsize=(5, 3.6))
    for kind in dict.fromkeys(row.fabric for row in rows):
        series = [row for row in rows if row.fabric == kind]
        axis.plot(
            [row.nodes for row in series],
            [row.relative_cost for row in series],
            MARKERS.get(kind, "^-"),
            label=kind,
            markerfacecolor="none",
        )
    nodes = sorted({row.nodes for row in rows})
    axis.plot(nodes, [n / REFERENCE**2 for n in nodes], "k:", label="proportional to nodes")
    axis.set(xscale="log", yscale="log", xlabel="nodes", ylabel="CPU time per cycle, 4x4 = 1")
    axis.set_xticks(nodes, [str(n) for n in nodes])
    axis.minorticks_off()
    axis.grid(alpha=0.3)
    axis.legend()
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})
    pyplot.close(figure)


def table(rows: list[Row]) -> Table:
    result = Table(title="Meshes by size: uniform traffic, 24 flits a message")
    for heading in (
        "fabric",
        "mesh",
        "offered",
        "accepted",
        "latency",
        "cost of a cycle",
        "a node",
    ):
        result.add_column(heading, justify="right")
    for row in rows:
        result.add_row(
            row.fabric,
            f"{row.columns}x{row.rows}",
            f"{row.offered:g}",
            f"{row.accepted:.3f}",
            f"{row.latency_mean:.0f}",
            f"{row.relative_cost:.2f}",
            f"{row.relative_cost_per_node:.2f}",
        )
    return result


def main(
    design: Path | None,
    json: Path | None,
    *,
    sizes: Annotated[str | int, "columns, separated by commas; the meshes are square"] = ",".join(
        map(str, SIZES)
    ),
    fabrics: Annotated[str, "kinds of fabric, separated by commas"] = ",".join(KINDS),
    cycles: Annotated[int, "cycles of each run"] = CYCLES,
    picture: Annotated[str, "SVG file for the plot"] = "",
) -> None:
    if design is not None:
        raise UserError("this benchmark runs its own meshes; it takes no --design")
    chosen = numbers("sizes", sizes)
    if REFERENCE not in chosen:
        raise UserError(f"--sizes {sizes}: needs {REFERENCE} too, since costs are relative to it")
    unknown = set(fabrics.split(",")) - set(KINDS)
    if unknown:
        raise UserError(f"--fabrics {fabrics}: should be of {', '.join(KINDS)}")
    rows = [row for kind in fabrics.split(",") for row in measure(kind, chosen, cycles)]
    if picture:
        draw(rows, Path(picture))
    report({"rows": [asdict(row) for row in rows]}, json, [table(rows)])
    if any(row.errors for row in rows):
        raise UserError("messages were lost uncounted, duplicated, misrouted or stuck")
