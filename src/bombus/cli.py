"""The command `bombus`. Errors of the user are plain sentences, never tracebacks."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from bombus.bench import STDOUT, write_json
from bombus.errors import DesignError, Problem, UserError
from bombus.tables import print_table
from bombus.text import counted

if TYPE_CHECKING:
    from bombus.network import Network

app = typer.Typer(
    help="Hardware network stacks from a design file: check, generate, simulate, measure.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

HELP = "--help"
INTERRUPTED = 130  # exit code of a command that Ctrl-C ended, as shells have it

DesignArgument = Annotated[Path, typer.Argument(help="Design file (YAML).", show_default=False)]
JsonOption = Annotated[
    Path | None,
    typer.Option("--json", help="Write JSON to this file; `-`: to standard output, alone."),
]


def _console(json: Path | None = None) -> Console:
    """Where people read: standard error if standard output is for JSON."""
    return Console(stderr=json == STDOUT, highlight=False, soft_wrap=True)


def _print_problems(problems: list[Problem]) -> None:
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    for problem in problems:
        console.print(str(problem), style="red" if problem.is_error else "yellow", markup=False)


@app.command()
def check(
    design: DesignArgument,
    picture: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--picture",
            help="Picture to write if messages can wait for each other for ever. "
            "Default: build/<name>_deadlock.svg.",
        ),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Say whether a design is sound, and if not, why not and in which line."""
    from bombus import check as step

    try:
        network, problems = step.check(design)
    except DesignError as error:
        verdict = _verdict(error.problems)
        if isinstance(error, step.DeadlockError):
            from bombus import show

            file = picture or Path("build") / f"{error.network.design.name}_deadlock.svg"
            show.draw(error.network, file, error.cycles[0])
            verdict["picture"] = str(file)
            _print_problems(error.problems)
            console = Console(stderr=True, highlight=False, soft_wrap=True)
            console.print(f"Picture of the cycle: {file}", markup=False)
            console.print(_proposal(error.network, design), markup=False)
            write_json(verdict, json)
            raise typer.Exit(1) from None
        write_json(verdict, json)
        raise
    _print_problems(problems)
    write_json(_verdict(problems), json)
    tiles = [tile for tile in network.tiles if tile.layers]
    layers = sum(len(tile.layers) for tile in tiles)
    _console(json).print(
        f"{design}: sound ({counted(len(tiles), 'tile')} with {counted(layers, 'layer')} on a "
        f"mesh of {network.columns} x {network.rows})",
        style="green",
        markup=False,
    )


def _proposal(network: Network, design: Path) -> str:
    """What to do about a deadlock: other positions, if there are any that are found soon."""
    from bombus.placement import placer

    for move in (False, True):
        try:
            placed = placer.solve(network, placer.given(network, move=move), effort=1)
        except DesignError as error:
            failure = error.problems[0].message.splitlines()[0]
            continue
        now = {tile.name: (tile.x, tile.y) for tile in network.tiles}
        moved = [
            f"{name} to ({x}, {y})"
            for name, (x, y) in placed.positions.items()
            if (x, y) != now[name]
        ]
        command = f"bombus place {design}{' --move' if move else ''}"
        return f"`{command}` writes a placement without it: {', '.join(moved)}"
    return f"no placement without it was found: {failure}"


def _verdict(problems: list[Problem]) -> dict[str, Any]:
    return {
        "sound": not any(problem.is_error for problem in problems),
        "problems": [
            {
                "file": str(problem.file),
                "line": problem.line,
                "severity": "error" if problem.is_error else "warning",
                "message": problem.message,
            }
            for problem in problems
        ],
    }


@app.command()
def place(
    design: DesignArgument,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write here, not to the design file.")
    ] = None,
    dry_run: Annotated[bool, typer.Option(help="Show the positions, write nothing.")] = False,
    move: Annotated[
        bool,
        typer.Option(help="Move tiles that have positions, too; those with a MAC port stay."),
    ] = False,
    effort: Annotated[
        float,
        typer.Option(
            min=0.1,
            help="How much work to spend on better positions; 1 takes some 4 seconds, and the "
            "same effort gives the same positions on every machine.",
        ),
    ] = 5.0,
    json: JsonOption = None,
) -> None:
    """Find positions without deadlock and with short ways, and write them to the design file."""
    from bombus import edit
    from bombus import network as resolving
    from bombus.placement import placer

    network, problems = resolving.load(design)
    if any(problem.is_error for problem in problems):
        raise DesignError(problems)
    fixed = placer.given(network, move=move)
    names = [tile.name for tile in network.design.instances]
    is_all_given = all(name in fixed for name in names)
    console = _console(json)
    with console.status(f"Placing {network.design.name}"):
        placed = placer.solve(network, fixed, effort)
    positions = {name: placed.positions[name] for name in names}
    text = edit.with_positions(network.file, positions)
    target = output or (None if is_all_given else design)
    if dry_run:
        target = None
    if target:
        target.write_text(text, encoding="utf-8")
    write_json(
        {
            "columns": network.columns,
            "rows": network.rows,
            "positions": {name: list(at) for name, at in positions.items()},
            "gbps_hops": placed.gbps_hops,
            "max_load": placed.max_load,
            "is_best": placed.is_best,
            "written": str(target) if target else None,
        },
        json,
    )
    table = Table("tile", "at", "", title=f"{network.columns} x {network.rows}")
    for name, at in positions.items():
        table.add_row(name, str(at), "given" if name in fixed else "chosen")
    print_table(console, table)
    console.print(
        f"traffic times hops: {placed.gbps_hops:,.0f} Gbit/s"
        f"{', the least there is' if placed.is_best and not is_all_given else ''}; "
        f"largest load of a link: {placed.max_load:.0%}",
        markup=False,
    )
    if is_all_given:
        others = "" if move else "; --move looks for better ones"
        console.print(f"nothing to place: every tile has a position in {design}{others}")
    console.print(f"written to {target}" if target else "nothing written", markup=False)


