# SPDX-License-Identifier: Apache-2.0
"""Packages: constants and struct layouts of those under rtl/, and which a design uses."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pyslang import ast

from bombus.base.errors import UserError
from bombus.base.text import snake_case
from bombus.design.rtl.elaboration import elaborate, rtl_files

_PACKAGE = re.compile(r"^package\s+(\w+)", re.MULTILINE)
_MODULE = re.compile(r"^module\s", re.MULTILINE)
_INCLUDE = re.compile(r'`include\s+"([^"]+)"')
_SCOPE = re.compile(r"(\w+)\s*::")


def without_unused_packages(files: Mapping[str, str]) -> dict[str, str]:
    """SystemVerilog texts by name, without packages that no other of them mentions, and
    without headers (.svh) that none includes.

    So a change to one layer's package does not affect designs without that layer.
    """
    headers = {Path(name).name: name for name in files if name.endswith(".svh")}
    packages = {
        match[1]: name
        for name, text in files.items()
        if (match := _PACKAGE.search(text)) and not _MODULE.search(text)
    }
    needed = set(files) - set(packages.values()) - set(headers.values())
    read = [files[name] for name in needed]
    while read:
        text = read.pop()
        new = {packages[scope] for scope in packages.keys() & set(_SCOPE.findall(text))}
        new |= {headers[name] for name in headers.keys() & set(_INCLUDE.findall(text))}
        new -= needed
        needed |= new
        read += [files[name] for name in new]
    return {name: text for name, text in files.items() if name in needed}


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


def length_bits() -> int:
    """Width of `bombus_pkg::length_t`."""
    return constant("bombus_pkg::MaxFrameBytes").bit_length()


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
