# SPDX-License-Identifier: Apache-2.0
"""`bombus area`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from bombus.base.console import reading_console
from bombus.base.errors import UserError
from bombus.base.options import JsonOption
from bombus.base.output import check_json, write_json
from bombus.base.progress import step
from bombus.base.tables import print_table

_CAVEAT = (
    "delay_ps is the mapper's estimate, sta_ps ours, with RAM, clock-to-output and set-up. "
    "Neither includes placement, routing or clock skew, so long wires are underestimated."
)


def area(
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET",
            help="Design file, or the name of a module in rtl/.",
            show_default=False,
        ),
    ],
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=NUMBER", help="Module parameter, such as `Depth=16`. Can be repeated."
        ),
    ] = None,
    data_width: Annotated[
        int, typer.Option(metavar="BITS", help="Data width in bits, for a module.")
    ] = 512,
    tile: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only this tile of a design."),
    ] = None,
    per_module: Annotated[
        bool, typer.Option("--per-module", help="Break the area down by module.")
    ] = False,
    paths: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Show the N worst paths, one per endpoint register, by source line.",
        ),
    ] = 0,
    by_mapper: Annotated[
        bool,
        typer.Option(
            "--by-mapper", help="With --paths: use the mapper's delays, those of delay_ps."
        ),
    ] = False,
    json: JsonOption = None,
) -> None:
    """Estimate LUTs, flip-flops, memories and delay on UltraScale+, with Yosys."""
    from bombus.measure import area as tool

    params = {}
    for text in param or []:
        key, equals, value = text.partition("=")
        try:
            params[key] = int(value, 0)
        except ValueError:
            equals = ""
        if not equals:
            raise UserError(f"--param {text}: expected NAME=NUMBER, such as Depth=16")
    if by_mapper and not paths:
        raise UserError("--by-mapper applies to --paths only")
    check_json(json, Path(target))
    console = reading_console(json)
    with step(None, f"Synthesising {target}"):
        report = tool.measure(
            target,
            params=params,
            data_width=data_width,
            tile=tile,
            per_module=per_module,
            paths=paths,
            by_mapper=by_mapper,
        )
    values = report.as_dict()
    write_json(values, json)
    modules = values.pop("modules", [])
    chain = values.pop("ready_chain", [])
    for key in ("paths", "clock_mhz", "meets_clock", "clocks"):
        values.pop(key, None)
    table = Table("", title=target, show_header=False)
    table.add_column(justify="right")
    for key, value in values.items():
        if key != "target" and value is not None:
            table.add_row(key, f"{value:,}")
    print_table(console, table)
    console.print(_CAVEAT)
    if report.clocks:
        table = Table(
            "clock", title="Slack per clock, in ps; paths between clocks have no requirement"
        )
        for heading in ("MHz", "sta_ps", "slack", "endpoints", "to others", "longest"):
            table.add_column(heading, justify="right")
        for clock in report.clocks:
            own = (clock.sta_ps, clock.slack_ps, clock.endpoints)
            figures = (*own, clock.leaving_endpoints, clock.leaving_ps)
            shown = (f"{figure:,}" if figure is not None else "" for figure in figures)
            table.add_row(clock.clock, f"{clock.mhz:g}", *shown)
        print_table(console, table)
    if report.nominal_mhz and report.clock_mhz:
        by_mapper = (report.delay_ps or 0) > (report.sta_ps or 0)
        shows = f"--paths 3{' --by-mapper' if by_mapper else ''} shows the worst paths"
        others = "or that of a MAC port, " if report.clocks and not report.meets_clock else ""
        met = "met" if report.meets_clock else f"missed; {shows}"
        console.print(
            f"The estimates allow {report.clock_mhz:.0f} MHz for clk_i. "
            f"The design's clock, {report.nominal_mhz:g} MHz, {others}is {met}."
        )
    if chain:
        layers = ", ".join(
            ".".join(part.removeprefix("u_") for part in path.split(".")) for path in chain
        )
        count = f"{len(chain)} layer" + "s" * (len(chain) > 1)
        console.print(f"The longest chain of ready without a register: {count}, {layers}.")
    for path in report.paths:
        console.print(
            f"\n{path.delay_ps:,} ps, {path.levels} levels: {path.start} -> {path.end} "
            f"({path.pin}), {path.over:,} of {path.endpoints:,} bits over {tool.CLOSE_AT_PS:,} ps"
        )
        table = Table()
        for name in ("at ps", "wire ps", "fan-out", "cell", "cell ps", "line", "drives"):
            numeric = name in ("at ps", "wire ps", "fan-out", "cell ps")
            table.add_column(name, justify="right" if numeric else "left", no_wrap=True)
        for each in path.steps:
            numbers = (f"{each.at_ps:,}", f"{each.wire_ps:,}", f"{each.fanout:,}")
            table.add_row(*numbers, each.cell, f"{each.cell_ps:,}", each.place, each.signal)
        print_table(console, table)
    if modules:
        table = Table(title="Cells per module, submodules excluded")
        table.add_column("module", no_wrap=True)
        keys = [key for key in list(modules[0])[1:] if any(row[key] for row in modules)]
        for key in keys:
            table.add_column(key, justify="right", no_wrap=True)
        for row in modules:
            table.add_row(row["module"], *(f"{row[key]:,}" for key in keys))
        print_table(console, table)
