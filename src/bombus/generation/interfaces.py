# SPDX-License-Identifier: Apache-2.0
"""Template context of a tile's interfaces: router, links, next hops, groups of replicas, window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bombus.analysis import flight
from bombus.base.text import camel_case
from bombus.base.values import Policy
from bombus.design.dispatch import Dispatch, num_slots
from bombus.design.elements import Input, Interface, Tile
from bombus.design.facts import Facts
from bombus.design.network import Network
from bombus.design.next_hops import next_bits
from bombus.fabric.routing import (
    DIRECTIONS,
    LOCAL,
    STEPS,
    Channel,
    direction_enum,
    eject,
    inject,
    step,
)
from bombus.generation.wiring import waiting


def _links(
    tile: Tile, network: Network, facts: Facts
) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """The tile's links to its neighbours, and the directions without neighbour."""
    links, missing = [], []
    prefix = network.prefix
    for name in STEPS:
        at = step(tile.at, name)
        direction = {"dir": f"{prefix}{name}", "enum": direction_enum(name), "prefix": prefix}
        direction["camel"] = camel_case(prefix)
        if network.area.holds(at):
            other = facts.design.tiles[at[1] * facts.design.columns + at[0]].name
            ends = {
                "incoming": network.link_name(other, tile.name),
                "outgoing": network.link_name(tile.name, other),
            }
            links.append(direction | ends)
        else:
            missing.append(direction)
    return links, missing


def _route_word(target: Input) -> str:
    """An entry of a table that leads to an input of a layer."""
    tile = target.tile
    return f"route({tile.x}, {tile.y}, {target.entry_port})"


def _routes(interface: Interface, facts: Facts) -> list[dict[str, Any]]:
    """Initial entries of an interface's next-hop table."""
    table = facts.tables.next[interface]
    plan = facts.dispatches[interface]
    routes: dict[int, dict[str, Any]] = {}
    for output in interface.sources:
        for hop in facts.topology.hops_from(output):
            if hop.target is None or hop.in_tile:
                continue
            target, word = str(hop.target), _route_word(hop.target)
            if hop.group:
                group = next(n for n, each in enumerate(plan) if hop.target in each.targets)
                target = f"replicas of {hop.group.name}"
                word = f"group({group}, {plan[group].choice})"
            number = table.first[output] + hop.number
            name = f"{output}: {hop.name}" if len(interface.sources) > 1 else hop.name
            routes[number] = {"number": number, "name": name, "target": target, "word": word}
    return [routes[number] for number in sorted(routes)]


def _turns(tile: Tile, network: Network, facts: Facts) -> list[str]:
    """Value of a router's `Turns`, the last output first; empty: all turns that its fabric
    allows.
    """
    if facts.design.config.tables != "fixed" or not network.fabric.traits.omits_turns:
        return []
    return [
        "5'b"
        + "".join(
            str(int((network, (tile.at, enter, leave)) in facts.turns))
            for enter in reversed(DIRECTIONS)
        )
        for leave in reversed(DIRECTIONS)
    ]


def _checked_links(
    tile: Tile, network: Network, links: list[dict[str, str]]
) -> list[dict[str, Any]]:
    """Streams between the tile's router and the tile, for the checkers in simulation.

    Links are checked in the tile that sends.
    """
    prefix, label = network.prefix, network.label
    local = {"enum": direction_enum(LOCAL), "local": True}
    found: list[dict[str, Any]] = [
        local | {"instance": f"{prefix}injection", "base": f"{prefix}router_in"},
        local | {"instance": f"{prefix}ejection", "base": f"{prefix}router_out"},
    ]
    names = [inject(tile.at, label), eject(tile.at, label)]
    for link in links:
        out = {"instance": link["dir"], "enum": link["enum"], "base": f"{prefix}router_out"}
        found.append(out | {"local": False})
        names.append(Channel(tile.at, "", link["dir"].removeprefix(prefix), network=label))
    return [each | {"name": str(name)} for each, name in zip(found, names, strict=True)]


_POLICIES: dict[Policy, str] = {
    "round_robin": "RoundRobin",
    "flow_hash": "FlowHash",
    "dst_port": "DstPort",
    "least_loaded": "LeastLoaded",
}
_FLOWS = {
    "meta": "FlowMeta",
    "payload": "FlowPayload",
    "address": "FlowAddress",
    "none": "FlowMeta",
}


def _dispatch_context(dispatches: Sequence[Dispatch], tile: Tile, facts: Facts) -> dict[str, Any]:
    """Groups of replicas that an interface distributes messages among."""
    groups, slots, loads = [], [], []
    # What senders tell each other, where several send to replicas whose load counts.
    took: list[dict[str, Any]] = []
    others: list[dict[str, Any]] = []
    for dispatch in dispatches:
        tiles = facts.senders[dispatch.group]
        counts_load = dispatch.group.counts_load
        groups.append(
            {
                "name": f"Replicas of {dispatch.group.name}",
                "policy": _POLICIES[dispatch.group.slot_policy],
                "counts_load": int(counts_load),
                "limit": (counts_load and dispatch.limit(len(tiles))) or 0,
                "flow": _FLOWS[dispatch.flow],
                "replicas": len(dispatch.targets),
                "first_slot": dispatch.first_slot,
                "slot_bits": dispatch.slot_bits,
            }
        )
        for i, target in enumerate(dispatch.slots):
            slots.append({"index": dispatch.first_slot + i, "word": _route_word(target)})
        if counts_load:
            group, first, width = dispatch.group.name, dispatch.first_slot, len(dispatch.targets)
            for n, sender in enumerate(each for each in tiles if each != tile.name):
                signal = f"took_{group}_by_{sender}"
                others.append({"signal": signal, "number": n, "first": first, "width": width})
            if len(tiles) > 1:
                port, signal = f"took_{group}_o", f"took_{group}_by_{tile.name}"
                bits = f"{first + width - 1}:{first}"
                took.append({"port": port, "signal": signal, "slots": bits, "width": width})
            for i, target in enumerate(dispatch.targets):
                name = target.tile.name
                port = f"done_from_{name}_i"
                loads.append({"port": port, "tile": name, "slot": dispatch.first_slot + i})
    return {
        "groups": groups,
        "slots": slots,
        "num_slots": num_slots(dispatches),
        "load_inputs": loads,
        "took": took,
        "others": others,
        "num_others": max((each["number"] + 1 for each in others), default=0),
    }


