# SPDX-License-Identifier: Apache-2.0
"""`bombus check`."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bombus.base.console import reading_console
from bombus.base.errors import DesignError, Problem, UserError
from bombus.base.extensions import of_design_file
from bombus.base.options import JsonOption
from bombus.base.output import check_json, write_json
from bombus.base.text import counted, listing
from bombus.cli.common import (
    BLOCKING_PAGE,
    DesignArgument,
    error_console,
    print_problems,
)
from bombus.cli.extensions import file_problems

if TYPE_CHECKING:
    from bombus.analysis.check import DeadlockError
    from bombus.design.facts import Facts
    from bombus.design.network import Network


def check(
    design: DesignArgument,
    picture: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--picture",
            metavar="FILE",
            help="Picture to write if the design can deadlock: SVG, PNG or PDF, by its suffix.",
        ),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Check a design; report problems by line."""
    from bombus.analysis import blocking
    from bombus.analysis import check as step

    check_json(json, design, picture=picture)
    if other := of_design_file(design):
        _check_other(other, design, picture, json)
        return
    try:
        facts, problems = step.check(design)
        problems = [*problems, *file_problems(facts.design)]
        if any(problem.is_error for problem in problems):
            raise DesignError(problems)
    except DesignError as error:
        verdict = _verdict(error.problems)
        if isinstance(error, step.DeadlockError):
            print_problems(error.problems)
            if picture:
                verdict["picture"] = str(picture)
            _explain(error, design, picture)
            write_json(verdict, json)
            raise typer.Exit(1) from None
        write_json(verdict, json)
        raise
    print_problems(problems)
    resolved = facts.design
    write_json({**_verdict(problems), "blocked": len(blocking.of_design(resolved))}, json)
    tiles = [tile for tile in resolved.tiles if tile.layers]
    layers = sum(len(tile.layers) for tile in tiles)
    found = f"valid, {counted(len(problems), 'warning')}" if problems else "no problems found"
    size = f"{counted(len(tiles), 'tile')} with {counted(layers, 'layer')} on {_meshes(facts)}"
    reading_console(json).print(
        f"{design}: {found} ({'; '.join([size, *map(str, facts.flights.values())])})",
        style="yellow" if problems else "green",
        markup=False,
    )
    if behind := blocking.of_design(resolved):
        given = {tile.name: tile.given_name for tile in resolved.tiles}
        slow = listing(sorted({given[name] for tiles in behind.values() for name in tiles}))
        reading_console(json).print(
            f"head-of-line blocking: {counted(len(behind), 'route')} with messages that may wait "
            f"behind those for {slow} ({BLOCKING_PAGE})",
            markup=False,
        )


def _check_other(kind: ModuleType, design: Path, picture: Path | None, json: Path | None) -> None:
    """Checks a design file with a key of an extension."""
    from bombus.analysis.check import DeadlockError

    try:
        size, problems = kind.check(design)
    except DesignError as error:
        verdict = _verdict(error.problems)
        if not isinstance(error, DeadlockError):
            write_json(verdict, json)
            raise
        print_problems(error.problems)
        console = error_console()
        if picture:
            files = [str(file) for file in kind.draw_deadlock(error, picture)]
            verdict["pictures"] = files
            console.print(f"Pictures of the cycle: {listing(files)}", markup=False)
        else:
            console.print(f"`bombus check {design} -o cycle.svg` draws the cycle", markup=False)
        text = f"`bombus place {design} --move` searches for a placement without deadlock"
        console.print(text, markup=False)
        write_json(verdict, json)
        raise typer.Exit(1) from None
    print_problems(problems)
    write_json(_verdict(problems), json)
    found = f"valid, {counted(len(problems), 'warning')}" if problems else "no problems found"
    reading_console(json).print(
        f"{design}: {found} ({size})", style="yellow" if problems else "green", markup=False
    )


def _explain(error: DeadlockError, design: Path, picture: Path | None) -> None:
    """Draws the cycle if asked for, and prints proposals against it."""
    console = error_console()
    if picture:
        from bombus.pictures import mesh as show

        show.draw(error.facts.design, picture, error.cycles[0])
        console.print(f"Picture of the cycle: {picture}", markup=False)
    else:
        console.print(f"`bombus check {design} -o cycle.svg` draws the cycle", markup=False)
    console.print(_proposal(error.facts, design), markup=False)
    if any(_may_have_window(network) for network in error.facts.design.networks):
        console.print(
            "Chains in any order are safe under a window: `fabric: {..., window: auto}` "
            "and `tables: fixed` (docs/fabrics.md)",
            markup=False,
        )


def _may_have_window(network: Network) -> bool:
    fabric = network.fabric
    is_able = fabric.traits.reserves_room(fabric) and not network.routing.holds_links
    return is_able and fabric.window is None


def _proposal(facts: Facts, design: Path) -> str:
    """A proposed fix for a deadlock: other positions, if some are found quickly."""
    try:
        from bombus.analysis.placement import placer
    except UserError as error:  # an extra that is not installed
        return f"no placement was searched for: {error}"

    for move in (False, True):
        try:
            placed = placer.solve(facts, placer.given(facts.design, move=move), effort=1)
        except DesignError as error:
            failure = error.problems[0].message.splitlines()[0]
            continue
        now = {tile.name: (tile.x, tile.y) for tile in facts.design.tiles}
        moved = [
            f"{name} to ({x}, {y})"
            for name, (x, y) in placed.positions.items()
            if (x, y) != now[name]
        ]
        command = f"bombus place {design}{' --move' if move else ''}"
        return f"`{command}` writes a placement without deadlock: {', '.join(moved)}"
    none = "no placement"
    return failure if failure.startswith(none) else f"{none} without deadlock was found: {failure}"


def _meshes(facts: Facts) -> str:
    """The meshes of all networks."""
    networks = [each for each in facts.design.networks if each.area.columns]
    shapes = [(each.area.columns, each.area.rows, each.label) for each in networks]
    if registers := facts.register_network:
        shapes.append((registers.columns, registers.rows, "registers"))
    texts = [f"{columns} x {rows}{label and f' ({label})'}" for columns, rows, label in shapes]
    return f"{'meshes' if len(texts) > 1 else 'a mesh'} of {listing(texts)}"


def _verdict(problems: list[Problem]) -> dict[str, Any]:
    return {
        "valid": not any(problem.is_error for problem in problems),
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
