# SPDX-License-Identifier: Apache-2.0
"""Hostile traffic to a TCP echo server: mutated segments of connections, and the registers that
show what the engine makes of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from bombus.protocols.frames import PROTOCOL_TCP, Station, pseudo_header, transport_checksum
from bombus.simulator.build import Library, build
from bombus.simulator.simulation import Simulation
from tests import ROOT
from tests.protocols.tcp.tcp_states import SYN_RECEIVED
from tests.protocols.tcp.tcp_stations import Stations
from tests.protocols.tcp.tcp_wire import FLAGS, HEADER_BYTES, NOP, TIMESTAMPS, WORD, Wire

PORT = 7  # of the echo server
SESSIONS = 16
MAX_HALF_OPEN = SESSIONS // 2
HANDSHAKE_S = 8  # two retransmissions of a SYN,ACK, and a little
PIECE = 10_000  # bytes that a connection has in flight


# Its echo server lets one peer take all sessions; tests of its controller build it, too.
DESIGN = ROOT / "docs" / "examples" / "control" / "control_tcp.yaml"


def echo_server(**parameters: int) -> Library:
    """With these further parameters of the engine."""
    text, tcp = DESIGN.read_text(), "{name: tcp, kind: tcp, max_per_peer: 16, "
    assert tcp in text
    text = text.replace(tcp, tcp + "".join(f"{name}: {n}, " for name, n in parameters.items()))
    with TemporaryDirectory() as folder:
        design = Path(folder) / DESIGN.name
        design.write_text(text)
        return build(design, assertions=True)


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

    def finish(self) -> None:
        """All connections end, and then as many can be opened as there are sessions."""
        stations = self.stations
        for endpoint in stations.endpoints.values():
            endpoint.abort()
        stations.flush()
        left = set(stations.endpoints)
        stations.endpoints.clear()
        for attempt in range(20):
            if attempt == 5:
                self.outlast_guesses()
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

    def outlast_guesses(self) -> None:
        """Ends handshakes with a wrong acknowledgement: no RST does, only their timeouts."""
        if SYN_RECEIVED in self.states():
            assert self.events()["guessed"]
            self.simulation.elapse(seconds=HANDSHAKE_S)

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
