# SPDX-License-Identifier: Apache-2.0
"""Moves of the stack's end of a connection, between two engines, or an engine and Linux.

The peer is a model. It sends data all the time, and the application answers with the same bytes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv4Address

from _migration_row import Row, longest, middle

from bombus import Simulation
from bombus.applications.functions import tcp_repair
from bombus.applications.functions.sessions import Session, export, release, restore
from bombus.applications.functions.sessions.world import PEER, PEER_PORT, PORT, LinuxEcho, World
from bombus.base.paths import EXAMPLES
from bombus.live.linux_host import LinuxHost
from bombus.simulator.impairment import Impairment

DESIGN = EXAMPLES / "functions" / "tcp_echo_handover.yaml"
ALLOWED_US = 50.0  # for an export and an import, besides the time of the bytes on the line
SIZES = (64, 8000, 20_000)  # bytes of a request
LATEST_STEPS = 15  # of the world, between a request and the move: a round trip
STALE_STEPS = 10  # until no packet is on its way to the old stack
STEP_US = 2


@dataclass
class Moves:
    """Figures of the moves in one direction."""

    direction: str
    gaps_us: list[float] = field(default_factory=list)
    wall_us: list[float] = field(default_factory=list)
    linux_us: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    requests: int = 0

    def row(self, world: World, impairment: str) -> Row:
        line = world.sides[0].simulation.manifest["line_rate_gbps"] * 1e9
        return Row(
            direction=self.direction,
            impairment=impairment,
            migrations=len(self.gaps_us),
            requests=self.requests,
            resets=world.resets,
            bytes_lost=len(world.sent) - len(world.echoed),
            bytes_moved=middle(self.sizes),
            gap_us_stack=middle(self.gaps_us),
            gap_us_stack_longest=longest(self.gaps_us),
            gap_us_bound=middle([ALLOWED_US + 8e6 * size / line for size in self.sizes]),
            gap_us_wall=middle(self.wall_us),
            linux_us=middle(self.linux_us),
        )


class Clock:
    """Time of a move: that of the stacks that take part, and real time of Linux."""

    def __init__(self, moves: Moves) -> None:
        self._moves, self._began = moves, time.perf_counter()
        self.stack_us = self.linux_us = 0.0

    @contextmanager
    def stack(self, simulation: Simulation) -> Iterator[None]:
        before = simulation.time_ns
        yield
        self.stack_us += (simulation.time_ns - before) / 1000

    @contextmanager
    def linux(self, world: World) -> Iterator[None]:
        """Its time also passes in the stacks."""
        before = time.perf_counter()
        yield
        us = (time.perf_counter() - before) * 1e6
        self.linux_us += us
        for _ in range(round(us / STEP_US)):
            world.step(jumps=False)

    def stop(self, session: Session) -> None:
        self._moves.gaps_us.append(self.stack_us + self.linux_us)
        self._moves.linux_us.append(self.linux_us)
        self._moves.wall_us.append((time.perf_counter() - self._began) * 1e6)
        self._moves.sizes.append(len(session.unacknowledged) + len(session.received))


def _take(world: World, at: int, clock: Clock) -> Session:
    simulation = world.sides[at].simulation
    with clock.stack(simulation):
        return export(
            simulation.registers,
            simulation.manifest,
            world.carrier(at),
            own_port=PORT,
            peer=(str(IPv4Address(PEER.ip)), PEER_PORT),
        )


def _put(world: World, at: int, session: Session, clock: Clock) -> None:
    simulation = world.sides[at].simulation
    with clock.stack(simulation):
        restore(simulation.registers, simulation.manifest, world.carrier(at), session, replay=True)
    world.at = at


def _free(world: World, at: int) -> None:
    for _ in range(STALE_STEPS):
        world.step(jumps=False)
    simulation = world.sides[at].simulation
    release(simulation.registers, simulation.manifest)


def _request(world: World, moves: Moves) -> None:
    """A request, which has been answered, or is about to be, when the connection moves. Those
    before it are done: the peer retransmits what it has sent during a move after its timeout.
    """
    world.until(world.all_echoed)
    world.write(world.random.choice(SIZES))
    moves.requests += 1
    for _ in range(world.random.randrange(LATEST_STEPS)):
        world.step(jumps=False)


def between_engines(world: World, migrations: int) -> list[Moves]:
    moves = Moves("engine_to_engine")
    for n in range(migrations):
        _request(world, moves)
        old, new = n % 2, 1 - n % 2
        clock = Clock(moves)
        session = _take(world, old, clock)
        _put(world, new, session, clock)
        clock.stop(session)
        _free(world, old)
    return [moves]


def with_linux(world: World, migrations: int, linux: LinuxHost) -> list[Moves]:
    out, back = Moves("engine_to_linux"), Moves("linux_to_engine")
    world.linux = linux
    for _ in range(migrations):
        _request(world, out)
        with linux.inside():
            end = tcp_repair.prepare(linux.address, PORT)
        clock = Clock(out)
        session = _take(world, 0, clock)
        with clock.linux(world):
            state = session.repair_state()
            tcp_repair.restore(end, state)
            world.at = linux
            tcp_repair.resume(end, state)
        clock.stop(session)
        _free(world, 0)
        world.serve = echo = LinuxEcho(end)
        _request(world, back)
        world.until(echo.is_idle)
        world.serve = None
        clock = Clock(back)
        with tcp_repair.paused(end):
            with clock.linux(world):
                state = tcp_repair.dump(end)
            session = Session.of_linux(linux.address, state, peer_timestamp=world.peer_timestamp)
            _put(world, 0, session, clock)
            clock.stop(session)
    return [out, back]


def measure(
    migrations: int, impairment: str, seed: int, move: Callable[[World, int], list[Moves]]
) -> list[Row]:
    impaired = Impairment.parse(impairment, "--impair") if impairment else None
    with World(DESIGN, seed=seed) as world:
        world.connect()
        for side in world.sides:
            side.simulation.impair(impaired, impaired)
        found = move(world, migrations)
        world.until(world.all_echoed)
        for side in world.sides:
            side.simulation.check()
        return [each.row(world, impairment) for each in found]


def engine_rows(migrations: int, impairment: str, seed: int) -> list[Row]:
    return measure(migrations, impairment, seed, between_engines)


def linux_rows(migrations: int, impairment: str, seed: int) -> list[Row]:
    with ExitStack() as stack:
        linux = stack.enter_context(LinuxHost("stack0", "10.77.0.2"))
        return measure(
            migrations, impairment, seed, lambda world, count: with_linux(world, count, linux)
        )
