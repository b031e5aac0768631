# SPDX-License-Identifier: Apache-2.0
"""Registers, values and commands as text: what `bombus ctl` takes and prints."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from bombus.applications.control.addresses import address_text, is_ip
from bombus.applications.control.controller import Batch, Controller, Result
from bombus.applications.control.tables import NOWHERE
from bombus.base.errors import UserError
from bombus.registers.access import (
    Array,
    BlockAccess,
    RegisterAccess,
    RegisterError,
    format_of,
    path_of,
    unpack,
)
from bombus.registers.model import RegisterType
from bombus.simulator import register_map

_PART = re.compile(r"(\w+)(?:\[(\d+)\])?")
_MAC = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")


def element(registers: BlockAccess, path: str) -> tuple[Any, str | None]:
    """What a path names: a block, table or register; and the field, if it names one.

    `echo.next_hop[2]` is in a tile; `host[0].ip.address` is in the design itself.
    """
    found: Any = registers
    parts = path.split(".")
    first = parts[0].partition("[")[0]
    if first not in list(registers):
        found = registers.tiles
        try:
            found[first]
        except RegisterError:
            tiles = ", ".join(found)
            raise UserError(f"{path}: no tile or layer {first!r}; tiles: {tiles}") from None
    for n, part in enumerate(parts):
        match = _PART.fullmatch(part)
        if match is None:
            raise UserError(f"{path}: {part!r} is not a name such as `next_hop[2]`")
        if isinstance(found, RegisterAccess):
            if n < len(parts) - 1 or match[2]:
                raise UserError(f"{path}: a field has no parts")
            found._field(part)
            return found, part
        if isinstance(found, Array):
            raise UserError(f"{path}: {path_of(found)} is a table; name an entry, such as [0]")
        found = found[match[1]]
        if match[2]:
            if not isinstance(found, Array):
                raise UserError(f"{path}: {match[1]} is not a table")
            found = found[int(match[2])]
    return found, None


def number(text: str) -> int:
    """A value: a number, an IPv4 or a MAC address."""
    try:
        if _MAC.fullmatch(text):
            return int(text.replace(":", ""), 16)
        return int(IPv4Address(text)) if text.count(".") == 3 else int(text, 0)
    except ValueError:
        raise UserError(f"{text!r} is not a number, an IPv4 or a MAC address") from None


def assignments(given: Sequence[str]) -> dict[str, int]:
    """`field=value` texts."""
    found = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals:
            raise UserError(f"{each!r}: should be FIELD=VALUE")
        found[name] = number(value)
    return found


def value_text(kind: RegisterType, name: str, value: int) -> str:
    """A field's value: addresses in their usual form, numbers in hexadecimal."""
    field = next(each for each in kind.fields if each.name == name)
    address = address_text(field, value)
    if address is None:
        return f"{value:#x}"
    return f"{address} ({value:#010x})" if is_ip(field) else address


def line(register: RegisterAccess, fields: Mapping[str, int], *, field: str | None = None) -> str:
    """A register and values of its fields; `field`: the only one."""
    kind = format_of(register)
    assert kind is not None
    if field is not None:
        return f"{path_of(register)}.{field} = {value_text(kind, field, fields[field])}"
    values = " ".join(f"{name}={value_text(kind, name, fields[name])}" for name in fields)
    return f"{path_of(register)}: {values}"


def lines(found: Sequence[tuple[RegisterAccess, Mapping[str, int]]]) -> Iterator[str]:
    """Registers as lines; entries of a table that are zero are only counted."""
    zero: dict[str, int] = {}
    for register, fields in found:
        path = path_of(register)
        if len(found) > 1 and path.endswith("]") and not any(fields.values()):
            table_path = path.rpartition("[")[0]
            zero[table_path] = zero.get(table_path, 0) + 1
        else:
            yield line(register, fields)
    for path, count in zero.items():
        yield f"{path}: {count} {'entry is' if count == 1 else 'entries are'} zero"


