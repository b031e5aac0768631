# SPDX-License-Identifier: Apache-2.0
"""TCP sessions of a stack, by the registers `session` and `state` of its engines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bombus.registers.access import BlockAccess, RegisterAccess, format_of, unpack
from bombus.registers.items import Item, Read, Write, value_of

if TYPE_CHECKING:
    from bombus.applications.control.controller import Controller

STATES = (
    *("CLOSED", "SYN-SENT", "SYN-RECEIVED", "ESTABLISHED", "FIN-WAIT-1", "FIN-WAIT-2"),
    *("CLOSE-WAIT", "CLOSING", "LAST-ACK", "TIME-WAIT", "over"),
)
_KIND = "tcp"
_MOST_AT_ONCE = 64  # sessions in one batch


def state_name(number: int) -> str:
    """The name of a session's state, as in RFC 9293."""
    return STATES[number] if number < len(STATES) else str(number)


class Engine:
    """The TCP engine of a tile. `registers`: those of its layer."""

    def __init__(
        self, controller: Controller, tile: str, registers: BlockAccess, num_sessions: int
    ) -> None:
        self.tile, self.num_sessions = tile, num_sessions
        self._controller = controller
        self._select: RegisterAccess = registers.session
        self._state: RegisterAccess = registers.state

    @property
    def most_at_once(self) -> int:
        """Sessions that one batch can read."""
        kind = format_of(self._state)
        assert kind is not None
        return max(1, min(_MOST_AT_ONCE, (self._controller.max_read_words - 1) // kind.words))

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
        before, *words = self._controller.access(items)
        self._controller.access([Write(register, (before,))])
        for n, number in enumerate(numbers):
            value = value_of(words[n * kind.words : (n + 1) * kind.words])
            yield number, unpack(kind, value)


def engines(controller: Controller) -> list[Engine]:
    """The engines of a design."""
    counts = [
        int(layer["params"]["num_sessions"])
        for tile in controller.manifest["tiles"]
        for layer in tile["layers"]
        if layer["kind"] == _KIND
    ]
    found = zip(controller.registers_of(_KIND), counts, strict=True)
    return [Engine(controller, tile, registers, count) for (tile, registers), count in found]