def _write(table: str, first: int, size: int, total: int) -> dict[str, str]:
    """Condition and index of a register write to an interface's part of a table of the tile."""
    condition = f"{table}_request && {table}_write && tables_ready"
    if size == total:
        return {"condition": condition, "index": f"{table}_index"}
    bits, wide = (max(1, (count - 1).bit_length()) for count in (size, total))
    conditions = [condition, f"32'({table}_index) < {first + size}"]
    if first:
        conditions.insert(1, f"32'({table}_index) >= {first}")
    return {
        "condition": " && ".join(conditions),
        "index": f"{bits}'({table}_index - {wide}'d{first})",
    }


def _window(tile: Tile, interface: Interface, facts: Facts) -> dict[str, Any] | None:
    """The part of the tile in the window of an interface's network."""
    found = flight.of_tile(tile, interface.network, facts)
    if found is None:
        return None
    prefix = interface.network.prefix

    def mask(inputs: list[Input]) -> str:
        bits = "".join(str(int(each in inputs)) for each in reversed(interface.entries))
        return f"{len(bits) or 1}'b{bits or '0'}"

    def taken(numbers: list[int]) -> str:
        each = (f"({prefix}src_valid[{n}] && {prefix}src_ready[{n}])" for n in numbers)
        return " || ".join(each) or "1'b0"

    def lost() -> str:
        """Condition under which a flit without a route is sent."""
        if not facts.dispatches[interface]:
            return f"({taken(sorted(passing + gates))}) && !{prefix}inj_valid"
        # There is a register between table and router, so check for next hops that drop.
        each = [
            f"({taken([number])} && {prefix}src_next[{number}] == {hop.number})"
            for number, output in enumerate(interface.sources)
            if number in passing + gates
            for hop in facts.topology.hops_from(output)
            if hop.target is None
        ]
        return " || ".join(each) or "1'b0"

    passing = [interface.sources.index(output) for output in found.passing]
    gates = [interface.sources.index(output) for output in found.gates]
    working = [
        f"{prefix}entering",
        *(f"{layer.name}_busy" for layer in found.layers if "busy_o" in layer.kind.ports),
        *waiting(tile, facts, interface.network),
        *(f"{prefix}src_valid[{n}]" for n in passing),
    ]
    return {
        "share": found.flight.share,
        "flit_bytes": interface.network.data_width // 8,
        "gates": gates,
        "open": [n for n in range(max(1, len(interface.sources))) if n not in gates],
        "passes": mask(found.passes),
        "leaves": mask(found.leaves),
        "went": taken(passing),
        "lost": lost(),
        "working": " || ".join(working),
    }


def interface_contexts(tile: Tile, facts: Facts) -> list[dict[str, Any]]:
    """The tile's router and network interface in each network."""
    found = []
    num_hops, tile_slots = facts.tables.writable[tile]
    kinds = facts.messages
    for interface in tile.interfaces:
        network = interface.network
        links, missing = _links(tile, network, facts)
        present = {LOCAL, *(link["dir"].removeprefix(network.prefix) for link in links)}
        table = facts.tables.next[interface]
        first_hop = facts.tables.first_hop[interface]
        first_slot = facts.tables.first_slot[interface]
        slots = num_slots(facts.dispatches[interface]) if facts.dispatches[interface] else 0
        has_hops = interface.sources or len(tile.interfaces) == 1
        found.append(
            {
                "prefix": network.prefix,
                "camel": camel_case(network.prefix),
                "of": f" of {network.label}" if network.label else "",
                "router": network.fabric.traits.router_parameters(network.fabric),
                "area": network.area,
                "links": links,
                "missing_links": missing,
                "checked": _checked_links(tile, network, links),
                "router_ports": sum(1 << n for n, d in enumerate(DIRECTIONS) if d in present),
                "router_turns": _turns(tile, network, facts),
                "routes": _routes(interface, facts),
                "hop_write": num_hops
                and has_hops
                and _write("next_hop", first_hop, table.size, num_hops),
                "slot_write": tile_slots
                and slots
                and _write("slot", first_slot, slots, tile_slots),
                "next_table_size": table.size,
                "first_hops": [f"16'd{table.first[each]}" for each in reversed(interface.sources)]
                or ["16'd0"],
                "next_bits": next_bits(interface, facts.design),
                "has_sources": bool(interface.sources),
                "num_sources": max(1, len(interface.sources)),
                "has_sinks": bool(interface.entries),
                "num_sinks": max(1, len(interface.entries)),
                "takes": [
                    kinds.bits(kinds.taken_mask(each)) for each in reversed(interface.entries)
                ],
                "router_drops": bool(interface.router_drops),
                "window": _window(tile, interface, facts),
                **_dispatch_context(facts.dispatches[interface], tile, facts),
            }
        )
    return found
