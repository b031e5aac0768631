# SPDX-License-Identifier: Apache-2.0
"""`bombus bench`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from bombus.base.console import reading_console
from bombus.base.errors import UsageError
from bombus.base.options import JsonOption
from bombus.base.tables import print_table

HELP = "--help"
BENCH_SETTINGS = {
    "allow_extra_args": True,
    "ignore_unknown_options": True,
    "help_option_names": [],  # `--help` after a name belongs to that benchmark
}


def bench(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME [DESIGN]",
            help="Benchmark to run, and its design file. Without a name, list all benchmarks.",
        ),
    ] = None,
    design: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Design file, if not given after NAME. Default: that of the benchmark.",
        ),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Run a benchmark. `bombus bench NAME --help` shows its options."""
    from bombus.measure import bench as step

    if name == HELP:
        typer.echo(context.get_help())
        return
    if name is not None and HELP in context.args:
        console = reading_console()
        usage = f"Usage: bombus bench {name} [DESIGN] [--json FILE] [OPTIONS]"
        console.print(f"{usage}\n\n{step.description(name)}\n", markup=False)
        table = Table("option", "meaning", "default")
        for option in step.options(name):
            default = "" if option.default in (False, "") else str(option.default)
            default = default.replace(",", ", ")  # where a line may end
            table.add_row(option.flag, option.meaning, default)
        print_table(console, table)
        return
    if name is None:
        table = Table("benchmark", "measures")
        for known, summary in step.available().items():
            table.add_row(known, summary)
        print_table(reading_console(json), table)
        return
    given, options = _options(context.args)
    if given and design:
        raise UsageError(f"two designs are given: {design} and {given}")
    step.run(name, design or given, json, **options)


def _options(arguments: list[str]) -> tuple[Path | None, dict[str, str | None]]:
    """The design, if there is one, and the options: `a.yaml --packets 100 --quick` -> a.yaml,
    {"packets": "100", "quick": None}.
    """
    values: dict[str, str | None] = {}
    design = key = None
    for argument in arguments:
        if argument.startswith("--"):
            name, equals, value = argument.removeprefix("--").partition("=")
            key = name.replace("-", "_")
            values[key] = value if equals else None
        elif key is None:
            if design is not None:
                raise UsageError(f"unexpected argument {argument!r}; options are `--key value`")
            design = Path(argument)
        else:
            values[key] = argument
            key = None
    return design, values
