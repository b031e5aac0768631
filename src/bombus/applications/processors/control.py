# SPDX-License-Identifier: Apache-2.0
"""Control of a live run, its registers and packet processors, by another process through a Unix
socket (`bombus.live.control`). `CALLS` has the calls. An eviction may take long, and interfaces
wait meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bombus.applications.processors.processor import Processor
from bombus.applications.processors.processors import processors
from bombus.base.errors import UserError
from bombus.live import control
from bombus.live.control import request
from bombus.registers import items
from bombus.simulator.simulation import Simulation


def _processor(simulation: Simulation, number: int) -> Processor:
    found = processors(simulation)
    count = len(found)
    if not 0 <= number < count:
        raise UserError(f"there is no packet processor {number}; the design has {count}")
    return found[number]


def _status(simulation: Simulation) -> list[dict[str, Any]]:
    found = []
    for number, processor in enumerate(processors(simulation)):
        status = asdict(processor.status)
        del status["counters"]
        found.append({"number": number, "name": processor.name, **status})
    return found


def _policy(simulation: Simulation, name: str) -> None:
    processors(simulation).distribution.policy = name


def _plain(method: str) -> Callable[[Simulation, int], Any]:
    """A call of a processor's method without arguments."""
    return lambda simulation, number: getattr(_processor(simulation, number), method)()


def _with_file(method: str) -> Callable[[Simulation, int, str], Any]:
    return lambda simulation, number, file: getattr(_processor(simulation, number), method)(file)


def _send(simulation: Simulation, number: int, word: int, place: int = 0) -> None:
    _processor(simulation, number).debug_send(word, place)


def _read(simulation: Simulation, number: int, address: int, count: int) -> str:
    return _processor(simulation, number).memory.read(address, count).hex()


def _access(simulation: Simulation, given: list[list[Any]]) -> list[int]:
    """Carries out accesses to registers, all checked before the first one."""
    return items.access(simulation, [items.from_plain(each) for each in given])


CALLS: Mapping[str, Callable[..., Any]] = {
    "access": _access,
    "manifest": lambda simulation: simulation.manifest,
    "table_writes": lambda simulation: simulation.table_writes(),
    "status": _status,
    **{name: _plain(name) for name in ("boot", "stop", "poke", "evict")},
    **{name: _with_file(name) for name in ("load", "reload")},
    "send": _send,
    "report": lambda simulation, number: _processor(simulation, number).debug_word,
    "read": _read,
    "enable": lambda simulation, number: processors(simulation).distribution.enable(number),
    "disable": lambda simulation, number: processors(simulation).distribution.disable(number),
    "policy": _policy,
}


class Control(control.Control):
    """The socket of a run, by default with the calls for registers and packet processors."""

    def __init__(self, path: Path, calls: Mapping[str, Callable[..., Any]] = CALLS) -> None:
        super().__init__(path, calls)


__all__ = ["CALLS", "Control", "request"]
