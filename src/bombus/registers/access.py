# SPDX-License-Identifier: Apache-2.0
"""Registers by name, over any register port.

    registers = open_map(manifest, port)
    registers.tiles.lookup.store.patterns[3].value = 5
    registers.host[0].ip.address

`port` has `read_register(address)` and `write_register(address, value)`: a simulation, what drives
the register port of a board, or a port of `bombus.registers.items`, such as a controller. Names,
indices and values are checked before anything is read or written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from operator import index
from typing import Any, SupportsIndex

from bombus.base.errors import UserError
from bombus.base.text import near_matches
from bombus.registers.items import (
    MaskedWrite,
    Port,
    Read,
    Write,
    access,
    takes_items,
    value_of,
    words_of,
)
from bombus.registers.model import WORD_BYTES, Block, Field, Register, RegisterType
from bombus.registers.plain import from_plain


class RegisterError(UserError):
    """A register or field does not exist, or a value does not fit."""


def pack(register_type: RegisterType, values: Mapping[str, int]) -> int:
    """A register's value from those of its fields; fields that are not given are 0."""
    known = {field.name: field for field in register_type.fields}
    result = 0
    for name, value in values.items():
        field = known.get(name)
        if field is None:
            raise RegisterError(
                f"{register_type.name} has no field {name!r}; {near_matches(name, known)}"
            )
        result |= _checked(f"{register_type.name}.{name}", field, value) << field.low
    return result


def unpack(register_type: RegisterType, value: int) -> dict[str, int]:
    """The readable fields of a register's value."""
    return {
        field.name: value >> field.low & (1 << field.width) - 1
        for field in register_type.fields
        if field.is_readable
    }


def unpack_all(register_type: RegisterType, value: int) -> dict[str, int]:
    """All fields of a register's value, also those that software cannot read."""
    return {
        field.name: value >> field.low & (1 << field.width) - 1 for field in register_type.fields
    }


def _whole(path: str, value: SupportsIndex) -> int:
    """Converts to a Python integer: from bool or NumPy integers, but not from float, not even
    1.0.
    """
    try:
        return index(value)
    except TypeError:
        raise RegisterError(f"{path}: {value!r} is not an integer") from None


def _fitting(path: str, bits: int, value: SupportsIndex) -> int:
    number = _whole(path, value)
    if not 0 <= number < 1 << bits:
        raise RegisterError(f"{path} has {bits} bits; {number} does not fit")
    return number


def _checked(path: str, field: Field, value: SupportsIndex) -> int:
    if not field.is_writable:
        raise RegisterError(f"{path} is read only")
    return _fitting(path, field.width, value)


class RegisterAccess:
    """A register, or an entry of a table: its fields are attributes."""

    def __init__(self, port: Port, register_type: RegisterType, address: int, path: str) -> None:
        self.__dict__.update(_port=port, _type=register_type, _address=address, _path=path)

    # Private names, since fields may have any other name.
    _port: Port
    _type: RegisterType
    _address: int
    _path: str

    def where(self) -> int:
        """The address of its first word."""
        return self._address

    def read_value(self) -> int:
        """All words as one number, read atomically."""
        return value_of(access(self._port, [Read(self._address, self._type.words)]))

    def write_value(self, value: int) -> None:
        """Writes all words; they take effect together, with the last one."""
        value = _fitting(self._path, self._type.bits, value)
        access(self._port, [Write(self._address, words_of(value, self._type.words))])

    def read(self) -> dict[str, int]:
        """The fields by name, read atomically."""
        if not self._type.is_readable:
            raise RegisterError(f"{self._path} is write only")
        return unpack(self._type, self.read_value())

    def write(self, **fields: int) -> None:
        """Writes fields, all at once; fields not given keep their values.

        Fields that cannot be read must be given.
        """
        for name, value in fields.items():
            _checked(f"{self._path}.{name}", self._field(name), value)
        kept = [each for each in self._type.fields if each.is_writable and each.name not in fields]
        if missing := [each.name for each in kept if not each.is_readable]:
            raise RegisterError(f"{self._path}.{missing[0]} cannot be read, so give its value too")
        if kept and takes_items(self._port):
            self._write_masked(kept, fields)
            return
        values = self.read() if kept else {}
        now = {each.name: values[each.name] for each in kept}
        self.write_value(pack(self._type, {**now, **fields}))

    def _write_masked(self, kept: list[Field], fields: Mapping[str, int]) -> None:
        """Leaves fields as they are, without reading them."""
        bits = sum((1 << field.width) - 1 << field.low for field in kept)
        masks = words_of((1 << self._type.bits) - 1 - bits, self._type.words)
        values = words_of(pack(self._type, fields), self._type.words)
        access(
            self._port,
            [
                MaskedWrite(self._address + WORD_BYTES * n, mask, value)
                for n, (mask, value) in enumerate(zip(masks, values, strict=True))
            ],
        )

    def _field(self, name: str) -> Field:
        known = {field.name: field for field in self._type.fields}
        if name not in known:
            raise RegisterError(f"{self._path} has no field {name!r}; {near_matches(name, known)}")
        return known[name]

    def __getitem__(self, name: str) -> int:
        if not self._field(name).is_readable:
            raise RegisterError(f"{self._path}.{name} is write only")
        return self.read()[name]

    def __setitem__(self, name: str, value: int) -> None:
        self.write(**{name: value})

    def __getattr__(self, name: str) -> int:
        return self[_plain_name(name)]

    def __setattr__(self, name: str, value: int) -> None:
        self[name] = value

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(field.name for field in self._type.fields)]


