# SPDX-License-Identifier: Apache-2.0
"""A connection of `bombus.protocols.tcp.sockets`."""

from __future__ import annotations

from ipaddress import IPv4Address
from types import TracebackType
from typing import Any, Protocol, Self

from bombus.protocols.tcp.calls import TcpCalls, integer, microseconds, octets

DEFAULT_TIMEOUT = 60.0  # seconds of virtual time
_CHUNK = 8192  # bytes that `receive` returns at most by default


class Application(Protocol):
    """What a connection needs of `Sockets`."""

    @property
    def calls(self) -> TcpCalls: ...

    def collect(self) -> None: ...


class Connection:
    """An open connection. As a context manager it is closed at the end."""

    def __init__(self, sockets: Application, number: int, session: int) -> None:
        self._sockets = sockets
        self._calls = sockets.calls
        self._number = number
        self.session = session
        self.peer = (str(IPv4Address(self._get("PEER_IP"))), self._get("PEER_PORT"))
        self.port = self._get("PORT")
        self._last_state = 0
        self._kept = bytearray()  # received by a call that then failed
        self._is_gone = False

    # ---- Receive ----

    @property
    def available(self) -> int:
        """Bytes that `read` would return."""
        return len(self._kept) + self._get("AVAILABLE")

    @property
    def at_end(self) -> bool:
        """Whether the peer has closed and everything it sent has been received."""
        if self._kept:
            return False
        at_end = self._calls.get(self._number, "AT_END")
        return not self.is_reset if at_end is None else bool(at_end)

    def receive(self, size: int = _CHUNK, timeout: float = DEFAULT_TIMEOUT) -> bytes:
        """Up to `size` bytes, as soon as there are some; empty if the peer has closed.

        Raises ConnectionResetError after a reset.
        """
        size = integer("receive", "size", size, 1)
        if self._kept:
            return self.read(size)
        state = self._await("READABLE", timeout)
        data = self.read(size)
        if not data and state & self._calls.constant("RESET"):
            raise self._reset()
        return data

    def receive_exactly(self, size: int, timeout: float = DEFAULT_TIMEOUT) -> bytes:
        """This many bytes, or fewer if the peer closes first. `timeout`: for each part of them.

        After an error, the bytes that had come are still there for the next call.
        """
        size = integer("receive_exactly", "size", size, 0)
        data = bytearray()
        try:
            while len(data) < size and (part := self.receive(size - len(data), timeout)):
                data += part
        except OSError:
            self._kept = data
            raise
        return bytes(data)

    def read(self, size: int | None = None) -> bytes:
        """Up to `size` bytes that have arrived; does not wait."""
        length = self.available
        if size is not None:
            length = min(integer("read", "size", size, 0), length)
        kept = bytes(self._kept[:length])
        del self._kept[:length]
        length -= len(kept)
        if length == 0:
            return kept
        data = self._calls.new("uint8_t[]", length)
        return kept + self._calls.content(data, self._call("receive", data, length, 0))

    # ---- Send ----

    def write(self, data: bytes) -> None:
        """Queues bytes, which are sent as the send buffer has space; does not wait."""
        self._write(octets("write", data))

    def send(self, data: bytes, timeout: float = DEFAULT_TIMEOUT) -> None:
        """Sends bytes and returns when all are in the send buffer.

        Raises ConnectionResetError after a reset, BrokenPipeError after `shutdown`. After a
        TimeoutError, the bytes are queued all the same: sending them again would double them.
        """
        given = octets("send", data)
        microseconds(timeout)  # checked before anything is queued
        self._write(given)
        try:
            state = self._await("SENT", timeout)
        except TimeoutError as error:
            text = f"all are queued and will be sent ({self.unsent} bytes wait)"
            raise TimeoutError(f"{error}; {text}") from None
        if state & self._calls.constant("RESET"):
            raise self._reset()

    @property
    def unsent(self) -> int:
        """Bytes that wait for space in the send buffer."""
        return self._get("UNSENT")

    # ---- Options ----

    @property
    def no_delay(self) -> bool:
        """Whether short segments are sent at once, also where the engine has `nagle`."""
        return bool(self._get("NODELAY"))

    @no_delay.setter
    def no_delay(self, value: bool) -> None:
        self._set("NODELAY", value)

    @property
    def keepalive(self) -> bool:
        """Whether a silent peer is probed, where the engine has `keepalive_s`."""
        return bool(self._get("KEEPALIVE"))

    @keepalive.setter
    def keepalive(self, value: bool) -> None:
        self._set("KEEPALIVE", value)

    # ---- End ----

    def shutdown(self) -> None:
        """Ends the outgoing stream; bytes may still be received."""
        self._call("shutdown")

    def close(self) -> None:
        """Closes both directions: bytes already sent still arrive, received bytes are discarded.
        Does not wait; the session becomes free once the peer has closed too.
        """
        self._kept.clear()
        self._state()  # the last one, if the session is free afterwards
        self._calls.close(self._number)

    def abort(self) -> None:
        """Resets the connection: bytes in transit may be lost."""
        if self._calls.abort(self._number):
            self.note(self._calls.constant("RESET"))

    @property
    def is_closed(self) -> bool:
        """Whether the session has ended on both sides."""
        return bool(self._state() & self._calls.constant("CLOSED"))

    @property
    def is_reset(self) -> bool:
        """Whether it has been reset, by the peer, by a timeout, or by `abort`."""
        return bool(self._state() & self._calls.constant("RESET"))

    def wait_closed(self, timeout: float = DEFAULT_TIMEOUT) -> None:
        """Waits until the session has ended on both sides."""
        if not self.is_closed:
            self.note(self._await("CLOSED", timeout))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.close()

    # ---- For sockets ----

    def note(self, state: int) -> None:
        """Keeps a state that the library has reported: a reset remains one."""
        self._last_state |= state & (self._calls.constant("RESET") | self._calls.constant("CLOSED"))

    # ---- The library ----

    def _call(self, function: str, *arguments: Any) -> int:
        return self._calls.call(function, self._number, *arguments)

    def _write(self, data: bytes) -> None:
        self._call("write", data, len(data))

    def _reset(self) -> ConnectionResetError:
        ip, port = self.peer
        return ConnectionResetError(f"the connection with {ip} port {port} was reset")

    def _await(self, condition: str, timeout: float) -> int:
        return self._call("await", self._calls.constant(condition), microseconds(timeout))

    def _get(self, option: str) -> int:
        return self._calls.get(self._number, option) or 0

    def _set(self, option: str, value: bool) -> None:
        self._call("set", self._calls.constant(option), int(value))

    def _state(self) -> int:
        """Flags of its state, also after its session has become free."""
        if not self._is_gone:
            state = self._calls.get(self._number, "STATE")
            if state is None:
                self._is_gone = True
                self._sockets.collect()  # the last news of it
                self.note(self._calls.constant("CLOSED"))
            else:
                self.note(state)
        return self._last_state
