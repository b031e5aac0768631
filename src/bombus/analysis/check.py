# SPDX-License-Identifier: Apache-2.0
"""Check a design: all rules beyond the syntax of its file.

`check` is what all later steps build on: it returns the resolved network and
the warnings, or raises DesignError with every problem and its line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import networkx as nx

from bombus.analysis import agreement, deadlock, flight, flight_problems, kinds, requests
from bombus.base.errors import DesignError, Problem
from bombus.base.text import listing
from bombus.base.values import SCATTERING
from bombus.design import memories, register_map, resolve, rtl
from bombus.design.dispatch import HAS_PORTS, MAX_SLOTS, Dispatch, num_slots, senders
from bombus.design.elements import Binding, Group, Hop, Input, Layer
from bombus.design.network import Network
from bombus.design.resolved import Design
from bombus.fabric.routing import STEPS, step


def _is_whole(design: Design) -> bool:
    """Whether all tiles and layers of the design file have a position and a kind."""
    there = {tile.name: len(tile.layers) for tile in design.tiles}
    return all(
        there.get(instance.name) == len(list(instance.given.layer_configs()))
        for instance in design.config.instances
    )


_DIRECTIONS = {"rx": "receive", "tx": "transmit"}


def _mac_layers(design: Design, direction: str) -> str:
    return listing(design.library.mac_layers(direction), "or")


def _macs(design: Design) -> Iterator[Problem]:
    """One receiving and one transmitting layer for each MAC port."""
    ports: dict[tuple[str, int], Layer] = {}
    by_tile: dict[tuple[str, str], Layer] = {}
    for layer in design.layers():
        for direction in sorted(layer.kind.mac_directions):
            other = by_tile.setdefault((direction, layer.tile.name), layer)
            if other is not layer:
                yield design.file.problem(
                    layer.loc,
                    f"tile {layer.tile.name!r} has two layers with a MAC port to "
                    f"{_DIRECTIONS[direction]} ({_mac_layers(design, direction)}); "
                    f"put each in its own tile",
                )
            number = layer.param("mac_port") or 0
            other = ports.setdefault((direction, number), layer)
            if other is not layer:
                yield design.file.problem(
                    layer.loc,
                    f"{layer} uses MAC port {number} ({direction}), which {other} already uses; "
                    f"give one of them another mac_port",
                )
    if not ports:
        needed = " and ".join(f"a layer {_mac_layers(design, way)}" for way in ("rx", "tx"))
        message = f"the design has no MAC port: it needs {needed}"
        yield design.file.problem(("tiles",), message)
        return
    count, given = design.mac_count(), len(design.config.ports)
    if count != given:
        key = design.config.port_loc(0)[0]
        yield design.file.problem(
            (key,),
            f"the layers of the design use {count} MAC port{'s' * (count > 1)}, but `{key}` has "
            f"the addresses of {given}; give each its own under `mac_ports`",
        )
    for number in range(count):
        for direction in ("rx", "tx"):
            if (direction, number) not in ports:
                message = f"MAC port {number} has no layer {_mac_layers(design, direction)}"
                yield design.file.problem(("tiles",), message)


def _mac_widths(design: Design) -> Iterator[Problem]:
    """MAC ports must be as wide as the first network."""
    first = design.networks[0]
    for layer in design.layers():
        width = layer.types[rtl.BEAT].data_width if layer.kind.mac_ports else first.data_width
        if width != first.data_width:
            yield design.file.problem(
                layer.loc,
                f"{layer} has {width} bits; MAC ports have the width of the first network, "
                f"{first.data_width} bits",
            )


def _bound_values(design: Design) -> Iterator[Problem]:
    """Bound layers must have distinct values that fit in the width of the key."""
    for key in sorted({binding.key for binding in design.bindings}):
        binders = [
            (layer, output)
            for layer in design.layers()
            for output in layer.kind.outputs.values()
            if output.binds == key
        ]
        widths = [
            min(
                output.key_width,
                layer.kind.parameters["bound_keys"].width
                // max(1, layer.kind.default("num_bound") or 1),
            )
            for layer, output in binders
        ]
        low = 0 if all(output.binds_zero for _, output in binders) else 1
        limit = 1 << min(widths, default=32)
        first: dict[int, Binding] = {}
        for binding in design.bindings_of(key):
            # Replicas may share a value.
            holders = {
                each.layer.bound_value(key): each.layer for each in reversed(binding.targets)
            }
            for value in binding.values:
                layer = holders[value]
                if not low <= value < limit:
                    message = f"{layer} has {key} {value}; it should be {low} to {limit - 1}"
                    yield design.file.problem(layer.loc, message)
                elif (other := first.setdefault(value, binding)) is not binding:
                    message = f"{layer} has {key} {value}, which {other.targets[0]} already has"
                    yield design.file.problem(layer.loc, message)


def _replicas(design: Design) -> Iterator[Problem]:
    """Tiles that cannot have replicas, and policies that do not suit them."""
    for group in design.groups:
        for layer in group.tiles[0].layers:
            if layer.kind.mac_ports:
                message = f"tile {group.name!r} has a MAC port and cannot have replicas"
            elif not layer.kind.is_replicable:
                message = f"{layer.kind.name} must be unique; remove the replicas of {group.name!r}"
            else:
                continue
            yield design.file.problem((*group.loc, "replicas"), message)


def _dispatches(design: Design) -> Iterator[Problem]:
    """Requirements of the policies of groups of replicas."""
    choosers: dict[Group, list[Dispatch]] = {}
    for tile in design.tiles:
        plans = [design.dispatches[interface] for interface in tile.interfaces]
        all_of_tile = [dispatch for plan in plans for dispatch in plan]
        for dispatch in all_of_tile:
            choosers.setdefault(dispatch.group, []).append(dispatch)
        if (slots := sum(map(num_slots, filter(None, plans)))) > MAX_SLOTS:
            names = listing(dispatch.group.name for dispatch in all_of_tile)
            yield design.file.problem(
                tile.loc,
                f"tile {tile.given_name!r} would need {slots} slots to dispatch messages to the "
                f"replicas of {names}; the maximum is {MAX_SLOTS}",
            )
    for group, dispatches in choosers.items():
        loc = (*group.loc, "dispatch")
        for message in _lacks(group, dispatches):
            yield design.file.problem(loc, message)
        for message in _doubts(group, dispatches):
            yield design.file.problem(loc, message, is_error=False)
        for message in _lack_of_room(group, dispatches, design):
            yield design.file.problem(loc, message)
        inputs = {dispatch.targets[0].given_name for dispatch in dispatches}
        if group.counts_load and len(inputs) > 1:
            yield design.file.problem(
                loc,
                f"messages are dispatched to {listing(sorted(inputs))}, but least_loaded can count "
                "the load of one input only: use another policy",
            )


def _lack_of_room(group: Group, dispatches: Iterable[Dispatch], design: Design) -> Iterator[str]:
    """Whether a replica takes too few messages for the tiles that send to it."""
    count = len(senders(group, design))
    lacks = {
        (each.room, each.room - limit + 1)
        for each in dispatches
        if each.room is not None and (limit := each.limit(count)) is not None and limit < 1
    }
    for room, need in lacks if group.counts_load else ():
        yield (
            f"a replica of {group.name} takes {room} messages, but {count} tiles send to it, "
            f"which need {need} under least_loaded: give it more slots or use another policy"
        )


def _lacks(group: Group, dispatches: Iterable[Dispatch]) -> Iterator[str]:
    """Fields that the policy of a group needs and that messages to one of its inputs lack."""
    flows = {dispatch.targets[0].layer.given_name: dispatch.flow for dispatch in dispatches}
    for name, flow in flows.items():
        if "flow_hash" in group.policies and flow == "none":
            yield (
                f"messages for {name} carry no flow information, which flow_hash needs; use "
                "round_robin or least_loaded"
            )
        if "dst_port" in group.policies and flow not in HAS_PORTS:
            yield f"messages for {name} have no port, which dst_port needs"


def _doubts(group: Group, dispatches: Iterable[Dispatch]) -> Iterator[str]:
    """Limitations of a group's policy for its messages."""
    is_lossless = all(dispatch.targets[0].network.given.lossless for dispatch in dispatches)
    if group.counts_load and not is_lossless:
        yield (
            "the fabric can drop messages, which least_loaded would then count as pending "
            f"indefinitely; use another policy for {group.name} or a lossless fabric"
        )
    keeps = [layer.kind.name for layer in group.tiles[0].layers if layer.kind.keeps_flow_state]
    scatters = [each for each in group.policies if each in SCATTERING]
    if keeps and scatters:
        yield (
            f"{listing(keeps)} keeps state per flow, but {listing(scatters)} sends messages of one "
            "flow to several replicas; use flow_hash or dst_port"
        )


