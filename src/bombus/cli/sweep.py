# SPDX-License-Identifier: Apache-2.0
"""`bombus sweep`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bombus.base.console import reading_console
from bombus.base.errors import UserError
from bombus.base.options import JsonOption
from bombus.base.output import check_json, write_json
from bombus.base.text import counted
from bombus.cli.common import INTERRUPTED, error_console


def sweep(
    file: Annotated[
        Path, typer.Argument(metavar="SWEEP", help="Sweep file (YAML).", show_default=False)
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Parquet file for the results; points already in it are skipped. "
            "Default: build/<name>.parquet.",
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Address of a Dask scheduler, such as `tcp://host:8786`. Default: local workers.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="NUMBER", help="Number of local workers. Default: one per processor."
        ),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Run a grid of traffic over fabrics with Dask. Resumes an interrupted sweep."""
    from dataclasses import asdict

    from bombus.measure import sweep as step

    if scheduler and workers:
        raise UserError("--workers is for local workers; it cannot be combined with --scheduler")
    grid = step.load(file)
    target = output or Path("build") / f"{grid.name}.parquet"
    check_json(json, None, sweep=file, output=target)
    console = error_console()
    outcome = step.run(
        grid,
        target,
        scheduler=scheduler,
        workers=workers,
        console=console,
    )
    write_json(asdict(outcome) | {"path": str(outcome.path)}, json)
    if outcome.stopped:
        done = outcome.kept + outcome.run
        console.print(
            f"stopped: {done} of {counted(outcome.points, 'point')} are in {outcome.path}; run "
            f"the same command to resume",
            markup=False,
        )
        raise typer.Exit(INTERRUPTED)
    reading_console(json).print(
        f"{outcome.path}: {counted(outcome.points, 'point')}, {outcome.run} run, "
        f"{outcome.kept} kept",
        markup=False,
    )
    if outcome.unsound:
        message = f"invalid results: {counted(outcome.unsound, 'point')}; see the column `sound`"
        console.print(message, style="red", markup=False)
    for settings, reason in outcome.failed.items():
        console.print(f"failed: {settings}: {reason}", style="red", markup=False)
    if outcome.failed or outcome.unsound:
        raise typer.Exit(1)
