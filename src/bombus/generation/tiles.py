# SPDX-License-Identifier: Apache-2.0
"""Template context of a tile: its ports, layers, busy signals and counters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bombus.base.systemverilog import bits, element, logic
from bombus.design.elements import Input, Layer, Tile
from bombus.design.facts import Facts
from bombus.design.rtl.ports import DROP_MESSAGE, REGISTER_MASTER_PORTS
from bombus.generation.instances import (
    LayerContext,
    checked_streams,
    connections,
    joined_signals,
    parameters,
    shared_port,
)
from bombus.generation.interfaces import (
    Dispatched,
    InterfaceContext,
    Link,
    LoadInput,
    Others,
    interface_contexts,
)
from bombus.generation.mac_ports import (
    CheckedFrames,
    TilePort,
    crossing_drops,
    tile_mac_ports,
    tile_mac_streams,
)
from bombus.generation.observers import Observed, observed
from bombus.generation.registers import RegisterBlock, TileRegisters
from bombus.generation.wiring import Waiting, Wiring, wiring


@dataclass(frozen=True)
class RaisedPort:
    """A port of a layer that the top has, too."""

    name: str
    declaration: str


@dataclass(frozen=True)
class EventSlice:
    """Counters that count the pulses of a signal."""

    range: str
    signal: str


@dataclass(frozen=True)
class Completions:
    """Signals by which a replica reports finished messages, if a sender needs them."""

    tells_load: bool
    entered: str
    others: list[str]
    discards: list[str]
    ends: list[str]
    working: list[str]


@dataclass(frozen=True)
class TileContext(Wiring, Completions):
    """The module of a tile."""

    name: str
    index: int
    x: int
    y: int
    layers: list[LayerContext]
    interfaces: list[InterfaceContext]
    mac_ports: list[TilePort]
    mac_streams: list[CheckedFrames]
    raised_ports: list[RaisedPort]
    shared_ports: list[TilePort]
    has_host: bool
    has_routes: bool
    has_time: bool
    has_hold: bool
    timers: list[str]
    busy: list[str]
    moving: list[str]  # of those, without messages that wait while addresses change
    table_ready: str
    stream_messages: list[str]
    stream_bytes: list[str]
    events: list[str]
    event_slices: list[EventSlice]
    table_bits: Mapping[str, int]
    register_connections: list[str]
    registers: RegisterBlock
    observed: Observed | None

    @property
    def has_timer(self) -> bool:
        return bool(self.timers)

    @property
    def links(self) -> list[Link]:
        return [link for each in self.interfaces for link in each.links]

    @property
    def load_inputs(self) -> list[LoadInput]:
        return [signal for each in self.interfaces for signal in each.load_inputs]

    @property
    def dispatched_outputs(self) -> list[Dispatched]:
        return [signal for each in self.interfaces for signal in each.dispatched]

    @property
    def dispatched_inputs(self) -> list[Others]:
        return [signal for each in self.interfaces for signal in each.others]

    @property
    def has_tables(self) -> bool:
        """Whether a table of next hops or of slots can be written."""
        return bool({"next_hop", "slot"} & self.table_bits.keys())

    @property
    def unused(self) -> list[str]:
        """Signals that only checkers in simulation read."""
        of_routers = [f"{each.prefix}inj_taken" for each in self.interfaces]
        links = ("router_in_ready", "router_out", "router_out_valid")
        of_routers += [
            f"{each.prefix}{signal}"
            for each in self.interfaces
            for signal in links
            if not each.links
        ]
        return of_routers + [f"{each.signal}_next" for each in self.outputs if each.next_unused]

    @property
    def windows(self) -> list[InterfaceContext]:
        """Its interfaces to networks with a window that it is part of."""
        return [each for each in self.interfaces if each.window]


def _raised_ports(tile: Tile) -> list[RaisedPort]:
    """Raised ports of the tile's layers, by their names at the top."""
    ports = []
    for layer in tile.layers:
        for port in layer.kind.further:
            if port.name in {*layer.joined, *layer.open, *layer.shared}:
                continue
            direction = "output" if port.is_output else "input"
            name = layer.raised[port.name]
            declaration = f"{direction} {logic(port.width, name)}"
            ports.append(RaisedPort(name, declaration))
    return ports


