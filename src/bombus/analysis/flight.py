# SPDX-License-Identifier: Apache-2.0
"""Messages and flits that the windows of a design count (docs/fabrics.md).

Messages come under the window of a network where they first take a queue of a cycle of
the resource graph, and stay there until a layer takes them that sends none on. While no more
flits are there than the smallest cycle has room for, no cycle is full.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import networkx as nx

from bombus.analysis.deadlock import Cycle, cycles, knots, min_cycle_capacity
from bombus.analysis.window import full_flits
from bombus.design.elements import Hop, Input, Layer, Output, Resource, Tile
from bombus.design.facts import Facts
from bombus.design.network import Network
from bombus.design.resources import takes_whatever_waits, waiting_for
from bombus.design.topology import Topology
from bombus.fabric.routing import Channel, routes


@dataclass(frozen=True, eq=False)
class Flight:
    """The messages counted by the window of a network, which can fill some cycle."""

    facts: Facts
    network: Network
    safe: int  # largest number of flits with which no cycle can be full
    hops: frozenset[Hop]

    @property
    def flits(self) -> int:
        """Flits that may be in flight."""
        given = self.network.given.window
        return given if isinstance(given, int) else self.safe

    @property
    def share(self) -> int:
        """Flits that each source may have in flight."""
        return self.flits // max(1, len(self.sources))

    @cached_property
    def inputs(self) -> frozenset[Input]:
        """Inputs that receive counted messages."""
        return frozenset(hop.target for hop in self.hops if hop.target)

    @cached_property
    def outputs(self) -> list[Output]:
        """Outputs that send counted messages."""
        found = {hop.source for hop in self.hops}
        return [output for output in self.facts.design.outputs() if output in found]

    def origins(self, output: Output) -> tuple[set[Input], set[Layer]]:
        """Inputs from a mesh, and layers without input, from which an output's messages may
        originate.
        """
        return _origins(output, self.facts.topology)

    @cached_property
    def sources(self) -> list[Output]:
        """Outputs at which messages enter the window."""
        return [each for each in self.outputs if not self.origins(each)[0] & self.inputs]

    @cached_property
    def passing(self) -> list[Output]:
        """Outputs that forward counted messages."""
        return [each for each in self.outputs if each not in self.sources]

    @cached_property
    def mixed(self) -> list[Output]:
        """Outputs that forward counted messages and also send others."""
        ways = ((each, *self.origins(each)) for each in self.passing)
        return [output for output, inputs, makers in ways if makers or inputs - self.inputs]

    @cached_property
    def passed(self) -> frozenset[Input]:
        """Inputs whose messages may be forwarded under the window."""
        return frozenset().union(*(self.origins(each)[0] for each in self.passing)) & self.inputs

    @cached_property
    def needed(self) -> frozenset[Resource]:
        """Resources that counted messages may have to wait for before they leave."""
        graph = self.facts.resource_graph
        starts: set[Resource] = {target for target in self.inputs if target in graph}
        starts = starts.union(*map(_channels, self.hops))
        return frozenset(starts.union(*(nx.descendants(graph, each) for each in starts)))

    @cached_property
    def stuck(self) -> list[tuple[Output, Input]]:
        """Sources with an input that waits for the window while counted messages wait for that
        input.
        """
        return [
            (output, each)
            for output in self.sources
            for each in waiting_for(output, self.facts.topology)
            if each in self.needed and not takes_whatever_waits(each, self.facts.topology)
        ]

    @cached_property
    def between(self) -> list[Layer]:
        """Layers that messages pass through between these inputs and outputs."""
        found: dict[Layer, None] = {}
        for output in self.passing:
            for layer in _layers_before(output, self.facts.topology):
                starts = {*self.passed, *_wired_from(self.passed, self.facts.topology)}
                if starts & set(layer.inputs):
                    found[layer] = None
        return [layer for layer in self.facts.design.layers() if layer in found]


def _before(output: Output, topology: Topology) -> Iterator[tuple[Layer, list[Input]]]:
    """Layers of a tile whose messages may leave by an output, each with its inputs."""
    front = [output.layer]
    seen = {*front}
    while front:
        layer = front.pop()
        yield layer, layer.inputs
        for each in layer.inputs:
            for hop in topology.hops_to(each):
                if hop.in_tile and hop.source.layer not in seen:
                    seen.add(hop.source.layer)
                    front.append(hop.source.layer)


def _origins(output: Output, topology: Topology) -> tuple[set[Input], set[Layer]]:
    inputs, makers = set(), set()
    for layer, its_inputs in _before(output, topology):
        if not its_inputs:
            makers.add(layer)
        inputs |= {
            each for each in its_inputs if any(not hop.in_tile for hop in topology.hops_to(each))
        }
    return inputs, makers


def _layers_before(output: Output, topology: Topology) -> list[Layer]:
    return [layer for layer, _ in _before(output, topology)]


def _wired_from(inputs: Iterable[Input], topology: Topology) -> set[Input]:
    """Inputs reached over wires by messages to other inputs."""
    front = list(inputs)
    found: set[Input] = set()
    while front:
        for output in front.pop().layer.outputs:
            for hop in topology.hops_from(output):
                if hop.in_tile and hop.target and hop.target not in found:
                    found.add(hop.target)
                    front.append(hop.target)
    return found


def _sent_from(target: Input, network: Network, topology: Topology) -> set[Output]:
    """Outputs to the mesh through which messages to an input may leave its tile."""
    layers = {target.layer, *(each.layer for each in _wired_from([target], topology))}
    return {
        output
        for layer in layers
        for output in layer.outputs
        if any(_is_on(hop, network) for hop in topology.hops_from(output))
    }


def _is_on(hop: Hop, network: Network) -> bool:
    return hop.target is not None and not hop.in_tile and hop.network is network


@lru_cache(maxsize=16)
def flights(facts: Facts) -> dict[Network, Flight]:
    """The messages that each window of a design counts; networks without a cycle need none."""
    found = {}
    tied = knots(facts)
    for network in facts.design.networks:
        fabric = network.fabric
        if network.given.window is None or not fabric.traits.reserves_room(fabric):
            continue
        tight = {node for knot in tied for node in knot if _is_queue(node, network)}
        if tight:
            safe = _smallest(facts, network, tied) - 1
            flight = Flight(
                facts, network, safe, _counted(facts, network, _over(facts, network, tight))
            )
            while more := _before_stuck(flight):
                flight = Flight(facts, network, safe, _counted(facts, network, flight.hops | more))
            found[network] = flight
    return found


def _is_queue(node: Resource, network: Network) -> bool:
    return (
        isinstance(node, Channel)
        and bool(node.enter and node.leave)
        and node.network == network.label
    )


def _smallest(facts: Facts, network: Network, tied: Iterable[frozenset[Resource]]) -> int:
    """Minimum number of flits held by the smallest cycle with a queue of a network."""
    fabric = network.fabric

    def capacity(node: Resource) -> int:
        if not (isinstance(node, Channel) and _is_queue(node, network)):
            return 0
        return full_flits(fabric, node, fabric.packet_flits)

    parts = [knot for knot in tied if any(_is_queue(node, network) for node in knot)]
    graph = facts.resource_graph
    sizes = (min_cycle_capacity(graph.subgraph(part), capacity) for part in parts)
    return min(size for size in sizes if size is not None)


def _over(facts: Facts, network: Network, tight: set[Resource]) -> frozenset[Hop]:
    """Next hops that use queues of a cycle."""

    def needs(hop: Hop) -> bool:
        return any(channel in tight for channel in _channels(hop))

    return frozenset(hop for hop in facts.design.hops if _is_on(hop, network) and needs(hop))


def _channels(hop: Hop) -> set[Resource]:
    """Resources that a message may hold on its path over a mesh."""
    assert hop.target
    ways = routes(hop.network.routing, hop.source.tile.at, hop.target.tile.at)
    return {channel for edge in ways for channel in edge}


def _counted(facts: Facts, network: Network, found: Iterable[Hop]) -> frozenset[Hop]:
    """Next hops, and those that cannot be distinguished from them."""
    hops = [hop for hop in facts.design.hops if _is_on(hop, network)]
    after = {
        each: _sent_from(each, network, facts.topology)
        for each in {hop.target for hop in hops}
        if each
    }
    found = set(found)
    while True:
        outputs = {hop.source for hop in found}
        inputs = {hop.target for hop in found}
        for each in inputs:
            if each and after[each] & outputs:
                outputs |= after[each]
        more = {hop for hop in hops if hop.source in outputs or hop.target in inputs}
        if more == found:
            return frozenset(found)
        found = more


def _before_stuck(flight: Flight) -> frozenset[Hop]:
    """Next hops that should be counted too: their messages wait for the window while counted
    messages wait for them.
    """
    inputs = {each for output, _ in flight.stuck for each in flight.origins(output)[0]}
    hops = (hop for hop in flight.facts.design.hops if _is_on(hop, flight.network))
    return frozenset(hop for hop in hops if hop.target in inputs) - flight.hops


def holds(facts: Facts, knot: frozenset[Resource]) -> bool:
    """Whether a window keeps the cycles of a knot from filling up."""
    return any(
        flight.flits <= flight.safe and any(_is_queue(node, flight.network) for node in knot)
        for flight in flights(facts).values()
    )


def open_cycles(facts: Facts) -> list[Cycle]:
    """A shortest cycle of each knot that no window keeps from filling up."""
    if not flights(facts):
        return cycles(facts)
    return cycles(facts, [knot for knot in knots(facts) if not holds(facts, knot)])


def summary(facts: Facts) -> list[str]:
    """A description of the windows of a design."""
    found = []
    for flight in flights(facts).values():
        where = f" on network {flight.network.label}" if flight.network.label else ""
        count = len(flight.sources)
        each = f", {flight.share} for each of {count} sources" if count > 1 else ""
        found.append(
            f"window of {flight.flits} flits{where}{each}: a cycle of waiting holds at least "
            f"{flight.safe + 1}"
        )
    return found


# ---- In a tile ----


@dataclass(frozen=True)
class TileFlight:
    """The part of a tile in a window."""

    flight: Flight
    gates: list[Output]  # outputs that let messages in
    passing: list[Output]
    passes: list[Input]
    leaves: list[Input]
    layers: list[Layer]  # layers that forward messages


def of_tile(tile: Tile, network: Network, facts: Facts) -> TileFlight | None:
    """The part of a tile in the window of a network, if any."""
    flight = flights(facts).get(network)
    if flight is None:
        return None
    inputs = [each for each in tile.entries if each in flight.inputs]
    found = TileFlight(
        flight,
        [each for each in flight.sources if each.tile is tile],
        [each for each in flight.passing if each.tile is tile],
        [each for each in inputs if each in flight.passed],
        [each for each in inputs if each not in flight.passed],
        [layer for layer in flight.between if layer.tile is tile],
    )
    return found if found.gates or inputs else None
