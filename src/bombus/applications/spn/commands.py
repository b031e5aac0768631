# SPDX-License-Identifier: Apache-2.0
"""`bombus spn`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bombus.base.commands import Command, Group
from bombus.base.options import JsonOption

spn = typer.Typer(cls=Group, help="Sum-product networks as layers.", no_args_is_help=True)


@spn.command(cls=Command)
def compile(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="Network in a text form of SPFlow.")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Folder for the SystemVerilog.")
    ],
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Name of the layer. Default: that of the file."),
    ] = None,
    error: Annotated[
        float | None,
        typer.Option(
            metavar="NATS",
            help="Largest acceptable bound on the error of a log-likelihood; the smallest number "
            "format that keeps it is chosen. Default: 2e-4, or --fraction 16 where no format does.",
        ),
    ] = None,
    fraction: Annotated[
        int | None, typer.Option(metavar="BITS", help="Bits after the point, instead of --error.")
    ] = None,
    value_bits: Annotated[
        int, typer.Option(metavar="BITS", help="Bits of a variable; all ones: missing.")
    ] = 8,
    copies: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Copies of the pipeline. Default: as many as the line needs at the clock.",
        ),
    ] = None,
    line_rate: Annotated[float, typer.Option(metavar="GBPS", help="Of the line.")] = 100,
    clock: Annotated[float, typer.Option(metavar="MHZ", help="Of the design.")] = 250,
    transport: Annotated[str, typer.Option(metavar="NAME", help="udp, ethernet or tcp.")] = "udp",
    udp_port: Annotated[int, typer.Option(metavar="PORT", help="Default of the layer.")] = 1043,
    floats: Annotated[
        bool, typer.Option("--float", help="Results as floats instead of fixed point.")
    ] = False,
    design: Annotated[
        bool, typer.Option("--design", help="Also write a design, NAME_design.yaml.")
    ] = False,
    data_width: Annotated[int, typer.Option(metavar="BITS", help="Of that design.")] = 512,
    json: JsonOption = None,
) -> None:
    """Compile a sum-product network into a layer; print its bound and size."""
    from dataclasses import asdict

    from bombus.applications import spn as application
    from bombus.applications.spn import domain
    from bombus.applications.spn.bound import printed
    from bombus.applications.spn.pipeline import ERROR
    from bombus.base.output import STDOUT, check_json, write_json
    from bombus.base.text import counted

    check_json(json, None, model=model)
    network = application.read(model)
    found = application.compile(
        network,
        output,
        name=name,
        error=error,
        fraction=fraction,
        value_bits=value_bits,
        copies=copies,
        line_rate_gbps=line_rate,
        clock_mhz=clock,
        transport=transport,
        udp_port=udp_port,
        floats=floats,
    )
    written = found.files
    if design:
        file = application.write_design(
            found, output, data_width=data_width, clock_mhz=clock, line_rate_gbps=line_rate
        )
        written = (*written, file)
    pipeline, size = found.pipeline, found.resources
    integer = pipeline.width - pipeline.fraction
    bound = pipeline.stated_bound(floats)
    warnings = [*domain.warnings(network, value_bits)]
    if error is None and fraction is None and pipeline.stated_bound(floats=False) > ERROR:
        warnings.append(f"no format bounds the error by {ERROR:g} nats")
    for warning in warnings:
        typer.echo(f"{model}: warning: {warning}", err=True)
    write_json(
        {
            "name": found.name,
            "files": [str(file) for file in written],
            "variables": len(network.variables),
            "nodes": len(network.nodes),
            "integer_bits": integer,
            "fraction_bits": pipeline.fraction,
            "table_entries": pipeline.table.entries,
            "bound_nats": bound,
            "copies": found.copies,
            **asdict(size),
        },
        json,
    )
    if json != STDOUT:
        typer.echo(
            f"{written[-1]}: {counted(len(network.variables), 'variable')}, "
            f"{counted(len(network.nodes), 'node')}, numbers Q{integer}.{pipeline.fraction}\n"
            f"error of a log-likelihood: at most {printed(bound)} nats\n"
            f"{counted(found.copies, 'pipeline')}, each about {size.luts:,} LUTs, "
            f"{counted(size.dsps, 'DSP')}, {size.bram36:g} BRAM36; depth {size.depth} cycles"
        )


COMMANDS = {"spn": spn}
