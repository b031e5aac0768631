# SPDX-License-Identifier: Apache-2.0
"""Table of the TCP sessions on the page."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address

from bombus.applications.control.tcp_sessions import engines, state_name
from bombus.applications.control.web.source import Source

_MODULUS = 1 << 32


@dataclass(frozen=True)
class Session:
    """A session that is not closed."""

    tile: str
    number: int
    state: str
    peer: str
    port: int
    unacknowledged: int  # bytes
    unsent: int  # bytes
    cwnd: int  # bytes
    rto_us: int
    mss: int


class Sessions:
    """Reads the sessions in turn, as many in each sample as one batch can read."""

    def __init__(self, source: Source) -> None:
        self._engines = engines(source.controller)
        self._next = 0
        self._found: dict[tuple[str, int], Session] = {}

    def __bool__(self) -> bool:
        return bool(self._engines)

    def read(self) -> list[Session]:
        """All open sessions as last read."""
        for engine in self._engines:
            start = self._next % engine.num_sessions
            numbers = range(start, min(engine.num_sessions, start + engine.most_at_once))
            for number, state in engine.read(numbers):
                self._keep(engine.tile, number, state)
        if self._engines:
            self._next += min(engine.most_at_once for engine in self._engines)
            if self._next >= max(engine.num_sessions for engine in self._engines):
                self._next = 0
        return sorted(self._found.values(), key=lambda each: (each.tile, each.number))

    def _keep(self, tile: str, number: int, state: dict[str, int]) -> None:
        self._found.pop((tile, number), None)
        if state["state"] == 0:
            return
        self._found[tile, number] = Session(
            tile,
            number,
            state_name(state["state"]),
            f"{IPv4Address(state['peer_ip'])}:{state['peer_port']}",
            state["own_port"],
            (state["max"] - state["una"]) % _MODULUS,
            (state["send_end"] - state["max"]) % _MODULUS,
            state["cwnd"],
            state["rto"],
            state["mss"],
        )
