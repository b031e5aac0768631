# SPDX-License-Identifier: Apache-2.0
"""Where the registers of a map are: by name, and by address."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bombus.registers.model import WORD_BYTES, Block, Register, RegisterType


@dataclass(frozen=True)
class Place:
    """A register or table of a map."""

    path: str  # such as `tiles.tcp.tcp.state`
    address: int  # of its first word, or of its first entry
    register: Register

    @property
    def type(self) -> RegisterType:
        return self.register.type

    @property
    def entries(self) -> range:
        """The numbers of its entries; of a register, 0."""
        return range(1 if self.register.count is None else self.register.count)

    def at(self, entry: int) -> int:
        """The address of an entry's first word."""
        return self.address + entry * self.register.stride

    def words(self, entry: int = 0) -> list[int]:
        """The addresses of an entry's words."""
        return [self.at(entry) + WORD_BYTES * n for n in range(self.type.words)]


@dataclass(frozen=True)
class HopEntry:
    """An entry of a tile's table of next hops or slots."""

    tile: str
    table: str  # `next_hop` or `slot`
    number: int


def places(block: Block, start: int = 0, path: str = "") -> Iterator[Place]:
    """The registers and tables of a block. `start`, `path`: where it is itself."""
    for member in block.members:
        name, address = path + member.name, start + member.offset
        if isinstance(member, Register):
            yield Place(name, address, member)
        elif member.count is None:
            yield from places(member, address, f"{name}.")
        else:
            for n in range(member.count):
                yield from places(member, address + n * member.stride, f"{name}[{n}].")


def name_at(block: Block, address: int) -> str:
    """The name of the register at an address of the map, as `tiles.arp.next_hop[2]`; the address
    itself where there is none.
    """
    for place in places(block):
        offset = address - place.address
        entry = offset // place.register.stride if place.register.stride else 0
        if entry in place.entries and 0 <= address - place.at(entry) < place.type.bytes:
            return place.path if place.register.count is None else f"{place.path}[{entry}]"
    return f"{address:#x}"


def hop_entries(manifest: Mapping[str, Any]) -> dict[int, HopEntry]:
    """The entries of all writable tables of next hops and slots, by address; each is a word."""
    return {
        table["window"] + table["offset"] + number * table["stride"]: HopEntry(
            table["tile"], table["table"], number
        )
        for table in manifest["hop_tables"]
        for number in range(table["count"])
    }
