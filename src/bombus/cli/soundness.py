"""Commands about a design as it is meant: is it sound, and where do its tiles go."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from bombus.bench import write_json
from bombus.cli.common import (
    DesignArgument,
    JsonOption,
    error_console,
    print_problems,
    reading_console,
)
from bombus.errors import DesignError, Problem
from bombus.tables import print_table
from bombus.text import counted

if TYPE_CHECKING:
    from bombus.network import Network


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
            print_problems(error.problems)
            console = error_console()
            console.print(f"Picture of the cycle: {file}", markup=False)
            console.print(_proposal(error.network, design), markup=False)
            write_json(verdict, json)
            raise typer.Exit(1) from None
        write_json(verdict, json)
        raise
    print_problems(problems)
    write_json(_verdict(problems), json)
    tiles = [tile for tile in network.tiles if tile.layers]
    layers = sum(len(tile.layers) for tile in tiles)
    reading_console(json).print(
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
    from bombus import edit, resolve
    from bombus.placement import placer

    network, problems = resolve.load(design)
    if any(problem.is_error for problem in problems):
        raise DesignError(problems)
    fixed = placer.given(network, move=move)
    names = [tile.name for tile in network.design.instances]
    is_all_given = all(name in fixed for name in names)
    console = reading_console(json)
    try:
        with console.status(f"Placing {network.design.name}"):
            placed = placer.solve(network, fixed, effort)
    except DesignError as error:
        print_problems(error.problems)
        if len(fixed) > len(placer.given(network, move=True)):
            told = f"`bombus place {design} --move` may move the tiles that have positions, too"
            error_console().print(told, markup=False)
        raise typer.Exit(1) from None
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
