# SPDX-License-Identifier: Apache-2.0
"""Sockets on the TCP engine of a design, in virtual time.

    listener = bombus.sockets(simulation).listen(80)
    connection = listener.accept()
    request = connection.receive(1000)
    connection.send(b"hello")
    connection.close()

An application of the design hands its messages to a program by two raised streams
(`Simulation.streams`): one out of the design that carries `tcp_event` and `tcp_data`, one into it
that carries `tcp_data`, `tcp_read` and `tcp_request`; docs/protocols/tcp/tcp.md defines them. The
sockets are those of the C interface (`sim/protocols/tcp/bombus_tcp.h`).

Calls that wait let virtual time pass, at most `timeout` seconds of it, and raise TimeoutError then.
`poll`, `Connection.write` and `Connection.read` never wait: in a live run, where time is real, a
program uses these, and `accept` with `timeout=0`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from ipaddress import IPv4Address
from typing import Any
from weakref import WeakValueDictionary

from bombus.protocols.tcp.calls import (
    TcpCalls,
    connection_error,
    integer,
    microseconds,
    port_number,
)
from bombus.protocols.tcp.connection import DEFAULT_TIMEOUT, Connection
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation

__all__ = ["Connection", "Listener", "Opening", "Sockets", "sockets"]

_NEWS = 256  # that are asked for at a time
_GIVEN_UP = "it was given up"


class Opening:
    """A requested connection: later it has a `connection`, or an `error`, which is "" until
    then.
    """

    def __init__(self, sockets: Sockets, number: int, peer: tuple[int, int]) -> None:
        self._sockets = sockets
        self.number = number
        self.peer = peer  # address and port
        self._connection: Connection | None = None
        self._error = ""

    @property
    def connection(self) -> Connection | None:
        """The connection, once it is open."""
        self._look()
        return self._connection

    @property
    def error(self) -> str:
        """Why it has failed; empty before."""
        self._look()
        return self._error

    def give_up(self) -> None:
        """Its session becomes free; if the connection has opened meanwhile, it is reset."""
        if self._connection is None and not self._error:
            self._error = _GIVEN_UP
        self._sockets.calls.abort(self.number)

    def _look(self) -> None:
        if self._connection is not None or self._error:
            return
        calls = self._sockets.calls
        state = calls.get(self.number, "STATE")
        if state is None:
            self._error = _GIVEN_UP
        elif state & calls.constant("OPENED"):
            self._connection = self._sockets.connection(self.number)
        elif state & calls.constant("RESET"):
            try:
                calls.call("await", self.number, calls.constant("OPENED"), 0)
            except OSError as error:
                self._error = error.strerror or str(error)
            except SimulationError as error:  # the local port is in use
                self._error = str(error)
            self.give_up()


class Listener:
    """A port on which connections are accepted."""

    def __init__(self, sockets: Sockets, number: int, port: int) -> None:
        self._sockets = sockets
        self._number = number
        self.port = port

    @property
    def waiting(self) -> int:
        """Connections that `accept` returns without waiting."""
        return self._sockets.calls.get(self._number, "WAITING") or 0

    def accept(self, timeout: float = DEFAULT_TIMEOUT) -> Connection:
        """The next connection that a peer has opened."""
        number = self._sockets.calls.call("accept", self._number, microseconds(timeout))
        found = self._sockets.connection(number)
        assert found is not None  # it has just been accepted
        return found

    def close(self) -> None:
        """Accepts no further connections: new ones are reset."""
        self._sockets.calls.close(self._number)
        if self._sockets.listeners.get(self.port) is self:
            del self._sockets.listeners[self.port]


class Sockets:
    """The connections of an application outside the design.

    `tile`: the tile of the application; None: the first one that has one.
    """

    def __init__(self, simulation: Simulation, tile: str | None = None) -> None:
        self.calls = TcpCalls(simulation._native)
        self._tile = self.calls.text(tile)
        self._can_open = _can_open(simulation.manifest)
        self._has_ports = simulation.mac_ports > 1
        self.listeners: dict[int, Listener] = {}
        # Those that the program still has: their numbers are all that the library keeps.
        self._known: WeakValueDictionary[int, Connection] = WeakValueDictionary()
        self._openings: WeakValueDictionary[int, Opening] = WeakValueDictionary()
        self._changed: dict[Connection, None] = {}  # since the last `poll`, in order
        self._news = self.calls.new("bombus_tcp_news[]", _NEWS)
        self._pass_time: Callable[[int], object] | None = None
        _ = self.connections  # checks that there is such an application

    @property
    def connections(self) -> list[Connection]:
        """Connections whose sessions are not free yet."""
        count = self.calls.call("connections", self._tile, self.calls.null, 0)
        numbers = self.calls.new("int32_t[]", count)
        self.calls.call("connections", self._tile, numbers, count)
        found = (self.connection(number) for number in numbers)
        return [each for each in found if each is not None]

    @property
    def pass_time(self) -> Callable[[int], object] | None:
        """What waiting does in place of letting time pass in this simulation.

        It lets up to some microseconds pass, if other simulations must also advance.
        """
        return self._pass_time

    @pass_time.setter
    def pass_time(self, pass_time: Callable[[int], object] | None) -> None:
        given = self.calls.null
        if pass_time is not None:
            given = self.calls.callback("bombus_pass_time", lambda _, left: (pass_time(left), 0)[1])
        self.calls.call("set_pass_time", given, self.calls.null)
        self.calls.has_pass_time = pass_time is not None
        self._pass_time, self._callback = pass_time, given  # the library does not keep it alive

    def listen(self, port: int, backlog: int = 0) -> Listener:
        """Starts to accept connections to a port.

        `backlog`: connections that may wait for `accept`; further ones are reset. 0: no limit.
        """
        port = port_number("listen", port)
        backlog = integer("listen", "backlog", backlog, 0, 0xFFFFFFFF)
        number = self.calls.call("listen", self._tile, port, backlog)
        self.listeners[port] = Listener(self, number, port)
        return self.listeners[port]

    def open(self, ip: str, port: int, *, mac_port: int = 0, local_port: int = 0) -> Opening:
        """Requests a connection like `connect`, but does not wait.

        While as many as the engine has sessions wait for its answer, a further one fails.
        """
        return self._open("open", ip, port, mac_port, local_port)

    def connect(
        self,
        ip: str,
        port: int,
        timeout: float = DEFAULT_TIMEOUT,
        *,
        mac_port: int = 0,
        local_port: int = 0,
    ) -> Connection:
        """Opens a connection through a MAC port, from a local port (0: the engine chooses one).

        Raises ConnectionRefusedError if the peer refuses it, or if no session is free; if the peer
        does not answer, a TimeoutError with errno ETIMEDOUT, or an OSError with EHOSTUNREACH if the
        path has reported so; SimulationError if the local port is in use.
        """
        limit = microseconds(timeout)
        opening = self._open("connect", ip, port, mac_port, local_port)
        peer = f"{ip} port {port}"
        if self._has_ports:
            peer += f", through MAC port {mac_port}"
        try:
            self.calls.call("await", opening.number, self.calls.constant("OPENED"), limit)
        except OSError as error:
            opening.give_up()
            if error.errno is None:
                raise TimeoutError(f"{peer}: {error}") from None
            raise connection_error(error.errno, f"{peer}: {error.strerror}") from None
        except BaseException:
            opening.give_up()
            raise
        if opening.connection is None:
            raise ConnectionRefusedError(f"{peer}: {opening.error}")
        return opening.connection

    def poll(self) -> list[Connection]:
        """Handles what the design has sent; no time passes.

        Returns the connections with news since the last call: opened, bytes, space, or ended.
        """
        self.collect()
        changed = list(self._changed)
        self._changed.clear()
        return changed

    # ---- For connections ----

    def collect(self) -> None:
        """Takes the news of all connections."""
        count = _NEWS
        while count == _NEWS:
            count = self.calls.call("poll", self._tile, self._news, _NEWS)
            for each in self._news[0:count]:
                self._take(each.connection, each.changes)

    def connection(self, number: int) -> Connection | None:
        """An open connection; None if its session is free again."""
        found = self._known.get(number)
        if found is None and (session := self.calls.get(number, "SESSION")) is not None:
            found = self._known[number] = Connection(self, number, session)
        return found

    def _open(self, call: str, ip: str, port: int, mac_port: int, local_port: int) -> Opening:
        address = int(_address(call, ip))
        port = port_number(call, port)
        mac_port = integer(call, "mac_port", mac_port, 0)
        local_port = integer(call, "local_port", local_port, 0, 65535)
        if not self._can_open:  # the engine does not answer such a request
            raise SimulationError(
                f"{call}: the TCP engine only accepts connections (`active_open: false`)"
            )
        number = self.calls.call("open", self._tile, address, port, mac_port, local_port)
        opening = self._openings[number] = Opening(self, number, (address, port))
        return opening

    def _take(self, number: int, state: int) -> None:
        if state & self.calls.constant("OPENED"):
            if (connection := self.connection(number)) is not None:
                connection.note(state)
                self._changed[connection] = None
        elif number not in self._openings:
            self.calls.abort(number)  # it could not be opened, and nobody asks


def sockets(simulation: Simulation) -> Sockets:
    """The sockets of a simulation, if a tile raises an application's messages."""
    return simulation.extension(Sockets)


def _can_open(manifest: Mapping[str, Any]) -> bool:
    """Whether an engine of the design opens connections; unknown ones may."""
    layers = (layer for tile in manifest["tiles"] for layer in tile["layers"])
    engines = [layer["params"] for layer in layers if layer["kind"] == "tcp"]
    return not engines or any(each.get("active_open", True) for each in engines)


def _address(call: str, text: str) -> IPv4Address:
    if not isinstance(text, str | IPv4Address):  # a number would be taken for an address
        raise TypeError(f"{call}: ip should be str, not {type(text).__name__}")
    try:
        return IPv4Address(text)
    except ValueError:
        raise SimulationError(f"ip {text!r}: should be an IPv4 address") from None
