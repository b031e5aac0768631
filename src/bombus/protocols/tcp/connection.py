# SPDX-License-Identifier: Apache-2.0
"""A connection of `bombus.protocols.tcp.sockets`."""

from __future__ import annotations

import errno
from ipaddress import IPv4Address
from socket import SHUT_RD, SHUT_RDWR, SHUT_WR
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
        self.mac_port = self._get("MAC_PORT")
        self._last_state = 0
        self._last_error = 0
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

        Raises ConnectionResetError after a reset, and what `error` says if the peer no longer
        answers.
        """
        size = integer("receive", "size", size, 1)
        if self._kept:
            return self.read(size)
        return self._take(size, 0, microseconds(timeout))

    def peek(self, size: int = _CHUNK, timeout: float = DEFAULT_TIMEOUT) -> bytes:
        """Like `receive`, but the bytes stay, and the next call returns them again."""
        size = integer("peek", "size", size, 1)
        kept = bytes(self._kept[:size])
        left = size - len(kept)
        if kept and (left == 0 or not self._get("AVAILABLE")):
            return kept
        return kept + self._take(left, self._calls.constant("PEEK"), microseconds(timeout))

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
        return kept + self._take(length, 0, 0)

    def _take(self, size: int, flags: int, timeout_us: int) -> bytes:
        self._call("await", self._calls.constant("READABLE"), timeout_us)
        data = self._calls.new("uint8_t[]", min(size, max(self._get("AVAILABLE"), 1)))
        return self._calls.content(data, self._call("receive", data, len(data), flags, 0))

    # ---- Send ----

    def write(self, data: bytes, *, more: bool = False) -> None:
        """Queues bytes, which are sent as the send buffer has space; does not wait.

        `more`: a segment that is not full is held back until the next `write` or `send`.
        """
        self._write(octets("write", data), more)

    def send(self, data: bytes, timeout: float = DEFAULT_TIMEOUT, *, more: bool = False) -> None:
        """Sends bytes and returns when all are in the send buffer. `more`: as for `write`.

        Raises ConnectionResetError after a reset, BrokenPipeError after `shutdown`, and what
        `error` says if the peer no longer answers. After a TimeoutError without errno value, the
        bytes are queued all the same: sending them again would double them.
        """
        given = octets("send", data)
        microseconds(timeout)  # checked before anything is queued
        self._write(given, more)
        try:
            state = self._await("SENT", timeout)
        except TimeoutError as error:
            if error.errno:
                raise
            text = f"all are queued and will be sent ({self.unsent} bytes wait)"
            raise TimeoutError(f"{error}; {text}") from None
        if state & self._calls.constant("RESET"):
            self._write(b"", more)  # raises the reason

    @property
    def unsent(self) -> int:
        """Bytes that wait for space in the send buffer."""
        return self._get("UNSENT")

    # ---- Options ----

    @property
    def mss(self) -> int:
        """Bytes of a full segment sent, without options; it shrinks with the MTU of the path."""
        return self._get("MSS")

    @property
    def send_buffer(self) -> int:
        """Bytes of the send buffer; with several engines, of the smallest one."""
        return self._get("SEND_BUFFER")

    @property
    def receive_buffer(self) -> int:
        """Bytes of the receive buffer; with several engines, of the smallest one."""
        return self._get("RECEIVE_BUFFER")

    @property
    def cork(self) -> bool:
        """Whether segments that are not full are held back, with no limit of time."""
        return bool(self._get("CORK"))

    @cork.setter
    def cork(self, value: bool) -> None:
        self._set("CORK", value)

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

    @property
    def user_timeout(self) -> float:
        """Seconds after which the connection ends if the peer acknowledges nothing (RFC 9293,
        3.9.1.2), at most 4294.836; it ends up to 0.131 later. 0: as the engine has it.
        """
        return self._get("USER_TIMEOUT") / 1000

    @user_timeout.setter
    def user_timeout(self, value: float) -> None:
        self._set("USER_TIMEOUT", -(-microseconds(value, "user_timeout") // 1000))

    # ---- End ----

    def shutdown(self, how: int = SHUT_WR) -> None:
        """Ends the outgoing stream (`socket.SHUT_WR`): bytes may still be received. `SHUT_RD`:
        received bytes are discarded, those to come, too. `SHUT_RDWR`: both.
        """
        how = integer("shutdown", "how", how, SHUT_RD, SHUT_RDWR)
        self._call("shutdown", how)
        if how != SHUT_WR:
            self._kept.clear()

    def close(self) -> None:
        """Closes both directions: bytes already sent still arrive. Bytes of the peer that were not
        received, or that arrive later, reset the connection (RFC 9293, 3.6.1). Does not wait; the
        session becomes free once the peer has closed too, or after `fin_wait_us` of the engine.
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

    @property
    def error(self) -> int:
        """Why it has ended, as a number of `errno`; 0: it goes on, or was closed by both sides.

        ECONNRESET: it was reset. ETIMEDOUT: the peer has not answered; EHOSTUNREACH or ECONNREFUSED
        instead if the path had reported so (`soft_error`).
        """
        self._state()
        return self._last_error

    @property
    def soft_error(self) -> int:
        """The last error that the path has reported by ICMP (RFC 5461), as a number of `errno`: the
        connection goes on. 0: none.

        EHOSTUNREACH: network or host unreachable, time exceeded, parameter problem; ECONNREFUSED:
        protocol or port unreachable. None are reported if the design has no `tcp_errors`.
        """
        return self._get("SOFT_ERROR")

    def clear_soft_error(self) -> None:
        """Forgets `soft_error`."""
        self._call("set", self._calls.constant("SOFT_ERROR"), 0)

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
        if state & self._calls.constant("RESET") and not self._last_error:
            self._last_error = self._get("ERROR") or errno.ECONNRESET

    # ---- The library ----

    def _call(self, function: str, *arguments: Any) -> int:
        return self._calls.call(function, self._number, *arguments)

    def _write(self, data: bytes, more: bool) -> None:
        self._call("write", data, len(data), self._calls.constant("MORE") if more else 0)

    def _await(self, condition: str, timeout: float) -> int:
        return self._call("await", self._calls.constant(condition), microseconds(timeout))

    def _get(self, option: str) -> int:
        return self._calls.get(self._number, option) or 0

    def _set(self, option: str, value: int) -> None:
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
