# SPDX-License-Identifier: Apache-2.0
"""Live migration of TCP connections: how long a client that moves to another host is away.

A client on a Linux host sends requests of 64 bytes to a TCP echo behind a NAT. Its connection moves
to another host and back, again and again, by TCP_REPAIR and by a change of the NAT's tables. In the
other directions, the stack's end of a connection moves between two engines, or an engine and Linux.
The stacks run in virtual time. While Linux dumps and restores the connection, as much of the
stack's time passes as this takes in real time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Annotated

from _migration_client import Client
from _migration_link import Link, Manager
from _migration_report import Segment, draw, gaps_us, resets, segments
from _migration_row import Row, longest, middle
from _migration_sessions import engine_rows, linux_rows
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
ALLOWED_US = 300.0
LATEST_US = 8  # after a request in whose round trip its connection moves


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
        direction="linux_to_linux",
        impairment=impairment,
        migrations=len(client.clocks),
        requests=client.requests,
        resets=resets(found),
        bytes_lost=client.lost,
        bytes_moved=middle(client.sizes),
        gap_us_stack=middle(gaps),
        gap_us_stack_longest=longest(gaps),
        gap_us_bound=ALLOWED_US,
        gap_us_wall=middle([clock.wall_us for clock in client.clocks]),
        linux_us=middle([clock.linux_us for clock in client.clocks]),
    )
    return row, found


RUNS = ("hosts", "engines", "linux")


def main(
    design: Path | None = None,
    json: Path | None = None,
    migrations: Annotated[int, "moves of a connection in each direction"] = 10,
    runs: Annotated[
        str, "hosts (of the client), engines and linux (of the stack's end), separated by commas"
    ] = ",".join(RUNS),
    impair: Annotated[str, "impairment of both directions, such as loss=1%,reorder=2%"] = "",
    seed: Annotated[int, "random seed"] = 1,
    pictures: Annotated[str, "folder for the picture of a migration, of another run"] = "",
) -> None:
    design = design or DESIGN
    chosen = runs.split(",")
    if unknown := [each for each in chosen if each not in RUNS]:
        raise UserError(f"--runs {unknown[0]}: expected some of {', '.join(RUNS)}")
    rows = []
    if "hosts" in chosen:
        rows.append(measure(design, migrations, impair, seed)[0])
    if "engines" in chosen:
        rows += engine_rows(migrations, impair, seed)
    if "linux" in chosen:
        rows += linux_rows(migrations, impair, seed)
    if pictures:
        _, found = measure(design, SHOWN, "", seed, SHOWN_REQUESTS)
        draw(found, Path(pictures) / "migration.svg")
    errors = sum(row.resets + row.bytes_lost for row in rows)
    report_replies(rows, errors, "migration", json, [_table(rows)])


def _table(rows: Sequence[Row]) -> Table:
    table = Table("direction", title="migration")
    columns: Mapping[str, Callable[[Row], float]] = {
        "migrations": lambda row: row.migrations,
        "resets": lambda row: row.resets,
        "bytes\nlost": lambda row: row.bytes_lost,
        "bytes\nmoved": lambda row: row.bytes_moved,
        "gap, us": lambda row: row.gap_us_stack,
        "longest": lambda row: row.gap_us_stack_longest,
        "bound": lambda row: row.gap_us_bound,
        "wall, us": lambda row: row.gap_us_wall,
        "Linux, us": lambda row: row.linux_us,
    }
    for heading in columns:
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(row.direction, *(f"{figure(row):,}" for figure in columns.values()))
    return table
