# SPDX-License-Identifier: Apache-2.0
"""Registers, tables and their fields, with every array and address resolved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

WORD_BITS = 32  # width of one access
WORD_BYTES = WORD_BITS // 8
SECRET = "secret"  # name of registers that software fills with random words after reset


@dataclass(frozen=True)
class Field:
    """Bits `low + width - 1` down to `low` of a register."""

    name: str
    low: int
    width: int
    is_readable: bool  # by software
    is_writable: bool
    is_status: bool = False  # hardware drives it
    is_used: bool = False  # hardware reads it
    is_pulse: bool = False  # returns to 0 after a cycle
    reset: int | None = None
    text: str = ""

    @property
    def high(self) -> int:
        return self.low + self.width - 1

    @property
    def access(self) -> str:
        return "r" * self.is_readable + "w" * self.is_writable


@dataclass(frozen=True)
class RegisterType:
    """The word format of registers: their fields, lowest first."""

    name: str
    bits: int  # a multiple of WORD_BITS
    fields: tuple[Field, ...]

    @property
    def words(self) -> int:
        return self.bits // WORD_BITS

    @property
    def bytes(self) -> int:
        return self.bits // 8

    @property
    def is_readable(self) -> bool:
        return any(field.is_readable for field in self.fields)

    @property
    def is_writable(self) -> bool:
        return any(field.is_writable for field in self.fields)


@dataclass(frozen=True)
class Register:
    """A register, or a table: an array of entries."""

    name: str
    offset: int  # in its block
    type: RegisterType
    count: int | None = None  # entries of a table
    stride: int = 0  # bytes from entry to entry
    is_external: bool = False  # the layer holds it itself
    is_prompt: bool = False  # and takes a write in every cycle
    title: str = ""
    text: str = ""

    @property
    def is_table(self) -> bool:
        return self.count is not None

    @property
    def end(self) -> int:
        """Offset of the first byte after it."""
        return self.offset + ((self.count or 1) - 1) * self.stride + self.type.bytes

    @property
    def index_bits(self) -> int:
        return max(1, ((self.count or 1) - 1).bit_length())


@dataclass(frozen=True)
class Block:
    """Registers and further blocks under one name; `count`: an array of blocks."""

    name: str
    offset: int
    members: tuple[Register | Block, ...]
    size: int  # bytes of one
    count: int | None = None
    stride: int = 0
    is_external: bool = False  # its registers, all of one type, form an external table
    title: str = ""
    text: str = ""

    @property
    def end(self) -> int:
        return self.offset + ((self.count or 1) - 1) * self.stride + self.size

    def registers(self) -> Iterator[Register]:
        """All registers, including those of nested blocks, each once."""
        for member in self.members:
            if isinstance(member, Register):
                yield member
            else:
                yield from member.registers()

    def tables(self) -> list[Register]:
        """Tables that the generated registers hold, with a port for the layer."""
        return [each for each in self.registers() if each.is_table and not each.is_external]

    def externals(self) -> list[Register]:
        """Registers and tables that the layer holds."""
        return [each for each in self.registers() if each.is_external]

    def find(self, name: str) -> Register | Block | None:
        return next((member for member in self.members if member.name == name), None)
