# SPDX-License-Identifier: Apache-2.0
"""Independent TCP endpoints (`bombus.golden.tcp`) as stations on the wire of a simulated design."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from bombus.golden.frames import PROTOCOL_TCP, Host, Station, pseudo_header, transport_checksum
from bombus.golden.tcp import Endpoint, State
from bombus.golden.tcp_segment import Segment
from bombus.measure.exchanges import introduce, neighbour
from bombus.simulator.simulation import Simulation
from support.tcp_wire import (
    FLAGS,
    HEADER_BYTES,
    MSS,
    NOP,
    SACK,
    SACK_PERMITTED,
    SCALE,
    TIMESTAMPS,
    WORD,
    Wire,
    decode,
    parse,
    resolution,
)

STEP_US = 2  # while something is in flight
LONG_STEP_US = 1000  # while all wait for timers
PORT = 7  # of the echo server
SESSIONS = 16
MAX_HALF_OPEN = SESSIONS // 2
PIECE = 10_000  # bytes that a connection has in flight


def to_wire(segment: Segment, port: int, to: int) -> Wire:
    """A segment of an endpoint in wire format, with options laid out as by Linux."""
    options = b""
    if segment.mss is not None:
        options += struct.pack("!BBH", MSS, 4, segment.mss)
    lead = bytes((SACK_PERMITTED, 2)) if segment.sack_permitted else bytes((NOP, NOP))
    if segment.timestamps:
        options += lead + struct.pack("!BBII", TIMESTAMPS, 10, *segment.timestamps)
    elif segment.sack_permitted:
        options += bytes((NOP, NOP)) + lead
    if segment.scale is not None:
        options += struct.pack("!BBBB", NOP, SCALE, 3, segment.scale)
    if segment.sacks:
        options += bytes((NOP, NOP, SACK, 2 + 8 * len(segment.sacks)))
        options += b"".join(struct.pack("!II", *edges) for edges in segment.sacks)
    return Wire(
        *(port, to, segment.seq, segment.ack),
        frozenset(flag.upper() for flag in segment.flags),
        segment.window,
        segment.payload,
        options,
    )


def from_wire(wire: Wire) -> Segment:
    options = parse(wire.options)
    return Segment(
        *(wire.seq, wire.ack, frozenset(flag.lower() for flag in wire.flags)),
        *(wire.window, wire.payload, options.mss, options.scale, options.sack_permitted),
        options.timestamps,
        tuple(options.sacks),
    )


class Stations:
    """Endpoints by port, all at the address of one neighbour, with port `to` of the design."""

    def __init__(self, simulation: Simulation, to: int = 7, *, tolerant: bool = False) -> None:
        self.simulation = simulation
        self.host = Host.from_manifest(simulation.manifest)
        self.station = neighbour(simulation.manifest)
        introduce(simulation, self.station)
        self.to = to
        self.endpoints: dict[int, Endpoint] = {}
        self.sent: list[Wire] = []  # in the last step
        self.misled: set[int] = set()  # ports whose endpoints may get false information
        self.refused: set[int] = set()  # ports without an endpoint that received a reset
        self._tolerant = tolerant  # frames with bit errors are possible

    def open(self, port: int, iss: int, **options: Any) -> Endpoint:
        """The SYN of a connection."""
        endpoint = Endpoint(iss, now=self.simulation.time_us, **options)
        self.endpoints[port] = endpoint
        endpoint.connect()
        self.flush()
        return endpoint

    def flush(self) -> None:
        """Sends everything that endpoints have to send."""
        for port, endpoint in self.endpoints.items():
            for segment in endpoint.take():
                wire = to_wire(segment, port, self.to)
                self.sent.append(wire)
                self.simulation.send(wire.frame(self.station, self.host))

    def _decode(self, data: bytes) -> Wire | None:
        if not self._tolerant:
            return decode(data)
        try:
            return decode(data)
        except (AssertionError, struct.error):
            return None  # a bit error

    def step(self) -> None:
        """Advances by a short step, or a longer one if nothing is in flight."""
        self.sent.clear()
        us = STEP_US if self.simulation.in_flight else self._pause()
        self.simulation.elapse(us=us)
        now = self.simulation.time_us
        while (frame := self.simulation.receive(timeout_cycles=0)) is not None:
            wire = self._decode(frame.data)
            if wire is None:
                if answer := resolution(frame.data, self.station, self.host):
                    self.simulation.send(answer)
                continue
            endpoint = self.endpoints.get(wire.destination)
            if endpoint is None:
                self._refuse(wire)
                continue
            endpoint.now = now
            try:
                endpoint.receive(from_wire(wire))
            except AssertionError:
                if wire.destination not in self.misled:
                    raise
                endpoint.abort()
        for endpoint in self.endpoints.values():
            endpoint.tick(now)
        self.flush()

    def _refuse(self, wire: Wire) -> None:
        """Answers a segment without an endpoint (RFC 9293, 3.10.7.1)."""
        if "RST" in wire.flags:
            self.refused.add(wire.destination)
            return
        reset = Wire(wire.destination, wire.source, wire.ack, flags=frozenset({"RST"}))
        self.simulation.send(reset.frame(self.station, self.host))

    def _pause(self) -> int:
        deadlines = [e.deadline for e in self.endpoints.values() if e.deadline is not None]
        left = min(deadlines, default=LONG_STEP_US) - self.simulation.time_us
        return max(STEP_US, min(left, LONG_STEP_US)) if deadlines else LONG_STEP_US

    def run(self, until: Callable[[], bool], limit_us: int = 60_000_000) -> None:
        """Steps until a condition holds."""
        end = self.simulation.time_us + limit_us
        while not until():
            assert self.simulation.time_us < end, f"not done after {limit_us} us"
            self.step()

    def connect(self, *ports: int, **options: Any) -> list[Endpoint]:
        """Opens connections."""
        opened = [self.open(port, 1_000_003 * port, **options) for port in ports]
        self.run(lambda: all(each.state is State.ESTABLISHED for each in opened))
        return opened


# ---- Hostile traffic to an echo server ----


@dataclass(frozen=True)
class Session:
    """A session in use, as the registers show it (docs/registers.md)."""

    state: int
    options: int  # window scaling, timestamps, SACK, MSS
    una: int
    max: int
    rcv_nxt: int


class World:
    """A design, its peers, and the hostile traffic sent."""

    def __init__(self, simulation: Simulation, seed: str) -> None:
        self.simulation = simulation
        self.random = Random(seed)
        self.stations = Stations(simulation)
        self.injected = 0
        self._hostile = False

    def inject(self, wire: Wire, source: Station | None = None) -> None:
        self.inject_frame(wire.frame(source or self.stations.station, self.stations.host))

    def inject_frame(self, frame: bytes) -> None:
        self.injected += 1
        self.simulation.send(frame)

    def events(self) -> dict[str, int]:
        """The engine's counters."""
        counters = self.simulation.tile("tcp").counters()
        return {name.split(".tcp.")[-1]: value for name, value in counters.items()}

    def states(self) -> list[int]:
        return [word(0) & 15 for word in self._state_words()]

    def sessions(self) -> dict[int, Session]:
        """Sessions in use, by the peer's port."""
        found = {}
        for word in self._state_words():
            first = word(0)
            if state := first & 15:
                numbers = {"una": word(1), "max": word(3), "rcv_nxt": word(6)}
                found[word(11) & 0xFFFF] = Session(state, first >> 13, **numbers)
        return found

    def _state_words(self) -> Iterator[Callable[[int], int]]:
        """Functions that read one word of a session's state: all 16 would take long."""
        registers = self.simulation.tile("tcp").registers.tcp
        first = registers.state.where()
        for session in range(SESSIONS):
            registers.session.index = session
            yield lambda n: self.simulation.read_register(first + 4 * n)

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
            # Without a timestamp, it may be dropped without an answer (RFC 7323, 3.2).
            stamps = bytes((NOP, NOP, TIMESTAMPS, 10)) + self.random.randbytes(8)
            wire = Wire(port, PORT, self.random.getrandbits(32), flags=frozenset({"ACK"}))
            wire = wire.but(options=stamps)
            self.simulation.send(wire.frame(self.stations.station, self.stations.host))
        for _ in range(10):
            self.stations.step()


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


def wrong_checksum(random: Random, wire: Wire, *ends: bytes) -> Wire:
    right = int.from_bytes(wire.but(checksum=None).body(*ends)[16:18])
    return wire.but(checksum=(right + random.randrange(1, 0xFFFF)) % 0xFFFF)


def cut(random: Random, wire: Wire, source: bytes, destination: bytes) -> bytes:
    """Less than a header, whose checksum is right nevertheless."""
    body = wire.body(source, destination)[: random.randrange(6, HEADER_BYTES)]
    body = body[:4] + bytes(2) + body[6:]
    pseudo = pseudo_header(source, destination, PROTOCOL_TCP, len(body))
    return body[:4] + transport_checksum(pseudo + body).to_bytes(2) + body[6:]
