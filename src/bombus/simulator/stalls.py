# SPDX-License-Identifier: Apache-2.0
"""Stalls that the watchdog of a simulator found, and what each waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bombus.design.elements import resource_name
from bombus.design.knots import seen_next
from bombus.design.outline import facts_of
from bombus.registers.places import hop_entries

_VALID, _IS_GROUP = 1 << 31, 1 << 30  # of an entry (registers.rdl, next_hop)


def present_hops(manifest: Mapping[str, Any], writes: Mapping[int, int]) -> list[dict[str, Any]]:
    """The manifest's `hops` as they are now; `writes`: words by address, written since reset."""
    words: dict[tuple[str, str], dict[int, int]] = {}
    for address, place in hop_entries(manifest).items():
        if address in writes:
            words.setdefault((place.tile, place.table), {})[place.number] = writes[address]
    by_place = {(tile["x"], tile["y"]): tile for tile in manifest["tiles"]}

    def end(word: int, network: str) -> str | None:
        """The input that an entry leads to."""
        tile = by_place.get((word & 0xFF, word >> 8 & 0xFF))
        entries = tile["entries"].get(network, ()) if tile else ()
        port = word >> 16 & 0xFF
        if not tile or not word & _VALID or word & _IS_GROUP or port >= len(entries):
            return None
        return f"{tile['name']}.{entries[port]}"

    def slots(group: Mapping[str, Any], network: str) -> list[str | None]:
        """The inputs that the slots of a group lead to."""
        written = words.get((group["tile"], "slot"), {})
        tiles = {tile["name"]: tile for tile in manifest["tiles"]}
        return [
            end(written[number], network)
            if (number := group["first_slot"] + n) in written
            else f"{slot['to']}.{tiles[slot['to']]['entries'][network][slot['port']]}"
            for n, slot in enumerate(group["slots"])
        ]

    found: list[dict[str, Any]] = []
    done: set[tuple[str, int]] = set()
    for hop in manifest["hops"]:
        tile, network = hop["from"].partition(".")[0], hop["network"]
        entry = tile, hop["entry"]
        word = words.get((tile, "next_hop"), {}).get(hop["entry"])
        is_group = bool(hop["group"]) if word is None else bool(word & _VALID and word & _IS_GROUP)
        if hop["entry"] is None or (word is None and not is_group):
            found.append(hop)
        elif entry not in done and not is_group:
            found.append({**hop, "to": end(word or 0, network), "group": None})
        elif entry not in done:
            groups = [
                each
                for each in manifest["dispatch"]
                if each["tile"] == tile
                and each["network"] == network
                and (
                    each["group"] == hop["group"] if word is None else each["number"] == word & 255
                )
            ]
            for each in groups:
                ends = dict.fromkeys(slots(each, network))
                found += [{**hop, "to": to, "group": each["group"]} for to in ends]
        done.add(entry)
    return found


def watched(manifest: Mapping[str, Any], writes: Mapping[int, int]) -> list[Mapping[str, Any]]:
    """The points of the manifest's `watch`, with what each waits for under the present next hops.

    `writes`: as for `present_hops`.
    """
    points: list[Mapping[str, Any]] = manifest.get("watch", [])
    if not writes:
        return points
    graph = facts_of(manifest, present_hops(manifest, writes)).resource_graph
    numbers: dict[str, list[int]] = {}
    for number, point in enumerate(points):
        numbers.setdefault(point["name"], []).append(number)
    nodes = {resource_name(node): node for node in graph}
    seen = {node for name, node in nodes.items() if name in numbers}
    next_of = {
        name: [
            number
            for other in seen_next(graph, node, seen)
            for number in numbers[resource_name(other)]
        ]
        for name, node in nodes.items()
    }
    return [{**point, "waits_for": sorted(next_of.get(point["name"], ()))} for point in points]


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
