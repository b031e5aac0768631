"""Commands that write what is made of a design: SystemVerilog, pictures; and the schema."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import Annotated

import typer

from bombus.cli.common import DesignArgument, print_problems, reading_console


def generate(
    design: DesignArgument,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Folder to write. Default: build/<name>."),
    ] = None,
) -> None:
    """Write the SystemVerilog of a design, its file list, FuseSoC core and manifest."""
    from bombus import check as checking
    from bombus import generate as step

    network, warnings = checking.check(design)
    print_problems(warnings)
    folder = output or Path("build") / network.design.name
    step.write(network, folder)
    reading_console().print(f"{folder}: {network.design.name}_top and its files", markup=False)


def show(
    design: DesignArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="Picture to write, SVG, PNG or PDF by its name. Default: build/<name>.svg.",
        ),
    ] = None,
) -> None:
    """Draw the mesh: tiles, layers and the ways that messages take."""
    from bombus import check as checking
    from bombus import show as step

    network, warnings = checking.check(design)
    print_problems(warnings)
    file = output or Path("build") / f"{network.design.name}.svg"
    step.draw(network, file)
    reading_console().print(str(file), markup=False)


def schema() -> None:
    """Print the JSON schema of design files, for editors."""
    from bombus.config import Design

    sys.stdout.write(json_module.dumps(Design.model_json_schema(), indent=2) + "\n")
