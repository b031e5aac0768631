# SPDX-License-Identifier: Apache-2.0
"""`bombus acl`, and the option of `bombus run` for rules of access control lists."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bombus.base.commands import Command, Group
from bombus.live.options import RunOptions

if TYPE_CHECKING:
    from bombus.design.resolved import Design
    from bombus.live.software import Software

acl = typer.Typer(cls=Group, help="Rules of access control lists.", no_args_is_help=True)


@acl.command(cls=Command)
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File of rules, one per line.")],
) -> None:
    """Check a file of rules: bad lines, and rules that never match."""
    from bombus.applications.functions.acl import read
    from bombus.base.text import counted

    found = read(file)
    for warning in found.warnings:
        typer.echo(f"warning: {warning}", err=True)
    default = "allow" if found.default_allow else "deny"
    typer.echo(f"{file}: {counted(len(found.rules), 'rule')}, default {default}")


@acl.command(cls=Command)
def load(
    address: Annotated[
        str,
        typer.Argument(metavar="ADDRESS", help="As of `bombus ctl`.", show_default=False),
    ],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File of rules, one per line.")],
    design: Annotated[
        Path | None,
        typer.Option(
            envvar="BOMBUS_DESIGN", metavar="PATH", help="Design file, folder or manifest."
        ),
    ] = None,
    key_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="As of `bombus ctl`.")
    ] = None,
) -> None:
    """Write a file of rules into all layers acl of a running design."""
    from bombus.applications.control.controller import Controller
    from bombus.applications.control.description import find_key
    from bombus.applications.functions import acl_load
    from bombus.applications.functions.acl import read

    found = read(file)
    with Controller(address, key=find_key(key_file), manifest=design) as controller:
        names = acl_load.load_all(controller, found)
    for name in names:
        typer.echo(f"{name}: rules written: {len(found.rules)}")


def _software(design: Design, given: Mapping[str, Any], _: ExitStack) -> list[Software]:
    from bombus.applications.functions import acl_load

    return [acl_load.software(design, given["acl"])]


COMMANDS = {"acl": acl}
RUN = RunOptions(
    {
        "acl": Annotated[
            Path | None,
            typer.Option(metavar="FILE", help="Write these rules into all layers acl."),
        ]
    },
    _software,
)
