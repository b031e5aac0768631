# SPDX-License-Identifier: Apache-2.0
"""A client of a TCP echo, whose connection moves between Linux hosts."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from random import Random

from _migration_link import Link, Manager

from bombus.applications.functions import tcp_repair
from bombus.base.errors import UserError
from bombus.protocols.frames import Host

VIRTUAL = "10.99.0.9"
PORT = 7
REQUEST_BYTES = 64
INTERVAL_US = 100
PATIENCE_US = 20_000_000


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
    sizes: list[int] = field(default_factory=list)  # bytes in the queues of a move
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
        self._next_us = self.link.now_us + INTERVAL_US
        request = self.random.randbytes(REQUEST_BYTES)
        self.sent += request
        self.requests += 1
        if self.connection.send(request) != REQUEST_BYTES:
            raise UserError("the client's send buffer is full")

    def receive(self) -> None:
        """All answers that are not here yet; raises UserError if they differ from the requests."""
        end = self.link.now_us + PATIENCE_US
        while self.lost and self.link.now_us < end:
            try:
                part = self.connection.recv(65_536)
            except BlockingIOError:
                self.link.wait()
                continue
            except OSError:  # a reset
                return
            if not part:
                return
            self.received += part
            if not self.sent.startswith(
                self.received[-len(part) :], len(self.received) - len(part)
            ):
                raise UserError("the echo's bytes differ from those of the requests")

    @property
    def lost(self) -> int:
        """Bytes of requests without an answer."""
        return len(self.sent) - len(self.received)

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
        self.sizes.append(len(state.unacknowledged) + len(state.received))

    def close(self) -> None:
        """Ends the connection, and waits until the stack has closed its side."""
        self.connection.shutdown(socket.SHUT_WR)
        end = self.link.now_us + PATIENCE_US
        while not self.lost and self.link.now_us < end:
            try:
                if self.connection.recv(1):
                    raise UserError("the echo has sent more than it received")
                break
            except BlockingIOError:
                self.link.wait()
        self.connection.close()
