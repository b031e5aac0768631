# SPDX-License-Identifier: Apache-2.0
"""The resource graph: what messages hold and what they need next.

A node is a channel of the fabric (`bombus.fabric.routing`) or an input of a layer. An edge leads
from what a message may hold to what it may need next:

- along its route over the mesh, and from the mesh into a layer;
- from an input to the next hops of every output that it may wait for: also of layers of its tile
  that what it takes comes to by AXI-Streams between them, perhaps through a kernel;
- from where messages for replicas wait until one has finished others (`least_loaded` with a limit)
  to what the replica needs for that, even if the replica always takes messages;
- from an input that waits for a message on another one to all that this message may still need:
  for an answer, the routes and the inputs from the request on; for a copy of a message that a fork
  has taken, those from the fork on (`OneForEach`); else all that lies upstream; and whatever else
  the layers on the way send.

An input that takes messages whatever else waits ends the waiting: one that always takes
(`AlwaysTakes`), one with room for all answers that may be outstanding (`Credits`), one with room
for all that its senders may have outstanding (`Room`). `Facts.resource_graph` holds the graph.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import networkx as nx

from bombus.design.elements import Hop, Input, Layer, Output, Resource, Tile
from bombus.design.topology import Topology
from bombus.fabric.routing import Channel, eject, inject, routes


def takes_whatever_waits(target: Input, topology: Topology) -> bool:
    """Whether an input takes messages even if nothing else moves."""
    stream = target.stream
    if stream.always_takes:
        return True
    if stream.answers:
        return not strangers(target, topology)
    return room_covers(target, topology)


def room_covers(target: Input, topology: Topology) -> bool:
    """Whether an input has room for everything that its senders may have outstanding."""
    senders = {hop.source for hop in topology.hops_to(target)}
    credits = [sender.stream.credits for sender in senders]
    is_enough = bool(target.stream.room) and all(credits) and sum(credits) <= target.stream.room
    return is_enough and all(_keeps_until_answered(target, each, topology) for each in senders)


def _keeps_until_answered(target: Input, request: Output, topology: Topology) -> bool:
    """Whether a request has left the layer that takes it when its answer returns the credit.

    A layer that also sends elsewhere may still hold a part of it then, unless it `Serves`: its
    room is for requests that it has not answered.
    """
    layers = (target.layer, *topology.after(target.layer))
    outputs = [output for layer in layers for output in layer.outputs]
    if any(
        output.layer is target.layer and output.stream.serves == target.name for output in outputs
    ):
        return True
    answers = [each for each in request.layer.inputs if each.stream.answers == request.name]
    way = {hop for each in answers for hop in awaited_hops(each, each, topology)}
    return all(hop in way for output in outputs for hop in topology.hops_from(output) if hop.target)


def strangers(answer: Input, topology: Topology) -> list[Layer]:
    """Layers whose messages may reach an input for answers without having been asked.

    Other clients of the same server are not included if the server answers the sender of each
    request (`Serves`).
    """
    request = request_of(answer)
    asked = {request.layer, *downstream(request, topology)}
    found: dict[Layer, None] = {}
    for hop, served in _walk_up(answer, answer.layer, True, topology, through_servers=False):
        source = hop.source
        if source.layer is request.layer:
            if source != request:
                found[source.layer] = None
        elif source.layer not in asked and not (served and _only_asks(source, topology)):
            assert hop.target
            if hop.target == answer or hop.target.layer in asked:
                found[source.layer] = None
    return list(found)


def _only_asks(output: Output, topology: Topology) -> bool:
    """Whether an output sends only the results of requests."""
    if output.stream.credits:
        return True
    if not output.layer.inputs:
        return False
    ways = (walk for each in output.layer.inputs for walk in _walk_up(each, None, True, topology))
    return all(hop.source.stream.credits or hop.source.layer.inputs for hop, _ in ways)


def request_of(answer: Input) -> Output:
    """The output whose requests the messages of an input answer."""
    return next(each for each in answer.layer.outputs if each.name == answer.stream.answers)


def resource_graph(topology: Topology, waiting: Collection[Input]) -> nx.DiGraph[Resource]:
    """What messages hold and need next; `hops` of an edge are the next hops that make it,
    `awaited` the links where a message may be for which the input waits.

    `waiting`: the inputs that do not take whatever else waits.
    """
    graph: nx.DiGraph[Resource] = nx.DiGraph()

    def add(held: Resource, needed: Resource, hop: Hop) -> None:
        if graph.has_edge(held, needed):
            graph.edges[held, needed]["hops"].append(hop)
        else:
            graph.add_edge(held, needed, hops=[hop])

    for hop in topology.design.hops:
        target = hop.target
        if target is None:
            continue
        holders = [each for each in waiting_for(hop.source, topology) if each in waiting]
        if hop.in_tile:
            for each in holders:
                if target in waiting:
                    add(each, target, hop)
            continue
        if not hop.network.given.lossless:
            continue  # messages without room are dropped
        routing = hop.network.routing
        here, there = hop.source.tile.at, target.tile.at
        for each in holders:
            add(each, inject(here, routing.network), hop)
        if hop.group is not None and hop.group.limits_load:
            for needed in _to_finish(target.tile, topology, waiting):
                add(inject(here, routing.network), needed, hop)
        for held, needed in sorted(routes(routing, here, there)):
            add(held, needed, hop)
        if target in waiting:
            add(eject(there, routing.network), target, hop)
    for each in (each for each in topology.design.inputs() if each in waiting):
        for name in each.stream.waits_for_inputs:
            awaited = type(each)(each.layer, name)
            for resource, hop in _awaited(awaited, each, topology, waiting):
                add(each, resource, hop)
                links = graph.edges[each, resource].setdefault("awaited", set())
                links.update(_links(hop))
    return graph


def _links(hop: Hop) -> set[Channel]:
    """The queues between injection port and ejection port that a message may take."""
    if hop.target is None or hop.in_tile or not hop.network.given.lossless:
        return set()
    ways = routes(hop.network.routing, hop.source.tile.at, hop.target.tile.at)
    return {channel for edge in ways for channel in edge if channel.link}


def reachable(topology: Topology) -> frozenset[Resource]:
    """Resources that messages may need once the next hops have been rewritten."""
    found: set[Resource] = set()
    interfaces = [(each, tile) for tile in topology.design.tiles for each in tile.interfaces]
    for interface, tile in interfaces:
        found.update(interface.entries)
        for other, end in interfaces:
            is_way = interface.sources and other.entries and end is not tile
            if is_way and other.network is interface.network:
                ways = routes(interface.network.routing, tile.at, end.at)
                found.update(channel for edge in ways for channel in edge)
    return frozenset(found)


def _to_finish(replica: Tile, topology: Topology, waiting: Collection[Input]) -> Iterator[Resource]:
    """Resources that a tile may need next to finish a message, apart from those inside."""
    for output in (output for layer in replica.layers for output in layer.outputs):
        for hop in topology.hops_from(output):
            if hop.target is None:
                continue
            if hop.in_tile:
                if hop.target in waiting:
                    yield hop.target
            elif hop.network.given.lossless:
                yield inject(replica.at, hop.network.routing.network)


def waiting_for(output: Output, topology: Topology) -> list[Input]:
    """Inputs that may wait for an output, except those that always take.

    An input that waits for all outputs of its layer also waits for those of a layer after it.
    """
    layer = output.layer
    own = [each for each in layer.inputs if output.name in each.stream.waits_for_outputs]
    return own + [
        each
        for before in topology.before(layer)
        for each in before.inputs
        if {*each.stream.waits_for_outputs} >= {*before.kind.outputs}
    ]


def _exact_way(target: Input, topology: Topology) -> Iterator[tuple[Output, Input]]:
    """Outputs, from the nearest one upstream, each with the input of its layer, through which every
    message to an input comes, and which send one for each message taken there, to no other input.
    """
    seen: set[Input] = set()
    while target not in seen:
        seen.add(target)
        sources = {hop.source for hop in topology.hops_to(target)}
        if len(sources) != 1:
            return
        (source,) = sources
        if len(source.stream.one_for_each) != 1:
            return
        hops = topology.hops_from(source)
        if any(hop.target != target or hop.group or _may_lose(hop) for hop in hops):
            return
        (name,) = source.stream.one_for_each
        taken = Input(source.layer, name)
        if taken.stream.always_takes:
            return
        yield source, taken
        target = taken


def _may_lose(hop: Hop) -> bool:
    return not hop.in_tile and not hop.network.given.lossless


def forked(awaited: Input, by: Input, topology: Topology) -> Output | None:
    """An output of a fork through which the messages to `awaited` come, while each message to `by`
    is a copy of one of them: when one waits at `by`, the fork has taken the other. None: there is
    no fork, or the layer that joins them may take more of one than of the other.
    """
    both = {awaited.name, by.name}
    if not any(both <= {*each.stream.one_for_each} for each in by.layer.outputs):
        return None
    copies = {taken: output for output, taken in _exact_way(by, topology)}
    for output, taken in _exact_way(awaited, topology):
        if copies.get(taken, output) != output:
            needs_more = len(taken.layer.inputs) > 1 or topology.before(taken.layer)
            return None if needs_more else output
    return None


def awaited_hops(awaited: Input, by: Input, topology: Topology) -> list[Hop]:
    """Hops that a message to `awaited` may still have to take, while `by` waits for it."""
    hops = upstream(awaited, by.layer, topology, forked(awaited, by, topology))
    if not awaited.stream.answers:
        return hops
    request = request_of(awaited)
    asked = downstream(request, topology)
    return [hop for hop in hops if hop.source == request or hop.source.layer in asked]


def _awaited(
    awaited: Input, by: Input, topology: Topology, waiting: Collection[Input]
) -> list[tuple[Resource, Hop]]:
    """Resources that a message to `awaited` may still need while `by` waits for it."""
    hops = awaited_hops(awaited, by, topology)
    # A layer on the path may have to send something else first.
    fork = forked(awaited, by, topology)
    layers = {hop.source.layer for hop in hops if hop.source != fork} - {by.layer}
    others = [
        hop
        for layer in layers
        for output in layer.outputs
        for hop in topology.hops_from(output)
        if hop.target and hop not in hops
    ]
    found: list[tuple[Resource, Hop]] = []
    for hop in hops + others:
        assert hop.target
        if not hop.in_tile and hop.network.given.lossless:
            # The rest of the route follows from there.
            found.append((inject(hop.source.tile.at, hop.network.label), hop))
        if hop.target in waiting and (hop in others or hop.target not in (awaited, by)):
            found.append((hop.target, hop))
    return found


def upstream(
    awaited: Input, by: Layer, topology: Topology, fork: Output | None = None
) -> list[Hop]:
    """Hops that messages to an input may take, back to their origin: a source, the waiting layer,
    an output of a fork that has taken them, or, if the input is for answers, another layer's
    request.
    """
    walk = _walk_up(awaited, by, bool(awaited.stream.answers), topology, fork=fork)
    return list(dict.fromkeys(hop for hop, _ in walk))


def _walk_up(
    target: Input,
    by: Layer | None,
    to_requests: bool,
    topology: Topology,
    *,
    through_servers: bool = True,
    fork: Output | None = None,
) -> Iterator[tuple[Hop, bool]]:
    """Hops to an input and upstream of it; for each, whether a server answers its messages.

    Ends at sources, at the layer `by`, at `fork`, and, with `to_requests`, at requests.
    `through_servers`: also at answers that a server gets; it may need them, but sends only what it
    was asked for.
    """
    front = [(target, False)]
    seen = {*front}
    while front:
        target, served = front.pop()
        for hop in topology.hops_to(target):
            source = hop.source
            yield hop, served
            is_end = source.layer is by or source == fork
            if is_end or (to_requests and source.stream.credits):
                continue
            answered = source.stream.serves
            others = {output.stream.serves for output in source.layer.outputs} - {answered}
            waited = source.layer.kind.inputs[answered].waits_for_inputs if answered else ()
            before = [each for layer in topology.before(source.layer) for each in layer.inputs]
            front += [(each, served) for each in before if (each, served) not in seen]
            seen.update((each, served) for each in before)
            for each in source.layer.inputs:
                if answered and each.name in others:
                    continue  # another output answers it
                needed = through_servers if each.stream.answers else each.name in waited
                if answered and each.name != answered and not needed:
                    continue  # it neither results in an answer nor waits for one
                following = each, served or bool(answered)
                if following not in seen:
                    seen.add(following)
                    front.append(following)


def downstream(request: Output, topology: Topology) -> set[Layer]:
    """Layers that a request, or messages that result from it, may reach until it is answered."""
    found: set[Layer] = set()
    front = [request]
    while front:
        for hop in topology.hops_from(front.pop()):
            target = hop.target
            if target and not target.stream.answers and target.layer not in found:
                reached = {target.layer, *topology.after(target.layer)} - found
                found |= reached
                front += [output for layer in reached for output in layer.outputs]
    return found
