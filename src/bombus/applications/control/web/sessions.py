# SPDX-License-Identifier: Apache-2.0
"""TCP sessions of a stack, by the registers `session` and `state` of its engines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address

from bombus.applications.control.web.source import Source
from bombus.registers.access import unpack
from bombus.registers.items import Item, Read, Write
from bombus.registers.model import WORD_BITS, Block, Register
from bombus.registers.plain import from_plain

STATES = (
    "CLOSED",
    "SYN-SENT",
    "SYN-RECEIVED",
    "ESTABLISHED",
    "FIN-WAIT-1",
    "FIN-WAIT-2",
    "CLOSE-WAIT",
    "CLOSING",
    "LAST-ACK",
    "TIME-WAIT",
    "over",
)
_MODULUS = 1 << 32
MOST_AT_ONCE = 64  # sessions in one sample


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
    """Reads the sessions, `MOST_AT_ONCE` at a time, in turn."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._engines = list(_engines(source))
        self._next = 0
        self._found: dict[tuple[str, int], Session] = {}

    def __bool__(self) -> bool:
        return bool(self._engines)

    def read(self) -> list[Session]:
        """All open sessions as last read. The register `session` keeps its value."""
        for tile, block, address, count in self._engines:
            select, state = block.find("session"), block.find("state")
            assert isinstance(select, Register)
            assert isinstance(state, Register)
            register = address + select.offset
            start = self._next % count
            numbers = range(start, min(count, start + MOST_AT_ONCE))
            items: list[Item] = [Read(register)]
            for number in numbers:
                items.append(Write(register, (number,)))
                items.append(Read(address + state.offset, state.type.words))
            # Restored in a second request: another program writes it before each use.
            before, *words = self._source.controller.access(items)
            self._source.controller.access([Write(register, (before,))])
            for n, number in enumerate(numbers):
                part = words[n * state.type.words : (n + 1) * state.type.words]
                value = sum(word << WORD_BITS * k for k, word in enumerate(part))
                self._keep(tile, number, unpack(state.type, value))
        self._next += MOST_AT_ONCE
        if self._engines and self._next >= max(count for *_, count in self._engines):
            self._next = 0
        return sorted(self._found.values(), key=lambda each: (each.tile, each.number))

    def _keep(self, tile: str, number: int, state: dict[str, int]) -> None:
        self._found.pop((tile, number), None)
        if state["state"] == 0:
            return
        self._found[tile, number] = Session(
            tile,
            number,
            STATES[state["state"]] if state["state"] < len(STATES) else str(state["state"]),
            f"{IPv4Address(state['peer_ip'])}:{state['peer_port']}",
            state["own_port"],
            (state["max"] - state["una"]) % _MODULUS,
            (state["send_end"] - state["max"]) % _MODULUS,
            state["cwnd"],
            state["rto"],
            state["mss"],
        )


def _engines(source: Source) -> Iterator[tuple[str, Block, int, int]]:
    """Tile, registers, their address, and number of sessions of each engine."""
    root = from_plain(source.manifest["registers"])
    tiles = root.find("tiles")
    assert isinstance(tiles, Block)
    for tile in source.manifest["tiles"]:
        own = tiles.find(tile["name"])
        for layer in tile["layers"]:
            if layer["kind"] != "tcp" or not isinstance(own, Block):
                continue
            block = own.find(layer["name"])
            if isinstance(block, Block):
                address = root.offset + tiles.offset + own.offset + block.offset
                yield tile["name"], block, address, int(layer["params"]["num_sessions"])