def values_of(controller: Controller, path: str) -> Iterator[tuple[RegisterAccess, dict[str, int]]]:
    """The readable registers under a path, each with its fields; with one if the path names it."""
    found, field = element(controller.registers, path)
    if field is not None:
        yield found, {field: found[field]}
        return
    if isinstance(found, RegisterAccess):
        yield found, found.read()
        return
    registers = list(_readable(found))
    if not registers:
        raise UserError(f"{path_of(found) or path}: nothing there can be read")
    yield from read_registers(controller, registers)


def read_registers(
    controller: Controller, registers: Sequence[RegisterAccess]
) -> Iterator[tuple[RegisterAccess, dict[str, int]]]:
    """Registers with their readable fields, several in a request."""
    for start in range(0, len(registers), _TOGETHER):
        results: list[tuple[RegisterAccess, Result]] = []
        with controller.batch() as batch:
            results += ((each, batch.read(each)) for each in registers[start : start + _TOGETHER])
        for each, result in results:
            kind = format_of(each)
            assert kind is not None
            yield each, unpack(kind, result.value)


_TOGETHER = 16  # registers that one request reads, of up to 16 words


def _readable(found: Any) -> Iterator[RegisterAccess]:
    if isinstance(found, RegisterAccess):
        if found._type.is_readable:
            yield found
    elif isinstance(found, Array):
        for each in found:
            yield from _readable(each)
    else:
        for name in found:
            yield from _readable(found[name])


def write(
    registers: BlockAccess, path: str, given: Sequence[str]
) -> tuple[RegisterAccess, dict[str, int]]:
    """`VALUE` for a field, or for a register with one; else `FIELD=VALUE` for a register. Returns
    what it wrote.
    """
    found, field = element(registers, path)
    if not isinstance(found, RegisterAccess):
        raise UserError(f"{path}: names no register; {path_of(found)} has several")
    if len(given) == 1 and "=" not in given[0]:
        if field is None:
            fields = [each.name for each in found._type.fields if each.is_writable]
            if len(fields) != 1:
                raise UserError(f"{path}: should be FIELD=VALUE, with {', '.join(fields)}")
            (field,) = fields
        values = {field: number(given[0])}
    elif field is not None:
        raise UserError(f"{path}: should be one value")
    else:
        values = assignments(given)
    found.write(**values)
    return found, values


# ---- Tables ----


def table(registers: BlockAccess, path: str) -> Array:
    found, _ = element(registers, path)
    if not isinstance(found, Array) or format_of(found) is None:
        names = ", ".join(_tables(found))
        raise UserError(f"{path} is not a table; {f'tables: {names}' if names else 'it has none'}")
    return found


def _tables(found: Any) -> Iterator[str]:
    """The tables in a tile or layer."""
    if isinstance(found, Array) and format_of(found) is not None:
        yield path_of(found).removeprefix("tiles.")
    elif isinstance(found, Array):
        yield from _tables(found[0])
    elif isinstance(found, BlockAccess):
        for name in found:
            yield from _tables(found[name])


def is_empty(fields: Mapping[str, int]) -> bool:
    """Whether an entry is free: not `valid`, or all 0 where it has no such field."""
    return not fields["valid"] if "valid" in fields else not any(fields.values())


def entries(controller: Controller, path: str) -> dict[int, dict[str, int]]:
    """The entries of a table in use, by index."""
    table(controller.registers, path)
    found = (fields for _, fields in values_of(controller, path))
    return {n: fields for n, fields in enumerate(found) if not is_empty(fields)}


def insert(
    controller: Controller,
    path: str,
    given: Mapping[str, int],
    at: int | None,
    *,
    force: bool = False,
) -> int:
    """Writes an entry, the first free one unless `at` is given; returns its index. `force`: as of
    `Controller.batch`, here and below.
    """
    array = table(controller.registers, path)
    if at is None:
        used = entries(controller, path)
        at = next((n for n in range(len(array)) if n not in used), None)
        if at is None:
            raise UserError(f"{path}: all {len(array)} entries are in use")
    with controller.batch(force=force) as batch:
        table(batch.registers, path)[at].write(**_whole(array, given))
    return at