def _shared_ports(tile: Tile, facts: Facts) -> list[TilePort]:
    """Ports of the tile for the broadcasts of its layers and for those that are masters of
    registers, and the signals at the top.
    """
    ports = []
    for layer in tile.layers:
        members = facts.broadcasts.get(layer.kind.broadcasts, [])
        for port in layer.kind.further:
            if port.name not in layer.shared:
                continue
            direction = "output" if port.is_output else "input"
            name = shared_port(layer, port.name)
            # These inputs are shared by all members.
            each = not port.name.endswith(("_given_i", "_got_i"))
            place = f"[{members.index(layer)}]" if each else ""
            declaration = f"{direction} {logic(port.width, name)}"
            ports.append(TilePort(name, declaration, f"{port.name[:-2]}{place}"))
        if layer.kind.is_register_master:
            ports += _register_master_ports(layer, facts)
    return ports


def _register_master_ports(layer: Layer, facts: Facts) -> Iterator[TilePort]:
    """Ports of the tile for a master of registers; the register port of the top is master 0."""
    number = 1 + facts.register_masters.index(layer)
    for port, width in REGISTER_MASTER_PORTS.items():
        name = shared_port(layer, port)
        type_ = f"bombus_pkg::register_request_t {name}" if width is None else logic(width, name)
        # All masters see the data of a response.
        place = "" if port == "register_response_i" else f"[{number}]"
        direction = "output" if port.endswith("_o") else "input"
        yield TilePort(name, f"{direction} {type_}", f"{port[:-2]}{place}")


_ALWAYS_BUSY = ("router", "network_interface")  # the parts of each interface


def _completions(tile: Tile, facts: Facts, waiting: Sequence[Waiting]) -> Completions:
    """Signals by which a replica reports finished messages, if a sender needs them."""
    plans = [dispatch for plan in facts.dispatches.values() for dispatch in plan]
    dispatched = {
        each
        for dispatch in plans
        if dispatch.group is tile.group
        for each in dispatch.targets
        if each.tile is tile
    }
    others = [each for each in tile.entries if each not in dispatched]
    entered = [
        " && ".join(
            [f"{network.prefix}in_message"]
            + [f"!{_sink_valid(each)}" for each in others if each.network is network]
        )
        for network in dict.fromkeys(each.network for each in dispatched)
    ]
    drops = [layer for layer in tile.layers if layer.kind.drops]
    group = tile.group
    return Completions(
        tells_load=group is not None and group.needs_dispatch and group.counts_load,
        entered=" || ".join(sorted(entered)) or "1'b0",
        # A message of a join finishes together with the one waiting for it.
        others=[
            f"{each.network.prefix}in_message && {_sink_valid(each)}"
            for each in others
            if not _is_joined(each)
        ]
        # A message that the layer itself begins ends like others.
        + [
            element(
                f"{layer.name}_event",
                layer.kind.events.index(layer.kind.begins),
                len(layer.kind.events),
            )
            for layer in tile.layers
            if layer.kind.begins
        ],
        discards=[f"{la.name}_discards" for la in tile.layers if "discards_o" in la.kind.ports],
        ends=[
            *(f"{interface.network.prefix}out_end" for interface in tile.interfaces),
            *(f"|{layer.name}_drop" for layer in drops),
        ],
        working=[
            *(f"{interface.network.prefix}entering" for interface in tile.interfaces),
            *_busy_signals(tile, waiting),
        ],
    )


def _is_joined(target: Input) -> bool:
    """Whether another input waits for its messages, so that both finish together."""
    waits = any(target.name in each.stream.waits_for_inputs for each in target.layer.inputs)
    return waits and not target.stream.answers


def _sink_valid(target: Input) -> str:
    entries = target.tile.interface(target.network).entries
    return element(f"{target.network.prefix}sink_valid", target.entry_port, len(entries))


def _busy_signals(tile: Tile, waiting: Sequence[Waiting]) -> list[str]:
    layers = [f"{layer.name}_busy" for layer in tile.layers if "busy_o" in layer.kind.ports]
    return layers + [each.valid for each in waiting]


def _moving(busy: str, tile: Tile) -> str:
    """A busy signal without messages of its layer that wait while addresses change."""
    waiting = {f"{la.name}_busy" for la in tile.layers if "waits_o" in la.kind.ports}
    return f"({busy} && !{busy.removesuffix('_busy')}_waits)" if busy in waiting else busy


