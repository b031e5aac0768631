"""Whether a design is sound: every name resolved, every tile of use.

`check` is what all later steps build on: it returns the resolved network and
the warnings, or raises DesignError with every problem and its line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import networkx as nx

from bombus import deadlock, resolve, rtl
from bombus.dispatch import HAS_PORTS, MAX_SLOTS, Dispatch, dispatch_plan, num_slots
from bombus.errors import DesignError, Problem
from bombus.network import Group, Hop, Layer, Network
from bombus.text import listing


def _is_whole(network: Network) -> bool:
    """Whether all tiles and layers of the design file have a place and a kind."""
    there = {tile.name: len(tile.layers) for tile in network.tiles}
    return all(
        there.get(instance.name) == len(list(instance.given.layer_configs()))
        for instance in network.design.instances
    )


def _macs(network: Network) -> Iterator[Problem]:
    """One receiving and one transmitting layer for each MAC port."""
    ports: dict[tuple[str, int], Layer] = {}
    by_tile: dict[tuple[str, str], Layer] = {}
    for layer in network.layers():
        for direction in sorted(layer.mac_directions()):
            other = by_tile.setdefault((direction, layer.tile.name), layer)
            if other is not layer:
                yield network.file.problem(
                    layer.loc,
                    f"tile {layer.tile.name!r} has two layers mac_{direction}; a tile counts the "
                    "frames of one: give each its own tile",
                )
            number = layer.param("mac_port") or 0
            other = ports.setdefault((direction, number), layer)
            if other is not layer:
                yield network.file.problem(
                    layer.loc,
                    f"{layer} uses MAC port {number} ({direction}), which {other} uses; give one "
                    "of them another mac_port",
                )
    if not ports:
        yield network.file.problem(
            ("tiles",), "the design has no MAC port: it needs a layer mac_rx and a layer mac_tx"
        )
        return
    for number in range(network.mac_count()):
        for direction in ("rx", "tx"):
            if (direction, number) not in ports:
                message = f"MAC port {number} has no layer mac_{direction}"
                yield network.file.problem(("tiles",), message)


def _udp_ports(network: Network) -> Iterator[Problem]:
    first: dict[int, Layer] = {}
    for layer in network.apps():
        port = layer.param("udp_port")
        if port is None:
            continue
        if not 0 < port < 1 << 16:
            message = f"{layer} has UDP port {port}; ports are 1 to 65535"
            yield network.file.problem(layer.loc, message)
        elif port in first and first[port].app_index != layer.app_index:
            message = f"{layer} has UDP port {port}, which {first[port]} has already"
            yield network.file.problem(layer.loc, message)
        else:
            first.setdefault(port, layer)


def _replicas(network: Network) -> Iterator[Problem]:
    """Tiles that cannot have replicas, and policies that do not fit them."""
    for group in network.groups:
        for layer in group.tiles[0].layers:
            if layer.kind.mac_ports:
                message = f"tile {group.name!r} has a MAC port, of which there is one: no replicas"
            elif not layer.kind.is_replicable:
                message = f"{layer.kind.name} must be there once: no replicas of {group.name!r}"
            else:
                continue
            yield network.file.problem((*group.loc, "replicas"), message)


def _dispatches(network: Network) -> Iterator[Problem]:
    """What the policies of groups of replicas need."""
    choosers: dict[Group, list[Dispatch]] = {}
    for tile in network.tiles:
        plan = dispatch_plan(tile, network)
        for dispatch in plan:
            choosers.setdefault(dispatch.group, []).append(dispatch)
        if (slots := num_slots(plan)) > MAX_SLOTS:
            names = listing(dispatch.group.name for dispatch in plan)
            yield network.file.problem(
                tile.loc,
                f"tile {tile.given_name!r} would need {slots} slots to distribute messages among "
                f"the replicas of {names}; {MAX_SLOTS} are the most",
            )
    for group, dispatches in choosers.items():
        loc = (*group.loc, "dispatch")
        policy, flow = group.policy, dispatches[0].flow
        target = dispatches[0].targets[0]
        if policy == "flow_hash" and flow is None:
            yield network.file.problem(
                loc,
                f"messages for {target.given_name} do not tell flows apart, as flow_hash needs it; "
                "choose round_robin or least_loaded",
            )
        if policy == "dst_port" and flow not in HAS_PORTS:
            yield network.file.problem(
                loc, f"messages for {target.given_name} have no port, as dst_port needs it"
            )
        if policy == "least_loaded" and len(dispatches) > 1:
            yield network.file.problem(
                loc,
                f"{len(dispatches)} ways lead to {group.name}, and none would know the load from "
                f"the others: put a tile `{{kind: scheduler, before: {group.name}}}` in front, or "
                "choose another policy",
            )
        if policy == "least_loaded" and not network.design.fabric.lossless:
            yield network.file.problem(
                loc,
                "the fabric may drop messages, and least_loaded would wait for them as long as it "
                f"runs; choose another policy for {group.name} or a lossless fabric",
                is_error=False,
            )
        keeps = [la.kind.name for la in group.tiles[0].layers if la.kind.keeps_flow_state]
        if keeps and policy in ("round_robin", "least_loaded"):
            yield network.file.problem(
                loc,
                f"{listing(keeps)} keeps state of flows, but {policy} sends the messages of one to "
                "several replicas; choose flow_hash or dst_port",
                is_error=False,
            )


def _refused_parameters(network: Network) -> Iterator[Problem]:
    """Values of parameters that the layers themselves refuse."""
    for layer in network.layers():
        if not layer.params:
            continue
        for said in rtl.refusals(layer.kind, layer.params, network.design.data_width):
            message = f"{layer} refuses its parameters: {said}"
            yield network.file.problem(layer.loc, message)


def _graph(network: Network, hops: Iterable[Hop]) -> nx.DiGraph[Layer]:
    graph: nx.DiGraph[Layer] = nx.DiGraph()
    graph.add_nodes_from(network.layers())
    graph.add_edges_from((hop.source, hop.target) for hop in hops if hop.target)
    return graph


def _reachability(network: Network) -> Iterator[Problem]:
    """Every layer gets messages from somewhere, and what it sends arrives somewhere."""
    graph = _graph(network, network.hops)
    starts = [layer for layer in graph if not layer.kind.has_input]
    ends = [layer for layer in graph if not layer.kind.has_output]
    reached = set(starts).union(*(nx.descendants(graph, start) for start in starts))
    useful = set(ends).union(*(nx.ancestors(graph, end) for end in ends))
    for layer in network.layers():
        if layer not in reached:
            yield network.file.problem(
                layer.loc, f"no message can reach {layer}: nothing on a way from a MAC leads to it"
            )
        elif layer not in useful:
            yield network.file.problem(
                layer.loc, f"nothing that {layer} sends can reach a MAC or another end"
            )


def _wired_cycles(network: Network) -> Iterator[Problem]:
    """Layers joined by wires in a ring would wait for each other."""
    graph = _graph(network, (hop for hop in network.hops if hop.in_tile))
    for component in nx.strongly_connected_components(graph):
        layers = sorted(component, key=lambda layer: layer.tile.layers.index(layer))
        first = layers[0]
        if len(layers) > 1 or graph.has_edge(first, first):
            yield network.file.problem(
                first.tile.loc,
                f"in tile {first.tile.name!r} the wires between {listing(la.name for la in layers)}"
                " form a ring; move one of these layers to a tile of its own",
            )


def _bandwidth(network: Network) -> Iterator[Problem]:
    design = network.design
    datapath = design.data_width * design.clock_mhz / 1000
    if datapath < design.line_rate_gbps:
        yield network.file.problem(
            ("data_width",),
            f"{design.data_width} bits at {design.clock_mhz:g} MHz carry {datapath:g} Gbit/s, less "
            f"than the line rate of {design.line_rate_gbps:g} Gbit/s",
            is_error=False,
        )


def _fabric(network: Network) -> Iterator[Problem]:
    """Whether the queues of a crosspoint fabric hold what they promise room for."""
    fabric = network.fabric
    if fabric.kind != "crosspoint":
        return
    width, longest = network.design.data_width, rtl.constant("bombus_pkg::MaxFrameBytes")
    if not fabric.lossless:
        if (room := fabric.depth * width // 8) < longest:
            yield network.file.problem(
                ("fabric", "buffer_depth"),
                f"messages of more than {room} bytes never fit into queues of {fabric.depth} flits "
                f"and are dropped; a MAC may bring {longest}",
                is_error=False,
            )
        return
    if lack := fabric.lack_of_room(rtl.constant("noc_pkg::CrosspointLate")):
        key = "buffer_depth" if network.design.fabric.buffer_depth else "max_packet_flits"
        yield network.file.problem(("fabric", key), lack)
    if fabric.algorithm == "adaptive" and network.routing.holds_links:
        # A message that goes on over a link then waits for room in each queue that it might have
        # taken there, even of those that its head left alone: it can wait for what waits for it.
        yield network.file.problem(
            ("fabric", "max_packet_flits"),
            f"adaptive routing needs room for whole messages: max_packet_flits should be at least "
            f"{-(-longest * 8 // width)}, for the {longest} bytes that a MAC may bring",
        )


def _names(network: Network) -> Iterator[Problem]:
    """No generated module takes the name of one that is there."""
    design = network.design.name
    generated = [f"{design}_top", f"{design}_pkg"]
    generated += [f"{design}_tile_{tile.name}" for tile in network.tiles]
    for name in generated:
        if name in network.library.definitions:
            message = f"the design would generate {name}, which is there already; rename it"
            yield network.file.problem(("name",), message)
    names = {tile.name for tile in network.tiles}
    if len(names) < len(network.tiles):
        message = "tile names `empty_<x>_<y>` stand for the mesh's empty tiles; use other names"
        yield network.file.problem(("tiles",), message)


class DeadlockError(DesignError):
    """A design whose only errors are cycles of channels; carries what a picture needs."""

    def __init__(
        self, problems: Iterable[Problem], network: Network, cycles: list[deadlock.Cycle]
    ) -> None:
        super().__init__(problems)
        self.network = network
        self.cycles = cycles


def check(path: Path, *, allow_deadlock: bool = False) -> tuple[Network, list[Problem]]:
    """Checks a design file.

    Returns the resolved network and the warnings. Raises DesignError with all
    errors (and the warnings) if the design is not sound; DeadlockError if it is
    but for cycles of channels. `allow_deadlock`: those are warnings, for experiments.
    """
    network, problems = resolve.load(path)
    if _is_whole(network):
        problems += _macs(network)
    problems += [*_replicas(network), *_udp_ports(network), *_bandwidth(network)]
    problems += [*_fabric(network), *_refused_parameters(network)]
    if not any(problem.is_error for problem in problems):
        # These follow from any of the above, and would only hide it.
        problems += [*_reachability(network), *_wired_cycles(network), *_names(network)]
        problems += _dispatches(network)
    cycles = []
    if not any(problem.is_error for problem in problems):
        cycles = deadlock.cycles(network)
        for cycle in cycles:
            loc = cycle.legs[0].hop.source.tile.loc
            problems.append(network.file.problem(loc, str(cycle), is_error=not allow_deadlock))
    problems.sort(key=lambda problem: (not problem.is_error, problem.line or 0))
    if cycles and not allow_deadlock:
        raise DeadlockError(problems, network, cycles)
    if any(problem.is_error for problem in problems):
        raise DesignError(problems)
    return network, problems
