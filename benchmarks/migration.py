# SPDX-License-Identifier: Apache-2.0
"""Live migration of TCP connections: how long a client that moves to another host is away.

A client on a Linux host sends requests of 64 bytes to a TCP echo behind a NAT. Its connection moves
to another host and back, again and again, by TCP_REPAIR and by a change of the NAT's tables. The
stack runs in virtual time. While Linux dumps and restores the connection, as much of the stack's
time passes as this takes in real time.
"""

from __future__ import annotations

import socket
import struct
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import sha256
from ipaddress import IPv4Address
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated

from _migration_hosts import Link, LinuxHost, Manager
from rich.table import Table

from bombus import Simulation
from bombus.applications.functions import tcp_repair
from bombus.base.errors import UserError
from bombus.base.paths import EXAMPLES
from bombus.measure.bench import report_replies
from bombus.protocols.frames import Host
from bombus.simulator.impairment import Impairment

DESIGN = EXAMPLES / "functions" / "tcp_echo_nat.yaml"
ADDRESSES = ("10.77.0.11", "10.77.0.12")
VIRTUAL = "10.99.0.9"
PORT = 7
REQUEST_BYTES = 64
INTERVAL_US = 100
REQUESTS = (4, 12)  # between two migrations, at random
PATIENCE_US = 60_000_000
RST = 4
DIRECTION = "linux_to_linux"


@dataclass(frozen=True)
class Row:
    """Figures of all migrations of a run; docs/benchmarks.md defines them."""

    direction: str
    migrations: int
    resets: int
    bytes_lost: int
    gap_us_stack: float  # median
    gap_us_stack_longest: float
    gap_us_wall: float  # median
    linux_us: float  # of the gap: median
    requests: int


class Clock:
    """Real time of a migration, and the part of it in which Linux works, which the stack's time
    follows."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self.linux_us = 0.0
        self.start()
        self._began = self._started

    def start(self) -> None:
        self._started = time.perf_counter()

    def charge(self) -> None:
        us = (time.perf_counter() - self._started) * 1e6
        self.linux_us += us
        self._link.run(round(us))
        self.wall_us = (time.perf_counter() - self._began) * 1e6


@dataclass
class Client:
    """A closed loop of requests on one connection, and its moves."""

    link: Link
    manager: Manager
    random: Random
    at: int = 0  # number of its host
    requests: int = 0
    sent: bytearray = field(default_factory=bytearray)
    received: bytearray = field(default_factory=bytearray)
    clocks: list[Clock] = field(default_factory=list)
    _next_us: int = 0

    def connect(self) -> None:
        link, host = self.link, self.link.hosts[self.at]
        for request in self._tables(self.at):
            self.manager.run(request)
        with host.inside():
            self.connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.connection.setblocking(False)
        self.connection.bind((host.address, 0))
        server = str(IPv4Address(Host.from_manifest(link.simulation.manifest).ip))
        self.connection.connect_ex((server, PORT))
        end = link.now_us + PATIENCE_US
        while self.connection.connect_ex((server, PORT)) != 0:
            link.wait()
            if link.now_us > end:
                raise UserError("the client does not reach the echo")
        self._next_us = link.now_us

    def _tables(self, to: int) -> tuple[bytes, bytes]:
        """Requests to the controller: what of a host reaches TCP, then where TCP's answers go."""
        own, virtual = (int(IPv4Address(each)) for each in (self.link.hosts[to].address, VIRTUAL))
        return (
            self.manager.prepared("receive", {"from_ip": own, "to_ip": virtual, "valid": 1}),
            self.manager.prepared("transmit", {"from_ip": virtual, "to_ip": own, "valid": 1}),
        )

    def send(self) -> None:
        """The next request, when it is time for it."""
        self.link.run(max(0, self._next_us - self.link.now_us))
        self._next_us = max(self._next_us + INTERVAL_US, self.link.now_us)
        request = self.random.randbytes(REQUEST_BYTES)
        self.sent += request
        self.requests += 1
        if self.connection.send(request) != REQUEST_BYTES:
            raise UserError("the client's send buffer is full")

    def receive(self) -> None:
        """All answers that are not here yet."""
        end = self.link.now_us + PATIENCE_US
        while len(self.received) < len(self.sent):
            try:
                part = self.connection.recv(65_536)
            except BlockingIOError:
                self.link.wait()
                if self.link.now_us > end:
                    return
                continue
            except OSError:  # a reset
                return
            if not part:
                return
            self.received += part

    def move(self) -> None:
        """The connection goes to the other host.

        Requests to the controller are sealed before, and the new host has a socket.
        """
        link, old, to = self.link, self.connection, 1 - self.at
        host = link.hosts[to]
        reception, transmission = self._tables(to)
        with host.inside():
            new = tcp_repair.prepare(host.address, old.getsockname()[1])
        clock = Clock(link)
        with tcp_repair.paused(old, filters=False):
            clock.charge()
            self.manager.run(reception)  # from now on, nothing of the old host reaches TCP
            clock.start()
            state = tcp_repair.dump(old)
            tcp_repair.restore(new, state)
            clock.charge()
            self.manager.run(transmission)
            clock.start()
            tcp_repair.resume(new, state)
            new.setblocking(False)
            clock.charge()
        self.connection, self.at = new, to
        self.clocks.append(clock)

    def close(self) -> None:
        self.connection.close()
        for _ in range(100):
            self.link.wait()


