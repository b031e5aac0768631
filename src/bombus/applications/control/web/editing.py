# SPDX-License-Identifier: Apache-2.0
"""Registers and tables of a tile, as rows; values that a user enters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address
from typing import TYPE_CHECKING, Any

from bombus.applications.control.addresses import address_text
from bombus.base.errors import UserError
from bombus.registers.access import RegisterError
from bombus.registers.model import WORD_BYTES, Block, Field, Register, RegisterType
from bombus.registers.plain import from_plain

if TYPE_CHECKING:
    from bombus.applications.control.controller import Controller

_MAC = re.compile(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}", re.IGNORECASE)


@dataclass(frozen=True)
class Place:
    """A register or table: its name in the register map, such as `tiles.tcp.tcp.state`."""

    path: str
    address: int  # of its first word, or of its first entry
    register: Register

    @property
    def type(self) -> RegisterType:
        return self.register.type

    def at(self, entry: int) -> int:
        return self.address + entry * self.register.stride


def places(manifest: Mapping[str, Any], tile: str | None) -> list[Place]:
    """Registers of a tile; None: those outside tiles. Counters are not among them."""
    root = from_plain(manifest["registers"])
    if tile is None:
        return [each for each in _within(root, 0, "") if not each.path.startswith("tiles.")]
    tiles = root.find("tiles")
    block = tiles.find(tile) if isinstance(tiles, Block) else None
    if not isinstance(tiles, Block) or not isinstance(block, Block):
        return []
    start = tiles.offset + block.offset
    counters = f"tiles.{tile}.counters."
    found = _within(block, start, f"tiles.{tile}.")
    return [each for each in found if not each.path.startswith(counters)]


def _within(block: Block, start: int, path: str) -> Iterator[Place]:
    for member in block.members:
        if isinstance(member, Register):
            yield Place(path + member.name, start + member.offset, member)
        elif member.count is None:
            yield from _within(member, start + member.offset, f"{path}{member.name}.")
        else:
            for n in range(member.count):
                name = f"{path}{member.name}[{n}]."
                yield from _within(member, start + member.offset + n * member.stride, name)


def words(place: Place, first: int = 0, count: int = 1) -> list[int]:
    """Addresses of the words of a register, or of entries of a table."""
    return [
        place.at(entry) + WORD_BYTES * n
        for entry in range(first, min(first + count, place.register.count or 1))
        for n in range(place.type.words)
    ]


def shown(field: Field, value: int) -> str:
    """A field's value as text: addresses in their usual form, wide values in hexadecimal."""
    if (address := address_text(field, value)) is not None:
        return address
    return f"{value:#x}" if field.width > 32 else str(value)


def parsed(field: Field, text: str) -> int:
    """The value that `text` means: decimal, 0x, an IP or MAC address. RegisterError."""
    text = text.strip()
    try:
        if _MAC.fullmatch(text):
            value = int(text.replace(":", ""), 16)
        elif text.count(".") == 3:
            value = int(IPv4Address(text))
        else:
            value = int(text, 0)
    except (ValueError, AddressValueError):
        raise RegisterError(f"{field.name}: {text!r} is not a number or an address") from None
    if not 0 <= value < 1 << field.width:
        limit = (1 << field.width) - 1
        raise RegisterError(f"{field.name}: {text} is not from 0 to {limit}")
    return value


def write(
    controller: Controller, place: Place, entry: int | None, given: Mapping[str, str]
) -> None:
    """Writes fields of a register or of an entry; all are checked first. UserError, also if the
    design could deadlock with a next hop or slot.
    """
    fields = {field.name: field for field in place.type.fields}
    values = {name: parsed(fields[name], text) for name, text in given.items()}
    if not values:
        raise UserError(f"{place.path}: no value was given")
    with controller.batch() as batch:
        found: Any = batch.registers
        for name, index in re.findall(r"(\w+)|\[(\d+)\]", place.path):
            found = found[name] if name else found[int(index)]
        if entry is not None:
            found = found[entry]
        found.write(**values)
        if controller.changes_tables(batch.items):
            controller.check_tables(batch.items)
