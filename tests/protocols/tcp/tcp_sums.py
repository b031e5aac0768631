# SPDX-License-Identifier: Apache-2.0
"""A TCP application in a live run, with SHA-256 sums of what it receives and of what it sends.

Port SINK: receives bytes up to the peer's end, and answers with their sum. Port SOURCE: receives a
number in 8 bytes, sends as many bytes, then their sum. The peer is
`python -m tests.protocols.tcp.tcp_sums`.
"""

from __future__ import annotations

import hashlib
import socket
import sys
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

import bombus

if TYPE_CHECKING:
    from bombus import Simulation
    from bombus.protocols.tcp.sockets import Connection, Listener

SINK, SOURCE = 9001, 9002
PART = 1 << 16
NUMBER_BYTES = 8
PATIENCE_SECONDS = 120


@dataclass
class Transfer:
    """One connection at the design."""

    is_source: bool
    left: int | None = None  # bytes of a source that are still to be sent; None: not told yet
    random: Random = field(default_factory=lambda: Random(SOURCE))
    sum: Any = field(default_factory=hashlib.sha256)

    def step(self, connection: Connection) -> bool:
        """Whether it is over."""
        if connection.is_reset:
            connection.close()
            return True
        return self._send(connection) if self.is_source else self._receive(connection)

    def _receive(self, connection: Connection) -> bool:
        self.sum.update(connection.read())
        if connection.at_end:
            connection.write(self.sum.digest())
            connection.close()
        return connection.at_end

    def _send(self, connection: Connection) -> bool:
        if self.left is None:
            if connection.available < NUMBER_BYTES:
                return False
            self.left = int.from_bytes(connection.read(NUMBER_BYTES))
        while self.left and connection.unsent < PART:
            part = self.random.randbytes(min(self.left, PART))
            self.sum.update(part)
            connection.write(part)
            self.left -= len(part)
        if not self.left:
            connection.write(self.sum.digest())
            connection.close()
        return not self.left


class Sums:
    """What `run` calls."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self._transfers: dict[Connection, Transfer] = {}

    def __call__(self, simulation: Simulation) -> None:
        if not self._listeners:
            self._listeners = [bombus.sockets(simulation).listen(port) for port in (SINK, SOURCE)]
        changed = bombus.sockets(simulation).poll()
        for listener in self._listeners:
            while listener.waiting:
                connection = listener.accept(timeout=0)
                self._transfers[connection] = Transfer(listener.port == SOURCE)
        for connection in changed:
            if connection in self._transfers and self._transfers[connection].step(connection):
                del self._transfers[connection]


def send(address: str, size: int) -> bool:
    """Whether the design has the same sum of bytes that are sent to it."""
    random, own = Random(SINK), hashlib.sha256()
    with socket.create_connection((address, SINK), timeout=PATIENCE_SECONDS) as client:
        for start in range(0, size, PART):
            part = random.randbytes(min(size - start, PART))
            own.update(part)
            client.sendall(part)
        client.shutdown(socket.SHUT_WR)
        told = b""
        while part := client.recv(PART):
            told += part
    return told == own.digest()


def receive(address: str, size: int) -> bool:
    """Whether the sum of bytes from the design is the one that it has sent behind them."""
    own, tail, count = hashlib.sha256(), b"", 0
    with socket.create_connection((address, SOURCE), timeout=PATIENCE_SECONDS) as client:
        client.sendall(size.to_bytes(NUMBER_BYTES))
        while part := client.recv(PART):
            here = part[: size - count]
            own.update(here)
            count += len(here)
            tail += part[len(here) :]
    return count == size and tail == own.digest()


if __name__ == "__main__":
    operation = {"send": send, "receive": receive}[sys.argv[1]]
    print("same" if operation(sys.argv[2], int(sys.argv[3])) else "different")
