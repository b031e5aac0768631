# SPDX-License-Identifier: Apache-2.0
"""Calls into a simulator's library through the interface that its header declares.

`bombus_sim.h` and the headers of protocols and applications are read by cffi, so that signatures
are stated once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

from cffi import FFI

from bombus.base.errors import UserError
from bombus.base.paths import SIM


class SimulationError(UserError):
    """The simulator refused a call, or the design broke a rule while it ran."""

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message)
        self.code = code  # an errno value, if the library gave one


def declared(headers: Iterable[Path]) -> tuple[FFI, dict[str, list[str]]]:
    """The declarations of headers, and the names of each function's parameters.

    Preprocessor lines are removed.
    """
    text = "\n".join(header.read_text() for header in headers)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.DOTALL)
    kept = re.compile(r"#define \w+ \d+$|[^#]|$")
    lines = (line for line in text.splitlines() if kept.match(line))
    ffi = FFI()
    declarations = "\n".join(lines)
    ffi.cdef(declarations.replace("BOMBUS_API ", ""))
    parameters = {
        name: re.findall(r"(\w+)\s*(?:,|$)", given)
        for name, given in re.findall(r"BOMBUS_API [^;(]*?(\w+)\(([^)]*)\)", declarations)
    }
    return ffi, parameters


# One for all threads: types of different instances do not mix
_FFI, _PARAMETERS = declared(
    [SIM / "platform" / "bombus_sim.h", *sorted(SIM.glob("*/*/bombus_*.h"))]
)


@cache  # a library is never unloaded
def load(path: Path) -> Any:
    """The library, if it speaks this version of the interface."""
    library = _FFI.dlopen(str(path))
    version = library.bombus_api_version()
    if version != library.BOMBUS_API_VERSION:
        raise UserError(
            f"{path}: interface version {version}, expected {library.BOMBUS_API_VERSION}"
        )
    return library


class Native:
    """An open simulator. After `close` every call is refused.

    Ctrl-C, and anything else that a signal handler raises, ends a long call.
    """

    def __init__(self, path: Path, options: Mapping[str, Any]) -> None:
        self._sim: Any = None
        self.ffi = _FFI
        self.library = load(path)
        given = self.new("bombus_options *", dict(options))
        self._sim = self.library.bombus_open(given) or None
        if self._sim is None:
            reason = self.text(self.library.bombus_last_error(self.ffi.NULL))
            raise SimulationError(f"{path.name} could not be opened: {reason}")
        self._raised: list[BaseException] = []
        # Python runs its signal handlers in a callback.
        self._poll = self.callback("bombus_poll", lambda _: 0)
        self.call("set_poll", self._poll, self.ffi.NULL)

    @property
    def closed(self) -> bool:
        return self._sim is None

    def close(self) -> None:
        if self._sim is not None:
            sim, self._sim = self._sim, None
            self.library.bombus_close(sim)

    def address(self, function: str = "") -> int:
        """The address of `bombus_<function>`, or of the simulator, for other native code."""
        self.check_open()
        pointer = getattr(self.library, f"bombus_{function}") if function else self._sim
        return int(self.ffi.cast("uintptr_t", pointer))

    def raise_kept(self) -> None:
        """Raises what a callback has raised in native code that `call` did not start."""
        if self._raised:
            raise self._raised.pop()

    def check_open(self) -> None:
        """Raises SimulationError after `close`."""
        if self._sim is None:
            raise SimulationError("the simulation is closed")

    def describe(self) -> Any:
        """The `bombus_design` of the library."""
        return self.library.bombus_describe()

    def call(self, function: str, *arguments: Any, allowed: int = 0) -> int:
        """Calls `bombus_<function>`; returns its result or raises SimulationError with the reason.

        `allowed`: an errno value that is not an error; the result is then negative.
        """
        self.check_open()
        entry_name = f"bombus_{function}"
        entry = getattr(self.library, entry_name)
        try:
            result = int(entry(self._sim, *arguments))
        except OverflowError:  # a number that does not fit in the C type
            names = _PARAMETERS[entry_name][1:]
            types = self.ffi.typeof(entry).args[1:]
            raise self._no_room(zip(names, types, arguments, strict=True)) from None
        if self._raised:
            raise self._raised.pop()
        if result >= 0 or -result == allowed:
            return result
        raise SimulationError(self.text(self.library.bombus_last_error(self._sim)), -result)

    def callback(self, kind: str, function: Callable[..., int]) -> Any:
        """A C function that calls a Python one, for as long as the result is kept.

        It returns 1 if that raises an exception, and `call`, in which this happened, raises it.
        """
        raised = self._raised

        def keep(_: type[BaseException], error: BaseException, trace: TracebackType) -> None:
            raised.append(error.with_traceback(trace))

        return self.ffi.callback(kind, function, error=1, onerror=keep)

    def new(self, declaration: str, value: Any = None) -> Any:
        """A C object; SimulationError if the value does not fit."""
        try:
            return self.ffi.new(declaration, value)
        except OverflowError:
            fields = self.ffi.typeof(declaration).item.fields
            raise self._no_room((name, at.type, value.get(name)) for name, at in fields) from None

    def as_dict(self, structure: Any) -> dict[str, Any]:
        """The fields of a struct of numbers and arrays of numbers."""
        values = {}
        for name, _ in self.ffi.typeof(structure).fields:
            value = getattr(structure, name)
            values[name] = value if isinstance(value, int) else tuple(value)
        return values

    def text(self, text: Any) -> str:
        return bytes(self.ffi.string(text)).decode(errors="replace")

    def _no_room(self, places: Iterable[tuple[str, Any, Any]]) -> SimulationError:
        """The error for the number (name, C type and value) that does not fit, with its valid
        range.
        """
        for name, place, value in places:
            if place.kind != "primitive" or not isinstance(value, int):
                continue
            bits = 8 * self.ffi.sizeof(place)
            is_signed = int(self.ffi.cast(place, -1)) < 0
            low, high = (-1 << bits - 1, (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
            if value < low:
                return SimulationError(f"{name}: must be {low} or more, not {value}")
            if value > high:
                return SimulationError(f"{name}: must be at most {high}, not {value}")
        return SimulationError("a number is too large")