@dataclass(frozen=True)
class Segment:
    """A segment at the MAC port."""

    time_ns: int
    host: int  # its number
    is_received: bool  # by the stack
    flags: int
    payload_bytes: int


def segments(capture: Path, hosts: list[LinuxHost]) -> list[Segment]:
    """TCP segments of the hosts in a capture file of the simulator."""
    data = capture.read_bytes()
    macs = [host.mac for host in hosts]
    found, position = [], 24
    while position < len(data):
        seconds, fraction, length, _ = struct.unpack_from("<IIII", data, position)
        frame = data[position + 16 : position + 16 + length]
        position += 16 + length
        if frame[12:14] != b"\x08\x00" or frame[23] != 6:
            continue
        is_received = frame[6:12] in macs
        mac = frame[6:12] if is_received else frame[:6]
        header = (frame[46] >> 4) * 4
        payload = int.from_bytes(frame[16:18]) - 20 - header
        time_ns = seconds * 1_000_000_000 + fraction
        found.append(Segment(time_ns, macs.index(mac), is_received, frame[47], payload))
    return found


def gaps_us(found: list[Segment]) -> list[float]:
    """From the last request of a host to the first one of the other, at the stack."""
    requests = [each for each in found if each.is_received and each.payload_bytes]
    return [(b.time_ns - a.time_ns) / 1000 for a, b in pairwise(requests) if a.host != b.host]


def measure(
    simulation: Simulation, migrations: int, impairment: Impairment | None, seed: int
) -> tuple[Row, list[Segment]]:
    with ExitStack() as stack, TemporaryDirectory() as folder:
        hosts = []
        for number, address in enumerate(ADDRESSES):
            hosts.append(LinuxHost(f"host{number}", address))
            stack.callback(hosts[-1].close)
        link = Link(simulation, hosts)
        client = Client(link, Manager(link), Random(seed))
        capture = Path(folder) / "capture.pcap"
        simulation.pcap_out(capture)
        simulation.impair(impairment, impairment)
        client.connect()
        for _ in range(migrations):
            for _ in range(client.random.randint(*REQUESTS)):
                client.send()
                client.receive()
            if impairment is not None and client.random.random() < 0.5:
                client.send()  # moves with the request or its answer in flight
                link.run(client.random.randrange(8))
            client.move()
            client.receive()
        client.send()
        client.receive()
        client.close()
        simulation.impair()
        simulation.pcap_out(None)
        found = segments(capture, hosts)
    is_same = sha256(client.sent).digest() == sha256(client.received).digest()
    lost = len(client.sent) - len(client.received)
    if not is_same and not lost:
        raise UserError("the answers differ from the requests")
    gaps = gaps_us(found)
    if len(gaps) != migrations:
        raise UserError(f"{migrations} migrations, but {len(gaps)} changes of the host")
    row = Row(
        DIRECTION,
        migrations,
        sum(bool(each.flags & RST) for each in found),
        lost,
        round(median(gaps), 1),
        round(max(gaps), 1),
        round(median(clock.wall_us for clock in client.clocks), 1),
        round(median(clock.linux_us for clock in client.clocks), 1),
        client.requests,
    )
    return row, found


def main(
    design: Path | None = None,
    json: Path | None = None,
    migrations: Annotated[int, "moves of the connection, one after the other"] = 10,
    impair: Annotated[str, "impairment of both directions, such as loss=1%,reorder=2%"] = "",
    seed: Annotated[int, "random seed"] = 1,
) -> None:
    impairment = Impairment.parse(impair, "--impair") if impair else None
    with Simulation(design or DESIGN, seed=seed) as simulation:
        row, _ = measure(simulation, migrations, impairment, seed)
        simulation.check()
        print(
            {
                k: v
                for t, c in simulation.counters().items()
                for k, v in c.items()
                if v and ("tcp" in k or "nat" in k or "drop" in k)
            }
        )
        errors = row.resets + row.bytes_lost
    table = Table("direction", title="migration")
    headings = ("migrations", "resets", "bytes lost", "gap us", "longest", "wall us", "Linux us")
    for heading in headings:
        table.add_column(heading, justify="right")
    table.add_row(
        row.direction,
        str(row.migrations),
        str(row.resets),
        str(row.bytes_lost),
        f"{row.gap_us_stack:g}",
        f"{row.gap_us_stack_longest:g}",
        f"{row.gap_us_wall:g}",
        f"{row.linux_us:g}",
    )
    report_replies([row], errors, "migration", json, [table])
