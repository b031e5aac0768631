# SPDX-License-Identifier: Apache-2.0
"""`bombus show`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bombus.base.console import reading_console
from bombus.base.extensions import of_design_file
from bombus.base.output import check_different, inputs
from bombus.cli.common import DesignArgument, print_problems


def show(
    design: DesignArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Output file: SVG, PNG or PDF, by its suffix. Default: build/<name>.svg.",
        ),
    ] = None,
) -> None:
    """Draw the mesh: tiles, layers and the routes of messages."""
    from bombus.analysis import check as checking
    from bombus.pictures import mesh as step

    if other := of_design_file(design):
        pictures, warnings = other.show(design, output)
        print_problems(warnings)
        for picture in pictures:
            reading_console().print(str(picture), markup=False)
        return
    facts, warnings = checking.check(design)
    print_problems(warnings)
    file = output or Path("build") / f"{facts.design.config.name}.svg"
    check_different([*inputs(design), ("picture", file)])
    step.draw(facts.design, file)
    reading_console().print(str(file), markup=False)
