# SPDX-License-Identifier: Apache-2.0
"""The modules that answer the register port: of the design itself, and of each tile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bombus.base.systemverilog import bits, vector
from bombus.design.register_map import RegisterMap
from bombus.registers.model import WORD_BITS, Block, Field, Register
from bombus.registers.systemverilog import (
    REGISTERS,
    STATUS,
    Port,
    SeenBlock,
    high_first,
    is_held,
    layer_ports,
    struct,
)


@dataclass(frozen=True)
class Value:
    """A readable field of an entry."""

    high: int
    low: int
    width: int
    value: str


@dataclass(frozen=True)
class Held:
    """A field in flip-flops."""

    signal: str
    reset: str
    written: str
    pulse: bool


@dataclass(frozen=True)
class Item:
    """A register or a table."""

    kind: str  # external, table or plain
    name: str
    address: str  # offset in the item, if that is not a part of the address
    condition: str  # under which an address is that of the item
    index: str
    index_bits: int
    count: int | None  # entries of a table
    words: int  # of an entry
    end: int  # address after it
    readable: bool
    writable: bool
    wdata: str
    values: list[Value]
    held: list[Held]
    type: str = ""  # of an entry
    reset: str = ""  # of an entry of a table in a memory
    is_prompt: bool = False

    @property
    def is_slow(self) -> bool:
        """Whether a write may take more than a cycle."""
        return self.kind == "table" or (self.kind == "external" and not self.is_prompt)


@dataclass(frozen=True)
class RegisterBlock:
    """A module with registers in one range of addresses."""

    bits: int  # of an address
    items: list[Item]
    ports: list[str]

    @property
    def readable(self) -> list[Item]:
        return [each for each in self.items if each.values]

    @property
    def slow(self) -> list[Item]:
        return [each for each in self.items if each.is_slow]

    @property
    def written(self) -> list[int]:
        """Words of writable entries, each number once."""
        return sorted({each.words for each in self.items if each.writable})

    @property
    def stored(self) -> list[int]:
        """Those of them that some field takes."""
        taken = [each.wdata for each in self.items if each.kind != "plain" and each.writable]
        taken += [held.written for each in self.items for held in each.held]
        return [words for words in self.written if any(f"wdata_{words}[" in text for text in taken)]

    @property
    def stores(self) -> bool:
        """Whether a written word is stored."""
        return bool(self.stored or self.held_words)

    @property
    def fetches(self) -> bool:
        """Whether a read requests a value from a table or a layer."""
        kinds = {each.kind for each in self.items if each.kind == "table" or each.readable}
        return bool(kinds & {"table", "external"})

    @property
    def wide_bits(self) -> int:
        """Bits that distinguish one word of a wide register from all others."""
        ends = [each.end for each in self.items if each.writable and each.words > 1]
        return (max([8, *ends]) - 1).bit_length()

    @property
    def word_bits(self) -> int:
        return (max((each.words for each in self.items), default=1) - 1).bit_length()

    @property
    def held_words(self) -> int:
        return max(self.written, default=1) - 1

    @property
    def entry_bits(self) -> int:
        highs = [value.high for each in self.items for value in each.values]
        return max([WORD_BITS - 1, *highs]) + 1

    def variables(self) -> dict[str, object]:
        """For the template, by name."""
        computed = (name for name, each in vars(type(self)).items() if isinstance(each, property))
        return {**vars(self), **{name: getattr(self, name) for name in computed}}


class BlockBuilder:
    """Collects the registers of a range of addresses."""

    def __init__(self, bits: int) -> None:
        self.bits = bits  # of an address
        self.items: list[Item] = []
        self.ports: list[str] = []
        self.types = ""  # prefix of a layer's types

    def block(self) -> RegisterBlock:
        return RegisterBlock(self.bits, self.items, self.ports)

    def layer(self, registers: SeenBlock, name: str, types: str) -> None:
        """The registers of a layer; `types`: prefix of their types."""
        self._seen(registers, name, types, {})

    def design(self, registers: SeenBlock, resets: Mapping[str, str]) -> None:
        """The registers of the design itself; `resets`: values after reset, by path."""
        self._seen(registers, "design", "design", resets)

    def _seen(self, registers: SeenBlock, name: str, types: str, resets: Mapping[str, str]) -> None:
        self.types = types
        self._block(registers.block, registers.block.offset, name, resets)
        self.ports += [
            _other_end(port, _type(port, types), f"{name}_{port.name}") for port in registers.ports
        ]

    def _add(
        self,
        kind: str,
        name: str,
        base: int,
        register: Register,
        values: list[tuple[Field, str]],
        *,
        held: list[Held] | None = None,
        type_: str = "",
        reset: str = "",
    ) -> None:
        """A register or table at an offset; `values`: signals of its fields."""
        size, count = register.type.bytes, register.count or 1
        stride = register.stride if register.is_table else size
        span = (count - 1) * stride + size
        span_bits = (span - 1).bit_length()
        step, low = (stride - 1).bit_length(), (size - 1).bit_length()
        address, conditions = "reg_addr_i", []
        if base % (1 << span_bits):
            address = f"{name}_address"
            conditions.append(f"{address} < {self.bits}'h{span:x}")
        else:
            if span_bits < self.bits:
                high = f"{address}[{self.bits - 1}:{span_bits}]"
                conditions.append(f"{high} == {self.bits - span_bits}'h{base >> span_bits:x}")
            if span < 1 << span_bits:
                conditions.append(f"{address}[{span_bits - 1}:0] < {span_bits}'h{span:x}")
        if step > low and count > 1:
            conditions.append(f"{address}[{step - 1}:{low}] == '0")
        last = step + register.index_bits - 1
        self.items.append(
            Item(
                kind=kind,
                name=name,
                address=f"reg_addr_i - {self.bits}'h{base:x}" if address != "reg_addr_i" else "",
                condition=" && ".join(f"({each})" for each in conditions) or "1'b1",
                index=f"{address}[{last}:{step}]" if count > 1 else "",
                index_bits=register.index_bits,
                count=register.count,
                words=register.type.words,
                end=base + span,
                readable=register.type.is_readable,
                writable=register.type.is_writable,
                wdata=_packed(register),
                values=_read(values),
                held=held or [],
                type=type_,
                reset=reset,
                is_prompt=register.is_prompt,
            )
        )

    def external(self, name: str, base: int, register: Register, type_: str) -> None:
        """A register or a table held elsewhere."""
        values = [(each, f"{name}_rdata_i.{each.name}") for each in register.type.fields]
        self._add("external", name, base, register, values, type_=type_)

    def table(self, name: str, base: int, register: Register, type_: str) -> None:
        """A table in a memory."""
        values = [(each, f"{name}_rdata.{each.name}") for each in register.type.fields]
        # A concatenation: verilator has no assignment patterns for parameters of a type parameter.
        reset = ", ".join(_number(each) for each in high_first(register.type.fields))
        self._add("table", name, base, register, values, type_=type_, reset=f"{{{reset}}}")

    def plain(
        self, path: str, base: int, register: Register, signals: str, resets: Mapping[str, str]
    ) -> None:
        """A register in flip-flops, or one that shows values driven by the layer."""
        values, held = [], []
        for each in register.type.fields:
            value = f"{path}.{each.name}"
            if is_held(each):
                signal = f"{signals}_{REGISTERS}_o.{value}"
                values.append((each, signal))
                reset = resets.get(value, _number(each))
                written = _written(register, each)
                held.append(Held(signal, reset, written, each.is_pulse))
            elif each.is_status:
                values.append((each, f"{signals}_{STATUS}_i.{value}"))
            else:
                values.append((each, _number(each)))
        name = "".join(c if c.isalnum() else "_" for c in f"{signals}_{path}").replace("__", "_")
        self._add("plain", name, base, register, values, held=held)

    def _block(
        self, block: Block, base: int, signals: str, resets: Mapping[str, str], path: str = ""
    ) -> None:
        """The registers of a layer, or a block of them."""
        for member in block.members:
            at = base + member.offset
            if isinstance(member, Block):
                for n in range(member.count or 1):
                    index = f"[{n}]" if member.count else ""
                    inner = f"{path}{member.name}{index}."
                    self._block(member, at + n * member.stride, signals, resets, inner)
            elif member.is_external or member.is_table:
                hold = self.external if member.is_external else self.table
                hold(f"{signals}_{member.name}", at, member, f"{self.types}_{member.name}_t")
            else:
                self.plain(f"{path}{member.name}", at, member, signals, resets)


def _number(each: Field) -> str:
    return f"{each.width}'h{each.reset or 0:x}"


def _written(register: Register, each: Field) -> str:
    return f"wdata_{register.type.words}[{bits(each.high, each.low)}]"


def _packed(register: Register) -> str:
    """The value written to an entry."""
    values = (
        f"{each.name}: {_written(register, each) if each.is_writable else _number(each)}"
        for each in register.type.fields
    )
    return "{" + ", ".join(values) + "}"


def _read(values: list[tuple[Field, str]]) -> list[Value]:
    """Positions of the readable fields in an entry."""
    return [
        Value(each.high, each.low, each.width, value) for each, value in values if each.is_readable
    ]


def _type(port: Port, types: str) -> str:
    """The type of a port; `types`: prefix of the layer's types."""
    if port.type:
        return f"{types}_{port.type}"
    return f"logic{vector(port.bits)}"


