# SPDX-License-Identifier: Apache-2.0
"""Kinds of messages: the structs of their metadata, found by name in the packages.

The metadata of kind `arp_update` is the packed struct `arp_update_meta_t` of a package. A layer
declares which kinds its streams take and send (docs/architecture.md, "Kinds of messages").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pyslang import ast

from bombus.base.errors import DesignError, Problem
from bombus.base.text import snake_case
from bombus.design.rtl.elaboration import Elaboration

PACKET = "packet"  # the kind that all layers share
ANY = "any"  # for inputs that ignore metadata
TAKEN = "taken"  # for outputs that forward messages
_SUFFIX = "_meta_t"


@dataclass(frozen=True)
class MessageField:
    """A field of the metadata: bits `offset + width - 1` down to `offset`."""

    name: str  # including those of nested structs: `tuple.ip`
    offset: int
    width: int
    values: tuple[tuple[str, int], ...] = ()  # of an enum, by name


@dataclass(frozen=True)
class MessageKind:
    """A kind of message and the struct of its metadata."""

    name: str
    struct: str  # `package::type`
    bits: int
    fields: tuple[MessageField, ...] = field(default=(), compare=False, repr=False)


def _fields(struct: ast.Type, base: int = 0, prefix: str = "") -> Iterator[MessageField]:
    for member in struct.canonicalType:
        kind = member.type.canonicalType
        offset = base + member.bitOffset
        values: tuple[tuple[str, int], ...] = ()
        if isinstance(kind, ast.EnumType):
            values = tuple((snake_case(each.name), int(each.value.value)) for each in kind)
        yield MessageField(prefix + member.name, offset, member.type.bitWidth, values)
        if isinstance(kind, ast.PackedStructType | ast.PackedUnionType):
            yield from _fields(kind, offset, f"{prefix}{member.name}.")


def read_kinds(elaboration: Elaboration) -> dict[str, MessageKind]:
    """The kinds that have a struct; DesignError if two with the same name differ."""
    found: dict[str, MessageKind] = {}
    first: dict[str, tuple[object, Path]] = {}
    problems = []
    for package in elaboration.compilation.getPackages():
        for alias in package:
            target = getattr(alias, "targetType", None)
            if target is None or not alias.name.endswith(_SUFFIX):
                continue
            name, file = alias.name.removesuffix(_SUFFIX), elaboration.file(alias.location)
            struct = target.type.canonicalType
            if not isinstance(struct, ast.PackedStructType):
                continue
            layout = [(field.name, field.type.bitWidth) for field in struct]
            other, other_file = first.setdefault(name, (layout, file))
            if other != layout:
                line = elaboration.manager.getLineNumber(alias.location)
                problems.append(
                    Problem(
                        file,
                        line,
                        f"{alias.name} is another struct in {other_file}: a kind of message, here "
                        f"{name}, has one; rename this one",
                    )
                )
            full_name = f"{package.name}::{alias.name}"
            fields = tuple(_fields(struct))
            found.setdefault(name, MessageKind(name, full_name, target.type.bitWidth, fields))
    if problems:
        raise DesignError(problems)
    return found


def widest(names: Iterable[str], kinds: Mapping[str, MessageKind]) -> MessageKind:
    """The kind with the widest struct; a packet if none is wider."""
    there = [kinds[name] for name in sorted(set(names)) if name in kinds] or [kinds[PACKET]]
    return max(there, key=lambda kind: (kind.bits, kind.name == PACKET))


def without_struct(names: Iterable[str], kinds: Mapping[str, MessageKind]) -> Iterator[str]:
    """Problems with kinds that have no struct."""
    for name in sorted(set(names) - kinds.keys() - {ANY, TAKEN}):
        yield f"message kind {name!r} has no struct: there is no {name}{_SUFFIX} in a package"
