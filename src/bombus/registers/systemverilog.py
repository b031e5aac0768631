# SPDX-License-Identifier: Apache-2.0
"""Types and ports through which a layer sees its registers (docs/architecture.md, Registers)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bombus.base.systemverilog import logic
from bombus.registers.model import Block, Field, Register

REGISTERS, STATUS = "regs", "status"  # ports of what hardware reads, and of what it drives


@dataclass(frozen=True)
class Port:
    """A port of a layer for its registers."""

    name: str
    bits: int
    type: str = ""  # parameter that is its type; "": plain bits


def is_held(field: Field) -> bool:
    """Whether the generated registers hold a field's value for the layer."""
    return field.is_writable and field.is_used and not field.is_status


def _plain(block: Block) -> Iterator[Register | Block]:
    """Members that are neither a table nor held by the layer."""
    for member in block.members:
        if isinstance(member, Block) or not (member.is_table or member.is_external):
            yield member


def _lines(block: Block, pick: Callable[[Field], bool], indent: str) -> list[str]:
    found: list[str] = []
    for member in _plain(block):
        inner = f"{indent}  "
        if isinstance(member, Register):
            body = [
                f"{inner}{logic(field.width, field.name)};"
                for field in member.type.fields
                if pick(field)
            ]
        else:
            body = _lines(member, pick, inner)
        if body:
            array = f" [{member.count - 1}:0]" if member.count else ""
            found += [f"{indent}struct packed {{", *body, f"{indent}}}{array} {member.name};"]
    return found


def _bits(block: Block, pick: Callable[[Field], bool]) -> int:
    return sum(
        sum(field.width for field in member.type.fields if pick(field))
        if isinstance(member, Register)
        else _bits(member, pick) * (member.count or 1)
        for member in _plain(block)
    )


def high_first(fields: Iterable[Field]) -> list[Field]:
    """Fields in the order of a packed struct."""
    return sorted(fields, key=lambda field: -field.low)


def struct(fields: Iterable[Field]) -> list[str]:
    """A packed struct of the fields, highest first."""
    members = [f"  {logic(field.width, field.name)};" for field in high_first(fields)]
    return ["struct packed {", *members, "}"]


def layer_types(block: Block) -> dict[str, list[str]]:
    """The types that a layer with these registers has as parameters, by name."""
    found: dict[str, list[str]] = {}
    for name, pick in ((REGISTERS, is_held), (STATUS, _is_status)):
        if lines := _lines(block, pick, "  "):
            found[f"{name}_t"] = ["struct packed {", *lines, "}"]
    for register in (*block.tables(), *block.externals()):
        found[f"{register.name}_t"] = struct(register.type.fields)
    return found


def _is_status(field: Field) -> bool:
    return field.is_status


@dataclass(frozen=True)
class SeenBlock:
    """Registers of a layer, with the types and ports through which it sees them."""

    block: Block
    types: Mapping[str, list[str]]
    ports: Sequence[Port]

    @classmethod
    def of(cls, block: Block) -> SeenBlock:
        return cls(block, layer_types(block), layer_ports(block))


def layer_ports(block: Block) -> list[Port]:
    """The ports of a layer with these registers; all must be there."""
    found = []
    if bits := _bits(block, is_held):
        found.append(Port(f"{REGISTERS}_i", bits, f"{REGISTERS}_t"))
    if bits := _bits(block, _is_status):
        found.append(Port(f"{STATUS}_o", bits, f"{STATUS}_t"))
    for table in block.tables():
        name, bits = table.name, sum(field.width for field in table.type.fields)
        found += [Port(f"{name}_index_o", table.index_bits), Port(f"{name}_i", bits, f"{name}_t")]
    for external in block.externals():
        name, bits = external.name, sum(field.width for field in external.type.fields)
        found.append(Port(f"{name}_request_i", 1))
        if external.is_table:
            found.append(Port(f"{name}_index_i", external.index_bits))
        if external.type.is_writable:
            found += [Port(f"{name}_write_i", 1), Port(f"{name}_wdata_i", bits, f"{name}_t")]
        if external.type.is_readable:
            found.append(Port(f"{name}_rdata_o", bits, f"{name}_t"))
        if external.type.is_readable or not external.is_prompt:
            found.append(Port(f"{name}_done_o", 1))
    return found
