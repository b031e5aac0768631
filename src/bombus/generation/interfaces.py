# SPDX-License-Identifier: Apache-2.0
"""Template context of a tile's interfaces: router, links, next hops, groups of replicas, window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bombus.base.systemverilog import bits, element
from bombus.base.values import Policy
from bombus.design.dispatch import Dispatch, num_slots
from bombus.design.elements import Input, Interface, Tile
from bombus.design.facts import Facts
from bombus.design.network import Area, Network
from bombus.design.resolved import Design
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
from bombus.generation.wiring import Waiting


@dataclass(frozen=True)
class Direction:
    """A direction in which a router may have a link."""

    dir: str  # its name, with the network's prefix
    enum: str  # of noc_pkg::dir_e
    prefix: str
    camel: str  # the prefix in camel case

    @property
    def side(self) -> str:
        """Its name without the prefix."""
        return self.dir.removeprefix(self.prefix)


@dataclass(frozen=True)
class Link(Direction):
    """A link to a neighbour, by its signals at the top."""

    incoming: str
    outgoing: str


@dataclass(frozen=True)
class RouteEntry:
    """An initial entry of a next-hop table."""

    number: int
    name: str
    target: str
    word: str


@dataclass(frozen=True)
class CheckedLink:
    """A stream between a router and its tile or a neighbour, for the checkers in simulation."""

    instance: str
    enum: str
    flit: str
    valid: str
    ready: str
    local: bool
    name: str


@dataclass(frozen=True)
class GroupContext:
    """A group of replicas: noc_pkg::group_t."""

    name: str
    policy: str
    counts_load: int
    limit: int
    flow: str
    replicas: int
    first_slot: int
    slot_bits: int


@dataclass(frozen=True)
class SlotEntry:
    """An initial entry of a slot table."""

    index: int
    word: str


@dataclass(frozen=True)
class LoadInput:
    """A port by which a replica reports finished messages."""

    port: str
    tile: str
    slot: int


@dataclass(frozen=True)
class Dispatched:
    """A port that reports to other senders the slots taken by this tile's messages."""

    port: str
    signal: str  # at the top
    slots: str  # range of bits
    width: int


@dataclass(frozen=True)
class Others:
    """A port that reports the slots taken by messages of another sender."""

    signal: str
    number: int
    first: int
    width: int


@dataclass(frozen=True)
class Dispatching:
    """Groups of replicas that an interface distributes messages among."""

    groups: list[GroupContext]
    slots: list[SlotEntry]
    num_slots: int
    load_inputs: list[LoadInput]
    dispatched: list[Dispatched]
    others: list[Others]
    num_others: int


@dataclass(frozen=True)
class TableWrite:
    """Condition and index of a register write to an interface's part of a table of the tile."""

    condition: str
    index: str


@dataclass(frozen=True)
class WindowContext:
    """The part of a tile in the window of a network."""

    share: int  # flits of each gate
    flit_bytes: int
    gates: list[int]  # outputs at which messages enter the window, by number
    open: list[int]  # other outputs
    passes: str  # mask of entries whose messages may be forwarded
    leaves: str  # mask of entries whose messages leave the window
    went: str
    lost: str
    working: str


@dataclass(frozen=True)
class InterfaceContext(Dispatching):
    """A tile's router and network interface in one network."""

    prefix: str
    camel: str  # the prefix in camel case
    of: str  # " of <network>" where there are several
    router: Mapping[str, str]  # parameters
    link: Mapping[str, str]  # parameters
    area: Area
    links: list[Link]
    missing_links: list[Direction]
    checked: list[CheckedLink]
    router_ports: int  # mask of directions
    router_turns: list[str]
    routes: list[RouteEntry]
    hop_write: TableWrite | None
    slot_write: TableWrite | None
    next_table_size: int
    first_hops: list[str]
    next_bits: int
    has_sources: bool
    num_sources: int
    has_sinks: bool
    num_sinks: int
    takes: list[str]  # masks of kinds, the last entry first
    router_drops: bool
    window: WindowContext | None


