# SPDX-License-Identifier: Apache-2.0
"""`bombus generate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bombus.base.errors import UserError
from bombus.base.output import STDOUT
from bombus.cli.common import DesignArgument, print_problems, reading_console


def generate(
    design: DesignArgument,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="Output folder. Default: build/<name>."),
    ] = None,
) -> None:
    """Generate SystemVerilog, a file list, a FuseSoC core file and a manifest."""
    if output == STDOUT:
        raise UserError("-o -: generate writes a folder; give its name")
    from bombus.analysis import check as checking
    from bombus.generation import generate as step

    facts, warnings = checking.check(design)
    print_problems(warnings)
    folder = output or Path("build") / facts.design.config.name
    step.write(facts, folder)
    reading_console().print(f"{folder}: {facts.design.config.name}_top and its files", markup=False)
