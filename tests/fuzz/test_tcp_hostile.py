# SPDX-License-Identifier: Apache-2.0
"""Who means harm to TCP: segments with changed fields on live connections, and floods of SYNs,
acknowledgements and resets with guessed numbers.

`BOMBUS_FUZZ_SEED` chooses others, `BOMBUS_TCP_SEGMENTS` how many changed ones the sweep has in
all (1,000,000), `BOMBUS_TCP_FLOOD` how many a flood of the sweep has (100,000).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from support.tcp_stations import STEP_US, Stations
from support.tcp_wire import FLAGS, WORD, Wire

from bombus.golden.frames import Station
from bombus.golden.tcp import State
from bombus.simulator.build import build
from bombus.simulator.simulation import Simulation

DESIGN = Path(__file__).parents[2] / "designs" / "tcp_echo.yaml"
SEED = os.environ.get("BOMBUS_FUZZ_SEED", "1")
SEGMENTS = {"sample": 3_000, "sweep": int(os.environ.get("BOMBUS_TCP_SEGMENTS", "1000000"))}
FLOOD = {"sample": 2_000, "sweep": int(os.environ.get("BOMBUS_TCP_FLOOD", "100000"))}
SIZES = ["sample", pytest.param("sweep", marks=pytest.mark.sweep)]
PARTS = 5
SESSIONS = 16
MAX_HALF_OPEN = SESSIONS // 2
PORT = 7
BYSTANDERS = (2001, 2002, 2003)
# Changed segments per two microseconds of a transfer, at most, and segments of a flood.
CHANGED_RATE = 48
FLOOD_RATE = 20
PIECE = 10_000  # bytes that a connection has in flight
BYTES = 200_000  # bytes that a connection sends while time is measured


class World:
    """A design, its peers, and the hostile traffic sent."""

    def __init__(self, simulation: Simulation, seed: str) -> None:
        self.simulation = simulation
        self.random = Random(seed)
        self.stations = Stations(simulation)
        self.injected = 0
        self._hostile = False

    def inject(self, wire: Wire, source: Station | None = None) -> None:
        self.injected += 1
        self.simulation.send(wire.frame(source or self.stations.station, self.stations.host))

    def events(self) -> dict[str, int]:
        """The engine's counters."""
        counters = self.simulation.tile("tcp").counters()
        return {name.split(".tcp.")[-1]: value for name, value in counters.items()}

    def states(self) -> list[int]:
        registers = self.simulation.tile("tcp").registers.tcp
        found = []
        for session in range(SESSIONS):
            registers.session.index = session
            found.append(registers.state.read()["state"])
        return found

    def echo(self, ports: tuple[int, ...], count: int, each_step: Callable[[], None]) -> int:
        """Echoes bytes on open connections and compares them; returns the time taken."""
        start = self.simulation.time_us
        data = self.random.randbytes(count)
        left = dict.fromkeys(ports, 0)  # what has been sent
        back = {port: bytearray() for port in ports}

        def done() -> bool:
            for port in ports:
                endpoint = self.stations.endpoints[port]
                back[port] += endpoint.read()
                if left[port] - len(back[port]) < PIECE and left[port] < count:
                    endpoint.send(data[left[port] : left[port] + PIECE])
                    left[port] = min(left[port] + PIECE, count)
            self.stations.flush()
            each_step()
            return all(len(got) == count for got in back.values())

        self.stations.run(done)
        assert all(got == data for got in back.values())
        return self.simulation.time_us - start

    def finish(self, *ghosts: int) -> None:
        """All connections end, and then as many can be opened as there are sessions."""
        stations = self.stations
        for endpoint in stations.endpoints.values():
            endpoint.abort()
        stations.flush()
        left = set(ghosts) | set(stations.endpoints)
        stations.endpoints.clear()
        for _ in range(20):
            left -= stations.refused
            self.ask(left)
        assert not left, "the design still has connections that have ended"
        assert not any(self.states())
        for first in (50_000, 60_000):
            opened = stations.connect(*range(first, first + MAX_HALF_OPEN))
            assert len(opened) == MAX_HALF_OPEN
        assert all(self.states())
        self.echo(tuple(stations.endpoints), 100, lambda: None)
        self.simulation.check()

    def ask(self, ports: set[int]) -> None:
        """Probes connections that peers have given up: the peer refuses the answer; without a
        session, there is a reset. Waits out the rate limit of challenge ACKs (RFC 5961, 7).
        """
        self.stations.simulation.elapse(us=140_000)
        for port in ports:
            wire = Wire(port, PORT, self.random.getrandbits(32), flags=frozenset({"ACK"}))
            self.simulation.send(wire.frame(self.stations.station, self.stations.host))
        for _ in range(10):
            self.stations.step()


