# SPDX-License-Identifier: Apache-2.0
"""Requests to a service, and what its replies should be."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from bombus.base.errors import UserError

NONE, ECHO = "none", "echo"


@dataclass(frozen=True)
class Program:
    """The functions of a user's Python file; each may be missing.

    `request(number, size)`: the bytes of a request. `reply(request)`: the bytes of its reply.
    `check(request, reply)`: whether a reply is right, where that is more than equality.
    """

    path: str
    request: Callable[[int, int], bytes] | None = None
    reply: Callable[[bytes], bytes] | None = None
    check: Callable[[bytes, bytes], bool] | None = None

    @classmethod
    def load(cls, path: str) -> Program:
        """Executes the file; UserError if it cannot be loaded, or has none of the functions."""
        names = ("request", "reply", "check")
        module = _executed(Path(path))
        found = {name: getattr(module, name) for name in names if hasattr(module, name)}
        if not found:
            raise UserError(f"--checker {path}: defines none of the functions {', '.join(names)}")
        for name, function in found.items():
            if not callable(function):
                raise UserError(f"--checker {path}: {name} is not a function")
        return cls(path, **found)

    def call(self, name: str, *arguments: Any) -> Any:
        """The result of a function; UserError if it raises an exception."""
        try:
            return getattr(self, name)(*arguments)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise UserError(f"--checker {self.path}: {name}() raised {reason}") from error

    def bytes_of(self, name: str, *arguments: Any) -> bytes:
        result = self.call(name, *arguments)
        if not isinstance(result, bytes | bytearray):
            kind = type(result).__name__
            raise UserError(f"--checker {self.path}: {name}() returned {kind}, not bytes")
        return bytes(result)


def _executed(path: Path) -> ModuleType:
    if not path.is_file():
        raise UserError(f"--checker {path}: should be {NONE}, {ECHO} or a Python file")
    spec = importlib.util.spec_from_file_location("bombus_service_checker", path)
    if spec is None or spec.loader is None:
        raise UserError(f"--checker {path}: the name of a Python file ends in .py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise UserError(f"--checker {path}: {reason}") from error
    return module


@dataclass
class Messages:
    """Makes requests, and checks their replies."""

    random: Random
    payload: bytes | None  # of every request; None: random bytes
    checker: str  # none, echo or a Python file
    reply_size: int = 0  # over TCP, if the checker does not know it; 0: that of the request
    wrong: int = 0
    checked: int = 0
    first_wrong: str = ""
    program: Program | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if self.checker not in (NONE, ECHO):
            self.program = Program.load(self.checker)
            if self.program.request and self.payload is not None:
                raise UserError("--payload and request() of --checker both make requests")

    def requests(self, count: int, size: int, most: int) -> list[bytes]:
        """So many requests of `size` bytes, or of the sizes that `request()` chooses."""
        made = [self._request(number, size) for number in range(count)]
        if any(not 1 <= len(each) <= most for each in made):
            raise UserError(f"a request should have 1 to {most:,} bytes here")
        return made

    def _request(self, number: int, size: int) -> bytes:
        if self.program and self.program.request:
            return self.program.bytes_of("request", number, size)
        return self.random.randbytes(size) if self.payload is None else self.payload

    def expected(self, request: bytes) -> bytes | None:
        """The reply; None if the checker does not say."""
        if self.checker == ECHO:
            return request
        if self.program and self.program.reply:
            return self.program.bytes_of("reply", request)
        return None

    def reply_bytes(self, request: bytes) -> int:
        """Bytes of a reply in a stream."""
        expected = self.expected(request)
        return len(expected) if expected is not None else self.reply_size or len(request)

    def check(self, number: int, request: bytes, reply: bytes) -> None:
        """Counts a reply as checked, and as wrong if it is; nothing with the checker `none`."""
        expected = self.expected(request)
        self.checked += self.checker != NONE
        if expected is not None and reply != expected:
            self.count_wrong(number, f"{_difference(expected, reply)}")
        elif self.program and self.program.check and not self.program.call("check", request, reply):
            self.count_wrong(number, f"check() refuses {_shown(reply)}")

    def count_wrong(self, number: int | None, reason: str) -> None:
        """`number`: of the request, if the reply belongs to one."""
        place = "no request" if number is None else f"request {number}"
        self.first_wrong = self.first_wrong or f"{place}: {reason}"
        self.wrong += 1


def _shown(data: bytes) -> str:
    head = data[:8].hex(" ")
    return f"{len(data):,} bytes ({head}{' ...' if len(data) > 8 else ''})"


def _difference(expected: bytes, reply: bytes) -> str:
    if len(expected) != len(reply):
        return f"{len(reply):,} bytes instead of {len(expected):,}"
    place = next(n for n, pair in enumerate(zip(expected, reply, strict=True)) if len({*pair}) > 1)
    return f"byte {place} is 0x{reply[place]:02x} instead of 0x{expected[place]:02x}"
