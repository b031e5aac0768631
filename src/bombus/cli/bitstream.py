# SPDX-License-Identifier: Apache-2.0
"""`bombus bitstream`."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from bombus.base.console import reading_console
from bombus.base.progress import step
from bombus.base.tables import print_table
from bombus.base.text import listing
from bombus.cli.common import DesignArgument, MinutesOption, error_console


def bitstream(
    design: DesignArgument,
    board: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Name of a board in boards/, or path of a board file.",
            show_default=False,
        ),
    ],
    seed: Annotated[int, typer.Option(metavar="NUMBER", min=0, help="Seed of the placer.")] = 1,
    minutes: MinutesOption = 120,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help="Folder for <design>.bit and <design>.svf. Default: build/<board>.",
        ),
    ] = None,
) -> None:
    """Build a bitstream for a board, including Ethernet MACs, and check its timing."""
    from bombus.generation.board import config, shell
    from bombus.implementation import bitstream as tool

    console = reading_console()
    found = config.board(board)
    if secrets := shell.checked(design, found).register_map.secrets:
        error_console().print(
            f"warning: no software can fill the secrets of {listing(secrets)} on {found.name} "
            "(docs/boards.md, Registers)",
            style="yellow",
            markup=False,
        )
    with step(None, f"Placing and routing {design} for {board} (minutes)"):
        made = tool.build(design, found, seed=seed, timeout_s=minutes * 60)
    name = made.design.config.name
    table = Table("clock", title=f"{name} on {made.board.name}")
    for label in ("needed, MHz", "reached, MHz"):
        table.add_column(label, justify="right")
    for clock, reached in made.result.fmax_mhz.items():
        needed = made.result.constraint_mhz[clock]
        table.add_row(clock, f"{needed:.1f}", f"{reached:.1f}")
    print_table(console, table)
    for unit, (used, available) in made.result.used.items():
        console.print(f"{unit}: {used:,} of {available:,} ({used / available:.0%})", markup=False)
    folder = output or Path("build") / made.board.name
    folder.mkdir(parents=True, exist_ok=True)
    for file in (made.bit, made.svf):
        target = folder / f"{name}{file.suffix}"
        shutil.copyfile(file, target)
        console.print(str(target), markup=False)
