# SPDX-License-Identifier: Apache-2.0
"""Connections among the streams of a tile's layers and to the network interface."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bombus.base.systemverilog import element
from bombus.base.text import listing
from bombus.design.elements import Hop, Input, Output, Tile
from bombus.design.facts import Facts
from bombus.design.network import Network
from bombus.design.rtl import BEAT
from bombus.generation.instances import stream_type


@dataclass(frozen=True)
class Slot:
    """The signals of an input that one of its feeds drives."""

    data: str
    valid: str
    ready: str


@dataclass(frozen=True)
class Branch:
    """Messages of an output to one target: an input of the tile, or the mesh."""

    data: str
    valid: str
    ready: str
    value: str  # the output's beat in the type of the target
    next: str  # signal of the number of the next hop; "": none
    to: str
    hops: str  # names of next hops
    select: str = ""  # signal that selects the branch; "": it is the only one
    condition: str = ""


@dataclass(frozen=True)
class WiredOutput:
    """An output of a layer and its branches."""

    signal: str
    branches: list[Branch]
    next_unused: bool
    next: str


@dataclass(frozen=True)
class WiredInput:
    """An input of a layer with the feeds that are merged before it."""

    signal: str
    type: str
    num: int
    sources: str  # what the feeds are, as words


@dataclass(frozen=True)
class Sink:
    """An entry of the mesh into an input of a layer."""

    to: str
    mesh: str
    port: int
    mesh_valid: str
    mesh_ready: str
    value: str
    type: str
    signal: str
    waits: bool  # a register holds the messages of the mesh
    data: str
    valid: str
    ready: str


@dataclass(frozen=True)
class Waiting:
    """A register between the mesh of a network and an input."""

    network: Network
    valid: str  # signal


@dataclass(frozen=True)
class Wiring:
    """Connections inside a tile."""

    outputs: list[WiredOutput]
    inputs: list[WiredInput]
    sinks: list[Sink]
    waiting: list[Waiting]


class _Wiring:
    def __init__(self, tile: Tile, facts: Facts) -> None:
        self.tile = tile
        self.facts = facts
        # Targets of each output, in the tile or to the mesh (None), and the hops to them.
        self.branches: dict[Output, dict[Input | None, list[Hop]]] = {}
        # Feeds of each input: its wired sources, then the mesh.
        self.feeds: dict[Input, list[Output | None]] = {
            each: [] for layer in tile.layers for each in layer.inputs
        }
        for output in (each for layer in tile.layers for each in layer.outputs):
            found: dict[Input | None, list[Hop]] = {}
            for hop in facts.topology.hops_from(output):
                found.setdefault(hop.target if hop.in_tile else None, []).append(hop)
            # The mesh is last: it takes everything that is not wired.
            self.branches[output] = dict(sorted(found.items(), key=lambda item: item[0] is None))
            for target in self.branches[output]:
                if target is not None:
                    self.feeds[target].append(output)
        for target in tile.entries:
            self.feeds[target].append(None)

    def slot(self, target: Input, source: Output | None) -> Slot:
        """The signals of an input that one of its feeds drives."""
        base, index = target.signal, ""
        if len(self.feeds[target]) > 1:
            base, index = f"{target.signal}_merge", f"[{self.feeds[target].index(source)}]"
        return Slot(base + index, f"{base}_valid{index}", f"{base}_ready{index}")

    def waits(self, target: Input) -> bool:
        """Whether a register holds messages from the mesh for an input."""
        return target.layer.name in self.tile.waits

    def branch(self, output: Output, target: Input | None, hops: list[Hop]) -> Branch:
        names = listing(dict.fromkeys(hop.name for hop in hops))
        if target is not None:
            value = _converted(output.signal, self.type_of(output), self.type_of(target))
            slot = self.slot(target, output)
            return Branch(slot.data, slot.valid, slot.ready, value, "", str(target), names)
        network = output.network
        sources = self.tile.interface(network).sources
        port, base = sources.index(output), f"{network.prefix}src"
        data, valid, ready, following = (
            element(f"{base}{part}", port, len(sources))
            for part in ("", "_valid", "_ready", "_next")
        )
        return Branch(
            data=data,
            valid=valid,
            ready=ready,
            value=_converted(output.signal, self.type_of(output), mesh_type(network)),
            next=following,
            to=mesh_name(network),
            hops=names,
        )

    def type_of(self, stream: Input | Output) -> str:
        return stream_type(stream, self.facts)

    def outputs(self) -> list[WiredOutput]:
        found = []
        for output, targets in self.branches.items():
            if not targets:
                continue
            selects: list[str] = []
            listed = []
            for target, hops in targets.items():
                select = condition = ""
                if len(targets) > 1:
                    name = target.signal if target else "mesh"
                    select = f"{output.signal}_to_{name}"
                    if len(selects) < len(targets) - 1:
                        numbers = sorted({hop.number for hop in hops})
                        width = self.facts.next_hops.widths[output]
                        condition = " || ".join(
                            f"{output.signal}_next == {width}'d{number}" for number in numbers
                        )
                    else:  # the rest
                        condition = "!" + (selects[0] if len(selects) == 1 else _any(selects))
                    selects.append(select)
                branch = self.branch(output, target, hops)
                listed.append(replace(branch, select=select, condition=condition))
            found.append(
                WiredOutput(
                    signal=output.signal,
                    branches=listed,
                    next_unused=has_next(output)
                    and len(targets) == 1
                    and (None not in targets or self.facts.next_hops.counts[output] == 1),
                    next=self.next_number(output),
                )
            )
        return found

    def next_number(self, output: Output) -> str:
        """The output's own number of a message's next hop, for the network interface."""
        if output not in self.tile.sources:
            return ""
        hops = self.facts.next_hops
        if hops.counts[output] == 1:
            return "'0"
        width = hops.bits[self.tile.interface(output.network)]
        signal = f"{output.signal}_next"
        return signal if width == hops.widths[output] else f"{width}'({signal})"


def _converted(signal: str, source: str, target: str) -> str:
    """A beat converted to another type with more or less metadata."""
    return signal if source == target else f"$bits({target})'({signal})"


def mesh_type(network: Network) -> str:
    """The type of the beats of a network."""
    return f"{network.prefix}{BEAT}"


def mesh_name(network: Network) -> str:
    """The mesh of a network, described."""
    return f"the mesh of {network.label}" if network.label else "the mesh"


def has_next(output: Output) -> bool:
    """Whether a layer has a port that selects the next hop of an output."""
    return f"{output.name}_next_o" in output.layer.kind.ports


def _any(names: list[str]) -> str:
    return "(" + " || ".join(names) + ")"


def wiring(tile: Tile, facts: Facts) -> Wiring:
    """The outputs of a tile, its merged inputs and its entries from the mesh."""
    joined = _Wiring(tile, facts)
    inputs = [
        WiredInput(
            signal=target.signal,
            type=joined.type_of(target),
            num=len(sources),
            sources=listing(
                str(source) if source else mesh_name(target.network) for source in sources
            ),
        )
        for target, sources in joined.feeds.items()
    ]
    return Wiring(
        outputs=joined.outputs(),
        inputs=inputs,
        sinks=[_sink(target, joined) for target in tile.entries],
        waiting=[
            Waiting(target.network, joined.slot(target, None).valid)
            for target in tile.entries
            if joined.waits(target)
        ],
    )


def _sink(target: Input, joined: _Wiring) -> Sink:
    network, type_ = target.network, joined.type_of(target)
    count = len(joined.tile.interface(network).entries)
    slot = joined.slot(target, None)
    return Sink(
        to=str(target),
        mesh=mesh_name(network),
        port=target.entry_port,
        mesh_valid=element(f"{network.prefix}sink_valid", target.entry_port, count),
        mesh_ready=element(f"{network.prefix}sink_ready", target.entry_port, count),
        value=_converted(f"{network.prefix}sink", mesh_type(network), type_),
        type=type_,
        signal=target.signal,
        waits=joined.waits(target),
        data=slot.data,
        valid=slot.valid,
        ready=slot.ready,
    )