def _links(tile: Tile, network: Network, design: Design) -> tuple[list[Link], list[Direction]]:
    """The tile's links to its neighbours, and the directions without neighbour."""
    links, missing = [], []
    prefix = network.prefix
    for name in STEPS:
        at = step(tile.at, name)
        direction = f"{prefix}{name}", direction_enum(name), prefix, network.camel
        if network.area.holds(at):
            other = design.tiles[at[1] * design.columns + at[0]].name
            incoming = network.link_name(other, tile.name)
            outgoing = network.link_name(tile.name, other)
            links.append(Link(*direction, incoming, outgoing))
        else:
            missing.append(Direction(*direction))
    return links, missing


def _route_word(target: Input) -> str:
    """An entry of a table that leads to an input of a layer."""
    tile = target.tile
    return f"route({tile.x}, {tile.y}, {target.entry_port})"


def _routes(interface: Interface, facts: Facts) -> list[RouteEntry]:
    """Initial entries of an interface's next-hop table."""
    table = facts.tables.next[interface]
    plan = facts.dispatches[interface]
    routes: dict[int, RouteEntry] = {}
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
            routes[number] = RouteEntry(number, name, target, word)
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


def _checked_links(tile: Tile, network: Network, links: list[Link]) -> list[CheckedLink]:
    """Streams between the tile's router and the tile, for the checkers in simulation.

    Links are checked in the tile that sends.
    """
    p, label = network.prefix, network.label
    local = direction_enum(LOCAL)
    into, out_of = inject(tile.at, label), eject(tile.at, label)
    found = [
        CheckedLink(
            f"{p}injection", local, f"{p}inj", f"{p}inj_valid", f"{p}inj_taken", True, str(into)
        ),
        CheckedLink(
            f"{p}ejection", local, f"{p}ej", f"{p}ej_valid", f"{p}ej_ready", True, str(out_of)
        ),
    ]
    for link in links:
        channel = Channel(tile.at, "", link.side, network=label)
        base, bit = f"{p}router_out", f"[noc_pkg::{link.enum}]"
        signals = f"{base}{bit}", f"{base}_valid{bit}", f"{base}_ready{bit}"
        found.append(CheckedLink(link.dir, link.enum, *signals, False, str(channel)))
    return found


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


def _group(dispatch: Dispatch, num_senders: int) -> GroupContext:
    counts_load = dispatch.group.counts_load
    return GroupContext(
        name=f"Replicas of {dispatch.group.name}",
        policy=_POLICIES[dispatch.group.slot_policy],
        counts_load=int(counts_load),
        limit=(counts_load and dispatch.limit(num_senders)) or 0,
        flow=_FLOWS[dispatch.flow],
        replicas=len(dispatch.targets),
        first_slot=dispatch.first_slot,
        slot_bits=dispatch.slot_bits,
    )


def _dispatching(dispatches: Sequence[Dispatch], tile: Tile, facts: Facts) -> Dispatching:
    """Groups of replicas that an interface distributes messages among."""
    groups: list[GroupContext] = []
    slots: list[SlotEntry] = []
    loads: list[LoadInput] = []
    # Where several tiles send to replicas whose load counts, each reports to the others.
    dispatched: list[Dispatched] = []
    others: list[Others] = []
    for dispatch in dispatches:
        tiles = facts.senders[dispatch.group]
        groups.append(_group(dispatch, len(tiles)))
        first = dispatch.first_slot
        slots += [SlotEntry(first + i, _route_word(to)) for i, to in enumerate(dispatch.slots)]
        if dispatch.group.counts_load:
            group, width = dispatch.group.name, len(dispatch.targets)
            for n, sender in enumerate(each for each in tiles if each != tile.name):
                others.append(Others(f"dispatched_{group}_by_{sender}", n, first, width))
            if len(tiles) > 1:
                port, signal = f"dispatched_{group}_o", f"dispatched_{group}_by_{tile.name}"
                dispatched.append(Dispatched(port, signal, bits(first + width - 1, first), width))
            for i, target in enumerate(dispatch.targets):
                name = target.tile.name
                loads.append(LoadInput(f"done_from_{name}_i", name, first + i))
    return Dispatching(
        groups=groups,
        slots=slots,
        num_slots=num_slots(dispatches),
        load_inputs=loads,
        dispatched=dispatched,
        others=others,
        num_others=max((each.number + 1 for each in others), default=0),
    )


