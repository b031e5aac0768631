# SPDX-License-Identifier: Apache-2.0
"""`bombus rules`, and the option of `bombus run` for rules."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bombus.base.commands import Command, Group
from bombus.base.errors import UserError
from bombus.base.text import counted
from bombus.live.options import RunOptions

if TYPE_CHECKING:
    from bombus.design.resolved import Design
    from bombus.live.software import Software

rules = typer.Typer(
    cls=Group, help="Compile intrusion-detection rules into tables.", no_args_is_help=True
)


@rules.command(cls=Command)
def compile(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Rule files of Snort or Suricata.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help="Folder to write tables and manifest to.",
            show_default=False,
        ),
    ],
    var: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Port or address variable, such as HTTP_PORTS=[80,8080]. Can be repeated.",
        ),
    ] = None,
    traffic: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Sample of traffic, from which the frequency of bytes is learned."
        ),
    ] = None,
    exact_only: Annotated[bool, typer.Option("--exact-only", help="Leave prefilters out.")] = False,
    rows: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER", help="Rows of the matcher's tables. Default: as few as possible."
        ),
    ] = None,
) -> None:
    """Write tables for the matcher, and list the rules that cannot be compiled."""
    from bombus.applications.intrusion_detection import compiling, tables

    if rows is not None and (rows & rows - 1 or not tables.MIN_ROWS <= rows <= tables.MAX_ROWS):
        raise UserError(
            f"--rows must be a power of two from {tables.MIN_ROWS} to {tables.MAX_ROWS}"
        )
    variables = dict(_variable(text) for text in var or ())
    found = compiling.read(files, variables, lambda line: typer.echo(line, err=True))
    sample = traffic.read_bytes() if traffic else b""
    compiled = compiling.compile_rules(found, sample, rows, exact_only)
    compiling.write(compiled, output)
    unused = compiling.unused_variables(found, variables)
    for line in (*unused, *compiled.unknown(), *compiled.slow()):
        typer.echo(line, err=True)
    for each in compiled.verdicts:
        if each.kind == compiling.NOT_COMPILED:
            typer.echo(compiling.not_compiled(each))
    kinds = (compiling.EXACT, compiling.PREFILTER, compiling.NOT_COMPILED)
    exact, prefilter, rest = map(compiled.count, kinds)
    typer.echo(
        f"{output}: {counted(len(found), 'rule')}: {exact} exact, {prefilter} prefilter, "
        f"{rest} not compiled; {compiled.tables.rows} rows"
    )


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UserError(f"--var {text}: expected NAME=VALUE, such as HTTP_PORTS=[80,8080]")
    return name.removeprefix("$"), value


def _software(design: Design, given: Mapping[str, Any], _: ExitStack) -> list[Software]:
    from bombus.applications.intrusion_detection import software
    from bombus.live.software import check_kind

    check_kind(design, software.KIND, "--rules")
    return [software.rules(given["rules"], typer.echo)]


COMMANDS = {"rules": rules}
RUN = RunOptions(
    {
        "rules": Annotated[
            Path | None,
            typer.Option(
                metavar="DIR",
                help="Write these tables (`bombus rules compile`) into all layers rule_matcher, "
                "and print their hits.",
            ),
        ]
    },
    _software,
)
