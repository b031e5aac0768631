# SPDX-License-Identifier: Apache-2.0
"""Kinds of messages: the structs of their metadata, found by name in the packages.

The metadata of kind `arp_update` is the packed struct `arp_update_meta_t` of a package. A layer
declares which kinds its streams take and send (docs/architecture.md, "Kinds of messages"). A kind
whose messages are only metadata has `parameter bit ArpUpdateHasPayload = 1'b0` in that package.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from pyslang import ast

from bombus.base.errors import DesignError, Problem
from bombus.base.text import camel_case, snake_case
from bombus.design.rtl.elaboration import Elaboration

PACKET = "packet"  # the kind that all layers share
ANY = "any"  # for inputs that ignore metadata
TAKEN = "taken"  # for outputs that forward messages
GIVEN = "given"  # for outputs whose kinds the design file names
_SUFFIX = "_meta_t"
_HAS_PAYLOAD = "HasPayload"


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
    has_payload: bool = True
    fields: tuple[MessageField, ...] = field(default=(), compare=False, repr=False)

    @property
    def identity(self) -> int:
        """32 bits that identify the kind in any design: the first four bytes, a big-endian number,
        of the SHA-256 of its name and layout. Hashed are a line `NAME BITS` and, for each field in
        the order of declaration, nested ones included, a line `NAME OFFSET WIDTH`.
        """
        lines = [f"{self.name} {self.bits}"]
        lines += [f"{each.name} {each.offset} {each.width}" for each in self.fields]
        text = "".join(f"{line}\n" for line in lines)
        return int.from_bytes(sha256(text.encode()).digest()[:4], "big")

    def described(self) -> dict[str, Any]:
        """For the manifest: name, identity and fields."""
        return {
            "name": self.name,
            "id": self.identity,
            "fields": {
                each.name: {
                    "offset": each.offset,
                    "width": each.width,
                    "values": dict(each.values),
                }
                for each in self.fields
            },
        }


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


def _has_payload(package: ast.PackageSymbol, kind: str) -> bool:
    flag = package.find(camel_case(kind) + _HAS_PAYLOAD)
    return flag is None or bool(int(flag.value.value))


def _strange_flags(package: ast.PackageSymbol) -> Iterator[ast.Symbol]:
    """Constants about the payload of kinds that the package does not have."""
    for each in package:
        if isinstance(each, ast.ParameterSymbol) and each.name.endswith(_HAS_PAYLOAD):
            kind = snake_case(each.name.removesuffix(_HAS_PAYLOAD))
            if package.find(kind + _SUFFIX) is None:
                yield each


def read_kinds(elaboration: Elaboration) -> dict[str, MessageKind]:
    """The kinds that have a struct; DesignError if two with the same name differ."""
    found: dict[str, MessageKind] = {}
    first: dict[str, tuple[object, Path]] = {}
    problems: list[Problem] = []

    def problem(symbol: ast.Symbol, text: str) -> None:
        line = elaboration.manager.getLineNumber(symbol.location)
        problems.append(Problem(elaboration.file(symbol.location), line, text))

    for package in elaboration.compilation.getPackages():
        for flag in _strange_flags(package):
            missing = snake_case(flag.name.removesuffix(_HAS_PAYLOAD)) + _SUFFIX
            problem(
                flag,
                f"{flag.name} is about a kind of message that the package does not have: "
                f"there is no {missing}",
            )
        for alias in package:
            target = getattr(alias, "targetType", None)
            if target is None or not alias.name.endswith(_SUFFIX):
                continue
            name, file = alias.name.removesuffix(_SUFFIX), elaboration.file(alias.location)
            struct = target.type.canonicalType
            if not isinstance(struct, ast.PackedStructType):
                continue
            has_payload = _has_payload(package, name)
            layout = [(field.name, field.type.bitWidth) for field in struct]
            other, other_file = first.setdefault(name, ((layout, has_payload), file))
            if other != (layout, has_payload):
                problem(
                    alias,
                    f"{alias.name} is another struct in {other_file}, or has another "
                    f"{camel_case(name)}{_HAS_PAYLOAD}: a kind of message, here {name}, has one; "
                    "rename this one",
                )
            full_name = f"{package.name}::{alias.name}"
            kind = MessageKind(
                name, full_name, target.type.bitWidth, has_payload, tuple(_fields(struct))
            )
            found.setdefault(name, kind)
    if problems:
        raise DesignError(problems)
    return found


def widest(names: Iterable[str], kinds: Mapping[str, MessageKind]) -> MessageKind:
    """The kind with the widest struct; a packet if none is wider."""
    there = [kinds[name] for name in sorted(set(names)) if name in kinds] or [kinds[PACKET]]
    return max(there, key=lambda kind: (kind.bits, kind.name == PACKET))


def without_struct(names: Iterable[str], kinds: Mapping[str, MessageKind]) -> Iterator[str]:
    """Problems with kinds that have no struct."""
    for name in sorted(set(names) - kinds.keys() - {ANY, TAKEN, GIVEN}):
        yield f"message kind {name!r} has no struct: there is no {name}{_SUFFIX} in a package"
