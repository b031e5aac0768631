# SPDX-License-Identifier: Apache-2.0
"""Fabrics alone: throughput, latency and loss by offered load, beside published figures."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

from _noc_report import draw, tables
from _noc_rows import ALGORITHMS, Row, ZeroLoad
from rich.progress import Progress

from bombus.base.console import new_console
from bombus.base.errors import UserError
from bombus.base.text import near_matches
from bombus.design.window import safe_window
from bombus.fabric.config import Fabric
from bombus.measure.bench import report
from bombus.measure.mesh import Chain, Mesh, Result, Traffic, build

FABRICS = {
    **{f"crosspoint_{name}": Fabric(kind="crosspoint", algorithm=name) for name in ALGORITHMS},
    **{
        f"crosspoint_{name}_dropping": Fabric(kind="crosspoint", algorithm=name, lossless=False)
        for name in ALGORITHMS
    },
    "wormhole": Fabric(kind="wormhole"),
    **{
        f"virtual_channels_{count}": Fabric(kind="virtual_channels", virtual_channels=count)
        for count in (1, 2, 4)
    },
}
PATTERNS = ("uniform", "exponential", "bit_complement", "transpose", "hotspot")
CHAIN_PATTERNS = PATTERNS[:3]  # those of the HiPerNoC paper
LOADS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
PACKET_FLITS = 24  # 1500 bytes of 64
# Near saturation, deep queues take long to fill, and there is no steady state before that.
HIGH_LOAD = 0.4
# Of 52,000 messages, the 1,000th to the 51,000th are measured (HiPerNoC, IV-A); at low loads, where
# messages are rare and none is lost, only up to the 6,000th.
CHAIN_WARMUP, CHAIN_MESSAGES = 1_000, 50_000


def runs(fabric: Fabric, mesh: Mesh, loads: Sequence[float], scale: float) -> list[Traffic]:
    """All runs of one fabric; `scale` shortens them."""

    def cycles(count: int) -> int:
        return max(1000, int(count * scale))

    found = [
        Traffic(
            pattern=pattern,
            offered=load,
            packet=PACKET_FLITS,
            warmup=cycles(60_000 if load >= HIGH_LOAD else 5_000),
            measure=cycles(60_000 if load >= HIGH_LOAD else 20_000),
        )
        for pattern in PATTERNS
        for load in loads
    ]
    if fabric.lossless and not fabric.traits.reserves_room(fabric):
        return found  # no window is known with which chains in any order cannot deadlock
    window = 0
    if fabric.lossless:
        window = safe_window(fabric, mesh.columns, mesh.rows, PACKET_FLITS)
    chain = Traffic(traffic="chain", warmup=cycles(CHAIN_WARMUP), window=window)
    return found + [
        replace(
            chain,
            pattern=pattern,
            offered=load,
            measure=cycles(CHAIN_MESSAGES if load >= HIGH_LOAD else CHAIN_MESSAGES // 10),
        )
        for pattern in CHAIN_PATTERNS
        for load in loads
    ]


def _row(fabric: Fabric, traffic: Traffic, result: Result) -> Row:
    ended = result.received + result.lost
    return Row(
        fabric=fabric.traits.label(fabric),
        algorithm=fabric.algorithm,
        pattern=traffic.pattern,
        traffic=traffic.traffic,
        lossless=fabric.lossless,
        offered=traffic.offered,
        accepted=round(result.accepted, 4),
        latency_mean=round(result.latency_mean, 1),
        latency_p99=result.latency_p99,
        latency_max=result.latency_max,
        loss=round(result.lost / ended, 5) if ended else 0.0,
        window=traffic.window or 0,
        messages=result.received,
        errors=result.wrong + result.missing + int(result.stalled),
    )


def zero_load(fabric: Fabric, mesh: Mesh) -> ZeroLoad:
    """Cycles of single flits alone, over one hop and from corner to corner."""
    far = mesh.columns * mesh.rows - 1
    hops = mesh.columns + mesh.rows - 2
    near, whole = mesh.run(
        Traffic(traffic="script", chains=[Chain([0, to])], warmup=200, measure=500)
        for to in (1, far)
    )
    return ZeroLoad(
        fabric.traits.label(fabric),
        fabric.algorithm,
        fabric.lossless,
        round((whole.latency_max - near.latency_max) / (hops - 1), 2),
        near.latency_max,
    )


def measure(
    fabrics: Iterable[Fabric], columns: int, rows: int, loads: Sequence[float], scale: float
) -> tuple[list[Row], list[ZeroLoad]]:
    """All rows; runs side by side, one for each processor."""
    console = new_console(stderr=True)
    meshes = [
        (fabric, build(fabric, columns, rows, assertions=True, console=console))
        for fabric in fabrics
    ]
    points = [
        (fabric, mesh, traffic)
        for fabric, mesh in meshes
        for traffic in runs(fabric, mesh, loads, scale)
    ]
    with (
        ThreadPoolExecutor(os.cpu_count()) as pool,
        Progress(console=console, transient=True) as progress,
    ):
        task = progress.add_task("Running", total=len(points))

        def one(point: tuple[Fabric, Mesh, Traffic]) -> Row:
            fabric, mesh, traffic = point
            (result,) = mesh.run([traffic])
            progress.advance(task)
            return _row(fabric, traffic, result)

        return list(pool.map(one, points)), [zero_load(*pair) for pair in meshes]


def _chosen(names: str) -> list[Fabric]:
    chosen = names.split(",") if names else list(FABRICS)
    for name in chosen:
        if name not in FABRICS:
            raise UserError(f"there is no fabric {name!r}; {near_matches(name, FABRICS)}")
    return [FABRICS[name] for name in chosen]


def _loads(text: str) -> list[float]:
    try:
        loads = [float(word) for word in text.split(",")]
    except ValueError:
        loads = []
    if not loads or not all(0 < load <= 1 for load in loads):
        raise UserError(f"--loads {text}: should be numbers above 0 up to 1, with commas between")
    return loads


def main(
    design: Path | None,
    json: Path | None,
    *,
    columns: Annotated[int, "columns of the mesh"] = 4,
    rows: Annotated[int, "rows of the mesh"] = 4,
    fabrics: Annotated[
        str, f"some of {', '.join(FABRICS)}, separated by commas; default: all"
    ] = "",
    loads: Annotated[
        str | float,
        "offered loads, separated by commas; 1.0 is one flit per node and cycle",
    ] = ",".join(map(str, LOADS)),
    scale: Annotated[float, "length of the runs relative to the default"] = 1.0,
    pictures: Annotated[str, "folder for the plots"] = "",
) -> None:
    if design is not None:
        raise UserError("this benchmark runs its own meshes; it takes no --design")
    if not 0 < scale <= 1:
        raise UserError(f"--scale {scale}: should be above 0, up to 1")
    found, zero = measure(_chosen(fabrics), columns, rows, _loads(str(loads)), scale)
    errors = sum(row.errors for row in found)
    if pictures:
        draw(found, Path(pictures))
    report(
        {
            "rows": [asdict(row) for row in found],
            "zero_load": [asdict(row) for row in zero],
            "columns": columns,
            "mesh_rows": rows,
            "errors": errors,
        },
        json,
        tables(found, zero),
    )
    if errors:
        raise UserError(f"{errors} messages were lost uncounted, duplicated, misrouted or stuck")
