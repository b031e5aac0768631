# SPDX-License-Identifier: Apache-2.0
"""Write rules into the layer `acl` by its registers, and read how many packets each has decided.

(firewall,) = bombus.access_lists(simulation)
firewall.load("my.acl")
for rule, packets in firewall.packets():
    print(rule.line, packets)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bombus.applications.functions.acl import Rule, RuleSet, read
from bombus.base.errors import UserError
from bombus.design import config
from bombus.live.software import Software, check_kind
from bombus.simulator.simulation import Simulation

if TYPE_CHECKING:
    from bombus.applications.control.controller import Controller
    from bombus.design.resolved import Design

KIND = "acl"
# Reads of a register, each of a cycle or more, in which any table is filled.
_MOST_READS = 1 << 20


def load(registers: Any, found: RuleSet, clear: bool = True) -> None:
    """Replaces all rules and the default at once; packets meanwhile are judged by the old ones.

    `clear`: counters begin at 0.
    """
    room = len(registers.rule)
    wait(registers)
    fit(found, room, bool(registers.control.read()["established"]))
    for number, rule in enumerate(found.rules):
        registers.rule[number].write(**rule.fields())
    for number in range(len(found.rules), room):
        registers.rule[number].write_value(0)
    registers.control.write(default_allow=int(found.default_allow), commit=1)
    wait(registers)
    if clear:
        for number in range(room):
            registers.counter[number].packets = 0


def fit(found: RuleSet, room: int, established: bool) -> None:
    """UserError if a layer with room for so many rules, and with or without established flows,
    cannot hold the rules.
    """
    if len(found.rules) > room:
        raise UserError(
            f"the file has {len(found.rules)} rules, the layer room for {room}: "
            "its parameter num_rules must be larger"
        )
    wanted = next((rule for rule in found.rules if rule.established), None)
    if wanted and not established:
        raise UserError(
            f"line {wanted.line}: the layer does not know established flows: "
            "its parameter established must be 1"
        )


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


def software(design: Design, file: Path) -> Software:
    """Writes the rules of a file into every `acl` of a live run of a design, once.

    UserError, before the run starts, if the file is bad or its rules do not fit in the layers.
    """
    check_kind(design, KIND, "--acl")
    found = read(file)
    for layer in design.layers():
        if layer.kind.name == KIND:
            fit(found, layer.param("num_rules") or 0, bool(layer.param("established")))
    is_written = False

    def write(simulation: Simulation) -> None:
        nonlocal is_written
        if not is_written:
            for registers in simulation.registers_of(KIND):
                load(registers, found)
            is_written = True

    return write


# ---- Access lists of a simulation ----


@dataclass
class AccessList:
    """A layer `acl` of a simulation, with the rules that `load` has written."""

    tile: str
    registers: Any
    rules: Sequence[Rule] = field(default=(), init=False)

    def load(self, rules: RuleSet | Path | str, *, clear: bool = True) -> None:
        """Replaces all rules and the default at once, by those of a file or of `acl.parse`.

        `clear`: counters begin at 0. UserError as `acl.read` and if the layer cannot hold them.
        """
        found = rules if isinstance(rules, RuleSet) else read(Path(rules))
        load(self.registers, found, clear)
        self.rules = found.rules

    def packets(self) -> list[tuple[Rule, int]]:
        """Each rule, with the number of packets that it has decided."""
        return list(zip(self.rules, packets(self.registers, self.rules), strict=True))


class _AccessLists(tuple[AccessList, ...]):
    def __new__(cls, simulation: Simulation) -> _AccessLists:
        tiles = simulation.registers.tiles
        return super().__new__(
            cls,
            (
                AccessList(tile["name"], tiles[tile["name"]][layer["name"]])
                for tile in simulation.manifest["tiles"]
                for layer in tile["layers"]
                if layer["kind"] == KIND
            ),
        )


def access_lists(simulation: Simulation) -> Sequence[AccessList]:
    """The layers `acl` of a design, in the order of its tiles."""
    return simulation.extension(_AccessLists)


def of_design(design: Path) -> RuleSet | None:
    """The rules of the file that a design file names by `run: {acl: FILE}`; None: it names none."""
    file = config.load(design)
    named = file.config.run.get(KIND)
    return None if named is None else read(file.folder / named)
