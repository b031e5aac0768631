# SPDX-License-Identifier: Apache-2.0
"""Accesses to registers as data, for ports that carry out several at once.

A port that has `access(items)` carries them out in order, with no other access between them, and
returns the words that they read. Any other port makes them one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bombus.registers.model import WORD_BITS, WORD_BYTES, Block

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
    """The words that accesses write whole, by address."""
    return {
        item.address + WORD_BYTES * n: value
        for item in items
        if isinstance(item, Write)
        for n, value in enumerate(item.values)
    }


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


def name_at(block: Block, address: int, path: str = "") -> str:
    """The name of the register at an address, as `tiles.arp.next_hop[2]`; the address itself where
    there is none.
    """
    for member in block.members:
        offset, index = address - member.offset, ""
        if member.count is not None:
            number = offset // member.stride if member.stride else 0
            if not 0 <= number < member.count:
                continue
            offset, index = offset - number * member.stride, f"[{number}]"
        name = f"{path}.{member.name}{index}" if path else f"{member.name}{index}"
        size = member.size if isinstance(member, Block) else member.type.bytes
        if 0 <= offset < size:
            return name_at(member, offset, name) if isinstance(member, Block) else name
    return f"{path} + {address:#x}" if path else f"{address:#x}"
