# SPDX-License-Identifier: Apache-2.0
"""`bombus place`."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer
from rich.table import Table

from bombus.base.console import reading_console
from bombus.base.errors import DesignError
from bombus.base.extensions import of_design_file
from bombus.base.options import JsonOption
from bombus.base.output import check_json, write, write_json
from bombus.base.progress import step
from bombus.base.tables import print_table
from bombus.base.text import counted
from bombus.cli.common import (
    BLOCKING_PAGE,
    DesignArgument,
    error_console,
    print_problems,
)


def place(
    design: DesignArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write to this file instead of the design file."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the positions, write nothing.")
    ] = False,
    move: Annotated[
        bool,
        typer.Option(
            "--move",
            help="Also move tiles that already have a position. Tiles with a MAC port stay.",
        ),
    ] = False,
    effort: Annotated[
        float,
        typer.Option(
            min=0.1,
            metavar="NUMBER",
            help="Search effort; 1 takes about 4 seconds. The result depends on the effort only, "
            "not on the speed of the machine.",
        ),
    ] = 5.0,
    json: JsonOption = None,
) -> None:
    """Place tiles: no deadlock, short routes. Writes the positions to the design file."""
    from bombus.analysis.placement import placer
    from bombus.design import edit, resolve
    from bombus.design.facts import Facts

    check_json(json, design, output=output if output != design else None)
    if other := of_design_file(design):
        _place_by(other, design, output, dry_run=dry_run, move=move, effort=effort, json=json)
        return
    resolved, problems = resolve.load(design)
    if any(problem.is_error for problem in problems):
        raise DesignError(problems)
    fixed = placer.given(resolved, move=move)
    names = [tile.name for tile in resolved.config.instances]
    is_all_given = all(name in fixed for name in names)
    console = reading_console(json)
    try:
        with step(None, f"Placing {resolved.config.name}"):
            placed = placer.solve(Facts(resolved), fixed, effort)
    except DesignError as error:
        print_problems(error.problems)
        if len(fixed) > len(placer.given(resolved, move=True)):
            told = f"`bombus place {design} --move` also moves tiles that already have a position"
            error_console().print(told, markup=False)
        raise typer.Exit(1) from None
    positions = {name: placed.positions[name] for name in names}
    text = edit.with_positions(resolved.file, positions)
    target = output or (None if is_all_given else design)
    if dry_run:
        target = None
    if target:
        write(target, text)
    write_json(
        {
            "columns": resolved.columns,
            "rows": resolved.rows,
            "positions": {name: list(at) for name, at in positions.items()},
            "gbps_hops": placed.gbps_hops,
            "max_load": placed.max_load,
            "is_best": placed.is_best,
            "blocked": placed.blocked,
            "written": str(target) if target else None,
        },
        json,
    )
    table = Table("tile", "at", "", title=f"{resolved.columns} x {resolved.rows}")
    for name, at in positions.items():
        table.add_row(name, str(at), "given" if name in fixed else "chosen")
    print_table(console, table)
    console.print(
        f"traffic x hops: {placed.gbps_hops:,.0f} Gbit/s"
        f"{', optimal' if placed.is_best and not is_all_given else ''}; "
        f"highest link load: {placed.max_load:.0%}",
        markup=False,
    )
    if placed.blocked:
        routes = counted(placed.blocked, "route")
        told = f"head-of-line blocking: {routes} with messages that may wait behind those for"
        console.print(f"{told} replicas or slow tiles ({BLOCKING_PAGE})", markup=False)
    if is_all_given:
        others = "" if move else "; use --move to look for better ones"
        console.print(f"nothing to place: every tile of {design} has a position{others}")
    console.print(f"written to {target}" if target else "nothing written", markup=False)


def _place_by(
    module: ModuleType,
    design: Path,
    output: Path | None,
    *,
    dry_run: bool,
    move: bool,
    effort: float,
    json: Path | None,
) -> None:
    """Places what a design file of a package leaves open."""
    console = reading_console(json)
    with step(None, f"Placing {design.name}"):
        placed = module.place(design, move=move, effort=effort)
    target = None if dry_run else output or (design if placed.rows else None)
    if target:
        write(target, placed.text)
    write_json({**placed.values, "written": str(target) if target else None}, json)
    table = Table("tile", "at")
    for row in placed.rows:
        table.add_row(*row)
    if placed.rows:
        print_table(console, table)
        console.print(placed.summary, markup=False)
    else:
        console.print(f"nothing to place in {design}", markup=False)
    console.print(f"written to {target}" if target else "nothing written", markup=False)
