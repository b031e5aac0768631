# SPDX-License-Identifier: Apache-2.0
"""The boards of one rank, and the commands that rank 0 gives to the others."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from bombus.base.errors import UserError
from bombus.cluster.description import (
    BoardDescription,
    Description,
    RegisterWrite,
    distribution,
)
from bombus.cluster.engine import FFI, library
from bombus.cluster.ethernet import SwitchStatistics, addresses, frame_bytes
from bombus.cluster.transport import Transport
from bombus.simulator.build import Library, build, build_library
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation

_WIDEST_WORDS = 1 + -(-(512 + 512 // 8 + 2) // 64)  # of a beat's record
_MEMBER_FUNCTIONS = ("run_beats", "set_horizon", "cycle", "last_error")


@dataclass(frozen=True)
class Setup:
    """What every rank of a simulation knows."""

    description: Description
    seed: int = 0
    assertions: bool = False


def library_of(board: BoardDescription, *, assertions: bool = False) -> Library:
    """The simulator of a board."""
    path = Path(board.design)
    if path.is_dir():
        return build_library(path.absolute(), assertions=assertions)
    return build(path, assertions=assertions)


def channel_capacity(description: Description, ranks: int) -> int:
    """Words that any rank sends any other one at most after a window."""
    rank_of = {
        board: rank
        for rank, boards in enumerate(distribution(description, ranks))
        for board in boards
    }
    cut = Counter(
        frozenset(between)
        for between in ({rank_of[board] for board, _ in link.ends} for link in description.links)
        if len(between) > 1
    )
    most = max(cut.values(), default=0)
    return most * int(library().bombus_wire_capacity(_WIDEST_WORDS, description.window))


def link_seed(seed: int, link: int, *, reverse: bool) -> int:
    """The seed of the bit errors of one direction of a link."""
    return (seed * 0x9E3779B97F4A7C15 + 2 * link + reverse) & (1 << 64) - 1


class Rank:
    """The boards that this process simulates, in step with those of other ranks.

    `needs_window`: called when a call of one board needs beats of others; it has `window` called in
    all ranks.
    """

    def __init__(
        self, setup: Setup, transport: Transport, needs_window: Callable[[], None]
    ) -> None:
        self.setup = setup
        self.transport = transport
        self.boards: dict[int, Simulation] = {}
        self._needs_window = needs_window
        self._engine: Any = None
        self._switched: dict[tuple[int, bool], int] = {}  # wires by link and direction
        self._kept: list[Any] = []  # what native code has pointers to
        self._raised: list[BaseException] = []
        self._after_reset: dict[int, dict[object, RegisterWrite]] = {}  # by board and place
        self._resets: dict[int, int] = {}
        self._stack = ExitStack()
        description = setup.description
        self.placed = distribution(description, transport.ranks)
        try:
            for number in self.placed[transport.rank]:
                self._open(description.board(number))
        except BaseException:
            self._stack.close()
            raise

    def _open(self, board: BoardDescription) -> None:
        built = library_of(board, assertions=self.setup.assertions)
        seed = (self.setup.seed + board.board) % (1 << 64)
        simulation = self._stack.enter_context(Simulation(built, seed=seed))
        number = board.board
        self._after_reset[number] = {write.place: write for write in board.registers}
        write_registers(simulation, board.registers)
        self._resets[number] = 0
        simulation.at_reset(lambda: self._restart(number))
        self.boards[number] = simulation

    def cycle(self) -> int:
        """The latest cycle of any board of this rank."""
        return max(simulation.cycle for simulation in self.boards.values())

    # ---- Start ----

    def start(self, cycle: int) -> None:
        """Advances all boards to a cycle, from which on they are in step, with all links up."""
        for simulation in self.boards.values():
            simulation.advance(cycle - simulation.cycle)
        description = self.setup.description
        rank_of = {board: rank for rank, boards in enumerate(self.placed) for board in boards}
        members = list(self.boards)
        peers: dict[int, int] = {}  # rank: number of the channel
        wires: list[dict[str, Any]] = []
        started: set[tuple[int, str]] = set()
        for number, link in enumerate(description.links):
            for reverse, (source, target) in enumerate((link.ends, link.ends[::-1])):
                here = [board in self.boards for board, _ in (source, target)]
                if not any(here):
                    continue
                end = source if here[0] else target
                simulation = self.boards[end[0]]
                port = link.port(end)
                beat_link = _beat_link(simulation, description.board(end[0]).name, port)
                if here[0] and (end[0], port) not in started:
                    started.add((end[0], port))
                    seed = link_seed(self.setup.seed, number, reverse=bool(reverse))
                    beat_link.configure(latency=link.latency_cycles, seed=seed)
                    beat_link.set_up(True)
                if here[1] and link.is_switched:
                    self._switched[number, bool(reverse)] = len(wires)
                channel = 0
                words = beat_link.record_words
                if not all(here):
                    peer = rank_of[target[0] if here[0] else source[0]]
                    channel = peers.setdefault(peer, len(peers))
                wires.append(
                    {
                        "from": members.index(source[0]) if here[0] else -1,
                        "from_link": self._number(link.port(source), source) if here[0] else 0,
                        "to": members.index(target[0]) if here[1] else -1,
                        "to_link": self._number(link.port(target), target) if here[1] else 0,
                        "words": words,
                        "channel": channel,
                        "frame_bytes": frame_bytes(beat_link.bits) if link.is_switched else 0,
                        "order": 2 * number + reverse,
                        "addresses": addresses(source, target),
                    }
                )
        self._open_engine(wires, peers, cycle)
        for number, reverse in self._switched:
            self.set_switch(number, reverse, {})

    def _number(self, port: str, end: tuple[int, int]) -> int:
        return int(_beat_link(self.boards[end[0]], str(end[0]), port).number)

    # ---- The switch of links by Ethernet ----

    def set_switch(self, link: int, reverse: bool, given: Mapping[str, float]) -> None:
        """What the switch does to frames of one direction of a link; nothing if it does not end at
        a board of this rank.
        """
        if (wire := self._switched.get((link, reverse))) is not None:
            seed = link_seed(self.setup.seed, link, reverse=reverse)
            options = FFI.new("bombus_switch_options *", {**given, "seed": seed})
            self._call("set_switch", wire, options)

    def set_switch_up(self, link: int, up: bool, cycle: int) -> None:
        """From this cycle on, the switch passes on frames of a link, or does not."""
        for reverse in (False, True):
            if (wire := self._switched.get((link, reverse))) is not None:
                self._call("set_switch_up", wire, up, cycle)

    def switch_statistics(self) -> dict[tuple[int, bool], SwitchStatistics]:
        """Of all directions of links that end at boards of this rank."""
        found = {}
        names = [field.name for field in fields(SwitchStatistics)]
        for key, wire in self._switched.items():
            of_wire = FFI.new("bombus_switch_statistics *")
            self._call("get_switch", wire, of_wire)
            found[key] = SwitchStatistics(**{name: getattr(of_wire, name) for name in names})
        return found

    def widths(self) -> dict[tuple[int, int], int]:
        """Bits of data in a beat of each link here that the description has."""
        found = {}
        for link in self.setup.description.links:
            for end in link.ends:
                if end[0] in self.boards:
                    board = self.setup.description.board(end[0])
                    bits = int(_beat_link(self.boards[end[0]], board.name, link.port(end)).bits)
                    found[end] = 8 * frame_bytes(bits) if link.is_switched else bits
        return found

    def _open_engine(
        self, wires: Sequence[Mapping[str, Any]], peers: Mapping[int, int], cycle: int
    ) -> None:
        description = self.setup.description
        native = [simulation.native for simulation in self.boards.values()]
        members = FFI.new("bombus_member[]", len(native))
        for member, (number, simulation) in zip(members, self.boards.items(), strict=True):
            name = FFI.new("char[]", description.board(number).name.encode())
            self._kept.append(name)
            member.name = name
            member.sim = FFI.cast("bombus_sim *", simulation.native.address())
            member.links = len(simulation.beat_links)
            for function in _MEMBER_FUNCTIONS:
                kind = FFI.typeof(member).fields
                of_field = dict(kind)[function].type
                pointer = FFI.cast(of_field, simulation.native.address(function))
                setattr(member, function, pointer)
        channels = FFI.new("bombus_channel[]", max(1, len(peers)))
        for peer, number in peers.items():
            channels[number].peer = peer
        exchange, context = self.transport.connect(
            channels, len(peers), channel_capacity(description, self.transport.ranks)
        )
        given = FFI.new("bombus_wire[]", [dict(wire) for wire in wires])
        reached = FFI.callback("bombus_horizon", self._reached, error=1, onerror=self._keep)
        self._kept += [members, channels, given, reached, exchange, context]
        self._engine = library().bombus_cluster_open(
            members,
            len(native),
            given,
            len(wires),
            channels,
            len(peers),
            exchange,
            context,
            reached,
            cycle,
            description.window,
        )
        if self._engine == FFI.NULL:
            raise SimulationError("out of memory", errno.ENOMEM)

    def _reached(self, _: Any) -> int:
        self._needs_window()
        return 0

    def _keep(self, _: object, error: BaseException, trace: Any) -> None:
        self._raised.append(error.with_traceback(trace))

    # ---- Time ----

    def window(self) -> None:
        """Runs all boards to the horizon, and exchanges beats with the other ranks."""
        self._call("window")

    def run(self, until: int) -> None:
        """Runs all boards to a cycle; other ranks must do the same meanwhile."""
        self._call("run", until)

    @property
    def horizon(self) -> int:
        """The first cycle that needs beats which are not exchanged yet."""
        return int(library().bombus_cluster_horizon(self._engine))

    def _call(self, function: str, *arguments: Any) -> None:
        status = getattr(library(), f"bombus_cluster_{function}")(self._engine, *arguments)
        for simulation in self.boards.values():
            simulation.native.raise_kept()
        if self._raised:
            raise self._raised.pop()
        if status < 0:
            reason = FFI.string(library().bombus_cluster_error(self._engine)).decode()
            raise self.transport.failed(SimulationError(reason, -status))

    # ---- Boards ----

    def call(self, board: int, path: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Calls a method of a board's `Simulation`, such as `beat_links.link0.set_up`."""
        found: Any = self.boards[board]
        for name in path.split("."):
            found = found[name] if isinstance(found, Mapping) else getattr(found, name)
        try:
            return found(*arguments, **named) if callable(found) else found
        except SimulationError:
            if self._raised:  # the call was ended because of this
                raise self._raised.pop() from None
            raise

    def rewrite(self, board: int, writes: Sequence[RegisterWrite]) -> None:
        """Writes registers of a board, now and after each reset."""
        self._after_reset[board] |= {write.place: write for write in writes}
        write_registers(self.boards[board], writes)

    def _restart(self, board: int) -> None:
        self._resets[board] += 1
        write_registers(self.boards[board], [*self._after_reset[board].values()])

    def resets(self, board: int) -> int:
        """How often a board has been reset."""
        return self._resets[board]

    def close(self) -> None:
        """Ends the simulations; SimulationError if a capture file is not complete."""
        if self._engine is not None:
            engine, self._engine = self._engine, None
            library().bombus_cluster_close(engine)
        self._stack.close()


