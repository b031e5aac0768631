# SPDX-License-Identifier: Apache-2.0
"""Chains of `ready`: through how many layers one runs without a register.

A layer may pass `ready` from its output to its input without a register, so that it needs no
second buffer. Where layers follow each other, such paths join to a chain, from the layer that
stalls back to the last one that the stall reaches in the same cycle (docs/architecture.md,
"Timing"). The chain is found in the gates of a design, before they are mapped, and counts the
layers whose input `ready` is on one path: the layer in which the path starts, if it starts in one,
and those that it runs through.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from bombus.base.cache import cached_directory, content_key
from bombus.measure.area.flow import GATES, Mapped
from bombus.measure.area.netlist import Bit, Netlist

_RESULT = "ready_chain.json"
_SUFFIX = "_ready_o"
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
    """The layers of the longest chain, in the order in which `ready` passes them.

    `layers`: paths of instances, such as u_udp.u_udp_rx.
    """
    inputs = _ready_of_inputs(gates, layers)
    logic = (number for number, cell in enumerate(gates.cells) if cell.is_logic)
    length: dict[Bit, int] = {}
    before: dict[Bit, Bit] = {}  # the net that the chain comes from

    def reach(net: Bit, source: Bit | None) -> None:
        here = (length[source] if source is not None else 0) + (net in inputs)
        if here > length.get(net, 0):
            length[net] = here
            if source is not None:
                before[net] = source

    for net in inputs:
        if (driver := gates.drivers.get(net)) is None or not gates.cells[driver[0]].is_logic:
            reach(net, None)
    for number in gates.in_order(logic):
        source = max(gates.read(number), key=lambda net: length.get(net, 0), default=None)
        if source not in length:
            source = None
        for bits in gates.cells[number].outputs.values():
            for net in bits:
                if source is not None or net in inputs:
                    reach(net, source)
    if not length:
        return ()
    end = max(length, key=lambda net: length[net])
    chain = [end]
    while chain[-1] in before:
        chain.append(before[chain[-1]])
    return tuple(inputs[net] for net in chain[::-1] if net in inputs)


def _ready_of_inputs(gates: Netlist, layers: Collection[str]) -> dict[Bit, str]:
    """The `ready` of each stream into a layer, with the layer."""
    found: dict[Bit, str] = {}
    for text, bits in gates.named_nets():
        layer, _, port = text.rpartition(".")
        is_input = port.endswith(_SUFFIX) and port.removesuffix(_SUFFIX) != _REGISTERS
        if layer in layers and is_input:
            found.update((bit, layer) for bit in bits if not isinstance(bit, str))
    return found
