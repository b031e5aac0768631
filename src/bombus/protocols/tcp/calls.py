# SPDX-License-Identifier: Apache-2.0
"""Calls of the socket functions of a simulator's library (`sim/protocols/tcp/bombus_tcp.h`)."""

from __future__ import annotations

import errno
import math
import operator
from typing import Any

from bombus.simulator.native import Native, SimulationError

# What ends a connection, or hinders it from opening: an OSError with this number.
_ENDS = {
    *(errno.ECONNRESET, errno.EPIPE, errno.ECONNREFUSED, errno.ENOBUFS),
    *(errno.ETIMEDOUT, errno.EHOSTUNREACH, errno.ECONNABORTED),
}

# Also true in a live run, where frames pass only between calls of the software.
_NO_FRAMES = (
    "; no `pass_time` is set, so frames from a peer could not come in meanwhile (in a live run, "
    "use calls that do not wait: `open`, `write`, `read`, `poll`)"
)


def microseconds(timeout: float, name: str = "timeout") -> int:
    """A timeout in seconds; SimulationError if it is out of range."""
    try:
        is_valid = 0 <= timeout < math.inf
    except TypeError:
        kind = type(timeout).__name__
        raise TypeError(f"{name}: should be a number of seconds, not {kind}") from None
    if not is_valid:
        raise SimulationError(f"{name}: should be 0 seconds or more, not {timeout}")
    return round(timeout * 1_000_000)


def octets(call: str, data: Any) -> bytes:
    """What a call is to send; TypeError if it is not bytes or a buffer of them."""
    try:
        return memoryview(data).tobytes()
    except TypeError:
        raise TypeError(f"{call}: data should be bytes, not {type(data).__name__}") from None


def integer(call: str, name: str, value: Any, low: int, high: int | None = None) -> int:
    """An argument in its range: TypeError if it is no integer, SimulationError if outside.

    The texts are those of the library, which cannot name a negative number.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{call}: {name} should be int, not {type(value).__name__}") from None
    if number < low or (high is not None and number > high):
        limits = f"{low} or more" if high is None else f"{low} to {high}"
        raise SimulationError(f"{name}: should be {limits}, not {number}")
    return number


def connection_error(code: int, text: str) -> OSError:
    """An OSError of the class that Python has for a number."""
    if code == errno.ENOBUFS:
        return ConnectionRefusedError(code, text)
    return OSError(code, text)


def port_number(call: str, port: Any) -> int:
    return integer(call, "port", port, 1, 65535)


class TcpCalls:
    """The functions `bombus_tcp_...` of a simulator; sockets are numbers."""

    def __init__(self, native: Native) -> None:
        self._native = native
        self.new = native.new
        self.callback = native.callback
        self.null = native.ffi.NULL
        self.has_pass_time = False  # whether waiting carries frames between simulations

    def call(self, function: str, *arguments: Any) -> int:
        """Calls `bombus_tcp_<function>`; raises what suits its errno value.

        A TimeoutError has an errno value only if the connection has ended: if merely the time of
        the call is over, it has none.
        """
        try:
            return self._native.call(f"tcp_{function}", *arguments)
        except SimulationError as error:
            if error.code == errno.EAGAIN:
                raise TimeoutError(str(error)) from None
            if error.code == errno.ETIMEDOUT and not self._has_ended(function, *arguments):
                text = "" if self.has_pass_time else _NO_FRAMES
                raise TimeoutError(f"{error}{text}") from None
            if error.code in _ENDS:
                raise connection_error(error.code, str(error)) from None
            raise

    def _has_ended(self, function: str, *arguments: Any) -> bool:
        return function != "accept" and bool(self.get(arguments[0], "ERROR"))

    def get(self, number: int, option: str) -> int | None:
        """An option; None if the socket is gone."""
        value = self.new("uint64_t *")
        arguments = (number, self.constant(option), value)
        if self._native.call("tcp_get", *arguments, allowed=errno.EBADF) < 0:
            return None
        return int(value[0])

    def close(self, number: int) -> bool:
        """Whether the socket was open."""
        return self._native.call("tcp_close", number, allowed=errno.EBADF) == 0

    def abort(self, number: int) -> bool:
        """Whether the session was not free."""
        return self._native.call("tcp_abort", number, allowed=errno.EBADF) == 0

    def text(self, text: str | None) -> Any:
        return self.null if text is None else self.new("char[]", text.encode())

    def content(self, data: Any, length: int) -> bytes:
        return bytes(self._native.ffi.buffer(data, length))

    def constant(self, name: str) -> int:
        """The value of `BOMBUS_TCP_<name>`: an option, or a bit of a state."""
        return int(getattr(self._native.library, f"BOMBUS_TCP_{name}"))
