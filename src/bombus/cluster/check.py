# SPDX-License-Identifier: Apache-2.0
"""Checks of a design on several boards: each board's own, and deadlocks of the whole.

The boards' designs are joined to one resource graph (`bombus.design.resources`). Each mesh is a
network of its own, named after its board. What `cluster_send` takes waits for what the
`cluster_receive` layers of its channel need.

The network between the boards adds nothing to the graph as long as packets always leave it. Those
of managed endpoints do: they are sent once there is room at their end. One of an unmanaged endpoint
may wait at the end, and all packets of the network, also grants, may wait after it in a link or in
the chain of a board. So its receiver must not wait for the network: an unmanaged channel is refused
if a `cluster_send` can be reached in the graph from its `cluster_receive`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import networkx as nx

from bombus.analysis import check as checking
from bombus.analysis import deadlock
from bombus.base.errors import DesignError, Problem
from bombus.base.yaml_file import Loc
from bombus.cluster.config import load
from bombus.cluster.split import BRIDGE, RECEIVE, SEND, Board, Channel, Cluster, split_file
from bombus.design import config, rtl
from bombus.design.cycle import Cycle
from bombus.design.elements import Hop, Input, Layer, Resource
from bombus.design.facts import Facts
from bombus.design.resolve import resolve
from bombus.design.resolved import Design
from bombus.fabric.routing import inject


@dataclass(frozen=True)
class Checked:
    """A cluster without errors."""

    cluster: Cluster
    boards: Sequence[Facts]  # by number
    whole: Facts  # all boards as one design
    problems: Sequence[Problem]  # warnings


class ClusterDeadlock(checking.DeadlockError):
    """Cycles of resources of several boards. `boards`: their designs, by number."""

    def __init__(
        self,
        problems: Sequence[Problem],
        whole: Facts,
        cycles: list[Cycle],
        boards: Sequence[Facts],
    ) -> None:
        super().__init__(problems, whole, cycles)
        self.boards = boards


def check(path: Path, *, allow_deadlock: bool = False) -> Checked:
    """Checks the design file of a cluster.

    Raises DesignError with all errors (and the warnings) if it is invalid, DeadlockError if cycles
    of resources are the only errors. `allow_deadlock`: those, and unmanaged channels that may stop
    the network, are warnings.
    """
    return check_file(load(path), allow_deadlock=allow_deadlock)


def check_file(file: config.DesignFile, *, allow_deadlock: bool = False) -> Checked:
    """Checks a design file that has been read."""
    cluster = split_file(file)
    problems = list(cluster.problems)
    boards = []
    for board in cluster.boards:
        facts, found = resolved(cluster, board)
        boards.append(facts)
        problems += found
    problems = _distinct(problems)
    if any(problem.is_error for problem in problems):
        raise DesignError(problems)
    whole = joined(cluster, boards)
    blocking = [
        cluster.file.problem(loc, message, is_error=not allow_deadlock)
        for loc, message in _blocking(cluster, whole, boards)
    ]
    problems += blocking
    cycles = deadlock.open_cycles(whole)
    for cycle in cycles:
        loc = cycle.legs[0].hop.source.tile.loc
        problems.append(cluster.file.problem(loc, str(cycle), is_error=not allow_deadlock))
    problems = _distinct(problems)
    if blocking and not allow_deadlock:
        raise DesignError(problems)
    if cycles and not allow_deadlock:
        raise ClusterDeadlock(problems, whole, cycles, boards)
    return Checked(cluster, boards, whole, problems)


def _distinct(problems: Sequence[Problem]) -> list[Problem]:
    found = list(dict.fromkeys(problems))
    return sorted(found, key=lambda problem: (not problem.is_error, problem.line or 0))


def design_file(cluster: Cluster, board: Board) -> config.DesignFile:
    """The design file of a board; its places are those of the cluster's file."""
    given = config.DesignConfig.model_validate(dict(board.data))
    return config.DesignFile(cluster.file.path, given, cluster.file.document)


def resolved(cluster: Cluster, board: Board) -> tuple[Facts, list[Problem]]:
    """The design of a board, and its problems, which name the lines of the cluster's file."""
    file = design_file(cluster, board)
    network = next(iter(file.config.all_networks.values()))
    library = rtl.library(
        network.data_width,
        file.source_files(),
        rtl.Shared(len(file.config.ports), file.config.num_routes),
    )
    design, problems = resolve(file, library)
    facts = Facts(design)
    problems = checking.problems_of(facts, problems)
    # Places in the board's file are not those of the cluster's.
    found = [
        Problem(file.path, None, f"board {board.name}: {problem.message}", problem.is_error)
        if problem.file == file.path
        else problem
        for problem in problems
    ]
    said = {problem.message for problem in cluster.problems}
    return facts, [
        each for each in found if each.is_error or each.message.partition(": ")[2] not in said
    ]


