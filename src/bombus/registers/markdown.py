# SPDX-License-Identifier: Apache-2.0
"""Registers as tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bombus.registers.model import Block, Field, Register

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
    place = f"`{base + member.offset:#x}`"
    if member.count is None:
        return place
    return f"{place} + `{member.stride:#x}` n, n < {member.count}"


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


def block_sections(block: Block, path: str, level: int) -> list[str]:
    """The registers of a block, each with its fields; `level`: of the headings."""
    lines: list[str] = []
    for member in block.members:
        name = f"{path}{member.name}"
        if isinstance(member, Block):
            lines += block_sections(member, f"{name}[n]." if member.count else f"{name}.", level)
            continue
        shown = f"{name}[n]" if member.is_table else name
        lines += ["", f"{'#' * level} {shown}", ""]
        if text := " ".join(part for part in (member.text,) if part):
            lines += [text, ""]
        lines += fields_table(member)
    return lines


def distinct(registers: Iterable[Register]) -> list[Register]:
    """One register of each word format."""
    found: dict[str, Register] = {}
    for register in registers:
        found.setdefault(register.type.name, register)
    return list(found.values())
