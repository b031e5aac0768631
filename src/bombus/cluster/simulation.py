# SPDX-License-Identifier: Apache-2.0
"""Many boards in virtual time, from Python.

    with Cluster("cluster.yaml", ranks=4) as cluster:
        cluster[0].send(frame)
        cluster.run(10_000)
        reply = cluster[0].receive()

All boards share their cycles: whatever advances one of them, such as reading a register, advances
the others too. Results depend neither on the number of ranks nor on what joins them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from bombus.base.errors import UserError
from bombus.base.output import writing
from bombus.cluster import mpi
from bombus.cluster.board import Board
from bombus.cluster.description import (
    ETHERNET,
    Description,
    LinkDescription,
    RegisterWrite,
)
from bombus.cluster.ethernet import DELAY_CYCLES, SwitchStatistics, at_ends
from bombus.cluster.rank import Rank, Setup, library_of, serve
from bombus.cluster.reading import read
from bombus.cluster.rerouting import Rerouted, Routes
from bombus.cluster.shared import SharedFirst
from bombus.cluster.transport import Alone, RankError, Transport
from bombus.simulator.beat_links import BeatLinkStatistics
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation

TRANSPORTS = ("shared", "mpi")


class Cluster:
    """A running cluster: a `Board` for each number.

    `design`: a design file with boards, a `cluster.json`, or its description. `ranks`: processes
    that share the boards. `transport`: `shared` (the default: processes of this machine, which the
    first one starts) or `mpi` (the default if `mpirun` or SLURM has started this process): then
    all ranks run the same program, and those but the first one end inside this constructor when
    the first one has closed the cluster. `seed`: of all random choices. `assertions`: checks those
    of the RTL.
    """

    def __init__(
        self,
        design: Path | str | Description,
        *,
        ranks: int | None = None,
        transport: str | None = None,
        seed: int = 0,
        assertions: bool = False,
    ) -> None:
        if transport is None:
            transport = "mpi" if ranks is None and mpi.is_launched() else "shared"
        if transport not in TRANSPORTS:
            raise UserError(f"transport {transport!r}: should be one of {', '.join(TRANSPORTS)}")
        self._transport: Transport = Alone()
        self._rank: Rank | None = None
        if transport == "mpi":
            self._transport = self._join_mpi(design, ranks, seed, assertions)
        else:
            self.description = _described(design)
            setup = Setup(self.description, seed, assertions)
            _build(self.description, assertions)
            if ranks is not None and ranks != 1:
                self._transport = SharedFirst(setup, ranks)
        try:
            self._start(Setup(self.description, seed, assertions))
        except BaseException as error:
            self._abandon()
            self._abort(error)
            raise
        self._boards = {
            board.board: Board(board, self._call, self._simulation)
            for board in self.description.boards
        }

    def _join_mpi(
        self, design: Path | str | Description, ranks: int | None, seed: int, assertions: bool
    ) -> Transport:
        found = mpi.Mpi()
        if ranks is not None and ranks != found.ranks:
            raise UserError(f"--ranks {ranks}, but MPI has started {found.ranks}; leave it out")
        try:
            self.description = _described(design)
            if found.rank == 0:  # one writes the cache, which ranks of a machine share
                _build(self.description, assertions)
                for rank in range(1, found.ranks):
                    found.send(rank, "built")
                return found
            found.receive(0)
            serve(found, Setup(self.description, seed, assertions))
        except BaseException as error:
            found.abort(error)
            raise
        sys.stdout.flush()
        raise SystemExit(0)

    def _start(self, setup: Setup) -> None:
        self._rank = Rank(setup, self._transport, self._window)
        self._rank_of = {
            board: rank for rank, boards in enumerate(self._rank.placed) for board in boards
        }
        others = range(1, self._transport.ranks)
        self._cycle = max([self._rank.cycle(), *(self._answer(rank)[1] for rank in others)])
        self._check_widths()
        self._everywhere("start", self._cycle)

    def _check_widths(self) -> None:
        widths = self._local().widths()
        for rank in range(1, self._transport.ranks):
            self._transport.send(rank, ("widths",))
            widths |= self._answer(rank)[0]
        for link in self.description.links:
            if len(found := {widths[end] for end in link.ends}) > 1:
                raise UserError(f"link {link.name} has {sorted(found)} bits at its two ends")
        self._bits = [widths[link.a] for link in self.description.links]

    def close(self) -> None:
        """Ends the simulation. SimulationError if a capture file is not complete."""
        if self._rank is None:
            return
        rank, self._rank = self._rank, None
        try:
            for other in range(1, self._transport.ranks):
                self._transport.send(other, ("close",))
            for other in range(1, self._transport.ranks):
                self._answer(other)
        finally:
            try:
                rank.close()
            finally:
                self._transport.close()

    def _abandon(self) -> None:
        """Ends the simulation after an error, whose text matters more than what follows from it."""
        rank, self._rank = self._rank, None
        try:
            if rank is not None:
                rank.close()
        except UserError:
            pass
        finally:
            self._transport.close()

    def _abort(self, error: BaseException) -> None:
        if isinstance(self._transport, mpi.Mpi) and self._transport.ranks > 1:
            self._transport.abort(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if error is None:
            self.close()
            return
        self._abandon()
        self._abort(error)

    # ---- Commands ----

    def _answer(self, rank: int) -> tuple[Any, int]:
        """The result of a command and the latest cycle of a board of the rank."""
        while True:
            kind, result, cycle = self._transport.receive(rank)
            if kind == "window":
                for other in range(1, self._transport.ranks):
                    self._transport.send(other, ("window",))
                self._local().window()
                for other in range(1, self._transport.ranks):
                    if other != rank:
                        self._answer(other)
            elif kind == "error":
                raise result
            else:
                return result, cycle

    def _window(self) -> None:
        """A board of this rank needs beats of others."""
        self._everywhere("window")

    def _everywhere(self, command: str, *arguments: Any) -> None:
        others = range(1, self._transport.ranks)
        for rank in others:
            self._transport.send(rank, (command, *arguments))
        try:
            getattr(self._local(), command)(*arguments)
        except RankError:
            raise
        except UserError:
            for rank in others:  # theirs may be the cause
                self._answer(rank)
            raise
        for rank in others:
            self._answer(rank)

    def _local(self) -> Rank:
        if self._rank is None:
            raise SimulationError("the simulation is closed")
        return self._rank

    def _call(
        self, board: int, method: str, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:
        return self._ask("call", board, method, arguments, named)

    def _ask(self, command: str, board: int, *arguments: Any) -> Any:
        """The result of a command of the board's rank."""
        rank = self._local()
        where = self._rank_of[board]
        if where == 0:
            try:
                return getattr(rank, command)(board, *arguments)
            finally:
                self._cycle = max(self._cycle, rank.cycle())
        self._transport.send(where, (command, board, *arguments))
        result, cycle = self._answer(where)
        self._cycle = max(self._cycle, cycle)
        return result

    def _simulation(self, board: int) -> Simulation:
        found = self._local().boards.get(board)
        if found is None:
            raise SimulationError(
                f"board {board} is in rank {self._rank_of[board]}; use its methods, or one rank"
            )
        return found

    # ---- Boards ----

    def __getitem__(self, number: int) -> Board:
        self.description.board(number)
        return self._boards[number]

    def __iter__(self) -> Iterator[Board]:
        return iter(self._boards.values())

    def __len__(self) -> int:
        return len(self._boards)

    @property
    def ranks(self) -> int:
        """Processes that share the boards."""
        return self._transport.ranks

    @property
    def processes(self) -> Mapping[int, int]:
        """The process of each rank that this one has started."""
        return self._transport.processes if isinstance(self._transport, SharedFirst) else {}

    def counters(self) -> dict[int, dict[str, dict[str, int]]]:
        """All counters of all boards, one board after the other."""
        return {board.number: board.counters() for board in self}

    def check(self) -> None:
        """Raises SimulationError if any board has broken a rule of its ports."""
        for board in self:
            board.check()

    def pcap_out(self, folder: Path | str) -> list[Path]:
        """Writes the frames of every MAC port of every board to `<board>_port<n>.pcap` there."""
        folder = Path(folder)
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        files = []
        for board in self:
            for port in range(len(board.manifest["mac_ports"])):
                files.append(folder / f"{board.name}_port{port}.pcap")
                board.pcap_out(files[-1], port)
        return files

    # ---- Time ----

    @property
    def cycle(self) -> int:
        """The cycle that all boards have reached, or will before anything else happens."""
        simulations = self._local().boards.values()
        return max(self._cycle, *(simulation.cycle for simulation in simulations))

    @property
    def clock_hz(self) -> int:
        """The clock of all boards."""
        return int(next(iter(self._local().boards.values())).clock_hz)

    def run(self, cycles: int) -> None:
        """Advances all boards by so many cycles."""
        if cycles < 0:
            raise SimulationError(f"cycles: must be 0 or more, not {cycles}")
        until = self.cycle + cycles
        self._everywhere("run", until)
        self._cycle = until

    # ---- Links ----

    @property
    def links(self) -> Iterable[LinkDescription]:
        """The links; their numbers are their positions."""
        return self.description.links

    def impair(
        self,
        link: int,
        *,
        bit_errors: float = 0.0,
        rate: float = 1.0,
        rate_gbps: float | None = None,
        from_board: int | None = None,
    ) -> None:
        """Sets the bit error rate of a link, and the share of cycles in which it takes a beat.

        `rate_gbps` instead of `rate`: bits of beats. `from_board`: of this direction only. Which
        bits are wrong follows from the seed of the simulation, the link and the cycle.
        """
        described = self._link(link)
        if from_board is not None and from_board not in (board for board, _ in described.ends):
            raise UserError(f"link {described.name} does not begin at board {from_board}")
        if described.is_switched and bit_errors:
            raise UserError(f"link {described.name} passes a switch: corrupt its frames instead")
        from bombus.cluster.rank import link_seed

        for reverse, (board, port) in enumerate(described.ends):
            if from_board not in (None, board):
                continue
            name = f"beat_links.{described.port((board, port))}"
            if rate_gbps is not None:
                bits = int(self._call(board, f"{name}.bits", (), {}))
                rate = min(1.0, rate_gbps * 1e9 / (bits * self.clock_hz))
            given = {
                "latency": described.latency_cycles,
                "rate": rate,
                "bit_errors": bit_errors,
                "seed": link_seed(self._seed, link, reverse=bool(reverse)),
            }
            self._call(board, f"{name}.configure", (), given)

    def impair_switch(
        self,
        link: int,
        *,
        loss: float = 0.0,
        corrupt: float = 0.0,
        repeat: float = 0.0,
        reorder: float = 0.0,
        delay_cycles: int = DELAY_CYCLES,
        from_board: int | None = None,
    ) -> None:
        """Sets what the switch does to the frames of a link by Ethernet: shares of frames.

        `corrupt`: a bit is wrong, the FCS is right. `reorder`: up to `delay_cycles` late, as are
        second copies (`repeat`). `from_board`: of this direction only. Which frames it does this
        to follows from the seed of the simulation, the link and the frame's number.
        """
        described = self._link(link)
        if not described.is_switched:
            raise UserError(f"link {described.name} passes no switch")
        shares = {"loss": loss, "corrupt": corrupt, "repeat": repeat, "reorder": reorder}
        for name, share in shares.items():
            if not 0 <= share <= 1:
                raise UserError(f"{name} {share}: should be from 0 to 1")
        if delay_cycles < 1:
            raise UserError(f"delay_cycles {delay_cycles}: should be 1 or more")
        for reverse, (board, _) in enumerate(described.ends):
            if from_board in (None, board):
                given = (link, bool(reverse), shares | {"delay_cycles": delay_cycles})
                self._everywhere("set_switch", *given)

    def set_link(self, link: int, *, up: bool, cycle: int | None = None) -> None:
        """Kills a link, or brings it back, at a cycle (default: now); beats on the way are lost.

        A link by Ethernet is killed in the switch: boards do not see it at their ports.
        """
        now = self.cycle
        described = self._link(link)
        if described.is_switched:
            self._everywhere("set_switch_up", link, up, max(now, cycle or 0))
            return
        for board, port in described.ends:
            self._call(
                board, f"beat_links.link{port}.set_up", (up,), {"cycle": max(now, cycle or 0)}
            )

    @cached_property
    def routes(self) -> Routes:
        """The route tables of the boards."""
        return Routes(self)

    def reroute(self, dead: Iterable[int] = (), *, boards: Iterable[int] = ()) -> Rerouted:
        """Rewrites the route tables around dead links, by number, and dead boards.

        All others are used, also those that were dead before. Endpoints pause meanwhile.
        """
        return self.routes.change(dead, boards)

    def write_registers(self, board: int, writes: Sequence[RegisterWrite]) -> None:
        """Writes registers of a board, now and after each of its resets."""
        self._ask("rewrite", board, writes)

    def resets(self, board: int) -> int:
        """How often a board has been reset."""
        return int(self._ask("resets", board))

    def link_bits(self, link: int) -> int:
        """Bits of a beat of a link."""
        return self._bits[link]

    def set_port(self, board: int, *, up: bool, cycle: int | None = None) -> None:
        """Takes the Ethernet port of a board down, with all its links, or brings it back."""
        given = {"cycle": max(self.cycle, cycle or 0)}
        self._call(board, f"beat_links.{ETHERNET}.set_up", (up,), given)

    def link_number(self, a: int, b: int) -> int:
        """The number of the first link between two boards."""
        for number, link in enumerate(self.description.links):
            if {board for board, _ in link.ends} == {a, b}:
                return number
        raise UserError(f"there is no link between boards {a} and {b}")

    def _link(self, number: int) -> LinkDescription:
        if not 0 <= number < len(self.description.links):
            raise UserError(f"there is no link {number}; links: {len(self.description.links)}")
        return self.description.links[number]

    @property
    def _seed(self) -> int:
        return self._local().setup.seed

    def link_statistics(self) -> list[tuple[BeatLinkStatistics, BeatLinkStatistics]]:
        """Of each link, at both of its ends. Of links by Ethernet: frames instead of beats."""
        switches = self.switch_statistics()
        return [
            at_ends(switches[number, False], switches[number, True])
            if link.is_switched
            else (
                self[link.a[0]].link_statistics(link.a[1]),
                self[link.b[0]].link_statistics(link.b[1]),
            )
            for number, link in enumerate(self.description.links)
        ]

    def switch_statistics(self) -> dict[tuple[int, bool], SwitchStatistics]:
        """Frames of links by Ethernet at the switch, by link and direction (false: from `a`)."""
        found = self._local().switch_statistics()
        for rank in range(1, self._transport.ranks):
            self._transport.send(rank, ("switch_statistics",))
            found |= self._answer(rank)[0]
        return found


def _described(design: Path | str | Description) -> Description:
    return design if isinstance(design, Description) else read(design)


def _build(description: Description, assertions: bool) -> None:
    """Builds all designs, before several ranks want them at once."""
    for board in {board.design: board for board in description.boards}.values():
        library_of(board, assertions=assertions)
