# SPDX-License-Identifier: Apache-2.0
"""`bombus timing`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from bombus.base.console import reading_console
from bombus.base.options import JsonOption
from bombus.base.output import check_json, write_json
from bombus.base.progress import step
from bombus.base.tables import print_table
from bombus.cli.common import DesignArgument, MinutesOption

if TYPE_CHECKING:
    from bombus.implementation.timing import Timing

_UNITS = {"lut4": "LUT4", "ff": "FF", "ebr": "EBR", "dsp": "DSP"}


def draw(timing: Timing, file: Path) -> None:
    """Writes the floorplan of the seed shown: its LUTs, one colour per tile."""
    from bombus.pictures import floorplan
    from bombus.pictures.files import save

    spots = [
        floorplan.Spot(timing.owners.tile(cell.name), cell.x, cell.y)
        for cell in timing.cells
        if cell.unit == "lut4"
    ]
    name = timing.design.config.name
    title = f"{name} on {timing.device.name}, seed {timing.shown_seed}"
    save(lambda: floorplan.figure(spots, list(timing.tiles), title), file, name)


def timing(
    design: DesignArgument,
    device: Annotated[
        str, typer.Option(metavar="NAME", help="ECP5 device, such as lfe5um5g-85f or lfe5u-25f-6.")
    ] = "lfe5um5g-85f",
    seeds: Annotated[int, typer.Option(metavar="N", help="Place and route with seeds 1 to N.")] = 3,
    minutes: MinutesOption = 120,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Draw the floorplan, one colour per tile: SVG, PNG or PDF, by its suffix.",
        ),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Place and route a design on an ECP5; report its clock rate and critical path."""
    from bombus.generation.board.device import device as find_device
    from bombus.implementation import timing as tool
    from bombus.pictures.files import check_suffix

    check_json(json, design, output=output)
    if output:
        check_suffix(output)
    target = find_device(device)
    console = reading_console(json)
    with step(None, f"Placing and routing {design} (minutes for a small design)"):
        result = tool.measure(design, target, seeds=seeds, timeout_s=minutes * 60)
    write_json(result.as_dict(), json)
    name = result.design.config.name
    table = Table("seed", title=f"{name} on {result.device.name}: routed clock in MHz")
    clocks = result.seeds[0].clocks
    for clock, rate in clocks.items():
        table.add_column(f"{clock}, target {rate.target_mhz:g}", justify="right")
    for seed in result.seeds:
        rates = seed.clocks.values()
        shown = (f"{rate.fmax_mhz:.1f}{'' if rate.is_met else ' missed'}" for rate in rates)
        table.add_row(str(seed.seed), *shown)
    table.add_row("median", f"{result.median_mhz:.1f}")
    estimate = "not known" if result.estimated_mhz is None else f"{result.estimated_mhz:.1f}"
    table.add_row("estimate before placement", estimate)
    print_table(console, table)

    table = Table("", title=f"Use of the device, seed {result.shown_seed}")
    for label in _UNITS.values():
        table.add_column(label, justify="right")
    for tile, cells in result.tiles.items():
        table.add_row(tile, *(f"{cells[unit]:,}" for unit in _UNITS))
    shares = (result.used[unit] for unit in _UNITS)
    table.add_row("all", *(f"{used:,} ({used / there:.0%})" for used, there in shares))
    print_table(console, table)

    table = Table("part", title=f"Critical path, seed {result.shown_seed}")
    for label in ("levels", "logic, ns", "wires, ns"):
        table.add_column(label, justify="right")
    for part in result.path:
        table.add_row(part.owner, str(part.levels), f"{part.logic_ns:.2f}", f"{part.wire_ns:.2f}")
    levels = sum(part.levels for part in result.path)
    logic, wires = (
        sum(getattr(part, key) for part in result.path) for key in ("logic_ns", "wire_ns")
    )
    table.add_row("all", str(levels), f"{logic:.2f}", f"{wires:.2f}")
    print_table(console, table)
    if output:
        draw(result, output)
        console.print(str(output), markup=False)
