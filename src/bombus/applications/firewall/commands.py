# SPDX-License-Identifier: Apache-2.0
"""`bombus firewall`, and the option of `bombus run` for lists."""

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


def _software(design: Design, given: Mapping[str, Any], _: ExitStack) -> list[Software]:
    from bombus.applications.firewall import software
    from bombus.live.software import check_kind

    check_kind(design, software.KIND, "--blacklist")
    return [software.blacklist(given["blacklist"])]


COMMANDS = {"firewall": firewall}
RUN = RunOptions(
    {
        "blacklist": Annotated[
            Path | None,
            typer.Option(
                metavar="FILE", help="Write this list of prefixes into all layers ip_blacklist."
            ),
        ]
    },
    _software,
)
