# SPDX-License-Identifier: Apache-2.0
"""What follows from a resolved design, computed once.

`Facts` is what checks, placement and generation take. It is frozen: each fact is a function of the
design alone. A fact is computed when it is first read and kept from then on, so that placement,
which evaluates many designs, computes only those that it reads (no register map, for example).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import networkx as nx

from bombus.design.dispatch import Dispatch, dispatch_plan, senders
from bombus.design.elements import Group, Input, Interface, Layer, Resource
from bombus.design.flight import Flight, flights
from bombus.design.knots import joined, knots
from bombus.design.memories import raised_ports
from bombus.design.messages import Messages, messages
from bombus.design.network import Network
from bombus.design.next_hops import NextHops
from bombus.design.register_map import RegisterMap, register_map
from bombus.design.register_network import RegisterNetwork
from bombus.design.resolved import Design
from bombus.design.resources import reachable, resource_graph, takes_whatever_waits
from bombus.design.rtl.ports import FurtherPort
from bombus.design.tables import Tables, tables
from bombus.design.topology import Topology
from bombus.fabric.routing import Turn, turns


@dataclass(frozen=True, eq=False)
class Facts:
    """A design and all that follows from it."""

    design: Design

    @cached_property
    def topology(self) -> Topology:
        """Hops by their ends, and AXI-Streams between layers."""
        return Topology.of(self.design)

    @cached_property
    def next_hops(self) -> NextHops:
        """Names and numbers of the next hops of each output."""
        return NextHops.of(self.design)

    @cached_property
    def broadcasts(self) -> Mapping[str, Sequence[Layer]]:
        """The layers that share each broadcast, by its name."""
        found: dict[str, list[Layer]] = {}
        for layer in self.design.layers():
            if layer.shared:
                found.setdefault(layer.kind.broadcasts, []).append(layer)
        return found

    @cached_property
    def raised_ports(self) -> Mapping[str, FurtherPort]:
        """Ports of the top that the design file raises, in the order of the tiles."""
        return raised_ports(self.design)

    @cached_property
    def register_masters(self) -> Sequence[Layer]:
        """The layers that read and write the registers of the design."""
        return [layer for layer in self.design.layers() if layer.kind.is_register_master]

    @cached_property
    def register_network(self) -> RegisterNetwork | None:
        """The mesh of its own that carries register accesses."""
        return RegisterNetwork.of(self.design)

    @cached_property
    def dispatches(self) -> Mapping[Interface, Sequence[Dispatch]]:
        """The groups of replicas that each interface distributes messages among."""
        return {each: dispatch_plan(each, self.topology) for each in self.design.interfaces()}

    @cached_property
    def senders(self) -> Mapping[Group, Sequence[str]]:
        """Names of the tiles that dispatch messages to each group."""
        return senders(self.design, self.dispatches)

    @cached_property
    def tables(self) -> Tables:
        """The next-hop and slot tables of the network interfaces."""
        return tables(self.design, self.dispatches)

    @cached_property
    def messages(self) -> Messages:
        """The kinds of messages that the streams carry."""
        return messages(self.design)

    @cached_property
    def resource_graph(self) -> nx.DiGraph[Resource]:
        """Resources that messages hold and need next; `hops` of an edge: the next hops that cause
        it.
        """
        return resource_graph(self.topology, self.waiting)

    @cached_property
    def waiting(self) -> frozenset[Input]:
        """The inputs that may wait; the others take messages even if nothing else moves."""
        return frozenset(
            each for each in self.design.inputs() if not takes_whatever_waits(each, self.topology)
        )

    @cached_property
    def observable(self) -> frozenset[Resource]:
        """Resources for which messages may wait, also once next hops have been rewritten."""
        is_fixed = self.design.config.tables == "fixed"
        return frozenset(self.resource_graph).union(() if is_fixed else reachable(self.topology))

    @cached_property
    def knots(self) -> Sequence[frozenset[Resource]]:
        """Parts of the resource graph in which messages can wait for each other in a cycle."""
        return knots(self.resource_graph, list(joined(self.design)), every=True)

    @cached_property
    def flights(self) -> Mapping[Network, Flight]:
        """The messages that each window of the design counts."""
        return flights(self.topology, self.resource_graph, self.waiting, self.knots)

    @cached_property
    def register_map(self) -> RegisterMap:
        """The registers of the design with their addresses."""
        return register_map(self.design, self.tables)

    @cached_property
    def turns(self) -> frozenset[tuple[Network, Turn]]:
        """Turns of messages at the routers of each network, given the next hops of the file."""
        return frozenset(
            (hop.network, turn)
            for hop in self.design.hops
            if hop.target and not hop.in_tile
            for turn in turns(hop.network.routing, hop.source.tile.at, hop.target.tile.at)
        )
