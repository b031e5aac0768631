# SPDX-License-Identifier: Apache-2.0
"""Calls of the control socket that the live page makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bombus.applications.control.web.source import READ, WRITE
from bombus.base.errors import UserError
from bombus.registers.model import WORD_BYTES
from bombus.simulator.simulation import Simulation

_MOST_WORDS = 4096  # of one call, so that the interfaces do not wait long


def _check(words: int) -> None:
    if words > _MOST_WORDS:
        raise UserError(f"{words} words in one call; at most {_MOST_WORDS}")


def _sample(simulation: Simulation, addresses: Sequence[int]) -> dict[str, Any]:
    _check(len(addresses))
    counters = simulation.counters()
    return {
        "cycle": simulation.cycle,
        "evaluated": simulation.evaluated_cycles,
        "counters": [
            list(counters[tile["name"]].values()) for tile in simulation.manifest["tiles"]
        ],
        "words": [simulation.read_register(address) for address in addresses],
        "stalls": [stall.name for stall in simulation.stalls()],
    }


def _access(simulation: Simulation, items: Sequence[tuple[str, int, int]]) -> list[int]:
    _check(sum(number if kind == READ else 1 for kind, _, number in items))
    if unknown := {kind for kind, _, _ in items} - {READ, WRITE}:
        raise UserError(f"an item is {READ} or {WRITE}, not {unknown.pop()}")
    found = []
    for kind, address, number in items:
        if kind == WRITE:
            simulation.write_register(address, number)
        else:
            found += [simulation.read_register(address + WORD_BYTES * n) for n in range(number)]
    return found


CALLS: Mapping[str, Callable[..., Any]] = {"sample": _sample, "access": _access}
