"""Commands that make a design's simulator and run it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bombus.cli.common import DesignArgument, reading_console


def build(
    design: DesignArgument,
    trace: Annotated[bool, typer.Option(help="Make it able to write waveforms.")] = False,
    assertions: Annotated[bool, typer.Option(help="Check the assertions of the RTL.")] = False,
) -> None:
    """Build the simulator of a design; the cache has it if nothing has changed."""
    from bombus.build import build as step

    library = step(design, trace=trace, assertions=assertions)
    reading_console().print(str(library.path), markup=False)


def run(
    design: DesignArgument,
    tap: Annotated[str, typer.Option(help="Name of the network interface.")] = "bombus0",
    address: Annotated[
        str | None,
        typer.Option(help="This machine's address on it, with prefix. Default: one near."),
    ] = None,
    mtu: Annotated[int, typer.Option(help="MTU of the interface, in bytes.")] = 1500,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    impair_rx: Annotated[
        str | None,
        typer.Option(help="What befalls frames to the design: `loss=1%,delay_us=500`."),
    ] = None,
    impair_tx: Annotated[
        str | None, typer.Option(help="What befalls frames from the design.")
    ] = None,
    pcap_in: Annotated[Path | None, typer.Option(help="Frames to send at the start.")] = None,
    pcap_out: Annotated[Path | None, typer.Option(help="Capture of both directions.")] = None,
    duration: Annotated[
        float | None, typer.Option(help="Seconds to run. Default: until stopped.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="JSON file with all numbers, renewed as it runs.")
    ] = None,
) -> None:
    """Run a design live: Linux programs reach it through a network interface."""
    from bombus.impairment import Impairment
    from bombus.live import run as step

    step(
        design,
        tap=tap,
        address=address,
        mtu=mtu,
        seed=seed,
        impair_rx=Impairment.parse(impair_rx) if impair_rx else None,
        impair_tx=Impairment.parse(impair_tx) if impair_tx else None,
        pcap_in=pcap_in,
        pcap_out=pcap_out,
        duration=duration,
        report=report,
    )