def _whole(array: Array, given: Mapping[str, int]) -> dict[str, int]:
    """All fields of an entry; those not given are 0, `valid` is 1."""
    kind = format_of(array)
    assert kind is not None
    names = [each.name for each in kind.fields if each.is_writable]
    return {**dict.fromkeys(names, 0), **({"valid": 1} if "valid" in names else {}), **given}


def delete(
    controller: Controller, path: str, which: Sequence[str], *, force: bool = False
) -> list[int]:
    """Empties entries: by index, or all that have these fields (`FIELD=VALUE`)."""
    array = table(controller.registers, path)
    if all(each.isdecimal() for each in which):
        found = [int(each) for each in which]
    else:
        wanted = assignments(which)
        used = entries(controller, path)
        for name in wanted:
            array[0]._field(name)
        found = [n for n, each in used.items() if wanted.items() <= each.items()]
    if not found:
        raise UserError(f"{path}: no entry has {' '.join(which)}")
    with controller.batch(force=force) as batch:
        for n in found:
            batch_table = table(batch.registers, path)
            batch_table[n].write(**{**_whole(array, {}), **_cleared(array)})
    return found


def _cleared(array: Array) -> dict[str, int]:
    return dict.fromkeys(_whole(array, {}), 0)


def load(controller: Controller, path: str, file: Path, *, keep: bool, force: bool = False) -> int:
    """Replaces a table by the rows of a CSV file whose columns are fields, in one batch; `keep`:
    leaves further entries as they are. Returns the number of rows.
    """
    array = table(controller.registers, path)
    try:
        with file.open(newline="", encoding="utf-8") as stream:
            rows = [row for row in csv.DictReader(stream, skipinitialspace=True) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{file}: {getattr(error, 'strerror', None) or error}") from None
    if len(rows) > len(array):
        raise UserError(f"{file}: {len(rows)} rows, but {path} has {len(array)} entries")
    with controller.batch(force=force) as batch:
        target = table(batch.registers, path)
        for n, row in enumerate(rows):
            try:
                if None in row or None in row.values():
                    raise UserError("should have a value for each column")
                target[n].write(**_whole(array, {k: number(v) for k, v in row.items()}))
            except UserError as error:
                raise UserError(f"{file}, row {n + 1}: {error}") from None
        if not keep:
            for n in range(len(rows), len(array)):
                target[n].write(**_cleared(array))
    return len(rows)


# ---- Batches ----


def read_batch(
    controller: Controller, batch: Batch, file: Path
) -> list[tuple[RegisterAccess, Result]]:
    """Adds the commands of a file, a line each, to a batch; returns what it reads.

    `get PATH`, `set PATH ...`, `next-hop TILE HOP TO`, `slot TILE HOP N TO`; `#`: comment.
    """
    found = []
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file}: {getattr(error, 'strerror', None) or error}") from None
    for n, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        try:
            match words:
                case []:
                    pass
                case ["get", path]:
                    register, _ = element(controller.registers, path)
                    if not isinstance(register, RegisterAccess):
                        raise UserError(f"{path}: names no register")
                    found.append((register, batch.read(register)))
                case ["set", path, *values] if values:
                    write(batch.registers, path, values)
                case ["next-hop", tile, hop, to]:
                    given = (tile, hop_name(hop), *target(to))
                    register_map.set_next_hop(batch.registers, batch.manifest, *given)
                case ["slot", tile, hop, slot, to]:
                    place = (tile, hop_name(hop), number(slot), *target(to))
                    register_map.set_slot(batch.registers, batch.manifest, *place)
                case _:
                    raise UserError(f"{line.strip()!r} is not a command of a batch")
        except UserError as error:
            raise UserError(f"{file}, line {n}: {error}") from None
    return found


def hop_name(text: str) -> int | str:
    return int(text) if text.isdecimal() else text


def target(text: str) -> tuple[str | None, int]:
    """`TILE`, `TILE:ENTRY` or `none`."""
    name, colon, port = text.partition(":")
    if colon and not port.isdecimal():
        raise UserError(f"{text!r}: should be TILE, TILE:ENTRY or {NOWHERE}")
    return (None if name == NOWHERE else name), int(port or 0)