def joined(cluster: Cluster, boards: Sequence[Facts]) -> Facts:
    """All boards as one design, for the analysis of deadlocks."""
    names = cluster.config.names
    locs = {each.given.name: each.loc for each in cluster.file.config.instances}
    designs = [facts.design for facts in boards]
    for name, design in zip(names, designs, strict=True):
        for network in design.networks:
            network.name = f"{name}.{network.name}" if len(design.networks) > 1 else name
            network.is_only = False
        for tile in design.tiles:
            tile.loc = locs.get(tile.given_name, ("cluster",))
        for group in design.groups:
            group.name = f"{name}/{group.name}"
        for tile in design.tiles:
            tile.name = f"{name}/{tile.name}"
    first = designs[0]
    return Facts(
        Design(
            cluster.file,
            first.library,
            tuple(network for design in designs for network in design.networks),
            max(design.columns for design in designs),
            max(design.rows for design in designs),
            tuple(tile for design in designs for tile in design.tiles),
            tuple(hop for design in designs for hop in design.hops),
            tuple(group for design in designs for group in design.groups),
            (),
            tuple(_ways(cluster, designs)),
        )
    )


def _ways(cluster: Cluster, designs: Sequence[Design]) -> Iterator[tuple[Layer, Layer]]:
    """Layers that send, each with those that it waits for."""
    sends = {
        (channel.target, board.number): _layer(designs[board.number], SEND, place)
        for board in cluster.boards
        for place, channel in enumerate(board.sends)
    }
    for channel, receiver in _receivers(cluster, designs):
        for source in channel.sources:
            yield sends[channel.target, source], receiver


def _receivers(cluster: Cluster, designs: Sequence[Design]) -> Iterator[tuple[Channel, Layer]]:
    """Channels, with the layer that receives on each of their boards."""
    for board in cluster.boards:
        for place, channel in enumerate(board.receives):
            yield channel, _layer(designs[board.number], RECEIVE, place)


def _layer(design: Design, kind: str, place: int) -> Layer:
    tile = next(each for each in design.tiles if each.name.rpartition("/")[2] == BRIDGE)
    return [layer for layer in tile.layers if layer.kind.name == kind][place]


def _blocking(cluster: Cluster, whole: Facts, boards: Sequence[Facts]) -> Iterator[tuple[Loc, str]]:
    """Unmanaged channels whose receivers may wait for the network: place, and message."""
    entries = {each.name: n for n, each in enumerate(cluster.config.endpoints)}
    found: set[str] = set()
    for channel, receiver in _receivers(cluster, [facts.design for facts in boards]):
        if channel.endpoint.managed or channel.target in found:
            continue
        if way := _way_out(receiver, whole):
            found.add(channel.target)
            hops = ", ".join(
                f"{hop.source.layer} -> {hop.target.layer}" for hop in way if hop.target
            )
            yield (
                ("cluster", "endpoints", entries[channel.endpoint.name], "managed"),
                f"possible deadlock: the channel to {channel.tile} is unmanaged, and what arrives "
                f"may wait until {way[-1].target} can send ({hops}), while it stops all channels "
                "and their grants; remove `managed: false`",
            )


def _way_out(receiver: Layer, whole: Facts) -> list[Hop]:
    """The fewest next hops by which what a layer receives may come to wait for one that sends to
    other boards. Empty: there are none.
    """
    graph = whole.resource_graph
    ways = []
    for hop in (hop for output in receiver.outputs for hop in whole.topology.hops_from(output)):
        start = inject(hop.source.tile.at, hop.network.label)
        if start in graph:
            ways += [
                _hops(graph, way)
                for end, way in nx.shortest_path(graph, source=start).items()
                if isinstance(end, Input) and end.layer.kind.name == SEND
            ]
    return min(ways, key=len, default=[])


def _hops(graph: nx.DiGraph[Resource], way: Sequence[Resource]) -> list[Hop]:
    hops: list[Hop] = []
    for held, needed in pairwise(way):
        possible: list[Hop] = graph.edges[held, needed]["hops"]
        if not hops or hops[-1] not in possible:
            hops.append(possible[0])
    return hops
