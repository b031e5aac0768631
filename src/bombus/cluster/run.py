# SPDX-License-Identifier: Apache-2.0
"""A run of many boards: what `bombus cluster run` does."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.table import Table

from bombus.base.console import new_console
from bombus.base.errors import UserError
from bombus.base.output import STDOUT, write_json
from bombus.base.tables import print_table
from bombus.cluster.description import Description
from bombus.cluster.live_run import exchange_frames
from bombus.cluster.simulation import Cluster

DEFAULT_CYCLES = 100_000


def run(
    design: Path | Description,
    *,
    ranks: int | None = None,
    transport: str | None = None,
    cycles: int | None = None,
    seed: int = 0,
    bit_errors: float = 0.0,
    rate: float = 1.0,
    kill: Sequence[str] = (),
    pcap_in: Path | None = None,
    pcap_out: Path | None = None,
    report: Path | None = None,
    assertions: bool = False,
    tap: str | None = None,
    address: str | None = None,
    board: int = 0,
) -> dict[str, Any]:
    """Runs a cluster for so many cycles, or live until a signal; returns the report.

    `tap`: a network interface of this machine, joined to MAC port 0 of `board`. `kill`:
    `A-B@FROM[:UNTIL]`, boards and cycles of the run. Other options as in `Cluster`.
    """
    if cycles is not None and cycles < 0:
        raise UserError(f"--cycles {cycles}: should be 0 or more")
    killed = [_parsed_kill(text) for text in kill]
    console = new_console(file=sys.stderr if report == STDOUT else None)
    with ExitStack() as stack:
        cluster = stack.enter_context(
            Cluster(design, ranks=ranks, transport=transport, seed=seed, assertions=assertions)
        )
        if bit_errors or rate != 1.0:
            for link in range(len(cluster.description.links)):
                cluster.impair(link, bit_errors=bit_errors, rate=rate)
        for a, b, start, end in killed:
            link = cluster.link_number(a, b)
            first = cluster.cycle
            cluster.set_link(link, up=False, cycle=first + start)
            if end is not None:
                cluster.set_link(link, up=True, cycle=first + end)
        if pcap_out is not None:
            cluster.pcap_out(pcap_out)
        if pcap_in is not None:
            cluster[board].call("pcap_in", pcap_in.absolute())
        started, first = time.monotonic(), cluster.cycle
        if tap is not None:
            _run_live(cluster, board, tap, address, cycles, console)
        else:
            cluster.run(DEFAULT_CYCLES if cycles is None else cycles)
        seconds, ran = time.monotonic() - started, cluster.cycle - first
        found: dict[str, Any] = {
            "cluster": cluster.description.name,
            "ranks": cluster.ranks,
            "cycles": ran,
            "seconds": round(seconds, 3),
            "links": _links(cluster),
            "boards": _boards(cluster),
        }
        cluster.check()
    print_table(console, _table(found))
    console.print(
        f"{len(found['boards'])} boards in {found['ranks']} ranks: {ran} cycles in {seconds:.2f} s",
        highlight=False,
    )
    write_json(found, report)
    return found


def _parsed_kill(text: str) -> tuple[int, int, int, int | None]:
    match = re.fullmatch(r"(\d+)-(\d+)@(\d+)(?::(\d+))?", text)
    if match is None:
        raise UserError(f"--kill {text}: should be A-B@FROM or A-B@FROM:UNTIL, such as 3-4@1000")
    a, b, start, end = match.groups()
    if end is not None and int(end) < int(start):
        raise UserError(f"--kill {text}: ends before it begins")
    return int(a), int(b), int(start), None if end is None else int(end)


def _run_live(
    cluster: Cluster, board: int, tap: str, address: str | None, cycles: int | None, console: Any
) -> None:
    from bombus.live.interface import Interface
    from bombus.live.run import DEFAULT_MTU, stop_on_signal
    from bombus.live.sides import sides_of

    ports = cluster[board].manifest["mac_ports"]
    side = sides_of(ports, {"tap": tap, "address": address, **dict.fromkeys(_OTHER)})[0]
    with stop_on_signal() as stop, Interface(side.tap) as interface:
        interface.bring_up(side.address, DEFAULT_MTU, None)
        console.print(
            f"board {board} at {side.host.ip} on {interface.name} ({interface.kind}, local address "
            f"{side.address}); press Ctrl-C to stop",
            highlight=False,
        )
        exchange_frames(cluster, board, interface.file_descriptor, stop=stop, cycles=cycles)


_OTHER = ("netns", "bridge", "ip", "mac", "gateway")  # options that are not given


def _links(cluster: Cluster) -> list[dict[str, Any]]:
    return [
        {
            "a": list(link.a),
            "b": list(link.b),
            "from_a": _direction(at_a, at_b),
            "from_b": _direction(at_b, at_a),
        }
        for link, (at_a, at_b) in zip(
            cluster.description.links, cluster.link_statistics(), strict=True
        )
    ]


def _direction(sender: Any, receiver: Any) -> dict[str, Any]:
    sent, received = asdict(sender), asdict(receiver)
    return {
        "sent": sent["sent"],
        "received": received["received"],
        "lost": received["lost"],
        "flipped_bits": sent["flipped_bits"],
        "digest": f"{received['received_digest']:016x}",
    }


def _boards(cluster: Cluster) -> list[dict[str, Any]]:
    return [
        {
            "board": board.number,
            "name": board.name,
            "mac_ports": [
                board.call("statistics", port) for port in range(len(board.manifest["mac_ports"]))
            ],
            "counters": board.counters(),
        }
        for board in cluster
    ]


def _table(found: dict[str, Any]) -> Table:
    table = Table("link", "beats", "received", "lost", "wrong bits", title="Links")
    for link in found["links"]:
        for key, ends in (("from_a", ("a", "b")), ("from_b", ("b", "a"))):
            (source, out), (target, into) = (link[end] for end in ends)
            each = link[key]
            table.add_row(
                f"{source}.{out} to {target}.{into}",
                *(str(each[name]) for name in ("sent", "received", "lost", "flipped_bits")),
            )
    return table
