# SPDX-License-Identifier: Apache-2.0
"""The states of a TCP engine's sessions, as its registers show them."""

from __future__ import annotations

from collections import Counter

from bombus.simulator.simulation import Simulation

CLOSED = 0


def states(simulation: Simulation, sessions: int, tile: str = "tcp") -> Counter[int]:
    """How many sessions are in each state, by its number (docs/registers.md)."""
    registers = simulation.tile(tile).registers.tcp
    found: Counter[int] = Counter()
    for session in range(sessions):
        registers.session.index = session
        found[registers.state.read()["state"]] += 1
    return found
