# SPDX-License-Identifier: Apache-2.0
"""What the registers of a TCP engine show of its sessions (docs/registers.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from bombus.simulator.simulation import Simulation

# Values of the field `state`
(CLOSED, SYN_SENT, SYN_RECEIVED, ESTABLISHED, FIN_WAIT_1, FIN_WAIT_2, CLOSE_WAIT, CLOSING) = range(
    8
)
(LAST_ACK, TIME_WAIT, OVER) = range(8, 11)

Fields = Mapping[str, int]  # of a register


def session_state(simulation: Simulation, session: int, tile: str = "tcp") -> Fields:
    """The state of a session."""
    registers = simulation.tile(tile).registers.tcp
    registers.session.index = session
    fields: Fields = registers.state.read()
    return fields


def session_ranges(simulation: Simulation, session: int, slots: int) -> list[Fields]:
    """The ranges of a session, slot by slot."""
    registers = simulation.tile("tcp").registers.tcp
    found: list[Fields] = []
    for slot in range(slots):
        registers.session.write(index=session, slot=slot)
        found.append(registers.ranges.read())
    return found


def states(simulation: Simulation, sessions: int, tile: str = "tcp") -> Counter[int]:
    """How many sessions are in each state, by its number."""
    return Counter(session_state(simulation, each, tile)["state"] for each in range(sessions))
