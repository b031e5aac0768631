# SPDX-License-Identifier: Apache-2.0
"""Live migration of TCP connections: how long a client that moves to another host is away.

A client on a Linux host sends requests of 64 bytes to a TCP echo behind a NAT. Its connection moves
to another host and back, again and again, by TCP_REPAIR and by a change of the NAT's tables. The
stack runs in virtual time. While Linux dumps and restores the connection, as much of the stack's
time passes as this takes in real time.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated

from _migration_client import Client
from _migration_link import Link, Manager
from _migration_report import Segment, draw, gaps_us, resets, segments
from rich.table import Table

from bombus import Simulation
from bombus.base.errors import UserError
from bombus.base.paths import EXAMPLES
from bombus.live.linux_host import LinuxHost
from bombus.measure.bench import report_replies
from bombus.simulator.impairment import Impairment

DESIGN = EXAMPLES / "functions" / "tcp_echo_nat.yaml"
ADDRESSES = ("10.77.0.11", "10.77.0.12")
REQUESTS = range(4, 13)  # between two migrations
SHOWN_REQUESTS = range(50, 51)  # between two migrations, for the picture
SHOWN = 9  # migrations
DIRECTION = "linux_to_linux"
LATEST_US = 8  # after a request in whose round trip its connection moves


@dataclass(frozen=True)
class Row:
    """Figures of all migrations of a run; docs/benchmarks.md defines them."""

    direction: str
    impairment: str
    migrations: int
    requests: int
    resets: int
    bytes_lost: int
    gap_us_stack: float
    gap_us_stack_longest: float
    gap_us_wall: float
    linux_us: float


def moves(client: Client, migrations: int, requests: Sequence[int], *, in_flight: bool) -> None:
    """Requests and migrations, until an answer does not come. `in_flight`: half of the
    migrations begin within the round trip of a request."""
    for number in range(migrations + 1):
        for _ in range(client.random.choice(requests)):
            client.send()
            client.receive()
            if client.lost:
                return
        if number == migrations:
            return
        if in_flight and client.random.random() < 0.5:
            client.send()
            client.link.run(client.random.randrange(LATEST_US))
        client.move()
        client.receive()


def middle(values: Sequence[float]) -> float:
    """The median, in the digits of a report; 0 of nothing."""
    return round(median(values), 1) if values else 0.0


def measure(
    design: Path,
    migrations: int,
    impairment: str,
    seed: int,
    requests: Sequence[int] = REQUESTS,
) -> tuple[Row, list[Segment]]:
    """Moves a connection to and fro; the segments at the MAC port."""
    impaired = Impairment.parse(impairment, "--impair") if impairment else None
    with ExitStack() as stack:
        simulation = stack.enter_context(Simulation(design, seed=seed))
        folder = stack.enter_context(TemporaryDirectory())
        hosts = [
            stack.enter_context(LinuxHost(f"host{number}", address))
            for number, address in enumerate(ADDRESSES)
        ]
        link = Link(simulation, hosts)
        client = Client(link, Manager(link), Random(seed))
        capture = Path(folder) / "capture.pcap"
        simulation.pcap_out(capture)
        simulation.impair(impaired, impaired)
        client.connect()
        moves(client, migrations, requests, in_flight=impaired is not None)
        client.close()
        simulation.pcap_out(None)
        simulation.check()
        found = segments(capture, [host.mac for host in hosts])
    gaps = gaps_us(found)
    if not client.lost and len(gaps) != migrations:
        raise UserError(f"{migrations} migrations, but {len(gaps)} changes of the host")
    row = Row(
        direction=DIRECTION,
        impairment=impairment,
        migrations=len(client.clocks),
        requests=client.requests,
        resets=resets(found),
        bytes_lost=client.lost,
        gap_us_stack=middle(gaps),
        gap_us_stack_longest=round(max(gaps, default=0.0), 1),
        gap_us_wall=middle([clock.wall_us for clock in client.clocks]),
        linux_us=middle([clock.linux_us for clock in client.clocks]),
    )
    return row, found


def main(
    design: Path | None = None,
    json: Path | None = None,
    migrations: Annotated[int, "moves of the connection, one after the other"] = 10,
    impair: Annotated[str, "impairment of both directions, such as loss=1%,reorder=2%"] = "",
    seed: Annotated[int, "random seed"] = 1,
    pictures: Annotated[str, "folder for the picture of a migration, of another run"] = "",
) -> None:
    design = design or DESIGN
    row, _ = measure(design, migrations, impair, seed)
    if pictures:
        _, found = measure(design, SHOWN, "", seed, SHOWN_REQUESTS)
        draw(found, Path(pictures) / "migration.svg")
    table = Table("direction", title="migration")
    headings = (
        "migrations",
        "resets",
        "bytes\nlost",
        "gap, us",
        "longest",
        "wall, us",
        "Linux, us",
    )
    for heading in headings:
        table.add_column(heading, justify="right")
    figures = (
        row.migrations,
        row.resets,
        row.bytes_lost,
        row.gap_us_stack,
        row.gap_us_stack_longest,
        row.gap_us_wall,
        row.linux_us,
    )
    table.add_row(row.direction, *(f"{each:,}" for each in figures))
    report_replies([row], row.resets + row.bytes_lost, "migration", json, [table])
