# SPDX-License-Identifier: Apache-2.0
"""`bombus firmware`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bombus.base.errors import UserError
from bombus.base.output import check_different
from bombus.cli.common import Command, Group
from bombus.firmware import LEAST_BYTES, MEMORY_BYTES

firmware = typer.Typer(
    cls=Group, help="Build programs for packet processors.", no_args_is_help=True
)


@firmware.command(cls=Command)
def build(
    sources: Annotated[list[Path], typer.Argument(metavar="FILE", help="C and assembler files.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="ELF file to write.")
    ],
    code_bytes: Annotated[
        int, typer.Option(metavar="BYTES", help="Size of the code memory, as in the design file.")
    ] = MEMORY_BYTES,
    data_bytes: Annotated[
        int, typer.Option(metavar="BYTES", help="Size of the data memory, as in the design file.")
    ] = MEMORY_BYTES,
    cycles: Annotated[
        bool,
        typer.Option(
            "--cycles",
            help="Also measure the cycles per packet on the RTL; the first time, this builds a "
            "simulator.",
        ),
    ] = False,
    frame_bytes: Annotated[
        int, typer.Option(metavar="BYTES", help="With --cycles: size of the frames, without FCS.")
    ] = LEAST_BYTES,
    design: Annotated[
        Path | None,
        typer.Option(
            metavar="DESIGN",
            help="With --cycles: a design with one packet processor. Default: one between two MAC "
            "ports, without accelerator.",
        ),
    ] = None,
) -> None:
    """Compile firmware; print how much memory it uses, and its cycles per packet."""
    from bombus.firmware import build as compiling
    from bombus.firmware import image

    if not cycles and (design is not None or frame_bytes != LEAST_BYTES):
        raise UserError("--design and --frame-bytes are for --cycles")
    files = [*(("source", file) for file in sources), ("design", design), ("output", output)]
    check_different(files)
    compiling.build(sources, output, code_bytes=code_bytes, data_bytes=data_bytes)
    found = image.read(output)
    typer.echo(f"{output}: {found.code_bytes} of {code_bytes} bytes of code, ", nl=False)
    typer.echo(f"{found.data_bytes} of {data_bytes} bytes of data")
    if cycles:
        from bombus.measure.firmware_cycles import ONE_PROCESSOR, measure

        result = measure(output, frame_bytes, design or ONE_PROCESSOR)
        typer.echo(
            f"{output}: {result.per_packet:.1f} cycles per packet of {frame_bytes} bytes; "
            f"latency {result.latency} cycles"
        )