def _other_end(port: Port, type_: str, name: str) -> str:
    """The registers' counterpart of a layer's port."""
    if port.name.endswith("_o"):
        return f"input {type_} {name[:-1]}i"
    return f"output {type_} {name[:-1]}o"


def _table_ports(table: Register, type_: str) -> list[str]:
    """Ports for a table of Bombus's own."""
    return [
        _other_end(port, type_ if port.type else _type(port, ""), port.name)
        for port in layer_ports(Block("", 0, (table,), 0))
    ]


def design_window(register_map: RegisterMap, resets: Mapping[str, str]) -> RegisterBlock:
    """The registers of the design itself; `resets`: values after reset, by path."""
    builder = BlockBuilder(register_map.window_bits)
    builder.design(register_map.design, resets)
    return builder.block()


def tile_window(tile: str, register_map: RegisterMap) -> RegisterBlock:
    """The registers of a tile: counters, tables of its network interface, those of layers."""
    builder = BlockBuilder(register_map.window_bits)
    for table in register_map.tables[tile]:
        type_ = f"{table.type.name}_t"
        builder.external(table.name, table.offset, table, type_)
        builder.ports += _table_ports(table, type_)
    for name, registers in register_map.layers[tile].items():
        builder.layer(registers, name, f"{tile}_{name}")
    return builder.block()


