# SPDX-License-Identifier: Apache-2.0
"""The register map of a design: composed as SystemRDL, and read back with every address.

The first window of the map has the registers of the design itself, each of the following ones
those of a tile: its counters, the tables of its network interface, the registers of its layers.
All windows are as large as the largest tile needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from bombus.base import paths
from bombus.base.text import snake_case
from bombus.design.elements import Layer, Tile
from bombus.design.resolved import Design
from bombus.design.rtl.probe import description
from bombus.design.tables import Tables
from bombus.registers.model import SECRET, Block, Register
from bombus.registers.rdl import KEYWORDS, PROPERTIES, Rdl, compile_text, read_block
from bombus.registers.systemverilog import SeenBlock

COMMON = paths.RTL / "platform" / "registers" / "registers.rdl"
CREDITS = paths.RTL / "platform" / "credits" / "credits.rdl"
_TYPE = re.compile(r"^(?:addrmap|regfile|reg|mem|field|enum|property) +(\w+)", re.MULTILINE)
_ADDRESSES = 0x100  # how changes of hosts and routes take effect
_WINDOWS = 0x180  # first register of the windows, after the hosts
_ROUTES = 0x200  # where the routing table begins
MIN_WINDOW = 4096  # bytes; a page of most processors


@dataclass(frozen=True)
class RegisterMap:
    """The register map of a design."""

    text: str  # SystemRDL; needs the files
    files: tuple[Path, ...]
    root: Block
    window: int  # bytes, a power of two
    next_hop: Register  # an entry of the tables of network interfaces

    @property
    def window_bits(self) -> int:
        """Bits of an address in a window."""
        return (self.window - 1).bit_length()

    @cached_property
    def design(self) -> SeenBlock:
        """The registers of the design itself, as it sees them."""
        return SeenBlock.of(self.own)

    @cached_property
    def tables(self) -> Mapping[str, Sequence[Register]]:
        """The tables of each tile itself, by its name; its counters are one."""
        return {tile: _tables(self.tile(tile)) for tile in self._names}

    @cached_property
    def layers(self) -> Mapping[str, Mapping[str, SeenBlock]]:
        """The registers of the layers of each tile, by their names, as the layers see them."""
        found: dict[str, dict[str, SeenBlock]] = {}
        for tile in self._names:
            members = self.tile(tile).members
            blocks = [each for each in members if isinstance(each, Block) and not each.is_external]
            found[tile] = {each.name: SeenBlock.of(each) for each in blocks}
        return found

    @cached_property
    def secrets(self) -> list[str]:
        """Layers, as tile.layer, whose secret software must fill after reset."""
        return [
            f"{tile}.{layer}"
            for tile, layers in self.layers.items()
            for layer in layers
            if any(each.name == SECRET for each in self._block(tile, layer).members)
        ]

    def _block(self, tile: str, layer: str) -> Block:
        found = self.tile(tile).find(layer)
        assert isinstance(found, Block)
        return found

    @property
    def _names(self) -> list[str]:
        return [tile.name for tile in self.tiles.members]

    @property
    def own(self) -> Block:
        """The registers of the design itself."""
        return Block("", 0, self.root.members[:-1], self.window)

    @property
    def tiles(self) -> Block:
        found = self.root.members[-1]
        assert isinstance(found, Block)
        return found

    def tile(self, name: str) -> Block:
        """The window of a tile."""
        found = self.tiles.find(name)
        assert isinstance(found, Block)
        return found

    @property
    def address_bits(self) -> int:
        return (self.root.size - 1).bit_length()

    @property
    def map_bytes(self) -> int:
        """The windows of the design itself and of all tiles."""
        return (1 + len(self.tiles.members)) * self.window


def _tables(tile: Block) -> list[Register]:
    """The tables of a tile itself; its counters are one, in which each entry has a name."""
    found = []
    for member in tile.members:
        if isinstance(member, Register):
            found.append(member)
        elif member.is_external:
            first = next(member.registers())
            count = len(member.members)
            found.append(
                Register(member.name, member.offset, first.type, count, first.type.bytes, True)
            )
    return found


@dataclass(frozen=True)
class _Item:
    """An instance in a tile's window."""

    text: str  # with a placeholder for its offset
    bytes: int

    @property
    def aligned(self) -> int:
        """Its size rounded up to a power of two, to which it is aligned."""
        return 1 << (self.bytes - 1).bit_length()


def identifier(name: str) -> str:
    """A name as a SystemRDL identifier; reserved words are escaped."""
    return f"\\{name}" if name in KEYWORDS else name


def _counters(names: Iterable[str], common: Block) -> _Item:
    """The counters, by their names with underscores for dots."""
    register = common.find("counter")
    assert isinstance(register, Register)
    found: list[str] = []
    for name in names:
        plain = name.replace(".", "_")
        found.append(plain if plain not in found else f"{plain}_{len(found)}")
    lines = [f"        counter {identifier(name)};" for name in found]
    body = "\n".join(["external regfile {", *lines, "      } counters"])
    return _Item(body, len(lines) * register.type.bytes)


