# SPDX-License-Identifier: Apache-2.0
"""Constants and struct layouts of the packages under rtl/."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from pyslang import ast

from bombus.base.errors import UserError
from bombus.base.text import snake_case
from bombus.design.rtl.elaboration import elaborate, rtl_files


@dataclass(frozen=True)
class StructField:
    """A field of a packed struct: bits `offset + width - 1` down to `offset`."""

    offset: int
    width: int


@functools.cache
def constant(name: str) -> int:
    """Value of a parameter or of an enum's name, `package::Name`, in a package of rtl/."""
    package, _, value = name.partition("::")
    elaboration = elaborate([file for file in rtl_files() if file.stem.endswith("_pkg")])
    found = elaboration.compilation.getPackage(package).find(value)
    if found is None:
        raise UserError(f"{package} has no {value}")
    return int(found.value.value)


@functools.cache
def enum_names(package: str, name: str) -> Mapping[int, str]:
    """Names of an enum in snake_case, by value."""
    elaboration = elaborate([file for file in rtl_files() if file.stem.endswith("_pkg")])
    values = elaboration.compilation.getPackage(package).find(name).targetType.type.canonicalType
    return {int(value.value.value): snake_case(value.name) for value in values}


@functools.cache
def struct_layout(name: str, package: str = "bombus_pkg") -> Mapping[str, StructField]:
    """Offset and width in bits of each field of a packed struct.

    Includes fields of nested structs and unions: `vlan` and `vlan.tci`.
    """
    elaboration = elaborate([file for file in rtl_files() if file.stem.endswith("_pkg")])
    found = elaboration.compilation.getPackage(package).find(name)
    if found is None:
        raise UserError(f"{package} has no type {name!r}")
    fields: dict[str, StructField] = {}

    def visit(kind: ast.Type, base: int, prefix: str) -> None:
        for field in kind.canonicalType:
            offset = base + field.bitOffset
            fields[prefix + field.name] = StructField(offset, field.type.bitWidth)
            if isinstance(field.type.canonicalType, ast.PackedStructType | ast.PackedUnionType):
                visit(field.type, offset, f"{prefix}{field.name}.")

    visit(found.targetType.type, 0, "")
    return fields
