# SPDX-License-Identifier: Apache-2.0
"""Calls of the socket functions of a simulator's library (`sim/bombus_tcp.h`)."""

from __future__ import annotations

import errno
import math
from typing import Any

from bombus.simulator.native import Native, SimulationError

_ERRORS: dict[int, type[OSError]] = {
    errno.EAGAIN: TimeoutError,
    errno.ETIMEDOUT: TimeoutError,
    errno.ECONNRESET: ConnectionResetError,
    errno.EPIPE: BrokenPipeError,
    errno.ECONNREFUSED: ConnectionRefusedError,
    errno.ENOBUFS: ConnectionRefusedError,
}


def microseconds(timeout: float) -> int:
    """A timeout in seconds; SimulationError if it is none."""
    if not 0 <= timeout < math.inf:
        raise SimulationError(f"timeout: should be 0 seconds or more, not {timeout}")
    return round(timeout * 1_000_000)


class TcpCalls:
    """The functions `bombus_tcp_...` of a simulator; sockets are numbers."""

    def __init__(self, native: Native) -> None:
        self._native = native
        self.new = native.new
        self.callback = native.callback
        self.null = native.ffi.NULL

    def call(self, function: str, *arguments: Any) -> int:
        """Calls `bombus_tcp_<function>`; raises what suits its errno value."""
        try:
            return self._native.call(f"tcp_{function}", *arguments)
        except SimulationError as error:
            if error.code in _ERRORS:
                raise _ERRORS[error.code](str(error)) from None
            raise

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
