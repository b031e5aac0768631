# SPDX-License-Identifier: Apache-2.0
"""Registers as tables and lists in Markdown."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace

from bombus.registers.model import WORD_BITS, Block, Field, Register

TITLE_WORDS = 4  # of a register's text that is only a title
TEXT_WORDS = 2  # of the text of a field that explains itself
FILLERS = ("a", "an", "the", "its", "of", "in", "number", "ipv4", "address")
_ACCESS = {"r": "read", "w": "write", "rw": "read, write"}


def _bits(field: Field) -> str:
    return str(field.low) if field.width == 1 else f"{field.high}:{field.low}"


def _reset(field: Field) -> str:
    if field.reset is None:
        return ""
    return str(field.reset) if field.reset < 10 else f"{field.reset:#x}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _place(member: Register | Block, base: int) -> str:
    place = f"{base + member.offset:#x}"
    if member.count is not None:
        place += f" + {member.stride:#x} n, n < {member.count}"
    return f"`{place}`"


def fields_table(register: Register) -> list[str]:
    """The fields of a register."""
    lines = ["| bits | field | access | reset | meaning |", "|---|---|---|---|---|"]
    lines += [
        f"| {_bits(field)} | `{field.name}` | {_ACCESS[field.access]} | {_reset(field)} "
        f"| {_cell(field.text)} |"
        for field in register.type.fields
    ]
    return lines


def members_table(block: Block, base: int = 0) -> list[str]:
    """The registers and blocks of a block, with their addresses."""
    lines = ["| address | name | bits | |", "|---|---|---|---|"]
    for member in block.members:
        is_register = isinstance(member, Register)
        bits = str(member.type.bits) if isinstance(member, Register) else ""
        text = ". ".join(part.rstrip(".") for part in (member.title, member.text) if part)
        name = member.name if is_register or member.count is not None else f"{member.name}."
        lines.append(f"| {_place(member, base)} | `{name}` | {bits} | {_cell(text)} |")
    return lines


def addresses_table(block: Block, base: int, names: Sequence[str]) -> list[str]:
    """The addresses of a block's registers of one type, under other names."""
    lines = ["| address | name |", "|---|---|"]
    lines += [
        f"| {_place(member, base)} | `{name}` |"
        for member, name in zip(block.members, names, strict=True)
    ]
    return lines


def registers_list(block: Block, path: str = "", array: Block | None = None) -> list[str]:
    """The registers of a block, each an item with its fields as items of their own.

    Registers that differ only in the number at the end of their names share an item. A text that
    only repeats the field's name or the register's text, the `1:` of a field of one bit, and the
    bits of a register where they are the least power of two are left out. `array`: the block is
    one of this array; arrays of arrays are not shown.
    """
    lines: list[str] = []
    members = list(block.members)
    while members:
        member = members.pop(0)
        if isinstance(member, Block):
            lines += registers_list(member, f"{path}{member.name}[n].", member)
            continue
        last = None
        while members and isinstance(other := members[0], Register) and _same(member, other):
            last = other
            del members[0]
        lines += _item(member, path, last, array)
    return lines


def _same(first: Register, other: Register) -> bool:
    """Whether two registers differ only in the number at the end of their names."""
    digits = "0123456789"
    return (
        first.name[-1] in digits
        and first.name.rstrip(digits) == other.name.rstrip(digits)
        and replace(first.type, name="") == replace(other.type, name="")
    )


def _item(register: Register, path: str, last: Register | None, array: Block | None) -> list[str]:
    shown = f"`{path}{register.name}{'[n]' * register.is_table}`"
    if array is not None:
        place = _place(array, register.offset)
    elif last is None:
        place = _place(register, 0)
    else:
        shown = f"{shown} to `{last.name}`"
        place = f"{_place(register, 0)} to `{last.offset:#x}`"
    usual = max(WORD_BITS, 1 << max(field.high for field in register.type.fields).bit_length())
    bits = f", {register.type.bits} bits" if register.type.bits != usual else ""
    text = (register.text or register.title).rstrip(".")
    fields = register.type.fields
    texts = [_words(field.text) for field in fields]
    if len(_words(text)) <= TITLE_WORDS and all(len(words) >= TEXT_WORDS for words in texts):
        text = ""  # a title, which the texts of the fields explain
    lines = [f"- {shown}, {place}{bits}:" + f" {text}." * bool(text)]
    items = []
    for field in fields:
        reset = "" if field.reset is None else f" = {_reset(field)}"
        about = field.text.removeprefix("1: ") if field.width == 1 else field.text
        known = {*_words(field.name.replace("_", " ")), *FILLERS}
        known |= {*_words(text)} if len(fields) == 1 else set()
        if {*_words(about)} <= known:
            about = ""
        about = f": {about}" if about else ""
        items.append(f"`{field.name}[{_bits(field)}] {field.access}{reset}`{about}")
    if len(items) == 1:
        lines[0] += f" {items.pop()}"
    lines += [f"    - {item}" for item in items]
    return [part for line in lines for part in _wrapped(line)]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _wrapped(item: str) -> list[str]:
    """The lines of an item of a list; angle brackets would be HTML."""
    return textwrap.wrap(
        re.sub(r"<(?=\w)", "&lt;", item),
        width=120,
        subsequent_indent=" " * (item.index("-") + 2),
        break_long_words=False,
        break_on_hyphens=False,
    )


def distinct(registers: Iterable[Register]) -> list[Register]:
    """One register of each word format."""
    found: dict[str, Register] = {}
    for register in registers:
        found.setdefault(register.type.name, register)
    return list(found.values())
