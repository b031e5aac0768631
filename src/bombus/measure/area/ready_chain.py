# SPDX-License-Identifier: Apache-2.0
"""Chains of `ready`: through how many layers one runs without a register.

A layer may pass `ready` from its output to its input without a register, so that it needs no
second buffer. Where such layers follow each other, these paths join to a chain. It is found in the
gates of a design, before they are mapped. A layer counts if the path goes in at the `ready` of one
of its outputs and comes out at that of one of its inputs; the layer in which it starts does not
(docs/architecture.md, "Timing").
"""

from __future__ import annotations

import json
from collections.abc import Collection
from itertools import pairwise
from pathlib import Path

from bombus.base.cache import cached_directory, content_key
from bombus.measure.area.flow import GATES, Mapped
from bombus.measure.area.netlist import Bit, Netlist

_RESULT = "ready_chain.json"
_REGISTERS = "reg"  # of the register port, which has registers of its own


def ready_chain(mapped: Mapped, layers: Collection[str]) -> tuple[str, ...]:
    """`longest` for a mapped design, from the cache if possible."""
    sources = [(name, Path(__file__).with_name(name)) for name in ("ready_chain.py", "netlist.py")]
    key = content_key([mapped.folder.name, *sorted(layers)], sources)

    def make(folder: Path) -> None:
        found = longest(Netlist(mapped.module(GATES)), layers)
        (folder / _RESULT).write_text(json.dumps(found), encoding="utf-8")

    folder = cached_directory(f"area/ready-{key}", make)
    return tuple(json.loads((folder / _RESULT).read_text(encoding="utf-8")))


def longest(gates: Netlist, layers: Collection[str]) -> tuple[str, ...]:
    """The layers that the longest chain runs through, in the order in which `ready` passes them.

    `layers`: paths of instances, such as u_udp.u_udp_rx.
    """
    enters = _ready(gates, layers, "_ready_i")
    leaves = _ready(gates, layers, "_ready_o")
    # For each net: twice the number of layers passed, plus one inside a further one.
    passed: dict[Bit, int] = {}
    before: dict[Bit, Bit] = {}  # the net that the chain comes from

    def reach(net: Bit, source: Bit | None) -> None:
        here = passed[source] if source is not None else 0
        if net in leaves:
            here += here % 2
        if net in enters:
            here |= 1
        if here > passed.get(net, 0):
            passed[net] = here
            if source is not None:
                before[net] = source

    for net in enters:
        if (driver := gates.drivers.get(net)) is None or not gates.cells[driver[0]].is_logic:
            reach(net, None)
    logic = (number for number, cell in enumerate(gates.cells) if cell.is_logic)
    for number in gates.in_order(logic):
        source = max(gates.read(number), key=lambda net: passed.get(net, 0), default=None)
        if source not in passed:
            source = None
        for bits in gates.cells[number].outputs.values():
            for net in bits:
                if source is not None or net in enters:
                    reach(net, source)
    chain = [max(passed, key=lambda net: passed[net] // 2)] if passed else []
    while chain and chain[-1] in before:
        chain.append(before[chain[-1]])
    return tuple(
        leaves[net] for source, net in pairwise(chain[::-1]) if net in leaves and passed[source] % 2
    )


def _ready(gates: Netlist, layers: Collection[str], suffix: str) -> dict[Bit, str]:
    """The `ready` of each stream at the inputs or outputs of a layer, with the layer."""
    found: dict[Bit, str] = {}
    for text, bits in gates.named_nets():
        layer, _, port = text.rpartition(".")
        is_stream = port.endswith(suffix) and port.removesuffix(suffix) != _REGISTERS
        if layer in layers and is_stream:
            found.update((bit, layer) for bit in bits if not isinstance(bit, str))
    return found
