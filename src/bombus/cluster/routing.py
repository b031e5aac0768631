# SPDX-License-Identifier: Apache-2.0
"""Route tables of a cluster: {class, destination} -> port. No deadlock without virtual channels.

A packet in the buffer of a link waits for the next link of its path. All classes share these
buffers, so the union of all classes' dependencies between channels (directions of links) must be
acyclic (Dally and Seitz, 1987). Endpoints take what arrives for them, so paths end there.

`tables` starts from the turns of up*/down* routing (Schroeder et al., 1991) and adds further turns
as long as they close no cycle. Each {class, destination} then has a tree of paths within these
turns, as short as possible; ties go to the channel with the least load, so that classes differ.
The best of several roots is taken. `verdict` checks any tables, whatever made them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import networkx as nx

from bombus.base.text import counted
from bombus.cluster.topology import Port, Topology

NONE = 7  # entry: no route; the router drops the packet and counts it

Tables = list[list[list[int]]]  # [board][class][destination] = port; num_links[board] is local
AnyTables = Sequence[Sequence[Sequence[int]]]
Turn = tuple[Port, Port]  # a channel, and one that leaves the board where it ends

# ---- Making tables ----


class _Turns:
    """An acyclic set of turns."""

    def __init__(self, topology: Topology) -> None:
        self.after: dict[Port, set[Port]] = {channel: set() for channel in topology.channels}

    def add(self, turn: Turn) -> None:
        self.after[turn[0]].add(turn[1])

    def add_unless_cyclic(self, turn: Turn) -> None:
        if turn[0] not in self._reached(turn[1]):
            self.add(turn)

    def _reached(self, start: Port) -> set[Port]:
        reached, pending = {start}, [start]
        while pending:
            fresh = self.after[pending.pop()] - reached
            reached |= fresh
            pending += fresh
        return reached


def _all_turns(topology: Topology) -> Iterator[Turn]:
    for channel in topology.channels:
        peer = topology.peers[channel]
        yield from ((channel, out) for out in topology.leaving[peer.board] if out != peer)


def _turns(
    topology: Topology, order: Sequence[int], given: Iterable[Turn] = ()
) -> tuple[_Turns, list[int]]:
    """Acyclic turns: the given ones, those of up*/down* routing, and further ones. order: boards,
    each after a neighbour.

    Also the rank of each board in the order: a channel to a lower rank goes up.
    """
    rank = [0] * topology.boards
    for n, board in enumerate(order):
        rank[board] = n
    turns = _Turns(topology)
    for turn in given:
        turns.add(turn)
    others = []
    for turn in _all_turns(topology):
        channel, out = turn
        via = topology.peers[channel].board
        goes_down = rank[via] > rank[channel.board]
        turns_up = rank[topology.peers[out].board] < rank[via]
        if goes_down and turns_up:
            others.append(turn)
        else:
            turns.add_unless_cyclic(turn)
    for turn in others:
        turns.add_unless_cyclic(turn)
    return turns, rank


def _tree(
    topology: Topology,
    turns: _Turns,
    target: int,
    load: dict[Port, int],
    used: dict[Port, int],
    rank: Sequence[int] | None,
    settled: Mapping[int, Port] | None = None,
) -> dict[int, Port]:
    """The channel that each board sends to the target by; boards that find none are left out.

    used: how many other classes take a channel to this target. rank: boards that reach the target
    by going down only do so, which always finds a path.
    settled: channels of some boards, which form paths to the target.
    """
    found = dict(settled or {})
    distance = {target: 0}
    for board in found:
        at, length = board, 0
        while at != target:
            at, length = topology.peers[found[at]].board, length + 1
        distance[board] = length

    def choose(board: int, limit: int, *, down: bool) -> bool:
        best: tuple[tuple[int, ...], Port] | None = None
        for channel in topology.leaving[board]:
            via = topology.peers[channel].board
            if distance.get(via, limit) >= limit:
                continue
            if via != target and found[via] not in turns.after[channel]:
                continue
            if down and rank is not None and rank[via] < rank[board]:
                continue
            spread = (used.get(channel, 0), load[channel])
            key = (distance[via], *spread, *channel)
            if best is None or key < best[0]:
                best = key, channel
        if best is None:
            return False
        found[board] = best[1]
        distance[board] = distance[topology.peers[best[1]].board] + 1
        return True

    rounds = (True, False) if rank is not None else (False,)
    for down in rounds:
        waiting = deque(sorted(distance, key=lambda board: distance[board]))
        while waiting:
            via = waiting.popleft()
            # Boards are settled in the order of their distance.
            for channel in topology.leaving[via]:
                board = topology.peers[channel].board
                if board not in distance and choose(board, topology.boards + 1, down=down):
                    waiting.append(board)
    return found


def _roots(topology: Topology, component: set[int]) -> list[int]:
    """Boards to try as the root, the most central first."""
    graph = topology.graph.subgraph(component)
    centre = nx.closeness_centrality(graph)
    ranked = sorted(component, key=lambda board: (-round(centre[board], 9), board))
    count = 8 if len(component) <= 32 else 2 if len(component) <= 100 else 1
    return ranked[:: max(1, len(ranked) // count)][:count]


def _orders(topology: Topology) -> Iterator[list[int]]:
    """Orders of the boards in which each follows a neighbour, one for each candidate."""
    parts = [
        [
            list(walk(topology.graph, root))
            for root in _roots(topology, part)
            for walk in (
                lambda graph, root: [root, *(b for _, b in nx.bfs_edges(graph, root))],
                nx.dfs_preorder_nodes,
            )
        ]
        for part in nx.connected_components(topology.graph)
    ]
    for n in range(max(map(len, parts))):
        yield [board for orders in parts for board in orders[n % len(orders)]]


def tables(topology: Topology, classes: int = 1) -> Tables:
    """Route tables [board][class][destination] = port, free of deadlock over all classes.

    The own board's entry is its local port, `topology.num_links[board]`; `NONE` if the destination
    cannot be reached.
    """
    best: tuple[tuple[float, ...], Tables] | None = None
    for order in _orders(topology):
        found = _tables(topology, classes, order)
        assert found is not None
        quality = _quality(topology, found)
        if best is None or quality < best[0]:
            best = quality, found
    assert best is not None
    return best[1]


def _tables(
    topology: Topology, classes: int, order: Sequence[int], old: AnyTables | None = None
) -> Tables | None:
    """Tables within the turns of an order. old: keeps their paths that are whole, where it
    can, and closes no cycle with their turns. None: boards that are connected find no path.
    """
    turns, rank = _turns(topology, order, dependencies(topology, old).edges if old else ())
    result = [[[NONE] * topology.boards for _ in range(classes)] for _ in range(topology.boards)]
    load = dict.fromkeys(topology.channels, 0)
    component = {board: part for part in nx.connected_components(topology.graph) for board in part}
    for target in range(topology.boards):
        used: dict[Port, int] = {}
        for number in range(classes):
            result[target][number][target] = topology.num_links[target]
            others = component[target] - {target}
            whole = {
                board: Port(board, old[board][number][target])
                for board in (others if old else ())
                if old and path(topology, old, number, board, target)
            }
            tree = _tree(topology, turns, target, load, used, None, whole)
            if len(tree) < len(others) and whole:
                tree = _tree(topology, turns, target, load, used, None)
            if len(tree) < len(others):
                tree = _tree(topology, turns, target, load, used, rank)
                if len(tree) < len(others):
                    return None
            for board, channel in tree.items():
                result[board][number][target] = channel.port
                used[channel] = used.get(channel, 0) + 1
                while True:
                    load[channel] += 1
                    via = topology.peers[channel].board
                    if via == target:
                        break
                    channel = tree[via]
    return result


def _quality(topology: Topology, routes: AnyTables) -> tuple[float, ...]:
    """The less, the better: hops of all flows, and those over the busiest channel."""
    load = loads(topology, routes)
    return float(sum(load.values())), float(max(load.values(), default=0))


def loads(topology: Topology, routes: AnyTables) -> dict[Port, int]:
    """Flows on each channel, if every board sends to every other in every class."""
    load = dict.fromkeys(topology.channels, 0)
    for number in range(len(routes[0])):
        for source in range(topology.boards):
            for target in range(topology.boards):
                for channel in path(topology, routes, number, source, target) or ():
                    load[channel] += 1
    return load


def path(
    topology: Topology, routes: AnyTables, number: int, source: int, target: int
) -> list[Port] | None:
    """The channels that packets of class `number` take; None: they never arrive."""
    found: list[Port] = []
    board = source
    while board != target:
        channel = Port(board, routes[board][number][target])
        if channel not in topology.peers or len(found) >= topology.boards:
            return None
        found.append(channel)
        board = topology.peers[channel].board
    return found


# ---- Checking tables ----


@dataclass(frozen=True)
class Verdict:
    """What is wrong with route tables; empty if nothing is."""

    problems: tuple[str, ...]
    cycle: tuple[Port, ...] = ()  # of the channels that wait for each other
    unreachable: tuple[tuple[int, int, int], ...] = ()  # class, source, destination

    @property
    def is_good(self) -> bool:
        """Whether the tables have valid ports, no loops and no deadlock."""
        return not self.problems

    def __str__(self) -> str:
        return "\n".join(self.problems) or "free of deadlock"


def dependencies(topology: Topology, *routes: AnyTables) -> nx.DiGraph[Port]:
    """The channel dependency graph: which channel a packet can hold while it waits for another.

    With several tables: of networks in which each board has any of them at any time. An edge's
    `by` is the {class, destination} of such a packet.
    """
    graph: nx.DiGraph[Port] = nx.DiGraph()
    graph.add_nodes_from(topology.channels)
    for number in range(len(routes[0][0])):
        for target in range(topology.boards):
            ways: list[list[Port]] = []
            for board in range(topology.boards):
                given = {Port(board, each[board][number][target]) for each in routes}
                usable = given & topology.peers.keys() if board != target else set()
                ways.append(sorted(usable))
            for channels in ways:
                for channel in channels:
                    for following in ways[topology.peers[channel].board]:
                        if not graph.has_edge(channel, following):
                            graph.add_edge(channel, following, by=(number, target))
    return graph


def is_acyclic(topology: Topology, *routes: AnyTables) -> bool:
    """Whether the channel dependency graph of tables has no cycle."""
    return nx.is_directed_acyclic_graph(dependencies(topology, *routes))


def verdict(topology: Topology, routes: AnyTables) -> Verdict:
    """Checks route tables: their form, the ports, loops, and deadlock over all classes."""
    if problems := list(_form(topology, routes)):
        return Verdict(tuple(problems))
    problems = []
    unreachable = []
    for number in range(len(routes[0])):
        for target in range(topology.boards):
            for board in range(topology.boards):
                if problem := _entry(topology, routes, number, board, target):
                    problems.append(problem)
                elif path(topology, routes, number, board, target) is None:
                    unreachable.append((number, board, target))
    cycle = _shortest_cycle(dependencies(topology, *[routes]))
    if cycle:
        problems.append(_explain(topology, cycle, routes))
    return Verdict(tuple(problems), tuple(cycle), tuple(unreachable))


def _form(topology: Topology, routes: AnyTables) -> Iterator[str]:
    if len(routes) != topology.boards:
        yield f"tables of {counted(len(routes), 'board')} for {topology.boards}"
        return
    classes = len(routes[0])
    for name, table in zip(topology.names, routes, strict=True):
        if len(table) != classes or not table:
            yield f"{name}: {len(table)} classes; {topology.names[0]} has {classes}"
        for number, row in enumerate(table):
            if len(row) != topology.boards:
                message = f"{counted(len(row), 'destination')} for {topology.boards} boards"
                yield f"{name}: class {number}: {message}"


def _entry(topology: Topology, routes: AnyTables, number: int, board: int, target: int) -> str:
    """What is wrong with an entry."""
    port = routes[board][number][target]
    where = f"{topology.names[board]}: class {number}, destination {topology.names[target]}"
    local = topology.num_links[board]
    if board == target:
        return "" if port == local else f"{where}: port {port}; the own board is port {local}"
    if port == local:
        return f"{where}: the local port {port}, which only takes packets to this board"
    if port != NONE and Port(board, port) not in topology.peers:
        return f"{where}: port {port} has no link"
    return ""


def _shortest_cycle(graph: nx.DiGraph[Port]) -> list[Port]:
    """A shortest cycle of a graph; empty if there is none."""
    best: list[Port] = []
    for part in nx.strongly_connected_components(graph):
        if len(part) == 1 and not any(graph.has_edge(each, each) for each in part):
            continue
        inner = graph.subgraph(part)
        for start in sorted(part):
            came: dict[Port, Port] = {}
            pending = deque([start])
            while pending and start not in came:
                node = pending.popleft()
                for following in sorted(inner[node]):
                    if following not in came:
                        came[following] = node
                        pending.append(following)
            cycle, node = [start], came[start]
            while node != start:
                cycle.append(node)
                node = came[node]
            if not best or len(cycle) < len(best):
                best = cycle[::-1]
    return best


def _explain(topology: Topology, cycle: Sequence[Port], *routes: AnyTables) -> str:
    graph = dependencies(topology, *routes)
    lines = ["possible deadlock:"]
    for channel, following in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        number, target = graph.edges[channel, following]["by"]
        way = f"packets of class {number} to {topology.names[target]}"
        held, awaited = topology.name(channel), topology.name(following)
        lines.append(f"  {way} hold {held} and wait for {awaited}")
    return "\n".join(lines)


# ---- Changing tables ----


@dataclass(frozen=True)
class Change:
    """How to get from old to new route tables.

    in_place: boards may rewrite their tables in any order during traffic: no mixture of old and new
    entries has a cycle. Otherwise the network must be quiet first, and `cycle` says why.
    moved: class, source and destination of the flows whose path changes. Packets of such a flow may
    overtake each other unless it pauses until its packets in flight have arrived.
    """

    in_place: bool
    cycle: str
    moved: tuple[tuple[int, int, int], ...]


def change(topology: Topology, old: AnyTables, new: AnyTables) -> Change:
    """Whether tables can be rewritten in place.

    topology: with the links that are alive. Packets for a dead link wait for the rewrite, and then
    take the new path.
    """
    cycle = _shortest_cycle(dependencies(topology, old, new))
    moved = tuple(
        (number, source, target)
        for number in range(len(new[0]))
        for source in range(topology.boards)
        for target in range(topology.boards)
        if path(topology, old, number, source, target)
        != path(topology, new, number, source, target)
    )
    why = _explain(topology, cycle, old, new) if cycle else ""
    return Change(not cycle, why, moved)


def written(old: AnyTables, new: AnyTables) -> Iterable[tuple[int, int, int, int]]:
    """The entries to write: board, class, destination, port."""
    for board, (before, after) in enumerate(zip(old, new, strict=True)):
        for number, (row, row_after) in enumerate(zip(before, after, strict=True)):
            for target, (port, port_after) in enumerate(zip(row, row_after, strict=True)):
                if port != port_after:
                    yield board, number, target, port_after


def reroute(alive: Topology, old: AnyTables) -> tuple[Tables, Change]:
    """Tables for a topology that has lost links or boards, and how to get there from the old ones.

    Paths that are whole are kept. Where it is possible, the others stay within turns that
    close no cycle with those of the old tables, so that the change is done in place.
    """
    classes = len(old[0])
    if is_acyclic(alive, old):
        for order in islice(_orders(alive), 4):
            found = _tables(alive, classes, order, old)
            if found and (step := change(alive, old, found)).in_place:
                return found, step
    fresh = tables(alive, classes)
    return fresh, change(alive, old, fresh)
