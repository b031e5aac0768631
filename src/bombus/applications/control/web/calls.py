# SPDX-License-Identifier: Apache-2.0
"""Calls of the control socket of a run that has a live page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bombus.applications.processors import control
from bombus.base.errors import UserError
from bombus.simulator.simulation import Simulation

_MOST_WORDS = 4096  # of one call, so that the interfaces do not wait long


def _sample(simulation: Simulation, addresses: Sequence[int]) -> dict[str, Any]:
    if len(addresses) > _MOST_WORDS:
        raise UserError(f"{len(addresses)} words in one call; at most {_MOST_WORDS}")
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


CALLS: Mapping[str, Callable[..., Any]] = {**control.CALLS, "sample": _sample}
