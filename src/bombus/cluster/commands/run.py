# SPDX-License-Identifier: Apache-2.0
"""`bombus cluster run`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bombus.base.output import check_different, check_writable


def run(
    design: Annotated[
        Path,
        typer.Argument(
            metavar="DESIGN",
            help="Design file with boards, or the cluster.json of `bombus generate`.",
            show_default=False,
        ),
    ],
    ranks: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            help="Processes that share the boards. Default: 1, or as many as mpirun has started.",
        ),
    ] = None,
    transport: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What joins the ranks: shared or mpi. Default: mpi if mpirun has started this.",
        ),
    ] = None,
    cycles: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="Cycles to run. Default: 100,000; live: no limit."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Seed of all random choices.")] = 0,
    bit_errors: Annotated[
        float,
        typer.Option(metavar="RATE", help="Probability that a bit of a link is wrong."),
    ] = 0.0,
    rate: Annotated[
        float, typer.Option(metavar="SHARE", help="Share of cycles in which links take a beat.")
    ] = 1.0,
    switch: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHAT=SHARE",
            help="Share of the frames of links by Ethernet to which the switch does this: loss, "
            "corrupt, repeat or reorder.",
        ),
    ] = None,
    kill: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A-B@FROM[:UNTIL]",
            help="Take the link between two boards down, in these cycles of the run.",
        ),
    ] = None,
    reroute: Annotated[
        bool,
        typer.Option(
            "--reroute", help="Rewrite the route tables when --kill takes a link, or it is back."
        ),
    ] = False,
    pcap_in: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Replay this capture into board 0 (--board) at first."),
    ] = None,
    pcap_out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Capture all MAC ports of all boards to this folder."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write counters and links to a JSON file; `-`: stdout."),
    ] = None,
    counters: Annotated[
        bool, typer.Option("--counters", help="Print the counters of all boards at the end.")
    ] = False,
    assertions: Annotated[
        bool, typer.Option("--assertions", help="Check the assertions in the RTL.")
    ] = False,
    tap: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Join a network interface of Linux to board 0."),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(
            metavar="IP/PREFIX", help="Address of this machine. Default: one the board can reach."
        ),
    ] = None,
    control: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Answer `bombus cluster counters FILE` at this socket meanwhile."
        ),
    ] = None,
    web: Annotated[
        bool, typer.Option("--web", help="Serve a web page that shows boards and links.")
    ] = False,
    web_address: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS:PORT", help="Where to serve it. Default: 127.0.0.1:8080."),
    ] = None,
    board: Annotated[int, typer.Option(metavar="NUMBER", help="Board of --tap and --pcap-in.")] = 0,
) -> None:
    """Simulate many boards, in one process or several, or on MPI."""
    from bombus.base.errors import UsageError
    from bombus.cluster.run import run as step

    if web_address is not None and not web:
        raise UsageError("--web-address is for --web")
    check_different([("design", design), ("pcap-in", pcap_in), ("report", report)])
    check_writable(report)
    step(
        design,
        ranks=ranks,
        transport=transport,
        cycles=cycles,
        seed=seed,
        bit_errors=bit_errors,
        rate=rate,
        switch=switch or (),
        kill=kill or (),
        pcap_in=pcap_in,
        pcap_out=pcap_out,
        report=report,
        assertions=assertions,
        tap=tap,
        address=address,
        board=board,
        reroute=reroute,
        counters=counters,
        control=control,
        web=web,
        web_address=web_address,
    )