def _layer(layer: Layer, registers: Block, parameters: Iterable[str]) -> _Item:
    # Here, parameters and localparams both have snake_case names.
    keys = {name: snake_case(name) for name in parameters}
    values = [
        f".{name}({layer.kind.constants.get(key, layer.param(key))})" for name, key in keys.items()
    ]
    given = f" #({', '.join(values)})" if values else ""
    return _Item(f"{layer.kind.name}{given} {identifier(layer.name)}", registers.size)


def _tile_items(tile: Tile, tables: Tables, rdl: Rdl, common: Block) -> list[_Item]:
    register = common.find("next_hop")
    assert isinstance(register, Register)
    items = [_counters(tile.counters(), common)]
    sizes = dict(zip(("next_hop", "slot"), tables.writable[tile], strict=True))
    items += [
        _Item(f"external next_hop {name}[{count}]", count * register.type.bytes)
        for name, count in sizes.items()
        if count
    ]
    for layer in tile.layers:
        if layer.kind.registers:
            names = rdl.parameters(layer.kind.name)
            items.append(_layer(layer, layer.kind.registers, sorted(names)))
    return items


def _placed(items: Iterable[_Item]) -> tuple[list[str], int]:
    """The instances with their offsets, and the bytes that they need."""
    lines, end = [], 0
    for item in items:
        offset = -(-end // item.aligned) * item.aligned
        lines.append(f"      {item.text} @ {offset:#x};")
        end = offset + item.bytes
    return lines, end


def _files(design: Design) -> tuple[Path, ...]:
    """The descriptions of which a design's register map consists."""
    described = {
        layer.kind.name: beside
        for layer in design.layers()
        if layer.kind.registers and (beside := description(layer.kind.file))
    }
    windows = any(network.given.window is not None for network in design.networks)
    return (PROPERTIES, COMMON, *([CREDITS] if windows else []), *described.values())


def type_names(design: Design) -> set[str]:
    """Names that the design's register map cannot have."""
    texts = (file.read_text(encoding="utf-8") for file in _files(design))
    return {name for text in texts for name in _TYPE.findall(text)}


def register_map(design: Design, tables: Tables) -> RegisterMap:
    """Composes the register map of a design."""
    files = _files(design)
    windows = sum(network.given.window is not None for network in design.networks)
    rdl = Rdl(files)
    common = common_registers()
    placed = {tile: _placed(_tile_items(tile, tables, rdl, common)) for tile in design.tiles}
    largest = max(end for _, end in placed.values())
    window = max(MIN_WINDOW, 1 << (largest - 1).bit_length())
    host = common.find("host")
    assert isinstance(host, Block)

    name = design.config.name
    lines = [f"addrmap {identifier(name)} {{", f'  name = "Registers of design {name}";']
    lines.append(f"  host host[{len(design.config.ports)}] @ {0:#x} += 0x20;")
    lines.append(f"  addresses addresses @ {_ADDRESSES:#x};")
    if windows:
        lines.append(f"  credits window[{windows}] @ {_WINDOWS:#x} += 0x8;")
    if count := design.config.num_routes:
        lines.append(f"  route route[{count}] @ {_ROUTES:#x} += 0x10;")
    lines.append("  addrmap {")
    for tile, (items, _) in placed.items():
        title = f"Tile {tile.name}, at ({tile.x}, {tile.y})"
        lines += ["    addrmap {", f'      name = "{title}";', *items]
        lines.append(f"    }} {identifier(tile.name)} @ {tile.index * window:#x};")
    lines += [f"  }} tiles @ {window:#x};", "};"]
    text = "\n".join([*lines, ""])
    root = read_block(compile_text(files, text, name))
    next_hop = common.find("next_hop")
    assert isinstance(next_hop, Register)
    return RegisterMap(text, files, root, window, next_hop)


def shown(design: Design, register_map: RegisterMap) -> Block:
    """The map as Python sees it: tiles may also show registers of a layer in another tile.

    These have negative offsets if the other tile comes first.
    """
    tiles = {tile.name: register_map.tile(tile.name) for tile in design.tiles}
    members = {name: list(tile.members) for name, tile in tiles.items()}
    for hop in design.hops:
        layer = hop.source.layer
        if hop.target is None or hop.in_tile or hop.name != layer.kind.shows:
            continue
        to, other = tiles[layer.tile.name], tiles[hop.target.tile.name]
        there = other.find(hop.target.layer.name)
        if isinstance(there, Block) and to.find(there.name) is None:
            offset = other.offset - to.offset + there.offset
            members[to.name].append(replace(there, offset=offset))
    named = tuple(replace(tile, members=tuple(members[name])) for name, tile in tiles.items())
    root = register_map.root
    return replace(root, members=(*root.members[:-1], replace(register_map.tiles, members=named)))


def window_registers() -> Block:
    """The registers of each window of a design."""
    text = "addrmap bombus_window { credits window; };\n"
    found = read_block(compile_text([CREDITS], text, "bombus_window")).find("window")
    assert isinstance(found, Block)
    return found


def common_registers() -> Block:
    """The registers that every design has, one of each."""
    members = "external counter counter; external next_hop next_hop; host host; route route;"
    text = f"addrmap bombus_common {{ {members} addresses addresses; }};\n"
    return read_block(compile_text([COMMON], text, "bombus_common"))
