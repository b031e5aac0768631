# SPDX-License-Identifier: Apache-2.0
"""Accesses to registers as data, for ports that carry out several at once.

A port that has `access(items)` carries them out in order, with no other access between them, and
returns the words that they read. Any other port makes them one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bombus.registers.model import WORD_BITS, WORD_BYTES

WORD_MASK = (1 << WORD_BITS) - 1


class Port(Protocol):
    """Anything that reads and writes 32-bit words."""

    def read_register(self, address: int) -> int: ...
    def write_register(self, address: int, value: int) -> None: ...


@dataclass(frozen=True)
class Read:
    """Reads successive words."""

    address: int
    count: int = 1


@dataclass(frozen=True)
class Write:
    """Writes successive words."""

    address: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class MaskedWrite:
    """Writes the bits of a word that `mask` has."""

    address: int
    mask: int
    value: int


Item = Read | Write | MaskedWrite


class ItemPort(Port, Protocol):
    """A port that carries out several accesses at once."""

    def access(self, items: Sequence[Item]) -> list[int]: ...


def words_of(value: int, count: int) -> tuple[int, ...]:
    """A value as words, the lowest first."""
    return tuple(value >> WORD_BITS * n & WORD_MASK for n in range(count))


def value_of(words: Iterable[int]) -> int:
    """The value that words are, the lowest first."""
    return sum(word << WORD_BITS * n for n, word in enumerate(words))


def takes_items(port: Port) -> bool:
    return hasattr(port, "access")


def access(port: Port, items: Sequence[Item]) -> list[int]:
    """Carries out accesses in order; returns the words that were read."""
    if takes_items(port):
        found: list[int] = port.access(items)  # type: ignore[attr-defined]
        return found
    words: list[int] = []
    for item in items:
        if isinstance(item, Read):
            words += (port.read_register(item.address + WORD_BYTES * n) for n in range(item.count))
        elif isinstance(item, Write):
            for n, value in enumerate(item.values):
                port.write_register(item.address + WORD_BYTES * n, value)
        else:
            kept = port.read_register(item.address) & ~item.mask
            port.write_register(item.address, kept | item.value & item.mask)
    return words


def written_words(items: Iterable[Item]) -> dict[int, int]:
    """The words that accesses write, by address; those of masked writes as where nothing can be
    read, such as in tables of next hops.
    """
    found: dict[int, int] = {}
    for item in items:
        if isinstance(item, Write):
            found |= {item.address + WORD_BYTES * n: each for n, each in enumerate(item.values)}
        elif isinstance(item, MaskedWrite):
            found[item.address] = item.value & item.mask
    return found


def plain(item: Item) -> list[Any]:
    """An access as JSON; `from_plain` reads it."""
    if isinstance(item, Read):
        return ["read", item.address, item.count]
    if isinstance(item, Write):
        return ["write", item.address, list(item.values)]
    return ["masked", item.address, item.mask, item.value]


def from_plain(given: Sequence[Any]) -> Item:
    """The access that `plain` made. Raises ValueError or TypeError for anything else."""
    kind, *rest = given
    numbers = [each for part in rest for each in (part if isinstance(part, list) else [part])]
    if any(not isinstance(each, int) or not 0 <= each <= WORD_MASK for each in numbers):
        raise ValueError(f"{kind} {rest}: should have words")
    if rest[0] % WORD_BYTES:
        raise ValueError(f"address {rest[0]:#x}: should be a multiple of {WORD_BYTES}")
    if kind == "read":
        return Read(*rest)
    if kind == "write":
        address, values = rest
        return Write(address, tuple(values))
    if kind == "masked":
        return MaskedWrite(*rest)
    raise ValueError(f"{kind!r} is not an access")