def write_registers(simulation: Simulation, writes: Sequence[RegisterWrite]) -> None:
    """Writes registers by name."""
    for write in writes:
        block = simulation.registers.tiles[write.tile]
        if write.layer is not None:
            block = block[write.layer]
        register = block[write.register]
        (register if write.index is None else register[write.index]).write_value(write.value)


def _beat_link(simulation: Simulation, board: str, port: str) -> Any:
    found = simulation.beat_links.get(port)
    if found is None:
        known = ", ".join(simulation.beat_links) or "none"
        raise UserError(f"board {board} has no port {port}; its links: {known}")
    return found


def serve(transport: Transport, setup: Setup) -> None:
    """Serves the commands of rank 0 until it closes the simulation."""

    def needs_window() -> None:
        transport.send(0, ("window", None, 0))
        command = transport.receive(0)
        if command != ("window",):
            raise AssertionError(f"expected the command for a window, not {command}")
        rank.window()

    rank = Rank(setup, transport, needs_window)
    transport.send(0, ("done", None, rank.cycle()))
    while (command := transport.receive(0)) != ("close",):
        try:
            result = getattr(rank, command[0])(*command[1:])
        except (UserError, OSError, ValueError, TypeError, LookupError, AttributeError) as error:
            transport.send(0, ("error", error, rank.cycle()))
        else:
            transport.send(0, ("done", result, rank.cycle()))
    try:
        rank.close()
    except UserError as error:
        transport.send(0, ("error", error, 0))
    else:
        transport.send(0, ("done", None, 0))
