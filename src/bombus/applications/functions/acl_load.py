# SPDX-License-Identifier: Apache-2.0
"""Write rules into the layer `acl` by its registers, and read how many packets each has decided."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bombus.applications.functions.acl import Rule, RuleSet, read
from bombus.base.errors import UserError
from bombus.live.software import Software
from bombus.simulator.simulation import Simulation

if TYPE_CHECKING:
    from bombus import Controller

KIND = "acl"
# Reads of a register, each of a cycle or more, in which any table is filled.
_MOST_READS = 1 << 20


def load(registers: Any, found: RuleSet, clear: bool = True) -> None:
    """Replaces all rules and the default at once; packets meanwhile are judged by the old ones.

    `clear`: counters begin at 0.
    """
    room = len(registers.rule)
    if len(found.rules) > room:
        raise UserError(
            f"the file has {len(found.rules)} rules, the layer room for {room}: "
            "its parameter num_rules must be larger"
        )
    wait(registers)
    wanted = next((rule for rule in found.rules if rule.established), None)
    if wanted and not registers.control.read()["established"]:
        raise UserError(
            f"line {wanted.line}: the layer does not know established flows: "
            "its parameter established must be 1"
        )
    for number, rule in enumerate(found.rules):
        registers.rule[number].write(**rule.fields())
    for number in range(len(found.rules), room):
        registers.rule[number].write_value(0)
    registers.control.write(default_allow=int(found.default_allow), commit=1)
    wait(registers)
    if clear:
        for number in range(room):
            registers.counter[number].packets = 0


def load_all(controller: Controller, found: RuleSet) -> list[str]:
    """Into all layers of a running design; the names of their tiles."""
    layers = controller.registers_of(KIND)
    if not layers:
        raise UserError(f"{controller.manifest['name']} has no layer {KIND}")
    for _, registers in layers:
        load(registers, found)
    return [name for name, _ in layers]


def wait(registers: Any) -> None:
    """Until no commit is under way."""
    for _ in range(_MOST_READS):
        if not registers.control.read()["filling"]:
            return
    raise UserError("the access control list does not end its commit")


def packets(registers: Any, rules: Sequence[Rule]) -> list[int]:
    """Packets that each rule has decided."""
    return [int(registers.counter[number].packets) for number in range(len(rules))]


def software(file: Path) -> Software:
    """Writes the rules of a file into every `acl` of a live run, once.

    The file is read at once, so that a bad one is reported before the run starts.
    """
    found = read(file)
    is_written = False

    def write(simulation: Simulation) -> None:
        nonlocal is_written
        if not is_written:
            for registers in simulation.registers_of(KIND):
                load(registers, found)
            is_written = True

    return write