class Array:
    """A table of registers, or an array of blocks."""

    def __init__(self, port: Port, member: Register | Block, address: int, path: str) -> None:
        self._port, self._member = port, member
        self._address, self._path = address, path

    def __len__(self) -> int:
        return self._member.count or 0

    def __getitem__(self, number: int) -> Any:
        number = _whole(self._path, number)
        if not 0 <= number < len(self):
            raise RegisterError(f"{self._path} has entries 0 to {len(self) - 1}, not {number}")
        address = self._address + number * self._member.stride
        return _element(self._port, self._member, address, f"{self._path}[{number}]")

    def __iter__(self) -> Iterator[Any]:
        return (self[number] for number in range(len(self)))


class BlockAccess:
    """Registers and blocks under one name: they are attributes.

    Members of a tile's layers can also be accessed without the layer's name, if no other layer has
    the same name.
    """

    def __init__(self, port: Port, block: Block, address: int, path: str) -> None:
        self.__dict__.update(_port=port, _block=block, _address=address, _path=path)

    _port: Port
    _block: Block
    _address: int
    _path: str

    def where(self) -> int:
        """The address of its first byte."""
        return self._address

    def __getitem__(self, name: str) -> Any:
        base, found = self._address, self._block.find(name)
        if found is None:
            within = [(each, inner) for each in self._blocks() if (inner := each.find(name))]
            if len(within) != 1:
                raise RegisterError(
                    f"{self._path or 'the design'} has no register {name!r}; "
                    f"{near_matches(name, [*self, *self._names_within()])}"
                )
            base, found = base + within[0][0].offset, within[0][1]
        path = f"{self._path}.{name}" if self._path else name
        if found.count is not None:
            return Array(self._port, found, base + found.offset, path)
        return _element(self._port, found, base + found.offset, path)

    def _blocks(self) -> list[Block]:
        members = self._block.members
        return [each for each in members if isinstance(each, Block) and each.count is None]

    def _names_within(self) -> list[str]:
        """Names that are accessible without that of their block."""
        found = Counter(member.name for block in self._blocks() for member in block.members)
        return [name for name, count in found.items() if count == 1 and name not in self]

    def __getattr__(self, name: str) -> Any:
        return self[_plain_name(name)]

    def __setattr__(self, name: str, value: object) -> None:
        raise RegisterError(f"{self._path}.{name} cannot be set; set one of its fields")

    def __iter__(self) -> Iterator[str]:
        return (member.name for member in self._block.members)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self, *self._names_within()]


def _element(port: Port, member: Register | Block, address: int, path: str) -> Any:
    if isinstance(member, Register):
        return RegisterAccess(port, member.type, address, path)
    return BlockAccess(port, member, address, path)


def _plain_name(name: str) -> str:
    """Whether a name may be a register's; others are special names that Python looks up."""
    if name.startswith("__"):
        raise AttributeError(name)
    return name


def open_map(manifest: Mapping[str, Any], port: Port) -> BlockAccess:
    """All registers of a generated design."""
    return BlockAccess(port, from_plain(manifest["registers"]), 0, "")


# Functions, since fields and registers may have any name.


def path_of(element: RegisterAccess | Array | BlockAccess) -> str:
    """The name of a register, table or block in the register map."""
    return element._path


def format_of(element: RegisterAccess | Array) -> RegisterType | None:
    """The word format of a register or of the entries of a table; None: an array of blocks."""
    if isinstance(element, RegisterAccess):
        return element._type
    return element._member.type if isinstance(element._member, Register) else None
