# SPDX-License-Identifier: Apache-2.0
"""Deadlock analysis of a running design, whose next hops and slots software has rewritten.

The tables cannot be read back, so the analysis takes the entries of the design file and the words
that were written since the reset.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from bombus.analysis import deadlock
from bombus.analysis.check import DeadlockError
from bombus.design.elements import Hop, Input, Interface, Output
from bombus.design.facts import Facts
from bombus.registers.access import unpack_all
from bombus.registers.places import hop_entries

_Entries = Mapping[tuple[str, str, int], Mapping[str, int]]


def check_tables(facts: Facts, manifest: Mapping[str, Any], written: Mapping[int, int]) -> None:
    """Raises DeadlockError if a design could deadlock with these words in its tables.

    `facts`: of its design file; `written`: words by their addresses, others are ignored.
    """
    changed = changed_facts(facts, _entries(facts, manifest, written))
    if cycles := deadlock.open_cycles(changed):
        design = facts.design
        problems = [
            design.file.problem(cycle.legs[0].hop.source.tile.loc, str(cycle)) for cycle in cycles
        ]
        raise DeadlockError(problems, changed, cycles)


def _entries(facts: Facts, manifest: Mapping[str, Any], written: Mapping[int, int]) -> _Entries:
    """The written entries, by tile, table and number."""
    kind = facts.register_map.next_hop.type
    assert kind.words == 1
    return {
        (place.tile, place.table, place.number): unpack_all(kind, written[address])
        for address, place in hop_entries(manifest).items()
        if address in written
    }


def changed_facts(facts: Facts, entries: _Entries) -> Facts:
    """The facts of a design with these entries instead of its initial ones."""
    design = facts.design
    kept = [hop for hop in design.hops if hop.in_tile]
    sent = [
        hop
        for tile in design.tiles
        for interface in tile.interfaces
        for hop in _hops(facts, interface, entries)
    ]
    return Facts(replace(design, hops=(*kept, *sent)))


def _hops(facts: Facts, interface: Interface, entries: _Entries) -> Iterator[Hop]:
    """The hops of an interface's outputs into the mesh."""
    for source, first in facts.tables.next[interface].first.items():
        for number, name in enumerate(facts.next_hops.names[source]):
            initial = [h for h in facts.topology.hops_from(source) if h.number == number]
            if any(hop.in_tile for hop in initial):
                continue
            place = facts.tables.first_hop[interface] + first + number
            entry = entries.get((source.tile.name, "next_hop", place))
            if entry is None and not any(hop.group for hop in initial):
                yield from initial
            elif entry is None or (entry["valid"] and entry["is_group"]):
                own = [hop.target for hop in initial]
                group = None if entry is None else entry["x"]
                yield from _group_hops(
                    facts, interface, entries, (source, number, name), own, group
                )
            else:
                target = _target(facts, interface, entry)
                yield Hop(source, number, name, target)


def _group_hops(
    facts: Facts,
    interface: Interface,
    entries: _Entries,
    hop: tuple[Output, int, str],
    own: list[Input | None],
    group: int | None,
) -> Iterator[Hop]:
    """A hop for each input that the slots of a group lead to. `group`: its number; None: that of
    the targets `own`.
    """
    plan = facts.dispatches[interface]
    dispatch = next(
        (
            each
            for number, each in enumerate(plan)
            if (number == group if group is not None else set(each.targets) == set(own))
        ),
        None,
    )
    if dispatch is None:
        yield Hop(*hop, None)
        return
    first = facts.tables.first_slot[interface] + dispatch.first_slot
    targets: dict[Input | None, None] = {}
    for number, initial in enumerate(dispatch.slots, first):
        entry = entries.get((hop[0].tile.name, "slot", number))
        targets[initial if entry is None else _target(facts, interface, entry)] = None
    for target in targets:
        yield Hop(*hop, target, dispatch.group if target else None)


def _target(facts: Facts, interface: Interface, entry: Mapping[str, int]) -> Input | None:
    """The input that an entry leads to; None: there is none."""
    for tile in facts.design.tiles:
        if entry["valid"] and tile.at == (entry["x"], entry["y"]):
            for other in tile.interfaces:
                if other.network is interface.network and entry["port"] < len(other.entries):
                    return other.entries[entry["port"]]
    return None