def _remarks(design: Design, lines: Collection[int | None]) -> Iterator[Problem]:
    """What the layers themselves report about their parameters, except in lines that already have
    errors.
    """
    for layer in design.layers():
        if design.file.line(layer.loc) in lines:
            continue
        as_read = not layer.params and {*layer.networks.values()} <= {design.networks[0]}
        if as_read and layer.kind.name not in design.library.refusing:
            continue
        beats = {name: network.beat for name, network in layer.types.items()}
        for said in rtl.remarks(design.library, layer.kind, layer.params, beats):
            verb = "rejects its parameters" if said.is_error else "warns"
            message = f"{layer.given_name} {verb}: {said.message}"
            yield design.file.problem(layer.loc, message, is_error=said.is_error)


def _graph(design: Design, hops: Iterable[Hop]) -> nx.DiGraph[Layer]:
    graph: nx.DiGraph[Layer] = nx.DiGraph()
    graph.add_nodes_from(design.layers())
    graph.add_edges_from((hop.source.layer, hop.target.layer) for hop in hops if hop.target)
    return graph


def _reachability(design: Design) -> Iterator[Problem]:
    """Every layer must get messages from somewhere, and its messages must arrive somewhere."""
    graph = _graph(design, design.hops)
    starts = [layer for layer in graph if not layer.kind.inputs]
    ends = [layer for layer in graph if not layer.kind.outputs]
    reached = set(starts).union(*(nx.descendants(graph, start) for start in starts))
    useful = set(ends).union(*(nx.ancestors(graph, end) for end in ends))
    for layer in design.layers():
        if layer not in reached:
            yield design.file.problem(
                layer.loc, f"{layer} is unreachable: no path from a MAC port leads to it"
            )
        elif layer not in useful:
            bound = {output.binds for output in layer.kind.outputs.values() if output.binds}
            missing = [key for key in sorted(bound) if not design.bindings_of(key)]
            cause = f": no layer has a {missing[0]}" if missing else ""
            yield design.file.problem(
                layer.loc, f"no message from {layer} can reach a MAC port or another sink{cause}"
            )


