# SPDX-License-Identifier: Apache-2.0
"""`bombus logs` and `bombus replay`."""

from __future__ import annotations

from ipaddress import IPv4Address
from pathlib import Path
from typing import Annotated

import typer

from bombus.base.errors import UserError
from bombus.base.output import writing


def logs(
    design_file: Annotated[
        Path, typer.Argument(metavar="DESIGN", help="Design file (YAML).", show_default=False)
    ],
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="IP address of the running design.")
    ],
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="LOG", help="Logs by tile or layer. Default: all of the design."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="DIR", help="Also save the logs here, as TILE.LAYER.log."
        ),
    ] = None,
    pcapng: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the logged packets to this capture."),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Do not print the entries of the logs.")
    ] = False,
) -> None:
    """Fetch the logs of a running design over UDP, print and save them."""
    from bombus.analysis.check import check
    from bombus.applications.logs import printing
    from bombus.applications.logs.places import find_log, logs_of
    from bombus.applications.logs.reading import UdpPort, fetch
    from bombus.base.console import new_console

    try:
        IPv4Address(address)
    except ValueError:
        raise UserError(f"{address!r} is not an IPv4 address") from None
    design = check(design_file)[0].design
    places = [find_log(design, name) for name in names] if names else logs_of(design)
    if not places:
        raise UserError(f"{design_file} has no log: docs/applications/logs/logs.md")
    if output is not None:
        with writing(output):
            output.mkdir(parents=True, exist_ok=True)
    console = new_console()
    hosts = [port.ip.packed for port in design.config.ports]
    found = {}
    for place in places:
        with UdpPort(address, place.port) as port:
            found[place] = fetch(port, place)
        if output is not None:
            found[place].save(output / f"{place.name}.log")
        if not quiet:
            printing.print_log(console, place, found[place], hosts)
    printing.print_latencies(console, found)
    if pcapng is not None:
        count = printing.write_capture(pcapng, found, design.config.clock_mhz, hosts)
        console.print(f"{pcapng}: {count} packets", markup=False)


def replay(
    design_file: Annotated[
        Path, typer.Argument(metavar="DESIGN", help="Design file (YAML).", show_default=False)
    ],
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="LOG",
            help="Folder with the TCP header logs that `bombus logs -o` has written.",
            show_default=False,
        ),
    ],
    seed: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, help="Seed of the run that was logged.")
    ] = 0,
) -> None:
    """Replay a TCP header log in simulation, and compare the engine's segments and cycles."""
    from bombus.analysis.check import check
    from bombus.applications.logs import replaying
    from bombus.applications.logs.messages import LogError
    from bombus.base.console import new_console
    from bombus.base.text import counted

    design = check(design_file)[0].design
    logs = replaying.load_logs(replaying.engine_logs(design), folder)
    found = replaying.replay(design_file, logs, seed=seed)
    console = new_console()
    if found.is_uncertain:
        raise LogError(
            f"no replay from cycle {found.jumps[0]} on: after it, time was skipped while timers "
            "were armed, as in a live run, and a log does not show in which cycles. Up to there, "
            f"all is the same; the first difference is {found.difference}"
        )
    if found.jumps:
        console.print(
            f"time was skipped while timers were armed, first after cycle {found.jumps[0]}: "
            "no timer fired in another cycle",
            markup=False,
        )
    if found.difference is not None:
        console.print(f"first difference: {found.difference}", markup=False)
        raise typer.Exit(1)
    console.print(
        f"{counted(found.received, 'segment')} received and {found.sent} sent: the same, in the "
        f"same cycles, up to cycle {found.until}",
        markup=False,
    )


COMMANDS = {"logs": logs, "replay": replay}
