# SPDX-License-Identifier: Apache-2.0
"""`bombus cluster routes`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from bombus.base.console import reading_console
from bombus.base.errors import UserError
from bombus.base.options import JsonOption
from bombus.base.output import check_json, write_json
from bombus.base.tables import print_table
from bombus.base.yaml_text import read_text
from bombus.cluster.topology import Link, Port, Topology


def routes(
    topology: Annotated[
        str,
        typer.Argument(
            metavar="TOPOLOGY",
            help="bar, ring, torus, star_of_rings or full_mesh; or a file with the links.",
            show_default=False,
        ),
    ],
    boards: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Number of boards, without a file.")
    ] = None,
    columns: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Columns of a torus.")
    ] = None,
    rings: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Rings of a star_of_rings.")
    ] = None,
    classes: Annotated[
        int, typer.Option(metavar="NUMBER", min=1, max=8, help="Classes of packets.")
    ] = 1,
    dead: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BOARD[.PORT]",
            help="A dead board, or the dead link at a port, such as 3 or 3.1. Can be repeated.",
        ),
    ] = None,
    tables: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Check these tables (JSON, as --json writes them), make none."
        ),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Make the route tables of a cluster, or check given ones for deadlock."""
    import json as format_json

    from bombus.cluster import routing
    from bombus.cluster.topology import KINDS, build, read

    check_json(json, tables)
    console = reading_console(json)
    if topology in KINDS:
        if boards is None:
            raise UserError(f"{topology}: --boards is missing")
        made = build(topology, boards, columns=columns, rings=rings)
    elif boards is not None:
        raise UserError("--boards is for regular topologies; a file names its boards")
    else:
        made = read(Path(topology))
    if tables:
        try:
            given = format_json.loads(read_text(tables, "table file"))["tables"]
            found = [[[int(port) for port in row] for row in board] for board in given]
        except (ValueError, KeyError, TypeError):
            message = "should be JSON with `tables`: ports by board, class and destination"
            raise UserError(f"{tables}: {message}") from None
    else:
        found = routing.tables(made, classes)
    step = None
    if dead:
        alive = made.without(*_dead(dead, made))
        found, step = routing.reroute(alive, found)
        made = alive
    verdict = routing.verdict(made, found)
    if not verdict.is_good:
        raise UserError(f"{tables or topology}: {verdict}")
    values: dict[str, object] = {"links": made.links, "tables": found}
    table = Table("board", "class", "port by destination", title="Routes")
    for name, board in zip(made.names, found, strict=True):
        for number, row in enumerate(board):
            ports = ("-" if port == routing.NONE else str(port) for port in row)
            table.add_row(name, str(number), " ".join(ports))
    if step:
        values |= {"in_place": step.in_place, "moved": step.moved}
    write_json(values, json)
    print_table(console, table)
    console.print(f"Free of deadlock; {len(verdict.unreachable)} flows have no route.")
    if step:
        console.print(
            f"{len(step.moved)} flows move. "
            + (
                "The tables can be rewritten during traffic."
                if step.in_place
                else f"The network must be quiet first: {step.cycle}"
            ),
            markup=False,
        )


def _dead(texts: list[str], made: Topology) -> tuple[list[Link], list[int]]:
    """The links and boards of `--dead`."""
    links, boards = [], []
    for text in texts:
        board, dot, port = text.partition(".")
        if not board.isdecimal() or int(board) >= made.boards or (dot and not port.isdecimal()):
            last = made.boards - 1
            raise UserError(f"--dead {text}: should be a board, 0 to {last}, or its port, as 3.1")
        if not dot:
            boards.append(int(board))
            continue
        end = Port(int(board), int(port))
        at = [link for link in made.links if end in link.ends]
        if not at:
            raise UserError(f"--dead {text}: there is no link at this port")
        links += at
    return links, boards
