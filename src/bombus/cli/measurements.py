"""Commands that measure: benchmarks, sweeps, area."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from bombus.bench import write_json
from bombus.cli.common import INTERRUPTED, JsonOption, error_console, reading_console
from bombus.errors import UserError
from bombus.tables import print_table
from bombus.text import counted

HELP = "--help"
BENCH_SETTINGS = {
    "allow_extra_args": True,
    "ignore_unknown_options": True,
    "help_option_names": [],  # `--help` behind a name is about that benchmark
}


def bench(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(help="Benchmark; without it, they are listed.")
    ] = None,
    design: Annotated[
        Path | None, typer.Option(help="Design file. Default: the benchmark's own.")
    ] = None,
    json: JsonOption = None,
) -> None:
    """Run a benchmark: one figure or table. `bombus bench NAME --help` shows its options."""
    from bombus import bench as step

    if name == HELP:
        typer.echo(context.get_help())
        return
    if name is not None and HELP in context.args:
        console = reading_console()
        usage = f"Usage: bombus bench {name} [--design FILE] [--json FILE] [OPTIONS]"
        console.print(f"{usage}\n\n{step.description(name)}\n", markup=False)
        table = Table("option", "meaning", "default")
        for option in step.options(name):
            default = "" if option.default in (False, "") else str(option.default)
            table.add_row(option.flag, option.meaning, default)
        print_table(console, table)
        return
    if name is None:
        table = Table("benchmark", "measures")
        for known, summary in step.available().items():
            table.add_row(known, summary)
        print_table(reading_console(json), table)
        return
    step.run(name, design, json, **_options(context.args))


def _options(arguments: list[str]) -> dict[str, Any]:
    """`--packets 100 --quick` -> {"packets": 100, "quick": True}."""
    values: dict[str, Any] = {}
    key = None
    for argument in arguments:
        if argument.startswith("--"):
            name, equals, value = argument.removeprefix("--").partition("=")
            key = name.replace("-", "_")
            values[key] = _value(value) if equals else True
        elif key is None:
            raise UserError(f"unexpected argument {argument!r}; options are `--key value`")
        else:
            values[key] = _value(argument)
            key = None
    return values


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def sweep(
    file: Annotated[Path, typer.Argument(help="Sweep file (YAML).", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="Parquet file for the results; points that it has are not run again. "
            "Default: build/<name>.parquet.",
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(help="Dask scheduler: `tcp://host:8786`. Default: workers on this machine."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Workers on this machine. Default: one for each processor."),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Run a grid of traffic over fabrics on a Dask cluster; goes on where it was stopped."""
    from dataclasses import asdict

    from bombus import sweep as step

    if scheduler and workers:
        raise UserError("--workers is for this machine; those of a --scheduler are its own")
    grid = step.load(file)
    console = error_console()
    outcome = step.run(
        grid,
        output or Path("build") / f"{grid.name}.parquet",
        scheduler=scheduler,
        workers=workers,
        console=console,
    )
    write_json(asdict(outcome) | {"path": str(outcome.path)}, json)
    if outcome.stopped:
        done = outcome.kept + outcome.run
        console.print(
            f"stopped: {done} of {counted(outcome.points, 'point')} are in {outcome.path}; the "
            "same command goes on",
            markup=False,
        )
        raise typer.Exit(INTERRUPTED)
    reading_console(json).print(
        f"{outcome.path}: {counted(outcome.points, 'point')}, {outcome.run} run, "
        f"{outcome.kept} kept",
        markup=False,
    )
    if outcome.unsound:
        told = f"not sound: {counted(outcome.unsound, 'point')}; see the column `sound`"
        console.print(told, style="red", markup=False)
    for settings, reason in outcome.failed.items():
        console.print(f"failed: {settings}: {reason}", style="red", markup=False)
    if outcome.failed or outcome.unsound:
        raise typer.Exit(1)


def area(
    target: Annotated[
        str, typer.Argument(help="Design file, or a module of rtl/ by name.", show_default=False)
    ],
    param: Annotated[
        list[str] | None,
        typer.Option(help="A parameter of the module: `Depth=16`; may be repeated."),
    ] = None,
    data_width: Annotated[int, typer.Option(help="Bits of data, for a module.")] = 512,
    per_module: Annotated[bool, typer.Option(help="Say where the area goes.")] = False,
    json: JsonOption = None,
) -> None:
    """Estimate area on UltraScale+ with Yosys: LUTs, flip-flops, memories, delay."""
    from bombus import area as step

    params = {}
    for text in param or []:
        key, equals, value = text.partition("=")
        try:
            params[key] = int(value, 0)
        except ValueError:
            equals = ""
        if not equals:
            raise UserError(f"--param {text}: should be a name and a number, such as Depth=16")
    console = reading_console(json)
    with console.status(f"Synthesising {target}"):
        report = step.measure(target, params=params, data_width=data_width, per_module=per_module)
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
        table = Table(title="Own cells of each module, hierarchy kept")
        table.add_column("module", no_wrap=True)
        keys = [key for key in list(modules[0])[1:] if any(row[key] for row in modules)]
        for key in keys:
            table.add_column(key, justify="right", no_wrap=True)
        for row in modules:
            table.add_row(row["module"], *(f"{row[key]:,}" for key in keys))
        print_table(console, table)