@app.command()
def generate(
    design: DesignArgument,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Folder to write. Default: build/<name>."),
    ] = None,
) -> None:
    """Write the SystemVerilog of a design, its file list, FuseSoC core and manifest."""
    from bombus import check as checking
    from bombus import generate as step

    network, warnings = checking.check(design)
    _print_problems(warnings)
    folder = output or Path("build") / network.design.name
    step.write(network, folder)
    _console().print(f"{folder}: {network.design.name}_top and its files", markup=False)


@app.command()
def build(
    design: DesignArgument,
    trace: Annotated[bool, typer.Option(help="Make it able to write waveforms.")] = False,
    assertions: Annotated[bool, typer.Option(help="Check the assertions of the RTL.")] = False,
) -> None:
    """Build the simulator of a design; the cache has it if nothing has changed."""
    from bombus.build import build as step

    library = step(design, trace=trace, assertions=assertions)
    _console().print(str(library.path), markup=False)


@app.command()
def run(
    design: DesignArgument,
    tap: Annotated[str, typer.Option(help="Name of the network interface.")] = "bombus0",
    address: Annotated[
        str | None,
        typer.Option(help="This machine's address on it, with prefix. Default: one near."),
    ] = None,
    mtu: Annotated[int, typer.Option(help="MTU of the interface, in bytes.")] = 1500,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    impair_rx: Annotated[
        str | None,
        typer.Option(help="What befalls frames to the design: `loss=1%,delay_us=500`."),
    ] = None,
    impair_tx: Annotated[
        str | None, typer.Option(help="What befalls frames from the design.")
    ] = None,
    pcap_in: Annotated[Path | None, typer.Option(help="Frames to send at the start.")] = None,
    pcap_out: Annotated[Path | None, typer.Option(help="Capture of both directions.")] = None,
    duration: Annotated[
        float | None, typer.Option(help="Seconds to run. Default: until stopped.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="JSON file with all numbers, renewed as it runs.")
    ] = None,
) -> None:
    """Run a design live: Linux programs reach it through a network interface."""
    from bombus.impairment import Impairment
    from bombus.live import run as step

    step(
        design,
        tap=tap,
        address=address,
        mtu=mtu,
        seed=seed,
        impair_rx=Impairment.parse(impair_rx) if impair_rx else None,
        impair_tx=Impairment.parse(impair_tx) if impair_tx else None,
        pcap_in=pcap_in,
        pcap_out=pcap_out,
        duration=duration,
        report=report,
    )


@app.command(
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "help_option_names": [],  # `--help` behind a name is about that benchmark
    }
)
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
        console = _console()
        usage = f"Usage: bombus bench {name} [--design FILE] [--json FILE] [OPTIONS]"
        console.print(f"{usage}\n\n{step.description(name)}\n", markup=False)
        table = Table("option", "default")
        for option in step.options(name):
            table.add_row(option.flag, "" if option.default in (False, "") else str(option.default))
        print_table(console, table)
        return
    if name is None:
        table = Table("benchmark", "measures")
        for known, summary in step.available().items():
            table.add_row(known, summary)
        print_table(_console(json), table)
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


@app.command()
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
    console = Console(stderr=True, highlight=False, soft_wrap=True)
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
    _console(json).print(
        f"{outcome.path}: {counted(outcome.points, 'point')}, {outcome.run} run, "
        f"{outcome.kept} kept",
        markup=False,
    )
    if outcome.unsound:
        told = f"not sound: {counted(outcome.unsound, 'point')}; see the column `sound`"
        console.print(told, style="red", markup=False)
    for settings, reason in outcome.failed.items():
        console.print(f"failed: {settings}: {reason}", style="red", markup=False)
    if outcome.failed:
        raise typer.Exit(1)


@app.command()
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
    console = _console(json)
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


@app.command()
def show(
    design: DesignArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="Picture to write, SVG, PNG or PDF by its name. Default: build/<name>.svg.",
        ),
    ] = None,
) -> None:
    """Draw the mesh: tiles, layers and the ways that messages take."""
    from bombus import check as checking
    from bombus import show as step

    network, warnings = checking.check(design)
    _print_problems(warnings)
    file = output or Path("build") / f"{network.design.name}.svg"
    step.draw(network, file)
    _console().print(str(file), markup=False)


@app.command()
def schema() -> None:
    """Print the JSON schema of design files, for editors."""
    from bombus.config import Design

    sys.stdout.write(json_module.dumps(Design.model_json_schema(), indent=2) + "\n")


def _point_to_check(error: DesignError) -> None:
    """Where more is said of a deadlock than in the problem."""
    from bombus.check import DeadlockError

    if isinstance(error, DeadlockError):
        told = f"`bombus check {error.network.file.path}` draws the cycle and looks for a way out"
        Console(stderr=True, highlight=False, soft_wrap=True).print(told, markup=False)


def main() -> None:
    """Entry point of the command."""
    try:
        app()
    except DesignError as error:
        _print_problems(error.problems)
        _point_to_check(error)
        sys.exit(1)
    except (UserError, OSError) as error:
        console = Console(stderr=True, highlight=False, soft_wrap=True)
        console.print(f"error: {error}", style="red", markup=False)
        sys.exit(1)


if __name__ == "__main__":
    main()
