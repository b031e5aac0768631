# SPDX-License-Identifier: Apache-2.0
"""`bombus new`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bombus.base.console import reading_console
from bombus.base.errors import UsageError, UserError
from bombus.base.output import STDOUT


def new(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Name of the layer, the design and the folder. Without a name, list all kinds.",
        ),
    ] = None,
    kind: Annotated[
        str, typer.Option(metavar="KIND", help="Kind of layer: udp, tcp, between, ethernet.")
    ] = "udp",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="Folder to create. Default: NAME."),
    ] = None,
) -> None:
    """Create a project: a layer in SystemVerilog, a design around it, and a test that passes."""
    from bombus.cli import project as step

    console = reading_console()
    if name is None:
        if output is not None:
            raise UsageError("-o needs a NAME")
        for known, text in step.kinds().items():
            console.print(f"{known:9} {text}", markup=False)
        return
    if output == STDOUT:
        raise UserError("-o -: new writes a folder; give its name")
    folder = output or Path(name)
    files = step.create(name, kind, folder)
    console.print(f"{folder}: {', '.join(files)}", markup=False)
    console.print(
        f"next: cd {folder} && bombus check {name}.yaml && pytest (README.md has more)",
        markup=False,
    )
