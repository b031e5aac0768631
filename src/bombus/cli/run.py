# SPDX-License-Identifier: Apache-2.0
"""`bombus run`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bombus.base.output import check_different
from bombus.cli import extensions
from bombus.cli.common import BoardOption, DesignArgument

if TYPE_CHECKING:
    from bombus.simulator.impairment import Impairment


@extensions.with_run_options(before="duration")
def run(
    design: DesignArgument,
    tap: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Name of the network interface to create. This and the next options can be "
            "repeated: the first is for MAC port 0, the second for port 1. Default: bombus0, "
            "bombus1...",
        ),
    ] = None,
    address: Annotated[
        list[str] | None,
        typer.Option(
            metavar="IP/PREFIX",
            help="Address of the interface on this machine, with prefix length. Default: a free "
            "address in the design's subnet.",
        ),
    ] = None,
    mtu: Annotated[
        int, typer.Option(metavar="BYTES", help="MTU of the interface, in bytes.")
    ] = 1500,
    netns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Network namespace of the interface; given once, it applies to all MAC ports. "
            "Default: the current namespace.",
        ),
    ] = None,
    bridge: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Add the interface to this bridge, without an address."),
    ] = None,
    ip: Annotated[
        list[str] | None,
        typer.Option(
            metavar="IP[/PREFIX]", help="IP address of the design. Default: from the design file."
        ),
    ] = None,
    mac: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MAC", help="MAC address of the design. Default: from the design file."
        ),
    ] = None,
    gateway: Annotated[
        list[str] | None,
        typer.Option(
            metavar="IP",
            help="Gateway of the design; 0.0.0.0 for none. Default: from the design file.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            help="Seed of impairments and of the design's secrets. Default: drawn at random.",
        ),
    ] = None,
    impair_rx: Annotated[
        str | None,
        typer.Option(
            metavar="LIST", help="Impair incoming frames, for example `loss=1%,delay_us=500`."
        ),
    ] = None,
    impair_tx: Annotated[
        str | None, typer.Option(metavar="LIST", help="Impair outgoing frames.")
    ] = None,
    pcap_in: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Replay this capture (pcap or pcapng) into the design at the start.",
        ),
    ] = None,
    keep_time: Annotated[
        bool,
        typer.Option(
            "--keep-time", help="Replay with the capture's own gaps instead of back to back."
        ),
    ] = False,
    pcap_out: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Capture both directions to this file; .pcapng or classic pcap."
        ),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a waveform to this file: .fst, or .vcd where FST is not available.",
        ),
    ] = None,
    assertions: Annotated[
        bool, typer.Option("--assertions", help="Check the assertions in the RTL.")
    ] = False,
    board: BoardOption = None,
    duration: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Seconds to run. Default: until stopped."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write counters and statistics to this JSON file, updated while running; "
            "`-`: standard output, at the end.",
        ),
    ] = None,
    *,
    given: Mapping[str, Any],
) -> None:
    """Simulate a design live, attached to a Linux network interface."""
    from bombus.live.run import run as step
    from bombus.live.software import together

    check_different([("report", report), *extensions.written_files(given)])
    with ExitStack() as stack:
        step(
            design,
            tap=tap or None,
            address=address,
            mtu=mtu,
            netns=netns,
            bridge=bridge,
            ip=ip,
            mac=mac,
            gateway=gateway,
            seed=seed,
            impair_rx=_impairment("--impair-rx", impair_rx),
            impair_tx=_impairment("--impair-tx", impair_tx),
            pcap_in=pcap_in,
            keep_time=keep_time,
            pcap_out=pcap_out,
            trace=trace,
            assertions=assertions,
            board=board,
            software=together(extensions.software(design, given, stack)),
            duration=duration,
            report=report,
            drops_privileges=True,
        )


def _impairment(option: str, text: str | None) -> Impairment | None:
    from bombus.simulator.impairment import Impairment

    return None if text is None else Impairment.parse(text, option)
