# SPDX-License-Identifier: Apache-2.0
"""`bombus firewall`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bombus.cli.common import Command, Group

firewall = typer.Typer(
    cls=Group, help="Compile blacklists of IP prefixes into hardware.", no_args_is_help=True
)


@firewall.command(cls=Command)
def compile(
    blacklist: Annotated[
        Path, typer.Argument(metavar="FILE", help="File of IPv4 prefixes, one per line.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="SystemVerilog file to write; its name is that of the layer.",
        ),
    ],
) -> None:
    """Generate an accelerator with a fixed blacklist; print its size."""
    from bombus.applications.firewall import table
    from bombus.applications.firewall.blacklist import boundaries, read
    from bombus.applications.firewall.blocks import arrange
    from bombus.base.output import write

    networks = read(blacklist)
    found = boundaries(networks)
    write(output, table.layer(output.stem, blacklist.name, found))
    typer.echo(
        f"{output}: {len(networks)} prefixes, {(len(found) + 1) // 2} ranges, "
        f"{arrange(found).levels} steps of a search"
    )
