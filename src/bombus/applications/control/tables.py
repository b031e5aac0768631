# SPDX-License-Identifier: Apache-2.0
"""Where entries of the tables of next hops and slots lead, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bombus.registers.access import BlockAccess, format_of, unpack_all
from bombus.registers.places import hop_entries
from bombus.simulator.register_map import find_tile

NOWHERE = "none"


def changes(
    registers: BlockAccess, manifest: Mapping[str, Any], written: Mapping[int, int]
) -> Iterator[str]:
    """The entries that these words by address change, as `echo.udp_tx -> udp_rx`."""
    for address, place in hop_entries(manifest).items():
        if address in written:
            given = (place.tile, place.table, place.number)
            to = leads_to(registers, manifest, *given, written)
            yield f"{entry_name(manifest, *given)} -> {to}"


def entry_name(manifest: Mapping[str, Any], tile: str, table: str, number: int) -> str:
    """Such as `echo.udp_tx`, or `echo.slot[2]`."""
    if table == "next_hop":
        for name, each in find_tile(manifest, tile)["next_hops"].items():
            if each == number:
                return f"{tile}.{name}"
    return f"{tile}.{table}[{number}]"


def leads_to(
    registers: BlockAccess,
    manifest: Mapping[str, Any],
    tile: str,
    table: str,
    number: int,
    written: Mapping[int, int],
) -> str:
    """Where an entry leads: TILE, TILE:ENTRY, a group or `none`; by the design file if it has not
    been written.
    """
    array = registers.tiles[tile][table]
    word = written.get(array[number].where())
    groups = [each for each in manifest["dispatch"] if each["tile"] == tile]
    if word is None:
        return ", ".join(_initial(manifest, tile, table, number, groups)) or NOWHERE
    kind = format_of(array)
    assert kind is not None
    entry = unpack_all(kind, word)
    if not entry["valid"]:
        return NOWHERE
    if entry["is_group"]:
        names = (each["group"] for each in groups if each["number"] == entry["x"])
        return str(next(names, f"group {entry['x']}"))
    place = (entry["x"], entry["y"])
    found = (each["name"] for each in manifest["tiles"] if (each["x"], each["y"]) == place)
    to = next(found, f"({entry['x']}, {entry['y']})")
    return f"{to}:{entry['port']}" if entry["port"] else str(to)


def _initial(
    manifest: Mapping[str, Any],
    tile: str,
    table: str,
    number: int,
    groups: list[Mapping[str, Any]],
) -> list[str]:
    """Where an entry leads by the design file."""
    if table == "slot":
        slots = {
            group["first_slot"] + n: str(slot["to"])
            for group in groups
            for n, slot in enumerate(group["slots"])
        }
        return [slots[number]] if number in slots else []
    ends = (
        each["group"] or (each["to"] or NOWHERE).partition(".")[0]
        for each in manifest["hops"]
        if each["from"].partition(".")[0] == tile and each["entry"] == number
    )
    return list(dict.fromkeys(ends))
