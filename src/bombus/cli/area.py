# SPDX-License-Identifier: Apache-2.0
"""`bombus area`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from bombus.base.errors import UserError
from bombus.base.tables import print_table
from bombus.cli.common import JsonOption, reading_console
from bombus.measure.bench import write_json


def area(
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET",
            help="Design file, or the name of a module in rtl/.",
            show_default=False,
        ),
    ],
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=NUMBER", help="Module parameter, such as `Depth=16`. Can be repeated."
        ),
    ] = None,
    data_width: Annotated[
        int, typer.Option(metavar="BITS", help="Data width in bits, for a module.")
    ] = 512,
    tile: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only this tile of a design, by itself."),
    ] = None,
    per_module: Annotated[
        bool, typer.Option("--per-module", help="Break the area down by module.")
    ] = False,
    json: JsonOption = None,
) -> None:
    """Estimate LUTs, flip-flops, memories and delay on UltraScale+, with Yosys."""
    from bombus.measure import area as step

    params = {}
    for text in param or []:
        key, equals, value = text.partition("=")
        try:
            params[key] = int(value, 0)
        except ValueError:
            equals = ""
        if not equals:
            raise UserError(f"--param {text}: expected NAME=NUMBER, such as Depth=16")
    console = reading_console(json)
    with console.status(f"Synthesising {target}"):
        report = step.measure(
            target, params=params, data_width=data_width, tile=tile, per_module=per_module
        )
    values = report.as_dict()
    write_json(values, json)
    modules = values.pop("modules", [])
    table = Table("", title=target, show_header=False)
    table.add_column(justify="right")
    for key, value in values.items():
        if key != "target" and value is not None:
            table.add_row(key, f"{value:,}")
    print_table(console, table)
    if modules:
        table = Table(title="Cells per module, submodules excluded")
        table.add_column("module", no_wrap=True)
        keys = [key for key in list(modules[0])[1:] if any(row[key] for row in modules)]
        for key in keys:
            table.add_column(key, justify="right", no_wrap=True)
        for row in modules:
            table.add_row(row["module"], *(f"{row[key]:,}" for key in keys))
        print_table(console, table)
