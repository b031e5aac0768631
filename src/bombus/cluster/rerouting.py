# SPDX-License-Identifier: Apache-2.0
"""New route tables in a running cluster, around links and boards that are dead.

Endpoints pause until nothing moves any more, the tables are written, and endpoints go on when the
packets that waited for a dead link have arrived. Those inside of the link are drained: each end
learns what the other has received, and returns the rest to its router.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from bombus.base.errors import UserError
from bombus.cluster import routing
from bombus.cluster.board import Board
from bombus.cluster.description import ROUTE, BoardDescription, Description, RegisterWrite
from bombus.cluster.topology import Link, Topology
from bombus.registers.access import BlockAccess

_PAUSE, _HOLD, _DISABLE = "pause", "hold", "disable_links"  # registers of a node
_FOR_EVER = 0xFFFF  # of `hold`
_DRAIN, _KNOWN = 1 << 31, 1 << 16  # of `drain<N>`
_STEP = 1024  # cycles between two looks: more than a packet takes, but for the wires of its way
_MOST_STEPS = 50
_WRITTEN = "routes are the new ones, not all packets of dead links have arrived"


@dataclass(frozen=True)
class Rerouted:
    """What a change of routes has done."""

    change: routing.Change
    written: int  # entries of tables
    cycles: int  # in which endpoints have paused
    inside: int  # packets that the drain of dead links has returned, or given up
    # Packets that have not arrived then. None: not known, with dead boards or after a reset
    waiting: int | None
    unreachable: tuple[tuple[int, int], ...]  # source and destination without any path


class Running(Protocol):
    """What a change of routes needs of a running cluster."""

    @property
    def description(self) -> Description: ...

    @property
    def cycle(self) -> int: ...

    def run(self, cycles: int) -> None: ...

    def __getitem__(self, number: int) -> Board: ...

    def write_registers(self, board: int, writes: Sequence[RegisterWrite]) -> None: ...

    def resets(self, board: int) -> int: ...


def topology_of(description: Description) -> Topology:
    """Boards and links. UserError if boards are not numbered from 0."""
    count = len(description.boards)
    names = {board.board: board.name for board in description.boards}
    if sorted(names) != list(range(count)):
        raise UserError(f"cluster {description.name}: boards with routes are numbered from 0")
    links = tuple(Link(*link.a, *link.b) for link in description.links)
    ends = [end for link in links for end in link.ends]
    ports = [max((end.port + 1 for end in ends if end.board == n), default=0) for n in names]
    return Topology("cluster", tuple(names[n] for n in range(count)), links, tuple(ports))


class Routes:
    """The route tables of a running cluster: at first those that its description has."""

    def __init__(self, cluster: Running) -> None:
        self._cluster = cluster
        self.topology = topology_of(cluster.description)
        boards = sorted(cluster.description.boards, key=lambda board: board.board)
        self._nodes = [_node(board) for board in boards]
        self._bits = (len(boards) - 1).bit_length()
        self._first = [_table(board.registers, len(boards), self._bits) for board in boards]
        if problems := routing.verdict(self.topology, self._first).problems:
            raise UserError(f"cluster {cluster.description.name}: {problems[0]}")
        self.tables: routing.AnyTables = self._first
        self._dead: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
        # Sum of the counters when all packets have arrived, and resets of boards until then. A
        # reset takes packets and counters away.
        self._quiet: tuple[int, list[int]] | None = (0, [0] * len(boards))
        self._latency = max((link.latency_cycles for link in cluster.description.links), default=0)
        self._step = _STEP

    def change(self, links: Iterable[int] = (), boards: Iterable[int] = ()) -> Rerouted:
        """Makes packets take other ways than these links and boards; all others are used."""
        dead = frozenset(links), frozenset(boards)
        if strange := [n for n in dead[0] if not 0 <= n < len(self.topology.links)]:
            raise UserError(f"there is no link {strange[0]}; links: {len(self.topology.links)}")
        if strange := [n for n in dead[1] if not 0 <= n < self.topology.boards]:
            raise UserError(f"there is no board {strange[0]}; boards: {self.topology.boards}")
        alive = self.topology.without([self.topology.links[n] for n in dead[0]], dead[1])
        more = all(old <= new for old, new in zip(self._dead, dead, strict=True))
        tables, step = routing.reroute(alive, self.tables if more else self._first)
        for board in dead[1]:
            tables[board] = [list(row) for row in self.tables[board]]
        if not more:
            step = routing.change(alive, self.tables, tables)
        written = list(routing.written(self.tables, tables))
        start = self._cluster.cycle
        inside, waiting = 0, None if dead[1] else 0
        if written:
            if dead[1]:
                self._quiet = None  # both ends of a link may count a packet
            before, after = self._replace(written, tables, dead)
            quiet = self._quiet_sum()
            inside, waiting = before - after, None if quiet is None else after - quiet
            if quiet is None and not any(dead):
                self._quiet = after, self._resets()
        self.tables, self._dead = tables, dead
        return Rerouted(
            step,
            len(written),
            self._cluster.cycle - start,
            inside,
            waiting,
            tuple(
                (source, target)
                for source in range(alive.boards)
                for target in range(alive.boards)
                if not {source, target} & dead[1]
                and routing.path(alive, tables, 0, source, target) is None
            ),
        )

    def _replace(
        self,
        entries: Sequence[tuple[int, int, int, int]],
        tables: routing.Tables,
        dead: tuple[frozenset[int], frozenset[int]],
    ) -> tuple[int, int]:
        """Writes entries of tables while endpoints pause.

        The sum of the counters (`_settle`) before the drain, and after it.
        """
        # A packet takes the old way to a board, and the new one from there.
        self._step = _STEP + (self._hops(self.tables) + self._hops(tables)) * self._latency
        links, boards = dead
        alive = [board for board in range(self.topology.boards) if board not in boards]
        holds = {board: int(getattr(self._registers(board), _HOLD).cycles) for board in alive}
        try:
            for board in alive:
                # Nothing is dropped meanwhile.
                pause = self._at(board, _PAUSE, 1)
                self._write(board, [self._at(board, _HOLD, _FOR_EVER), pause])
            self._settle(boards, "routes are as before")
            for board in alive:
                writes = [
                    self._at(board, ROUTE, port, index=(number << self._bits) + target)
                    for at, number, target, port in entries
                    if at == board
                ]
                if writes:
                    self._write(board, writes)
            self.tables, self._dead = tables, dead
            before = self._settle(boards, _WRITTEN)
            if before == self._quiet_sum() or not (links or boards):
                return before, before
            return before, self._drain(links, boards)
        finally:
            for board in alive:
                hold = self._at(board, _HOLD, holds[board])
                self._write(board, [hold, self._at(board, _PAUSE, 0)])

    def _drain(self, links: Collection[int], boards: Collection[int]) -> int:
        """Returns the packets inside of dead links to the routers; the sum of `_settle` then.

        What the neighbour of a dead board has sent to it is given up, and counted as lost.
        """
        dead = [
            link
            for number, link in enumerate(self.topology.links)
            if number in links or any(end.board in boards for end in link.ends)
        ]
        ends = [pair for link in dead for pair in (link.ends, link.ends[::-1])]
        ends = [(own, other) for own, other in ends if own.board not in boards]
        disabled: dict[int, int] = {}
        for own, _ in ends:
            disabled[own.board] = disabled.get(own.board, 0) | 1 << own.port
        before = {board: int(getattr(self._registers(board), _DISABLE).links) for board in disabled}
        drains: list[tuple[int, str, int]] = []
        try:
            for board, ports in disabled.items():
                self._write(board, [self._at(board, _DISABLE, before[board] | ports)])
            self._cluster.run(self._step)
            for own, other in ends:
                value = _DRAIN
                if other.board not in boards:
                    there = getattr(self._registers(other.board), f"received{other.port}")
                    value |= there.expected | (_KNOWN if there.known else 0)
                drains.append((own.board, f"drain{own.port}", value))
            for board, register, value in drains:
                self._write(board, [self._at(board, register, value)])
            return self._settle(boards, _WRITTEN)
        finally:
            for board, register, _ in drains:
                self._write(board, [self._at(board, register, 0)])
            for board, ports in before.items():
                self._write(board, [self._at(board, _DISABLE, ports)])

    def _hops(self, tables: routing.AnyTables) -> int:
        """Links of the longest path."""
        boards = range(self.topology.boards)
        return max(
            len(routing.path(self.topology, tables, number, source, target) or ())
            for number in range(len(tables[0]))
            for source in boards
            for target in boards
        )

    def _resets(self) -> list[int]:
        return [self._cluster.resets(board) for board in range(self.topology.boards)]

    def _quiet_sum(self) -> int | None:
        """The sum of `_settle` when all packets have arrived; None: not known."""
        if self._quiet is None or self._quiet[1] != self._resets():
            return None
        return self._quiet[0]

    def _registers(self, board: int) -> BlockAccess:
        """The registers of the board's node."""
        tile, layer = self._nodes[board]
        found: BlockAccess = getattr(self._cluster[board].registers.tiles[tile], layer)
        return found

    def _at(
        self, board: int, register: str, value: int, *, index: int | None = None
    ) -> RegisterWrite:
        tile, layer = self._nodes[board]
        return RegisterWrite(tile, register, value, layer, index)

    def _write(self, board: int, writes: Sequence[RegisterWrite]) -> None:
        self._cluster.write_registers(board, writes)

    def _settle(self, dead: Collection[int], state: str) -> int:
        """Runs until no packet moves. state: what an error says.

        Packets that entered the network less those that left it or were lost, by the counters of
        the boards that are not dead.
        """
        before: object = None
        for _ in range(_MOST_STEPS):
            self._cluster.run(self._step)
            nodes = [
                self._passed(board) for board in range(self.topology.boards) if board not in dead
            ]
            total = sum(came - went - lost for came, went, lost in nodes)
            if nodes == before or total == self._quiet_sum():
                return total
            before = nodes
        raise UserError(
            f"packets still move after {_MOST_STEPS * self._step} cycles of a pause: {state}, and "
            "endpoints go on"
        )

    def _passed(self, board: int) -> tuple[int, int, int]:
        """Packets that entered the network at a board, left it there, and were lost there."""
        tile, layer = self._nodes[board]
        ports = range(self.topology.num_links[board])
        came, went = f"event.{layer}.local_in", f"event.{layer}.local_out"
        lost = [f"event.{layer}.link{port}_lost" for port in ports]
        lost += [
            f"drop.{layer}.{reason}_{place}"
            for reason in ("no_route", "closed")
            for place in (*map("link{}".format, ports), "local")
        ]
        counts = self._cluster[board].tile_counters(tile, {came, went, *lost})
        return counts[came], counts[went], sum(counts[name] for name in lost)


def _node(board: BoardDescription) -> tuple[str, str]:
    if board.node is None:
        raise UserError(f"board {board.name} has no route table")
    return board.node


def _table(registers: Sequence[RegisterWrite], boards: int, bits: int) -> list[list[int]]:
    """A board's table, by class and destination."""
    found = {write.index or 0: write.value for write in registers if write.register == ROUTE}
    classes = 1 + (max(found) >> bits)
    return [
        [found.get((number << bits) + target, routing.NONE) for target in range(boards)]
        for number in range(classes)
    ]
