# SPDX-License-Identifier: Apache-2.0
"""`bombus generate`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bombus.base.console import reading_console
from bombus.base.errors import UserError
from bombus.base.extensions import of_design_file
from bombus.base.output import STDOUT
from bombus.base.text import counted, listing
from bombus.cli.common import DesignArgument, print_problems

if TYPE_CHECKING:
    from bombus.design.facts import Facts


def _summary(facts: Facts, folder: Path, files: list[str]) -> Iterator[str]:
    """What was written, a line for each of the files that a user opens first."""
    from bombus.generation.mac_shells import mac_shell, why_none

    design = facts.design
    name = design.config.name
    registers = "registers, for C and to read"
    if secrets := facts.register_map.secrets:
        registers += f"; software fills the secrets of {listing(secrets)} after reset"
    found = {
        f"{name}_top.sv": "top module",
        f"{name}.f, {name}.core": "sources, for simulators and for FuseSoC",
        f"{name}.json": "manifest",
        f"{name}_registers.h, registers.md": registers,
    }
    if design.config.memories:
        found[f"{name}_sim.f"] = "sources with the memories, for simulators"
    shell = mac_shell(design)
    if shell:
        found[next(iter(shell.files))] = f"top module with MACs ({shell.mac})"
    yield f"{folder}: {counted(len(files), 'file')}"
    width = max(map(len, found))
    for path, text in found.items():
        yield f"  {path:{width}}  {text}"
    if shell is None:
        yield f"  no shell with MACs: {why_none(design)}"


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

    if other := of_design_file(design):
        lines, warnings = other.generate(design, output)
        print_problems(warnings)
        for line in lines:
            reading_console().print(line, markup=False)
        return
    facts, warnings = checking.check(design)
    print_problems(warnings)
    folder = output or Path("build") / facts.design.config.name
    files = step.write(facts, folder)
    for line in _summary(facts, folder, files):
        reading_console().print(line, markup=False)
