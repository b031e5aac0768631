# SPDX-License-Identifier: Apache-2.0
"""TCP sessions of a stack, by the registers `session` and `state` of its engines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from bombus.registers.access import BlockAccess, RegisterAccess, format_of, unpack
from bombus.registers.items import Item, Read, Write, value_of

STATES = (
    *("CLOSED", "SYN-SENT", "SYN-RECEIVED", "ESTABLISHED", "FIN-WAIT-1", "FIN-WAIT-2"),
    *("CLOSE-WAIT", "CLOSING", "LAST-ACK", "TIME-WAIT", "over"),
)
_KIND = "tcp"
_MOST_AT_ONCE = 64  # sessions in one batch


class Stack(Protocol):
    """Access to the registers of a stack, such as a `bombus.Controller`."""

    @property
    def manifest(self) -> Mapping[str, Any]: ...

    @property
    def max_read_words(self) -> int:
        """The words that one access can read."""

    def access(self, items: Sequence[Item]) -> list[int]:
        """Carries out reads and writes in their order; returns the words that are read."""

    def registers_of(self, kind: str) -> list[tuple[str, BlockAccess]]:
        """The registers of every layer of a kind, each with the name of its tile."""


def state_name(number: int) -> str:
    """The name of a session's state, as in RFC 9293."""
    return STATES[number] if number < len(STATES) else str(number)


class Engine:
    """The TCP engine of a tile. `registers`: those of its layer."""

    def __init__(self, stack: Stack, tile: str, registers: BlockAccess, num_sessions: int) -> None:
        self.tile, self.num_sessions = tile, num_sessions
        self._stack = stack
        self._select: RegisterAccess = registers.session
        self._state: RegisterAccess = registers.state

    @property
    def most_at_once(self) -> int:
        """Sessions that one batch can read."""
        kind = format_of(self._state)
        assert kind is not None
        return max(1, min(_MOST_AT_ONCE, (self._stack.max_read_words - 1) // kind.words))

    def read(self, numbers: Sequence[int]) -> Iterator[tuple[int, dict[str, int]]]:
        """The fields of `state` of each of these sessions. The register `session` keeps its value,
        and other programs that read sessions do not disturb.
        """
        for start in range(0, len(numbers), self.most_at_once):
            yield from self._read(numbers[start : start + self.most_at_once])

    def _read(self, numbers: Sequence[int]) -> Iterator[tuple[int, dict[str, int]]]:
        kind = format_of(self._state)
        assert kind is not None
        register = self._select.where()
        items: list[Item] = [Read(register)]
        for number in numbers:
            items += Write(register, (number,)), Read(self._state.where(), kind.words)
        # Restored in a second request: another program writes it in the batch in which it reads.
        before, *words = self._stack.access(items)
        self._stack.access([Write(register, (before,))])
        for n, number in enumerate(numbers):
            value = value_of(words[n * kind.words : (n + 1) * kind.words])
            yield number, unpack(kind, value)


def engines(stack: Stack) -> list[Engine]:
    """The engines of a design."""
    counts = [
        int(layer["params"]["num_sessions"])
        for tile in stack.manifest["tiles"]
        for layer in tile["layers"]
        if layer["kind"] == _KIND
    ]
    found = zip(stack.registers_of(_KIND), counts, strict=True)
    return [Engine(stack, tile, registers, count) for (tile, registers), count in found]
