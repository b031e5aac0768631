# SPDX-License-Identifier: Apache-2.0
"""Who means harm to TCP: segments with changed fields on live connections, and floods of SYNs,
acknowledgements and resets with guessed numbers.

`BOMBUS_FUZZ_SEED` chooses others, `BOMBUS_TCP_SEGMENTS` how many changed ones the sweep has in
all (1,000,000), `BOMBUS_TCP_FLOOD` how many a flood of the sweep has (100,000).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from random import Random

import pytest

from bombus.protocols.frames import PROTOCOL_TCP, ip_frame, padded
from bombus.protocols.tcp.model import State
from bombus.protocols.tcp.segment import distance
from bombus.simulator.simulation import Simulation
from tests.protocols.tcp.tcp_hostile import (
    HANDSHAKE_S,
    MAX_HALF_OPEN,
    PORT,
    Session,
    World,
    changed,
    cut,
    echo_server,
    wrong_checksum,
)
from tests.protocols.tcp.tcp_states import ESTABLISHED
from tests.protocols.tcp.tcp_stations import STEP_US
from tests.protocols.tcp.tcp_wire import HEADER_BYTES, TIMESTAMPS, WORD, Wire

pytestmark = pytest.mark.slow

SEED = os.environ.get("BOMBUS_FUZZ_SEED", "1")
SEGMENTS = {"sample": 3_000, "sweep": int(os.environ.get("BOMBUS_TCP_SEGMENTS", "1000000"))}
FLOOD = {"sample": 2_000, "sweep": int(os.environ.get("BOMBUS_TCP_FLOOD", "100000"))}
SIZES = ["sample", pytest.param("sweep", marks=pytest.mark.sweep)]
PARTS = 5
BYSTANDERS = (2001, 2002, 2003)
STEADY = 2004  # gets segments that must be ignored
RECEIVE_BYTES = 65_536  # buffer of a session
RETRY_US = 600_000  # for timeouts and probes of a closed window
# Changed segments per two microseconds of a transfer, at most, and segments of a flood.
CHANGED_RATE = 48
FLOOD_RATE = 20
BYTES = 200_000  # bytes that a connection sends while time is measured


@contextmanager
def world(seed: str, **parameters: int) -> Iterator[World]:
    with Simulation(echo_server(**parameters), timer_step_us=1000) as simulation:
        yield World(simulation, f"{SEED} {seed}")


# ---- Changed segments ----


class Steady:
    """A connection that also gets segments that must all be ignored."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._ends = (world.stations.station.ip, world.stations.host.ip)
        self._sent: deque[Wire] = deque(maxlen=50)
        self._nxt = 0  # SND.NXT

    def step(self) -> None:
        assert self._world.stations.endpoints[STEADY].state is State.ESTABLISHED
        new = [wire for wire in self._world.stations.sent if wire.source == STEADY]
        for wire in new:
            if not self._sent or distance(wire.end, self._nxt) > 0:
                self._nxt = wire.end
            self._sent.append(wire)

    def harm(self) -> bytes | None:
        """A frame with a segment that must be ignored; None if nothing has been sent yet."""
        world, random = self._world, self._world.random
        if not self._sent:
            return None
        wire = random.choice(self._sent)
        una = self._nxt - world.stations.endpoints[STEADY].unacknowledged
        far = random.choice((0, 1, 100, 1460, 70_000, random.randrange(1 << 30)))
        match random.randrange(5):
            case 0:  # RFC 9293, 3.1, as are the next two
                wire = wrong_checksum(random, changed(random, wire), *self._ends)
            case 1:
                words = (HEADER_BYTES + len(wire.options) + len(wire.payload)) // 4
                wire = wire.but(offset=random.choice((*range(5), *range(words + 1, 16))))
            case 2:
                body = cut(random, wire, *self._ends)
                return padded(
                    ip_frame(world.stations.station, world.stations.host, PROTOCOL_TCP, body)
                )
            case 3:  # RFC 5961, 3.2: not the next number. In the window it has an answer.
                seq = random.choice((una - 1 - far, self._nxt + 1 + far))
                flags = random.choice((frozenset({"RST"}), frozenset({"RST", "ACK"})))
                wire = wire.but(seq=seq % WORD, flags=flags, payload=b"")
            case 4:  # RFC 9293, 3.10.7.4: outside of the window
                payload = random.randbytes(random.randrange(1449))
                seq = random.choice((una - len(payload) - 1 - far, self._nxt + RECEIVE_BYTES + far))
                flags = frozenset({"ACK", random.choice(("ACK", "PSH", "FIN", "SYN"))})
                wire = wire.but(seq=seq % WORD, flags=flags, payload=payload)
        return wire.frame(world.stations.station, world.stations.host)