def _wired_cycles(design: Design) -> Iterator[Problem]:
    """Inputs joined by wires in a cycle, each of which waits for the next."""
    graph: nx.DiGraph[Input] = nx.DiGraph()
    for held, needed in design.resource_graph.edges:
        if isinstance(held, Input) and isinstance(needed, Input):
            # Others are edges of an input that waits for a message on another one.
            senders = {held.layer, *design.behind(held.layer)}
            hops = design.resource_graph.edges[held, needed]["hops"]
            if any(hop.in_tile and hop.source.layer in senders for hop in hops):
                graph.add_edge(held, needed)
    for component in nx.strongly_connected_components(graph):
        node = next(iter(component))
        first = node.tile
        layers = sorted({each.layer for each in component}, key=first.layers.index)
        if len(component) > 1 or graph.has_edge(node, node):
            yield design.file.problem(
                first.loc,
                f"in tile {first.name!r} the wires between {listing(la.name for la in layers)}"
                " form a loop; move one of these layers to its own tile",
            )


def _host(design: Design) -> Iterator[Problem]:
    """The host must have neighbours, and each must be reachable by one port only."""
    config = design.config
    for number, port in enumerate(config.ports):
        loc = config.port_loc(number)
        if port.network.num_addresses == 1:
            yield design.file.problem(
                (*loc, "prefix"),
                f"the host's network {port.network} has no other host: nothing can be sent until "
                "the netmask register is written; give a shorter prefix",
                is_error=False,
            )
        for other in config.ports[:number]:
            if (port.mac, port.ip) == (other.mac, other.ip):
                yield design.file.problem(
                    loc,
                    f"two MAC ports have the same addresses, {port.mac} and {port.ip}: where both "
                    "are on one network, neighbours and switches cannot tell them apart",
                    is_error=False,
                )
            elif port.network.overlaps(other.network):
                yield design.file.problem(
                    loc,
                    f"the networks {other.network} and {port.network} of two MAC ports overlap: "
                    "messages that start in the design take the longer prefix, or the first one",
                    is_error=False,
                )


