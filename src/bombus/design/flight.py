# SPDX-License-Identifier: Apache-2.0
"""Messages and flits that the windows of a design count (docs/fabrics.md).

Messages come under the window of a network where they first take a queue of a cycle of
the resource graph, and stay there until a layer takes them that sends none on. While no more
flits are there than the smallest cycle has room for, no cycle is full.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import networkx as nx

from bombus.design.elements import Hop, Input, Layer, Output, Resource, Tile
from bombus.design.knots import min_cycle_capacity
from bombus.design.network import Network
from bombus.design.resources import waiting_for
from bombus.design.topology import Topology
from bombus.design.window import full_flits
from bombus.fabric.routing import Channel, routes


@dataclass(frozen=True)
class TileFlight:
    """The part of a tile in a window."""

    gates: list[Output]  # outputs that let messages in
    passing: list[Output]
    passes: list[Input]
    leaves: list[Input]
    layers: list[Layer]  # layers that forward messages


@dataclass(frozen=True, eq=False)
class Flight:
    """The messages counted by the window of a network, which can fill some cycle."""

    topology: Topology
    graph: nx.DiGraph[Resource]  # Facts.resource_graph
    waiting: Collection[Input]  # Facts.waiting
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
        return [output for output in self.topology.design.outputs() if output in found]

    def origins(self, output: Output) -> tuple[set[Input], set[Layer]]:
        """Inputs from a mesh, and layers without input, from which an output's messages may
        originate.
        """
        return _origins(output, self.topology)

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
        starts: set[Resource] = {target for target in self.inputs if target in self.graph}
        starts = starts.union(*map(_channels, self.hops))
        return frozenset(starts.union(*(nx.descendants(self.graph, each) for each in starts)))

    @cached_property
    def stuck(self) -> list[tuple[Output, Input]]:
        """Sources with an input that waits for the window while counted messages wait for that
        input.
        """
        return [
            (output, each)
            for output in self.sources
            for each in waiting_for(output, self.topology)
            if each in self.needed and each in self.waiting
        ]

    @cached_property
    def between(self) -> list[Layer]:
        """Layers that messages pass through between these inputs and outputs."""
        found: dict[Layer, None] = {}
        for output in self.passing:
            for layer in _layers_before(output, self.topology):
                starts = {*self.passed, *_wired_from(self.passed, self.topology)}
                if starts & set(layer.inputs):
                    found[layer] = None
        return [layer for layer in self.topology.design.layers() if layer in found]

    def holds(self, knot: frozenset[Resource]) -> bool:
        """Whether the window keeps the cycles of a knot from filling up."""
        return self.flits <= self.safe and any(_is_queue(node, self.network) for node in knot)

    def in_tile(self, tile: Tile) -> TileFlight | None:
        """The part of a tile in the window, if any."""
        inputs = [each for each in tile.entries if each in self.inputs]
        found = TileFlight(
            [each for each in self.sources if each.tile is tile],
            [each for each in self.passing if each.tile is tile],
            [each for each in inputs if each in self.passed],
            [each for each in inputs if each not in self.passed],
            [layer for layer in self.between if layer.tile is tile],
        )
        return found if found.gates or inputs else None

    def __str__(self) -> str:
        where = f" on network {self.network.label}" if self.network.label else ""
        count = len(self.sources)
        each = f", {self.share} for each of {count} sources" if count > 1 else ""
        return (
            f"window of {self.flits} flits{where}{each}: a cycle of waiting holds at least "
            f"{self.safe + 1}"
        )


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


def flights(
    topology: Topology,
    graph: nx.DiGraph[Resource],
    waiting: Collection[Input],
    knots: Iterable[frozenset[Resource]],
) -> dict[Network, Flight]:
    """The messages that each window of a design counts; networks without a cycle need none."""
    found = {}
    for network in topology.design.networks:
        fabric = network.fabric
        if network.given.window is None or not fabric.traits.reserves_room(fabric):
            continue
        tied = [knot for knot in knots if any(_is_queue(node, network) for node in knot)]
        if tied:
            tight = {node for knot in tied for node in knot if _is_queue(node, network)}
            safe = _smallest(graph, network, tied) - 1
            hops = _counted(topology, network, _over(topology, network, tight))
            flight = Flight(topology, graph, waiting, network, safe, hops)
            while more := _before_stuck(flight):
                flight = replace(flight, hops=_counted(topology, network, flight.hops | more))
            found[network] = flight
    return found


def _is_queue(node: Resource, network: Network) -> bool:
    return (
        isinstance(node, Channel)
        and bool(node.enter and node.leave)
        and node.network == network.label
    )


def _smallest(
    graph: nx.DiGraph[Resource], network: Network, knots: Iterable[frozenset[Resource]]
) -> int:
    """Minimum number of flits held by the smallest cycle with a queue of a network."""
    fabric = network.fabric

    def capacity(node: Resource) -> int:
        if not (isinstance(node, Channel) and _is_queue(node, network)):
            return 0
        return full_flits(fabric, node, fabric.packet_flits)

    sizes = (min_cycle_capacity(graph.subgraph(knot), capacity) for knot in knots)
    return min(size for size in sizes if size is not None)


def _over(topology: Topology, network: Network, tight: set[Resource]) -> frozenset[Hop]:
    """Next hops that use queues of a cycle."""

    def needs(hop: Hop) -> bool:
        return any(channel in tight for channel in _channels(hop))

    return frozenset(hop for hop in topology.design.hops if _is_on(hop, network) and needs(hop))


def _channels(hop: Hop) -> set[Resource]:
    """Resources that a message may hold on its path over a mesh."""
    assert hop.target
    ways = routes(hop.network.routing, hop.source.tile.at, hop.target.tile.at)
    return {channel for edge in ways for channel in edge}


def _counted(topology: Topology, network: Network, found: Iterable[Hop]) -> frozenset[Hop]:
    """Next hops, and those that cannot be distinguished from them."""
    hops = [hop for hop in topology.design.hops if _is_on(hop, network)]
    targets = {hop.target for hop in hops if hop.target}
    after = {each: _sent_from(each, network, topology) for each in targets}
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
    hops = (hop for hop in flight.topology.design.hops if _is_on(hop, flight.network))
    return frozenset(hop for hop in hops if hop.target in inputs) - flight.hops
