# SPDX-License-Identifier: Apache-2.0
"""Sockets on the TCP engine of a design, in virtual time.

    listener = simulation.tcp.listen(80)
    connection = listener.accept()
    request = connection.receive(1000)
    connection.send(b"hello")
    connection.close()

An application of the design hands its messages to a program by two raised streams
(`Simulation.streams`): one out of the design that carries `tcp_event` and `tcp_data`, one into it
that carries `tcp_data`, `tcp_read` and `tcp_request`. What these say: docs/tcp.md.

Calls that wait let virtual time pass, at most `timeout` seconds of it, and raise TimeoutError then.
`poll`, `Connection.write` and `Connection.read` never wait: in a live run, where time is real, a
program uses these, and `accept` with `timeout=0`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Any

from bombus.simulator.native import SimulationError
from bombus.simulator.streams import Message, Stream
from bombus.simulator.tcp_connection import DATA, DEFAULT_TIMEOUT, REQUEST, Connection

if TYPE_CHECKING:
    from bombus.simulator.simulation import Simulation

__all__ = ["Connection", "Listener", "Opening", "Sockets"]

EVENT, READ = "tcp_event", "tcp_read"


@dataclass
class Opening:
    """A requested connection: later it has a `connection` or an `error`."""

    peer: tuple[int, int]  # address and port
    connection: Connection | None = None
    error: str = ""
    is_given_up: bool = False


class Listener:
    """A port on which connections are accepted."""

    def __init__(self, sockets: Sockets, port: int) -> None:
        self._sockets = sockets
        self.port = port
        self.waiting: deque[Connection] = deque()

    def accept(self, timeout: float = DEFAULT_TIMEOUT) -> Connection:
        """The next connection that a peer has opened."""
        self._sockets.wait(lambda: bool(self.waiting), timeout, "no connection")
        return self.waiting.popleft()

    def close(self) -> None:
        """Accepts no further connections: new ones are reset."""
        self._sockets.listeners.pop(self.port, None)
        while self.waiting:
            self.waiting.popleft().abort()


class Sockets:
    """The connections of an application outside the design."""

    def __init__(self, simulation: Simulation, tile: str | None = None) -> None:
        self._simulation = simulation
        self._out, self._in = _streams(simulation, tile)
        self.tile = self._out.tile
        self._tcp_port = _ports(simulation, self.tile)
        self.listeners: dict[int, Listener] = {}
        self._sessions: dict[int, Connection] = {}
        self._opening: list[Opening] = []  # the oldest first
        # Connections whose reads will be answered next, in order
        self.reads: deque[Connection] = deque()
        self._changed: dict[Connection, None] = {}  # since the last `poll`, in order
        # Lets up to some microseconds pass, if other simulations must also advance.
        self.pass_time: Callable[[int], object] | None = None

    @property
    def connections(self) -> list[Connection]:
        """Connections whose sessions are not free yet."""
        return list(self._sessions.values())

    def listen(self, port: int) -> Listener:
        """Starts to accept connections to a port."""
        self._check_port(port)
        if port in self.listeners:
            raise SimulationError(f"already listening on port {port}")
        self.listeners[port] = Listener(self, port)
        self.send(REQUEST, request="request_listen", place=port)
        return self.listeners[port]

    def open(self, ip: str, port: int, *, mac_port: int = 0) -> Opening:
        """Requests a connection like `connect`, but does not wait."""
        address = int(_address(ip))
        if not 1 <= port <= 65535:
            raise SimulationError(f"port: should be 1 to 65535, not {port}")
        opening = Opening((address, port))
        self.send(
            REQUEST,
            request="request_connect",
            place=address,
            mac_port=mac_port,
            peer_port=port,
            port=self._tcp_port,
        )
        self._opening.append(opening)
        return opening

    def connect(
        self, ip: str, port: int, timeout: float = DEFAULT_TIMEOUT, *, mac_port: int = 0
    ) -> Connection:
        """Opens a connection through a MAC port, from a local port that the engine chooses.

        Raises ConnectionRefusedError if the peer resets it or does not answer, or if no session is
        free.
        """
        opening = self.open(ip, port, mac_port=mac_port)
        try:
            self.wait(
                lambda: opening.connection is not None or bool(opening.error),
                timeout,
                f"no connection with {ip} port {port}",
            )
        except TimeoutError:
            opening.is_given_up = True
            raise
        if opening.connection is None:
            raise ConnectionRefusedError(f"{ip} port {port}: {opening.error}")
        return opening.connection

    def poll(self) -> list[Connection]:
        """Handles what the design has sent; no time passes.

        Returns the connections with news since the last call: opened, bytes, space, or ended.
        """
        self._take_all()
        changed = list(self._changed)
        self._changed.clear()
        return changed

    def _take_all(self) -> None:
        while (message := self._out.receive()) is not None:
            self._take(message)

    def wait(self, is_done: Callable[[], bool], timeout: float, what: str) -> None:
        """Lets virtual time pass until a condition holds; TimeoutError after `timeout` seconds."""
        if not 0 <= timeout < math.inf:
            raise SimulationError(f"timeout: should be 0 seconds or more, not {timeout}")
        end = self._simulation.time_us + round(timeout * 1_000_000)
        while True:
            self._take_all()
            if is_done():
                return
            left = end - self._simulation.time_us
            if left <= 0:
                raise TimeoutError(f"{what} in {timeout} seconds")
            if self.pass_time is not None:
                self.pass_time(left)
            elif (message := self._out.receive(left)) is not None:
                self._take(message)

    # ---- For connections ----

    def send(self, kind: str, data: bytes = b"", **fields: int | str) -> None:
        self._in.send_kind(kind, data, **fields)

    def read(self, connection: Connection, start: int, length: int) -> None:
        self.reads.append(connection)
        self.send(READ, port=self._tcp_port, session=connection.session, start=start, length=length)

    def reads_of(self, connection: Connection) -> bool:
        return connection in self.reads

    def forget(self, connection: Connection) -> None:
        del self._sessions[connection.session]

    # ---- Messages ----

    def _take(self, message: Message) -> None:
        if message.kind == DATA:
            connection = self.reads.popleft()
            connection.take_data(message.data)
            self._changed[connection] = None
            return
        fields = dict(message.fields)
        if fields["changes.opened"]:
            connection = Connection(self, message)
            self._sessions[connection.session] = connection
            self._changed[connection] = None
            connection.take_event(fields)
            opening = self._opened(fields)
            listener = self.listeners.get(connection.port) if opening is None else None
            if listener is not None:
                listener.waiting.append(connection)
            elif opening is not None and not opening.is_given_up:
                opening.connection = connection
            else:
                connection.abort()
        elif fields["changes.failed"] and not fields["changes.closed"]:
            if (opening := self._opened(fields)) is not None:
                opening.error = "all sessions are in use"
        elif fields["session"] not in self._sessions and fields["changes.closed"]:
            if (opening := self._opened(fields)) is not None:
                opening.error = "the peer has refused it, or has not answered"
            place = fields["write_end"]
            self.send(REQUEST, request="request_free", session=fields["session"], place=place)
        elif (known := self._sessions.get(fields["session"])) is not None:
            self._changed[known] = None
            known.take_event(fields)

    def _opened(self, fields: dict[str, int]) -> Opening | None:
        """The pending request that an event about a new session answers; None if the peer opened
        it.
        """
        if fields.get("port", fields["tuple.own_port"]) == fields["tuple.own_port"]:
            return None
        peer = (fields["tuple.ip"], fields["tuple.peer_port"])
        for opening in self._opening:
            if opening.peer == peer:
                self._opening.remove(opening)
                return opening
        return Opening(peer, is_given_up=True)

    def _check_port(self, port: int) -> None:
        if not 1 <= port <= 65535:
            raise SimulationError(f"port: should be 1 to 65535, not {port}")
        if self._tcp_port not in (0, port):
            raise SimulationError(f"tile {self.tile} has port {self._tcp_port} only, not {port}")
        for tile, other in _given_ports(self._simulation):
            if tile != self.tile and other == port:
                raise SimulationError(f"port {port} is that of tile {tile}")


def _address(text: str) -> IPv4Address:
    try:
        return IPv4Address(text)
    except ValueError:
        raise SimulationError(f"ip {text!r}: should be an IPv4 address") from None


def _streams(simulation: Simulation, tile: str | None) -> tuple[Stream, Stream]:
    """The streams of an application, of the first tile that has them or of a given one."""
    every = [each for each in simulation.streams.values() if tile in (None, each.tile)]
    for out in every:
        if out.is_output and {EVENT, DATA} <= {*out.kinds}:
            for into in every:
                if into.tile == out.tile and {DATA, READ, REQUEST} <= {*into.kinds}:
                    return out, into
    raise SimulationError(
        f"{f'tile {tile} is' if tile else 'there is'} no tile that raises the messages of a TCP "
        "application to the top"
    )


def _given_ports(simulation: Simulation) -> Iterator[tuple[str, int]]:
    """TCP ports assigned to tiles by the design or by default."""
    for tile in simulation.manifest["tiles"]:
        for layer in tile["layers"]:
            params: dict[str, Any] = layer["params"]
            if "tcp_port" in params:
                yield tile["name"], params["tcp_port"]


def _ports(simulation: Simulation, tile: str) -> int:
    return next((port for name, port in _given_ports(simulation) if name == tile), 0)
