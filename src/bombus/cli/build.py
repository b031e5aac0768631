# SPDX-License-Identifier: Apache-2.0
"""`bombus build`."""

from __future__ import annotations

from typing import Annotated

import typer

from bombus.base.console import reading_console
from bombus.cli.common import BoardOption, DesignArgument


def build(
    design: DesignArgument,
    trace: Annotated[bool, typer.Option("--trace", help="Build with waveform tracing.")] = False,
    assertions: Annotated[
        bool, typer.Option("--assertions", help="Build with RTL assertions enabled.")
    ] = False,
    board: BoardOption = None,
) -> None:
    """Build the simulator of a design. Unchanged designs come from the cache."""
    from bombus.simulator.build import build as step

    library = step(design, trace=trace, assertions=assertions, board=board)
    reading_console().print(str(library.path), markup=False)