class Victim:
    """A connection whose segments are also sent mutated. It may break, and then another opens.
    With `survives`, only duplicates with a smaller window are sent, which it must survive.
    """

    def __init__(self, world: World, ports: Iterator[int], *, survives: bool = False) -> None:
        self._world = world
        self.port = next(ports)
        self.survives = survives
        self._left = world.random.choice((1, 5) if survives else (1, 5, 40))  # steps with harm
        self.stamped = False  # it may have got a timestamp from the future (RFC 7323, 5.3)
        self._sent: deque[Wire] = deque(maxlen=50)
        self._received = bytearray()
        self._mark = b""
        world.stations.misled.add(self.port)
        self._iss = world.random.getrandbits(32)
        self.endpoint = world.stations.open(self.port, self._iss)

    def step(self) -> None:
        self._left -= 1
        self._hear()
        if self.endpoint.state is State.ESTABLISHED:
            self.endpoint.send(bytes(self._world.random.randrange(2000)))
            self.endpoint.read()

    def _hear(self) -> None:
        self._sent.extend(w for w in self._world.stations.sent if w.source == self.port)

    @property
    def is_over(self) -> bool:
        return self._left < 0 or self.endpoint.state is State.CLOSED

    def harm(self) -> bytes | None:
        """A frame with a mutated segment."""
        world = self._world
        if not self._sent or self.is_over:
            return None
        old = world.random.choice(self._sent)
        if self.survives:
            wire = old.but(window=world.random.randrange(old.window + 1))
        else:
            wire = changed(world.random, old)
        self.stamped |= wire.options != old.options and bytes((TIMESTAMPS, 10)) in wire.options
        return wire.frame(world.stations.station, world.stations.host)

    def mark(self) -> None:
        """Sends bytes that must come back if the connection is still good."""
        self._mark = self._world.random.randbytes(100)
        self._received.clear()
        if self.endpoint.state is State.ESTABLISHED:
            self.endpoint.send(self._mark)

    def exchanges(self) -> bool:
        """Whether they have come back, after a step."""
        self._hear()
        self._received += self.endpoint.read()
        return self._mark in self._received

    def agrees(self, sessions: Mapping[int, Session]) -> bool:
        """Whether the engine has taken no false SYN, byte, acknowledgement or end."""
        if self.survives:
            return True
        session, other = sessions.get(self.port), sessions[BYSTANDERS[0]]
        if session is None or session.state != ESTABLISHED or self.stamped:
            return False
        if self.endpoint.state is not State.ESTABLISHED or session.options != other.options:
            return False
        begun = distance(session.rcv_nxt, self._iss) > 0
        ahead = all(distance(session.rcv_nxt, wire.end) > 0 for wire in self._sent)
        rcv_nxt = self._sent[-1].ack
        between = distance(session.una, rcv_nxt) <= 0 <= distance(session.max, rcv_nxt)
        return begun and not ahead and between