def _event_slices(tile: Tile) -> list[EventSlice]:
    slices: list[EventSlice] = []
    low = 0
    for interface in tile.interfaces:
        prefix = interface.network.prefix
        lost = f"{{{prefix}unknown_kind, {prefix}no_route}}"
        slices.append(EventSlice(f"{low + 1}:{low}", lost))
        low += 2
        if count := len(interface.router_drops):
            high = low + count - 1
            slices.append(EventSlice(bits(high, low), f"{prefix}router_drop"))
            low = high + 1
    for signal in crossing_drops(tile):
        slices.append(EventSlice(f"{low}", signal))
        low += 1
    for layer in tile.layers:
        for port, names in (("drop", layer.kind.drops), ("event", layer.kind.events)):
            if names:
                high = low + len(names) - 1
                slices.append(EventSlice(bits(high, low), f"{layer.name}_{port}"))
                low = high + 1
    return slices


def _mac_counts(tile: Tile) -> dict[str, dict[str, str]]:
    """Signals that count the frames and bytes of each direction, as seen from the tile."""
    counts = {
        way: {"message": "1'b0", "bytes": "bombus_pkg::length_t'(0)"} for way in ("in", "out")
    }
    for layer in tile.layers:
        if "mac_message_o" in layer.kind.ports:
            way = "in" if "rx" in layer.kind.mac_directions else "out"
            counts[way] = {
                "message": f"{layer.name}_mac_message",
                "bytes": f"{layer.name}_mac_bytes",
            }
    return counts


def _streams(tile: Tile, what: str, macs: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Signals that count messages across the tile's boundary, in the order of the counters, last
    first.
    """
    first, *further = (interface.network.prefix for interface in tile.interfaces)
    found = [f"{first}{way}_{what}" for way in ("in", "out")]
    found += [macs[way][what] for way in ("in", "out")]
    found += [f"{prefix}{way}_{what}" for prefix in further for way in ("in", "out")]
    return found[::-1]


def tile_context(tile: Tile, facts: Facts, of_registers: TileRegisters) -> TileContext:
    """The module of a tile."""
    ports = {port for layer in tile.layers for port in layer.kind.ports}
    wired = wiring(tile, facts)
    interfaces = interface_contexts(tile, facts, wired.waiting)
    completions = _completions(tile, facts, wired.waiting)
    seen = observed(tile, facts)
    unread = () if completions.tells_load else ("discards_o",)
    busy = [
        *(f"{each.prefix}{what}_busy" for each in interfaces for what in _ALWAYS_BUSY),
        *_busy_signals(tile, wired.waiting),
    ]
    return TileContext(
        **vars(wired),
        **vars(completions),
        name=tile.name,
        index=tile.index,
        x=tile.x,
        y=tile.y,
        layers=_layers(tile, facts, of_registers.signals, unread, seen),
        interfaces=interfaces,
        mac_ports=tile_mac_ports(tile, facts.design),
        mac_streams=tile_mac_streams(tile),
        raised_ports=_raised_ports(tile),
        shared_ports=_shared_ports(tile, facts),
        has_host="host_i" in ports,
        has_routes="route_i" in ports,
        has_time="time_us_i" in ports,
        has_hold="hold_i" in ports,
        timers=[f"{la.name}_timer" for la in tile.layers if "timer_o" in la.kind.ports],
        busy=busy,
        moving=[_moving(signal, tile) for signal in busy],
        table_ready=" && ".join(f"{each.prefix}table_ready" for each in interfaces),
        stream_messages=_streams(tile, "message", _mac_counts(tile)),
        stream_bytes=_streams(tile, "bytes", _mac_counts(tile)),
        events=tile.events(),
        event_slices=_event_slices(tile),
        table_bits=of_registers.index_bits,
        register_connections=of_registers.connections,
        registers=of_registers.block,
        observed=seen,
    )


def _layers(
    tile: Tile,
    facts: Facts,
    of_registers: Mapping[str, list[str]],
    unread: Sequence[str],
    seen: Observed | None,
) -> list[LayerContext]:
    found = []
    for layer in tile.layers:
        is_seen = seen is not None and layer.inputs and layer.inputs[0].signal in seen.streams
        dropped = () if is_seen else (DROP_MESSAGE,)
        connected, signals = connections(layer, (*unread, *dropped))
        if layer is tile.layers[0]:
            signals = joined_signals(tile.layers) + signals
        signals += of_registers.get(layer.name, [])
        found.append(
            LayerContext(
                name=layer.name,
                kind=layer.kind,
                parameters=parameters(layer, facts),
                connections=connected,
                signals=signals,
                checked=checked_streams(layer, facts),
            )
        )
    return found
