# SPDX-License-Identifier: Apache-2.0
"""Registers as plain data, for the manifest: word formats by name, then the tree of blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bombus.registers.model import Block, Field, Register, RegisterType

Plain = dict[str, Any]


def to_plain(root: Block) -> Plain:
    """A map of registers; `from_plain` reads it."""
    types: dict[str, RegisterType] = {}

    def type_name(register_type: RegisterType) -> str:
        """A unique name for every word format."""
        name, number = register_type.name, 2
        while types.setdefault(name, register_type) != register_type:
            name, number = f"{register_type.name}_{number}", number + 1
        return name

    def member(each: Register | Block) -> Plain:
        found: Plain = {"name": each.name, "offset": each.offset}
        if each.count is not None:
            found |= {"count": each.count, "stride": each.stride}
        if isinstance(each, Register):
            return {**found, "type": type_name(each.type)}
        return {**found, "size": each.size, "members": [member(inner) for inner in each.members]}

    tree = member(root)
    return {
        "types": {
            name: {
                "bits": each.bits,
                "fields": [
                    {
                        "name": field.name,
                        "low": field.low,
                        "width": field.width,
                        "access": field.access,
                    }
                    for field in each.fields
                ],
            }
            for name, each in types.items()
        },
        **tree,
    }


def from_plain(plain: Mapping[str, Any]) -> Block:
    """The map that `to_plain` wrote."""
    types = {
        name: RegisterType(
            name,
            each["bits"],
            tuple(
                Field(
                    field["name"],
                    field["low"],
                    field["width"],
                    is_readable="r" in field["access"],
                    is_writable="w" in field["access"],
                )
                for field in each["fields"]
            ),
        )
        for name, each in plain["types"].items()
    }

    def member(each: Mapping[str, Any]) -> Register | Block:
        array = {"count": each.get("count"), "stride": each.get("stride", 0)}
        if "type" in each:
            return Register(each["name"], each["offset"], types[each["type"]], **array)
        return block(each)

    def block(each: Mapping[str, Any]) -> Block:
        return Block(
            each["name"],
            each["offset"],
            tuple(member(inner) for inner in each["members"]),
            each["size"],
            each.get("count"),
            each.get("stride", 0),
        )

    return block(plain)
