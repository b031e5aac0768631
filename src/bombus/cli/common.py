# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the commands: arguments and consoles."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bombus.base.console import new_console
from bombus.base.errors import Problem

INTERRUPTED = 130  # exit code after Ctrl-C, as in shells
# The page that explains remarks about head-of-line blocking.
BLOCKING_PAGE = 'docs/deadlock-and-placement.md, "Requests behind a busy server"'

DesignArgument = Annotated[
    Path, typer.Argument(metavar="DESIGN", help="Design file (YAML).", show_default=False)
]
BoardOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Also simulate the Ethernet MACs of this board: frames go in and out as GMII bytes.",
    ),
]
MinutesOption = Annotated[
    float,
    typer.Option(min=1, metavar="MINUTES", help="Time limit of each place-and-route run."),
]


def error_console() -> Console:
    """Standard error."""
    return new_console(stderr=True, soft_wrap=True)


def print_problems(problems: list[Problem]) -> None:
    console = error_console()
    for problem in problems:
        console.print(str(problem), style="red" if problem.is_error else "yellow", markup=False)
