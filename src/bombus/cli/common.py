"""What all commands share: their arguments, and where they write for people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bombus.bench import STDOUT
from bombus.errors import Problem

INTERRUPTED = 130  # exit code of a command that Ctrl-C ended, as shells have it

DesignArgument = Annotated[Path, typer.Argument(help="Design file (YAML).", show_default=False)]
JsonOption = Annotated[
    Path | None,
    typer.Option("--json", help="Write JSON to this file; `-`: to standard output, alone."),
]


def reading_console(json: Path | None = None) -> Console:
    """Where people read: standard error if standard output is for JSON."""
    return Console(stderr=json == STDOUT, highlight=False, soft_wrap=True)


def error_console() -> Console:
    """Standard error."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def print_problems(problems: list[Problem]) -> None:
    console = error_console()
    for problem in problems:
        console.print(str(problem), style="red" if problem.is_error else "yellow", markup=False)