def _stopped_ports(design: Design) -> Iterator[Problem]:
    """MAC ports that block all others while their link is down."""
    if design.mac_count() < 2:
        return
    for layer in design.layers():
        if layer.kind.mac_ports and layer.params.get("drops_when_full") == 0:
            yield design.file.problem(
                layer.loc,
                f"{layer} has drops_when_full: false: while its link is down, it stops the "
                "messages to all MAC ports; leave it out to drop what its buffer cannot hold",
                is_error=False,
            )


def _bandwidth(design: Design) -> Iterator[Problem]:
    config, network = design.config, design.networks[0]
    datapath = network.capacity(config.clock_mhz)
    if datapath < config.line_rate_gbps:
        yield design.file.problem(
            (*network.loc, "data_width"),
            f"{network.data_width} bits at {config.clock_mhz:g} MHz carry {datapath:g} Gbit/s, "
            f"less than the line rate of {config.line_rate_gbps:g} Gbit/s",
            is_error=False,
        )


def _fabric(design: Design, network: Network) -> Iterator[Problem]:
    """Whether the queues of a crosspoint fabric are large enough for their messages."""
    fabric = network.fabric
    if fabric.kind != "crosspoint":
        return
    loc = (*network.loc, "fabric")
    width, longest = network.data_width, rtl.constant("bombus_pkg::MaxFrameBytes")
    if not fabric.lossless:
        if (room := fabric.depth * width // 8) < longest:
            yield design.file.problem(
                (*loc, "buffer_depth"),
                f"messages of more than {room} bytes never fit into queues of {fabric.depth} flits "
                f"and are dropped; a MAC port may deliver {longest}",
                is_error=False,
            )
        return
    if lack := fabric.lack_of_room(rtl.constant("noc_pkg::CrosspointLate")):
        key = "buffer_depth" if network.given.buffer_depth else "max_packet_flits"
        yield design.file.problem((*loc, key), lack)
    if fabric.algorithm == "adaptive" and network.routing.holds_links:
        # Without it, a message that continues over a link waits for room in every queue that it
        # could have taken there, even those that its head did not choose. So it can wait for a
        # message that waits for it.
        yield design.file.problem(
            (*loc, "max_packet_flits"),
            f"adaptive routing needs room for whole messages: max_packet_flits should be at least "
            f"{-(-longest * 8 // width)}, for the {longest} bytes that a MAC port may deliver",
        )


def _links(design: Design) -> Iterator[tuple[str, str]]:
    """Signals between neighbours, and what they are, as words."""
    for network, tile in product(design.networks, design.tiles):
        for direction in STEPS:
            x, y = step(tile.at, direction)
            if network.area.holds(tile.at) and network.area.holds((x, y)):
                other = design.tiles[y * design.columns + x].name
                where = f" on network {network.label}" if network.label else ""
                yield network.link_name(tile.name, other), f"{tile.name} to {other}{where}"


def _names(design: Design) -> Iterator[Problem]:
    """No generated module may have the name of an existing one, and no two links the same name."""
    name = design.config.name
    generated = [f"{name}_top", f"{name}_pkg"]
    generated += [f"{name}_tile_{tile.name}" for tile in design.tiles]
    for module in generated:
        if module in design.library.definitions:
            message = (
                f"the design would generate {module}, but a module of that name exists; rename it"
            )
            yield design.file.problem(("name",), message)
    if name in register_map.type_names(design):
        message = f"registers of the design have a type {name!r}; choose another name"
        yield design.file.problem(("name",), message)
    links: dict[str, str] = {}
    for signal, link in _links(design):
        if (other := links.setdefault(signal, link)) != link:
            message = f"the links from {other} and from {link} would both be called {signal}"
            yield design.file.problem(("tiles",), f"{message}; rename one of the tiles")
    layers = {layer.name: layer for layer in design.layers()}
    for network in design.networks[1:]:
        if network.name in layers:
            message = f"network {network.name!r} has the name of layer {layers[network.name]}"
            yield design.file.problem(network.loc, f"{message}; rename it")
    names = {tile.name for tile in design.tiles}
    if len(names) < len(design.tiles):
        message = "tile names `empty_<x>_<y>` are reserved for empty tiles; use other names"
        yield design.file.problem(("tiles",), message)


class DeadlockError(DesignError):
    """A design whose only errors are cycles of channels; carries the data for a picture."""

    def __init__(
        self, problems: Iterable[Problem], design: Design, cycles: list[deadlock.Cycle]
    ) -> None:
        super().__init__(problems)
        self.design = design
        self.cycles = cycles


def check(path: Path, *, allow_deadlock: bool = False) -> tuple[Design, list[Problem]]:
    """Checks a design file.

    Returns the resolved network and the warnings. Raises DesignError with all errors (and the
    warnings) if the design is invalid; DeadlockError if cycles of channels are the only errors.
    `allow_deadlock`: those, and windows that do not prevent them, are warnings, for experiments.
    """
    design, problems = resolve.load(path)
    if _is_whole(design):
        problems += _macs(design)
    bound = list(_bound_values(design))
    problems += [*_replicas(design), *bound, *_host(design), *_bandwidth(design)]
    problems += [*_remarks(design, {each.line for each in bound}), *_mac_widths(design)]
    problems += _stopped_ports(design)
    for network in design.networks:
        problems += _fabric(design, network)
    if not any(problem.is_error for problem in problems):
        # These follow from any of the above, and would only distract from it.
        problems += [*_reachability(design), *_wired_cycles(design), *_names(design)]
        problems += [*_dispatches(design), *kinds.problems(design), *requests.problems(design)]
        problems += [*memories.problems(design), *agreement.problems(design)]
    cycles = []
    if not any(problem.is_error for problem in problems):
        for problem in flight_problems.problems(design):
            is_error = problem.is_error and not allow_deadlock
            problems.append(replace(problem, is_error=is_error))
    if not any(problem.is_error for problem in problems):
        cycles = flight.open_cycles(design)
        for cycle in cycles:
            loc = cycle.legs[0].hop.source.tile.loc
            problems.append(design.file.problem(loc, str(cycle), is_error=not allow_deadlock))
    problems = list(dict.fromkeys(problems))  # replicas have the same
    problems.sort(key=lambda problem: (not problem.is_error, problem.line or 0))
    if cycles and not allow_deadlock:
        raise DeadlockError(problems, design, cycles)
    if any(problem.is_error for problem in problems):
        raise DesignError(problems)
    return design, problems