@contextmanager
def world(seed: str, design: Path = DESIGN) -> Iterator[World]:
    library = build(design, assertions=True)
    with Simulation(library, timer_step_us=1000) as simulation:
        yield World(simulation, f"{SEED} {seed}")


# ---- Changed segments ----


def changed(random: Random, wire: Wire) -> Wire:
    """A segment of a connection with some wrong fields."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        near = random.choice((-100_000, -70_000, -1460, -1, 0, 1, 100, 1460, 60_000, 70_000, 2**31))
        match random.randrange(10):
            case 0:
                wire = replace(wire, seq=random.getrandbits(32))
            case 1:
                wire = replace(wire, seq=(wire.seq + near) % WORD)
            case 2:
                wire = replace(wire, ack=random.getrandbits(32))
            case 3:
                wire = replace(wire, ack=(wire.ack + near) % WORD)
            case 4:
                flags = frozenset(flag for flag in FLAGS if random.random() < 0.4)
                wire = replace(wire, flags=flags)
            case 5:
                wire = replace(wire, window=random.choice((0, 1, 100, random.getrandbits(16))))
            case 6:
                wire = replace(wire, payload=random.randbytes(random.randrange(1461)))
            case 7:
                wire = replace(wire, options=random.randbytes(4 * random.randrange(11)))
            case 8:
                wire = replace(wire, checksum=random.getrandbits(16))
            case 9:
                wire = replace(wire, offset=random.randrange(16), urgent=random.getrandbits(16))
    return wire


class Victim:
    """A connection whose segments are also sent mutated: it may break, and then another one
    opens.
    """

    def __init__(self, world: World, ports: Iterator[int], ghosts: set[int]) -> None:
        self._world = world
        self._ports = ports
        self._ghosts = ghosts  # ports that the design may still have a session for
        self._open()

    def _open(self) -> None:
        self.port = next(self._ports)
        self._age = 0
        self._world.stations.misled.add(self.port)
        self.endpoint = self._world.stations.open(self.port, self._world.random.getrandbits(32))

    def step(self) -> None:
        self._age += 1
        if self._age > 40 and self.endpoint.state is not State.CLOSED:
            self.endpoint.abort()
            self._world.stations.flush()
        if self.endpoint.state is State.CLOSED:
            del self._world.stations.endpoints[self.port]
            self._ghosts.add(self.port)
            self._open()
        elif self.endpoint.state is State.ESTABLISHED:
            self.endpoint.send(bytes(self._world.random.randrange(2000)))
            self.endpoint.read()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("part", range(PARTS))
def test_changed_segments_harm_nobody_else(part: int, size: str) -> None:
    """Mutated segments of a connection do not affect the others."""
    wanted = SEGMENTS[size] // PARTS
    with world(f"changed {part}") as here:
        here.stations.connect(*BYSTANDERS)
        ports = iter(range(10_000, 49_000))
        ghosts: set[int] = set()
        victims = [Victim(here, ports, ghosts) for _ in range(3)]
        seen: list[Wire] = []

        def harm() -> None:
            for victim in victims:
                victim.step()
            here.stations.flush()
            names = {victim.port for victim in victims}
            seen.extend(wire for wire in here.stations.sent if wire.source in names)
            del seen[:-50]
            count = here.random.randrange(CHANGED_RATE + 1) if seen else 0
            for _ in range(min(count, wanted - here.injected)):
                here.inject(changed(here.random, here.random.choice(seen)))

        while here.injected < wanted:
            here.echo(BYSTANDERS, 5_000, harm)
            ghosts -= here.stations.refused
            here.ask(ghosts)
        events = here.events()
        assert events["bad_checksum"] and events["unacceptable"] and events["refused"]
        here.finish(*ghosts)


# ---- Floods ----


class Flood:
    """Segments of one kind with guessed numbers, for existing connections and for none."""

    def __init__(self, world: World, flags: str) -> None:
        self._world = world
        self._flags = frozenset(flags.split(","))
        self.strangers = 0  # those of no connection

    def one(self) -> None:
        random = self._world.random
        numbers = (random.getrandbits(32), random.getrandbits(32))
        source = self._world.stations.station
        port = random.choice((*BYSTANDERS, random.randrange(1024, 65536)))
        if self._flags == {"SYN"}:  # from a host behind the gateway that never answers
            port = random.randrange(1024, 65536)
            ip = bytes((203, 0, random.randrange(256), random.randrange(1, 255)))
            source = replace(source, ip=ip)
        self.strangers += self._flags == {"SYN"} or port not in BYSTANDERS
        self._world.inject(Wire(port, PORT, *numbers, flags=self._flags), source)

    def some(self, most: int) -> None:
        """A step's worth."""
        for _ in range(min(FLOOD_RATE, most - self._world.injected)):
            self.one()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("flags", ["SYN", "ACK", "RST", "RST,ACK", "SYN,ACK", "FIN,ACK"])
