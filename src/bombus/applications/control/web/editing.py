# SPDX-License-Identifier: Apache-2.0
"""Registers and tables of a tile, as rows; values that a user enters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import AddressValueError, IPv4Address
from typing import TYPE_CHECKING, Any

from bombus.applications.control.addresses import address_text
from bombus.base.errors import UserError
from bombus.registers.access import RegisterError
from bombus.registers.model import Field
from bombus.registers.places import Place, places
from bombus.registers.plain import from_plain

if TYPE_CHECKING:
    from bombus.applications.control.controller import Controller

_MAC = re.compile(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}", re.IGNORECASE)


def of_tile(manifest: Mapping[str, Any], tile: str | None) -> list[Place]:
    """Registers of a tile; None: those outside tiles. Counters are not among them."""
    start = "tiles." if tile is None else f"tiles.{tile}."
    return [
        each
        for each in places(from_plain(manifest["registers"]))
        if each.path.startswith(start) != (tile is None)
        and not each.path.startswith(f"{start}counters.")
    ]


def words(place: Place, first: int = 0, count: int = 1) -> list[int]:
    """Addresses of the words of a register, or of entries of a table."""
    return [word for entry in place.entries[first : first + count] for word in place.words(entry)]


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


def insert(
    controller: Controller, place: Place, entry: int | None, given: Mapping[str, str]
) -> int:
    """Writes an entry of a table, the first free one if none is given; returns its number. Fields
    that are not given are 0, `valid` is 1.
    """
    from bombus.applications.control import text

    fields = {field.name: field for field in place.type.fields}
    values = {name: parsed(fields[name], value) for name, value in given.items()}
    return text.insert(controller, place.path, values, entry)


def delete(controller: Controller, place: Place, entry: int) -> None:
    """Empties an entry of a table."""
    from bombus.applications.control import text

    text.delete(controller, place.path, [str(entry)])