class Victims:
    """Three of them at a time, and what becomes of them."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._ports = iter(range(10_000, 49_000))
        self._now = [Victim(world, self._ports, survives=n == 0) for n in range(3)]
        self.spared = self.survived = self.broken = 0  # spared: those that had to survive

    def step(self) -> None:
        for victim in self._now:
            victim.step()

    def harm(self) -> bytes | None:
        return self._world.random.choice(self._now).harm()

    def judge(self) -> None:
        """Those that are old enough exchange bytes, or end at both ends."""
        here, stations = self._world, self._world.stations
        old = [v for v in self._now if v.is_over]
        if not old:
            return
        good = self._mark(old, 50 * STEP_US)
        for _ in range(5):  # false bytes in place of the first marks, or a window closed by harm
            sessions = here.sessions()
            left = [v for v in old if v not in good and v.agrees(sessions)]
            if not left:
                break
            good += self._mark(left, RETRY_US)
        sessions = here.sessions()
        stuck = [v.port for v in old if v not in good and v.agrees(sessions)]
        assert not stuck, f"nothing is exchanged: {stuck}"
        assert all(sessions[v.port].state == ESTABLISHED for v in good)
        for victim in old:
            victim.endpoint.abort()
        stations.flush()
        for _ in range(5):
            stations.step()
        sessions = here.sessions()
        assert not any(v.port in sessions for v in good), "a reset has not ended a connection"
        self._end({v.port for v in old}, sessions)
        spared = sum(v.survives for v in good)
        self.spared += spared
        self.survived += len(good) - spared
        self.broken += len(old) - len(good)
        self._now = [
            Victim(here, self._ports, survives=v.survives) if v in old else v for v in self._now
        ]

    def _mark(self, which: list[Victim], us: int) -> list[Victim]:
        """Those of some connections that exchange bytes within a time."""
        stations = self._world.stations
        for victim in which:
            victim.mark()
        stations.flush()
        end = self._world.simulation.time_us + us
        good: list[Victim] = []
        while len(good) < len(which) and self._world.simulation.time_us < end:
            stations.step()
            good += [v for v in which if v not in good and v.exchanges()]
        return good

    def _end(self, ports: set[int], sessions: Collection[int]) -> None:
        """The engine keeps no session of connections that have ended at the other end."""
        for port in ports:
            del self._world.stations.endpoints[port]
        for _ in range(5):
            if ports.isdisjoint(sessions):
                return
            self._world.ask(ports)
            sessions = self._world.sessions()
        self._world.outlast_guesses()
        if ports.isdisjoint(self._world.sessions()):
            return
        raise AssertionError(f"sessions of ended connections are left: {ports}")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("part", range(PARTS))
def test_changed_segments_harm_nobody_else(part: int, size: str) -> None:
    """Mutated segments of a connection do not affect the others, and those that must be ignored not
    even their own. A connection that gets others survives, or ends at both ends.
    """
    wanted = SEGMENTS[size] // PARTS
    with world(f"changed {part}") as here:
        here.stations.connect(*BYSTANDERS, STEADY)
        steady, victims = Steady(here), Victims(here)

        def harm() -> None:
            steady.step()
            victims.step()
            here.stations.flush()
            count = here.random.randrange(CHANGED_RATE + 1)
            for _ in range(min(count, wanted - here.injected)):
                frame = here.random.choice((steady, victims, victims)).harm() or steady.harm()
                if frame is not None:
                    here.inject_frame(frame)

        while here.injected < wanted:
            here.echo((*BYSTANDERS, STEADY), 5_000, harm)
            victims.judge()
        events = here.events()
        for reason in ("bad_checksum", "bad_offset", "truncated", "unacceptable"):
            assert events[reason], reason
        assert victims.spared
        if size == "sweep":  # a sample has few others
            assert victims.survived and victims.broken and events["refused"]
        here.finish()


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
            # Times are multiples of STEP_US, 2.8% of the 72 us without a flood: no slack is needed.
            assert 0.9 * flooded_us <= quiet_us
            most_sessions = max(most_sessions, sum(state > 0 for state in here.states()))
        here.simulation.advance_until_idle()
        events = here.events()
        new = {name: value - before.get(name, 0) for name, value in events.items()}
        assert not here.simulation.tile("receive").counters()[overflow]
        assert not new["timeout"]
        if flags == "SYN":
            assert most_sessions == len(BYSTANDERS) + MAX_HALF_OPEN
            assert new["no_session"] == here.injected - MAX_HALF_OPEN
            here.simulation.elapse(seconds=HANDSHAKE_S)
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
def test_new_clients_get_in_during_a_flood(half_open_us: int) -> None:
    """New clients get in if incomplete handshakes are evicted; otherwise there is no room."""
    with world(f"clients {half_open_us}", half_open_us=half_open_us) as here:
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