def test_flood_slows_nobody_down(flags: str, size: str) -> None:
    """Connections keep nine tenths of their rate, and the whole flood is counted."""
    with world(f"flood {flags}") as here:
        here.stations.connect(*BYSTANDERS)
        quiet_us = here.echo(BYSTANDERS, BYTES, lambda: None)
        flood = Flood(here, flags)
        before = here.events()
        most_sessions = 0
        overflow = "drop.mac_rx.overflow"
        while here.injected < FLOOD[size]:
            flooded_us = here.echo(BYSTANDERS, BYTES, lambda: flood.some(FLOOD[size]))
            assert 0.9 * flooded_us <= quiet_us + STEP_US
            most_sessions = max(most_sessions, sum(state > 0 for state in here.states()))
        here.simulation.advance_until_idle()
        events = here.events()
        new = {name: value - before.get(name, 0) for name, value in events.items()}
        assert not here.simulation.tile("receive").counters()[overflow]
        assert not new["timeout"]
        if flags == "SYN":
            assert most_sessions == len(BYSTANDERS) + MAX_HALF_OPEN
            assert new["no_session"] == here.injected - MAX_HALF_OPEN
            here.simulation.elapse(seconds=70)
        else:
            assert most_sessions == len(BYSTANDERS)
            answered = "RST" not in flags
            assert new["refused"] + new["resets_busy"] == answered * flood.strangers
            known = here.injected - flood.strangers
            # Those without a timestamp are stale (RFC 7323, 3.2).
            assert 0.98 * known <= new["unacceptable"] + new["stale"] <= known
        here.finish()


@pytest.mark.sweep
@pytest.mark.parametrize("half_open_us", [0, 20])
def test_new_clients_get_in_during_a_flood(half_open_us: int, tmp_path: Path) -> None:
    """New clients get in if incomplete handshakes are evicted; otherwise there is no room."""
    design = tmp_path / "tcp_echo.yaml"
    text, tcp = DESIGN.read_text(), "{name: tcp, kind: tcp, "
    assert tcp in text
    design.write_text(text.replace(tcp, f"{tcp}half_open_us: {half_open_us}, "))
    with world(f"clients {half_open_us}", design) as here:
        stations = here.stations
        stations.connect(*BYSTANDERS)
        flood = Flood(here, "SYN")
        for _ in range(100):
            flood.one()
            stations.step()
        came_in = 0
        for port in range(3000, 3020):
            client = stations.open(port, 1_000_003 * port)
            end = here.simulation.time_us + 100
            while here.simulation.time_us < end and client.state is not State.ESTABLISHED:
                for _ in range(random_burst(here.random)):
                    flood.one()
                stations.step()
            came_in += client.state is State.ESTABLISHED
            client.abort()
            stations.flush()
            stations.step()
            del stations.endpoints[port]
        assert came_in >= 18 if half_open_us else not came_in
        assert bool(here.events()["evicted"]) == bool(half_open_us)
        here.echo(BYSTANDERS, 10_000, lambda: None)
        here.simulation.elapse(seconds=70)
        here.finish()


def random_burst(random: Random) -> int:
    """SYNs in two microseconds: 250,000 a second."""
    return random.choice([0, 0, 0, 2])
