"""The command `bombus`. Errors of the user are plain sentences, never tracebacks."""

from __future__ import annotations

import sys
from collections.abc import Callable

import typer

from bombus.cli.common import error_console, print_problems
from bombus.cli.measurements import BENCH_SETTINGS, area, bench, sweep
from bombus.cli.products import generate, schema, show
from bombus.cli.simulation import build, run
from bombus.cli.soundness import check, place
from bombus.errors import DesignError, UserError

app = typer.Typer(
    help="Hardware network stacks from a design file: check, generate, simulate, measure.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
# In the order of `bombus --help`.
COMMANDS: tuple[Callable[..., None], ...] = (
    *(check, place, generate, build, run),
    *(bench, sweep, area, show, schema),
)
for command in COMMANDS:
    app.command(context_settings=BENCH_SETTINGS if command is bench else None)(command)


def _point_to_check(error: DesignError) -> None:
    """Where more is said of a deadlock than in the problem."""
    from bombus.check import DeadlockError

    if isinstance(error, DeadlockError):
        told = f"`bombus check {error.network.file.path}` draws the cycle and looks for a way out"
        error_console().print(told, markup=False)


def main() -> None:
    """Entry point of the command."""
    try:
        app()
    except DesignError as error:
        print_problems(error.problems)
        _point_to_check(error)
        sys.exit(1)
    except (UserError, OSError) as error:
        error_console().print(f"error: {error}", style="red", markup=False)
        sys.exit(1)
