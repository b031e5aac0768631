# SPDX-License-Identifier: Apache-2.0
"""Pages about registers: docs/registers.md, and `registers.md` of a generated design.

`python -m bombus.design.register_reference > docs/registers.md`. A test checks that the page in
the repository is the current one.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import replace

from bombus.design import rtl
from bombus.design.facts import Facts
from bombus.design.register_map import common_registers, window_registers
from bombus.registers.markdown import (
    addresses_table,
    distinct,
    fields_table,
    members_table,
    registers_list,
)
from bombus.registers.model import Block, Register

_HEAD = """\
# Registers

Generated from the SystemRDL files under `rtl/`. Registers of your own layers, and the register
port: [architecture.md](architecture.md#registers).

`bombus generate` writes the registers of a design as `registers.md`, a C header
(`<design>_registers.h`), SystemRDL (`<design>.rdl`) and in the manifest (`<design>.json`).

In Python, registers have names; indices and values are checked:

```python
with Simulation("docs/examples/lookup/lookup.yaml") as simulation:
    simulation.registers.host[0].ip.address  # of the design itself
    registers = simulation.tile("lookup").registers
    registers.counters.noc_in_messages.count
    registers.patterns[3].write(value=5)  # of the layer `store`, all words at once
    registers.patterns[3].value
    simulation.tile("arp").registers.cache[3].mac  # of the layer `eth_tx`, in another tile
```

`bombus.registers.access.open_map(manifest, port)` gives the same names over any object with
`read_register(address)` and `write_register(address, value)`, such as the driver of a board.
Programs must not interleave accesses to the words of one register: a tile holds only those of a
single access.

## The map

Window 0 has the registers of the design: `host[n]`, `window[n]` (of each fabric with one) and
`route[n]`. Window 1 + t has those of tile t, numbered `y * columns + x`: its
[counters](counters.md), its next hops `next_hop[n]`, which the manifest numbers, the slots of its
groups of replicas `slot[n]`, and the registers of its layers under their names. All windows have
the same size: 4 KiB, or the power of two that the largest tile needs.

Below, addresses are relative to the block. A register has 32 bits, or the least power of two that
holds its fields. A field is `name[bits] access = reset value`; the text of a single bit says what 1
means. The first byte of a MAC or IPv4 address is the highest.

Fields without a text: `valid`: the entry is in use; `mac`, `ip`: MAC and IPv4 address; `mac_port`:
number of the MAC port; `..._mask`: the bits that count; `vni`: VXLAN network identifier (RFC 7348,
5).

Writes of `tunnel`, `mapping`, `remote` and `connection` take effect as a whole, for later packets.
Entries of the first three have different addresses, in any order: a write with an address of
another entry changes nothing and counts as `refused`.

## In every design
"""

# Texts of fields that the head explains, by name
SAID = {
    "valid": ("0: the entry is empty", "the entry is in use", "0: none"),
    "mac": ("MAC address", "inner MAC address"),
    "ip": ("IPv4 address",),
    "address": ("IPv4 address",),
    "mac_port": ("number of the MAC port",),
    "vni": ("VXLAN network identifier (RFC 7348, 5)", "VXLAN network identifier"),
}
SAID_OF_FIELDS = r"(^|[:;,] )the first byte is the highest|^bits of the .* that count$"
SAID_OF_TABLES = (
    r",? in any order(?=\.)"
    r"| A write takes effect as a whole, for (?:later packets|(?:packets|frames) that come later)\."
    r"| [^.]* in one entry only: a write of (?:one|a pair) that another entry has changes nothing "
    r"and counts as `refused`\."
)


def page() -> str:
    """docs/registers.md."""
    lines = [_HEAD]
    common = common_registers()
    alone = Block("", 0, tuple(each for each in common.members if isinstance(each, Register)), 0)
    lines += registers_list(_said_above(alone))
    for member in (*common.members, window_registers()):
        if isinstance(member, Block):
            text = "\n".join(textwrap.wrap(member.text, 120))
            lines += ["", f"### {member.name}[n]", "", text, ""]
            lines += registers_list(_said_above(member))
    for name, kind in sorted(rtl.library(512).layers.items()):
        if kind.registers:
            lines += ["", f"## {name}", "", *registers_list(_said_above(kind.registers))]
    return "\n".join([*lines, ""])


def _said_above(block: Block) -> Block:
    """The block without what the head of the page says of several layers."""
    members: list[Register | Block] = []
    for member in block.members:
        if isinstance(member, Block):
            members.append(_said_above(member))
            continue
        fields = tuple(
            replace(field, text="" if text in SAID.get(field.name, ()) else text)
            for field in member.type.fields
            for text in [re.sub(SAID_OF_FIELDS, "", field.text)]
        )
        text = re.sub(SAID_OF_TABLES, "", member.text)
        members.append(replace(member, text=text, type=replace(member.type, fields=fields)))
    return replace(block, members=tuple(members))


def _members(block: Block, base: int) -> list[str]:
    return ["", *members_table(block, base)]


def design_page(facts: Facts) -> str:
    """The registers of a design with their addresses."""
    design, register_map = facts.design, facts.register_map
    lines = [
        f"# Registers of {design.config.name}",
        "",
        f"Generated by Bombus from {design.file.path.name}. Addresses are those of the register "
        f"port. A tile has {register_map.window:#x} bytes. Its counters count up and wrap, and lag "
        "their events by at most two cycles more than the tile has counters.",
        "",
        "## The design itself",
    ]
    lines += _members(register_map.own, 0)
    for member in register_map.own.members:
        if isinstance(member, Block):
            lines += ["", f"### {member.name}[n]", *_members(member, 0)]
    names = {tile.name: tile.counters() for tile in design.tiles}
    for tile in register_map.tiles.members:
        assert isinstance(tile, Block)
        base = register_map.tiles.offset + tile.offset
        lines += ["", f"## {tile.name}", *_members(tile, base)]
        for member in tile.members:
            if isinstance(member, Block):
                lines += ["", f"### {tile.name}.{member.name}", ""]
                at = base + member.offset
                is_counters = member.name == "counters" and member.is_external
                lines += (
                    addresses_table(member, at, names[tile.name])
                    if is_counters
                    else members_table(member, at)
                )
    lines += ["", "## Fields"]
    for register in distinct(register_map.root.registers()):
        lines += ["", f"### {register.type.name}", "", *fields_table(register)]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    print(page(), end="")
