# SPDX-License-Identifier: Apache-2.0
"""`bombus cluster counters`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bombus.base.console import reading_console
from bombus.base.options import JsonOption
from bombus.base.output import check_json, write_json
from bombus.base.tables import print_table


def counters(
    socket: Annotated[
        Path,
        typer.Argument(
            metavar="SOCKET",
            help="Socket of `bombus cluster run --control`.",
            show_default=False,
        ),
    ],
    board: Annotated[
        list[int] | None,
        typer.Option(metavar="NUMBER", help="Of this board; can be repeated. Default: all."),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Print links and counters of a running cluster."""
    from bombus.cluster import report
    from bombus.live.control import request

    check_json(json, None)
    console = reading_console(json)
    found = request(socket, "sample", [board], command="bombus cluster run DESIGN")
    write_json(found, json)
    print_table(console, report.link_table(found["links"]))
    print_table(console, report.counter_table(found["boards"]))
    console.print(f"cycle {found['cycle']:,}", highlight=False)
