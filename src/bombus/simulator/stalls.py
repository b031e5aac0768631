# SPDX-License-Identifier: Apache-2.0
"""Stalls that the watchdog of a simulator found, and what each waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Stall:
    """A place where the same message has waited for a long time."""

    name: str
    since_cycle: int
    waits_for: tuple[str, ...]  # other stalled places, one of which it waits for


def stalls(watch: Sequence[Mapping[str, Any]], found: Mapping[int, int]) -> list[Stall]:
    """The stalls that the simulator found (points of the manifest and since when), oldest first."""
    merged: dict[str, Stall] = {}
    for number, since in sorted(found.items(), key=lambda item: item[1]):
        point = watch[number]
        waits_for = [watch[n]["name"] for n in point["waits_for"] if n in found]
        stall = Stall(point["name"], since, tuple(dict.fromkeys(waits_for)))
        merged.setdefault(stall.name, stall)
    return list(merged.values())


def ring(found: Sequence[Stall]) -> list[Stall]:
    """A cycle of stalls, each waiting for the next and the last for the first; empty if there is
    none.
    """
    by_name = {stall.name: stall for stall in found}
    done: set[str] = set()

    def search(stall: Stall, way: list[Stall]) -> list[Stall]:
        if stall in way:
            return way[way.index(stall) :]
        if stall.name in done:
            return []
        for other in stall.waits_for:
            if other in by_name and (rest := search(by_name[other], [*way, stall])):
                return rest
        done.add(stall.name)
        return []

    return next((rest for stall in found if (rest := search(stall, []))), [])


def explain(found: Sequence[Stall]) -> list[str]:
    """A sentence for each stall, and one for those that wait for each other."""
    lines = []
    for stall in found:
        reason = f"waits for {' or '.join(stall.waits_for)}" if stall.waits_for else "is the cause"
        lines.append(f"{stall.name} has been stalled since cycle {stall.since_cycle:,}: {reason}")
    if turn := ring(found):
        names = [stall.name for stall in turn]
        lines.append(f"deadlock, each waits for the next: {' -> '.join([*names, names[0]])}")
    return lines
