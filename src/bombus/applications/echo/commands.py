# SPDX-License-Identifier: Apache-2.0
"""`bombus demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    design: Annotated[
        Path | None,
        typer.Argument(
            metavar="DESIGN",
            help="A design with UDP echo. Default: udp_echo, which comes with Bombus.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Build UDP echo, let ping and a program with sockets talk to it, and measure it."""
    from bombus.applications.echo.demo import run
    from bombus.base.console import new_console
    from bombus.base.paths import DESIGNS

    run(design or DESIGNS / "udp_echo.yaml", new_console())


COMMANDS = {"demo": demo}
