# SPDX-License-Identifier: Apache-2.0
"""A connection of `bombus.simulator.tcp`: bytes, ends, and the messages that these take."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Address
from types import TracebackType
from typing import Protocol, Self

from bombus.simulator.native import SimulationError
from bombus.simulator.streams import Message

DATA, REQUEST = "tcp_data", "tcp_request"
DEFAULT_TIMEOUT = 60.0  # seconds of virtual time
_CHUNK = 8192  # maximum bytes of a message
_LEAST_RING = 1024  # minimum size of a send buffer per session
_MODULO = 1 << 32


def _distance(start: int, end: int) -> int:
    """Bytes from one position in a stream to a later one."""
    return (end - start) % _MODULO


class Application(Protocol):
    """What a connection needs of `Sockets`."""

    def wait(self, is_done: Callable[[], bool], timeout: float, what: str) -> None: ...

    def send(self, kind: str, data: bytes = b"", **fields: int | str) -> None: ...

    def read(self, connection: Connection, start: int, length: int) -> None: ...

    def reads_of(self, connection: Connection) -> bool: ...

    def forget(self, connection: Connection) -> None: ...


class Connection:
    """An open connection. As a context manager it is closed at the end."""

    def __init__(self, sockets: Application, event: Message) -> None:
        fields = event.fields
        self._sockets = sockets
        self.session: int = fields["session"]
        self.peer = (str(IPv4Address(fields["tuple.ip"])), fields["tuple.peer_port"])
        self.port: int = fields["tuple.own_port"]
        self.is_reset = False  # by the peer, by a timeout, or by `abort`
        self._received = bytearray()
        self._asked = self._taken = self._read_end = fields["read_end"]
        self._written = self._write_end = fields["write_end"]
        self._queue = bytearray()
        self._peer_closed = False
        self._closing = self._close_sent = False
        self._over = False  # the session has ended
        self._released = False  # the program has released it
        self._freed = False
        self._wishes = {"request_readable": 0, "request_writable": 0}
        self._waits_for_space = False

    # ---- Receive ----

    @property
    def available(self) -> int:
        """Bytes that `read` would return."""
        return len(self._received)

    @property
    def at_end(self) -> bool:
        """Whether the peer has closed and everything it sent has been received."""
        return self._peer_closed and self._taken == self._read_end

    def receive(self, size: int = _CHUNK, timeout: float = DEFAULT_TIMEOUT) -> bytes:
        """Up to `size` bytes, as soon as there are some; empty if the peer has closed.

        Raises ConnectionResetError after a reset.
        """
        if size < 1:
            raise SimulationError(f"receive: size should be 1 or more, not {size}")
        self._check_released()
        self._sockets.wait(
            lambda: bool(self._received) or self.at_end or self.is_reset,
            timeout,
            "nothing has come",
        )
        if not self._received and self.is_reset:
            raise ConnectionResetError(f"the connection with {self.peer} was reset")
        return self.read(size)

    def receive_exactly(self, size: int, timeout: float = DEFAULT_TIMEOUT) -> bytes:
        """This many bytes, or fewer if the peer closes first."""
        data = bytearray()
        while len(data) < size and (part := self.receive(size - len(data), timeout)):
            data += part
        return bytes(data)

    def read(self, size: int | None = None) -> bytes:
        """Up to `size` bytes that have arrived; does not wait."""
        data = bytes(self._received[:size])
        del self._received[: len(data)]
        self._taken = (self._taken + len(data)) % _MODULO
        if data and not self._over:
            self._request("request_release", self._taken)
        return data

    # ---- Send ----

    def write(self, data: bytes) -> None:
        """Queues bytes, which are sent as the send buffer has space; does not wait."""
        self._check_released()
        if self.is_reset:
            raise ConnectionResetError(f"the connection with {self.peer} was reset")
        if self._closing or self._over:
            raise BrokenPipeError(f"the connection with {self.peer} has been shut down")
        self._queue += data
        self._push()

    def send(self, data: bytes, timeout: float = DEFAULT_TIMEOUT) -> None:
        """Sends bytes and returns when all are in the send buffer.

        Raises ConnectionResetError after a reset, BrokenPipeError after `shutdown`.
        """
        self.write(data)
        self._sockets.wait(
            lambda: not self._queue or self._over, timeout, "there is no space for the bytes"
        )
        if self._queue:
            raise ConnectionResetError(f"the connection with {self.peer} was reset")

    @property
    def unsent(self) -> int:
        """Bytes that wait for space in the send buffer."""
        return len(self._queue)

    # ---- End ----

    def shutdown(self) -> None:
        """Ends the outgoing stream; bytes may still be received."""
        self._check_released()
        self._closing = True
        self._push()

    def close(self) -> None:
        """Closes both directions: bytes already sent still arrive, received bytes are discarded.
        Does not wait; the session becomes free once the peer has closed too.
        """
        if self._released:
            return
        self.shutdown()
        self._released = True
        self._discard()
        self._free()

    def abort(self) -> None:
        """Resets the connection: bytes in transit may be lost."""
        if self._freed:
            return
        if not self._over:
            self._request("request_abort")
        self.is_reset = True
        self._released = True
        self._queue.clear()
        self._discard()
        self._free()

    @property
    def is_closed(self) -> bool:
        """Whether the session has ended on both sides."""
        return self._over

    def wait_closed(self, timeout: float = DEFAULT_TIMEOUT) -> None:
        """Waits until the session has ended on both sides."""
        self._sockets.wait(lambda: self._over, timeout, "the session has not ended")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.close()

    # ---- Messages ----

    def _check_released(self) -> None:
        if self._released:
            raise SimulationError(f"the connection with {self.peer} has been closed")

    def _request(self, request: str, place: int = 0, wish: int = 0) -> None:
        self._sockets.send(
            REQUEST, request=request, session=self.session, place=place % _MODULO, wish=wish
        )

    def _wish(self, request: str, place: int) -> None:
        self._wishes[request] ^= 1
        self._request(request, place, self._wishes[request])

    def take_event(self, fields: dict[str, int]) -> None:
        """Applies an event of this session."""
        if fields["changes.peer_closed"]:
            self._peer_closed = True
        # A FIN occupies a position, but is not a byte.
        self._read_end = (fields["read_end"] - self._peer_closed) % _MODULO
        self._write_end = fields["write_end"]
        if fields["changes.writable"]:
            self._waits_for_space = False
        if fields["changes.closed"]:
            self._over = True
            self.is_reset |= bool(fields["changes.failed"])
            self._queue.clear()
        if not self.is_reset:
            self._ask()
        if not self._over:
            has_come = fields["changes.readable"] or fields["changes.opened"]
            if has_come and not self._peer_closed:
                self._wish("request_readable", self._read_end + 1)
            self._push()
        self._free()

    def take_data(self, data: bytes) -> None:
        """Takes bytes that were requested."""
        self._received += data
        if self._released:
            self._discard()
        self._free()

    def _ask(self) -> None:
        """Requests everything available from the receive buffer."""
        while size := min(_CHUNK, _distance(self._asked, self._read_end)):
            self._sockets.read(self, self._asked, size)
            self._asked = (self._asked + size) % _MODULO

    def _discard(self) -> None:
        self.read()

    def _push(self) -> None:
        while self._queue and (space := _distance(self._written, self._write_end)):
            part = bytes(self._queue[: min(space, _CHUNK)])
            del self._queue[: len(part)]
            self._sockets.send(DATA, part, session=self.session, start=self._written)
            self._written = (self._written + len(part)) % _MODULO
        if self._queue and not self._waits_for_space:
            self._waits_for_space = True
            self._wish("request_writable", self._written + min(len(self._queue), _LEAST_RING))
        if self._closing and not self._queue and not self._close_sent and not self._over:
            self._close_sent = True
            self._request("request_close", self._written)

    def _free(self) -> None:
        if self._over and self._released and not self._freed and not self._sockets.reads_of(self):
            self._freed = True
            self._request("request_free", self._written)
            self._sockets.forget(self)
