# SPDX-License-Identifier: Apache-2.0
"""Write a blacklist into the accelerator of a packet processor: by registers, or as constants."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyslang import syntax

from bombus.applications.firewall import blocks
from bombus.applications.firewall.blacklist import stages
from bombus.base.errors import UserError
from bombus.base.templates import templates

# Reads of a register, each of at least a cycle, until no search is under way that began before:
# more than a search has steps.
_READS = 20


def write(registers: Any, boundaries: Sequence[int]) -> None:
    """`registers`: of the accelerator, with the register `list` and the table `boundary`.

    If the old and the new list each fit into half of the table, each look-up gets the answer of the
    one or the other. Otherwise all addresses are listed while a list is replaced.
    """
    if len(boundaries) > len(registers.boundary):
        raise UserError(
            f"the list has {len(boundaries)} boundaries; there is room for "
            f"{len(registers.boundary)}: the parameter `stages` must be {stages(boundaries)}"
        )
    half = len(registers.boundary) // 2 + 1
    old = registers.list.read()
    fits = (old["upper"] or old["count"] < half) and len(boundaries) < half
    _wait(registers)
    if not old["count"] or not boundaries or fits:
        upper = bool(old["count"] and boundaries and not old["upper"])
        for number, address in enumerate(boundaries, half if upper else 0):
            registers.boundary[number].address = address
        registers.list.write(count=len(boundaries), upper=upper)
    else:
        # The old list with all before its first end; then everything from address 0 on.
        registers.boundary[0].address = 0
        registers.list.write(count=1, upper=0)
        _wait(registers)
        for number, address in enumerate(boundaries[1:], 1):
            registers.boundary[number].address = address
        registers.list.write(count=len(boundaries), upper=0)
        registers.boundary[0].address = boundaries[0]


def _wait(registers: Any) -> None:
    """Until no search is under way that began with an earlier list."""
    for _ in range(_READS):
        registers.list.read()


def layer(name: str, source: str, boundaries: Sequence[int]) -> str:
    """The SystemVerilog of an accelerator `name` with the list as constants."""
    if not _is_identifier(name):
        raise UserError(
            f"{name!r} cannot be the name of a layer: it must be an identifier of SystemVerilog"
        )
    if not boundaries:
        raise UserError(f"{source}: the file has no prefixes")
    arrangement = blocks.arrange(boundaries)
    has_index = arrangement.index_bits > 0
    environment = templates(Path(__file__).parent / "templates")
    return environment.get_template("fixed_blacklist.sv.j2").render(
        name=name,
        source=source,
        ranges=(len(boundaries) + 1) // 2,
        latency=arrangement.levels + 2 + has_index,
        index=_constants(arrangement.index(), arrangement.block_bits),
        words=_constants(arrangement.words(boundaries), arrangement.word_bits),
        prefix=arrangement.prefix,
        prefix_bits=arrangement.prefix_bits,
        index_bits=arrangement.index_bits,
        block_bits=arrangement.block_bits,
        word_bits=arrangement.word_bits,
        blocks=len(arrangement.firsts),
        levels=arrangement.levels,
        rank_bits=arrangement.rank_bits,
    )


def _constants(values: Sequence[int], width: int) -> list[str]:
    """The last one first."""
    return [f"{width}'h{value:0{(width + 3) // 4}x}" for value in reversed(values)]


def _is_identifier(name: str) -> bool:
    """An identifier, and not a keyword."""
    is_word = re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) is not None
    return is_word and not syntax.SyntaxTree.fromText(f"module {name}; endmodule").diagnostics
