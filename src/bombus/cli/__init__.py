# SPDX-License-Identifier: Apache-2.0
"""The `bombus` command, one module per subcommand. User errors print without a traceback."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated, NoReturn

import typer

from bombus.base.commands import Command, Group
from bombus.base.errors import DesignError, UsageError, UserError
from bombus.cli import extensions
from bombus.cli.area import area
from bombus.cli.bench import BENCH_SETTINGS, bench
from bombus.cli.bitstream import bitstream
from bombus.cli.build import build
from bombus.cli.check import check
from bombus.cli.common import error_console, print_problems
from bombus.cli.generate import generate
from bombus.cli.new import new
from bombus.cli.place import place
from bombus.cli.run import run
from bombus.cli.schema import schema
from bombus.cli.show import show
from bombus.cli.sweep import sweep
from bombus.cli.timing import timing

app = typer.Typer(
    cls=Group,
    help="Build hardware network stacks from a design file: check, generate, simulate, measure.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"bombus {version('bombus')}")
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Nothing to do here: the callback of `--version` prints the version."""


# Groups and commands in the order of `bombus --help`.
COMMANDS: dict[str, tuple[Callable[..., None], ...]] = {
    "Design": (new, check, place, show, schema),
    "Hardware": (generate, area, timing, bitstream),
    "Simulation": (build, run),
    "Measurement": (bench, sweep),
}
for group, commands in COMMANDS.items():
    for command in commands:
        settings = BENCH_SETTINGS if command is bench else None
        add = app.command(cls=Command, rich_help_panel=group, context_settings=settings)
        add(command)
for name, extension in extensions.commands().items():
    if isinstance(extension, typer.Typer):
        app.add_typer(extension, name=name, rich_help_panel="Simulation")
    else:
        app.command(cls=Command, name=name, rich_help_panel="Simulation")(extension)


def _explain_deadlock(error: DesignError) -> None:
    """For a deadlock of a design file, `bombus check` shows more than the message does."""
    from bombus.analysis.check import DeadlockError

    if not isinstance(error, DeadlockError):
        return
    if error.changes:
        changes = ", ".join(error.changes)
        text = f"with {changes}; `--force` writes it anyway"
    else:
        command = f"bombus check {error.facts.design.file.path} -o cycle.svg"
        text = f"run `{command}` for a picture and a proposed fix"
    error_console().print(text, markup=False)


def main() -> None:
    """Entry point of the command."""
    try:
        app()
    except DesignError as error:
        print_problems(error.problems)
        _explain_deadlock(error)
        sys.exit(1)
    except UsageError as error:
        _end(str(error), status=2)
    except UserError as error:
        _end(str(error))
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _end(f"{where}{error.strerror or error}")


def _end(message: str, status: int = 1) -> NoReturn:
    error_console().print(f"error: {message}", style="red", markup=False)
    sys.exit(status)