def _write(table: str, first: int, size: int, total: int) -> TableWrite:
    """Condition and index of a register write to an interface's part of a table of the tile."""
    condition = f"{table}_request && {table}_write && tables_ready"
    if size == total:
        return TableWrite(condition, f"{table}_index")
    narrow, wide = (max(1, (count - 1).bit_length()) for count in (size, total))
    conditions = [condition, f"32'({table}_index) < {first + size}"]
    if first:
        conditions.insert(1, f"32'({table}_index) >= {first}")
    return TableWrite(" && ".join(conditions), f"{narrow}'({table}_index - {wide}'d{first})")


def _window(
    tile: Tile, interface: Interface, facts: Facts, waiting: Sequence[Waiting]
) -> WindowContext | None:
    """The part of the tile in the window of an interface's network."""
    flight = facts.flights.get(interface.network)
    found = flight.in_tile(tile) if flight else None
    if flight is None or found is None:
        return None
    prefix, num_sources = interface.network.prefix, max(1, len(interface.sources))

    def source(part: str, number: int) -> str:
        return element(f"{prefix}src_{part}", number, num_sources)

    def mask(inputs: list[Input]) -> str:
        digits = "".join(str(int(each in inputs)) for each in reversed(interface.entries))
        return f"{len(digits) or 1}'b{digits or '0'}"

    def taken(numbers: list[int]) -> str:
        each = (f"({source('valid', n)} && {source('ready', n)})" for n in numbers)
        return " || ".join(each) or "1'b0"

    def lost() -> str:
        """Condition under which a flit without a route is sent."""
        if not facts.dispatches[interface]:
            return f"({taken(sorted(passing + gates))}) && !{prefix}inj_valid"
        # There is a register between table and router, so check for next hops that drop.
        each = [
            f"({taken([number])} && {source('next', number)} == {hop.number})"
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
        *(each.valid for each in waiting if each.network is interface.network),
        *(source("valid", n) for n in passing),
    ]
    return WindowContext(
        share=flight.share,
        flit_bytes=interface.network.data_width // 8,
        gates=gates,
        open=[n for n in range(num_sources) if n not in gates],
        passes=mask(found.passes),
        leaves=mask(found.leaves),
        went=taken(passing),
        lost=lost(),
        working=" || ".join(working),
    )


def interface_contexts(
    tile: Tile, facts: Facts, waiting: Sequence[Waiting]
) -> list[InterfaceContext]:
    """The tile's router and network interface in each network."""
    return [_interface(tile, interface, facts, waiting) for interface in tile.interfaces]


def _interface(
    tile: Tile, interface: Interface, facts: Facts, waiting: Sequence[Waiting]
) -> InterfaceContext:
    network, kinds, tables = interface.network, facts.messages, facts.tables
    num_hops, tile_slots = tables.writable[tile]
    links, missing = _links(tile, network, facts.design)
    present = {LOCAL, *(link.side for link in links)}
    table, plan = tables.next[interface], facts.dispatches[interface]
    hop_write = slot_write = None
    if num_hops and (interface.sources or len(tile.interfaces) == 1):
        hop_write = _write("next_hop", tables.first_hop[interface], table.size, num_hops)
    if tile_slots and plan:
        first_slot = tables.first_slot[interface]
        slot_write = _write("slot", first_slot, num_slots(plan), tile_slots)
    first_hops = [f"16'd{table.first[each]}" for each in reversed(interface.sources)]
    return InterfaceContext(
        **vars(_dispatching(plan, tile, facts)),
        prefix=network.prefix,
        camel=network.camel,
        of=f" of {network.label}" if network.label else "",
        router=network.fabric.traits.router_parameters(network.fabric),
        link=network.fabric.traits.link_parameters(network.fabric),
        area=network.area,
        links=links,
        missing_links=missing,
        checked=_checked_links(tile, network, links),
        router_ports=sum(1 << n for n, d in enumerate(DIRECTIONS) if d in present),
        router_turns=_turns(tile, network, facts),
        routes=_routes(interface, facts),
        hop_write=hop_write,
        slot_write=slot_write,
        next_table_size=table.size,
        first_hops=first_hops or ["16'd0"],
        next_bits=facts.next_hops.bits[interface],
        has_sources=bool(interface.sources),
        num_sources=max(1, len(interface.sources)),
        has_sinks=bool(interface.entries),
        num_sinks=max(1, len(interface.entries)),
        takes=[kinds.bits(kinds.taken_mask(each)) for each in reversed(interface.entries)],
        router_drops=bool(interface.router_drops),
        window=_window(tile, interface, facts, waiting),
    )