@dataclass(frozen=True)
class TileRegisters:
    """The registers of a tile, for its module."""

    block: RegisterBlock
    index_bits: Mapping[str, int]  # of each of its own tables
    signals: Mapping[str, list[str]]  # declarations of those to layers, by layer
    connections: list[str]  # to layers


def _of_tile(tile: str, register_map: RegisterMap) -> TileRegisters:
    """The module with the registers of a tile, and its connections."""
    layers = register_map.layers[tile]
    return TileRegisters(
        block=tile_window(tile, register_map),
        index_bits={table.name: table.index_bits for table in register_map.tables[tile]},
        signals={
            name: [
                f"{_type(port, f'{tile}_{name}')} {name}_{port.name[:-2]}"
                for port in registers.ports
            ]
            for name, registers in layers.items()
        },
        connections=[
            f".{name}_{port.name[:-1]}{'i' if port.name.endswith('_o') else 'o'}"
            f"({name}_{port.name[:-2]})"
            for name, registers in layers.items()
            for port in registers.ports
        ],
    )


@dataclass(frozen=True)
class DesignRegisters:
    """All registers of a design, for its modules."""

    block: RegisterBlock  # of the design itself
    tiles: Mapping[str, TileRegisters]  # by name
    types: list[list[str]]  # for the package of registers: lines of each


def of_design(register_map: RegisterMap, resets: Mapping[str, str]) -> DesignRegisters:
    """The registers of a design; `resets`: values of its own after reset, by path."""
    return DesignRegisters(
        block=design_window(register_map, resets),
        tiles={tile: _of_tile(tile, register_map) for tile in register_map.tables},
        types=_types(register_map),
    )


def _types(register_map: RegisterMap) -> list[list[str]]:
    # Also used for fixed tables.
    found = {"next_hop_t": struct(register_map.next_hop.type.fields)}
    for tile, tables in register_map.tables.items():
        for table in tables:
            found.setdefault(f"{table.type.name}_t", struct(table.type.fields))
        for layer, registers in register_map.layers[tile].items():
            for name, text in registers.types.items():
                found[f"{tile}_{layer}_{name}"] = text
    for name, text in register_map.design.types.items():
        found[f"design_{name}"] = text
    return typedefs(found)


def typedefs(types: Mapping[str, list[str]]) -> list[list[str]]:
    """Types by name, as lines of SystemVerilog."""
    return [
        [f"typedef {text[0]}", *text[1:-1], f"{text[-1]} {name};"] for name, text in types.items()
    ]
