# SPDX-License-Identifier: Apache-2.0
"""Two designs on one link, and the kernels at its ends: on TCP, UDP, plain Ethernet, and on a link
without packets.

An end has a kernel outside, on raised streams, and another that echoes. Cycles are those of its
design.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Protocol

import bombus
from bombus import Simulation
from bombus.base.errors import UserError
from bombus.base.paths import BENCHMARKS
from bombus.protocols.frames import ETHERNET_BYTES, IPV4_BYTES, UDP_BYTES, WIRE_EXTRA_BYTES
from bombus.protocols.tcp.connection import Connection
from bombus.protocols.tcp.peer import HEADER_BYTES
from bombus.simulator.beat_links import Beat

LINE_GBPS = 100.0
LIMIT_CYCLES = 100_000  # without an arrival
MACS = ("02:b0:0b:05:00:01", "02:b0:0b:05:00:02")
IPS = ("10.77.0.2", "10.77.0.3")
ETHER_TYPE = (0x88B5).to_bytes(2)  # for local experiments (IEEE 802, 9.2.4)
ECHO_PORT, UDP_PORT, TCP_PORT = 7, 40_000, 80
UDP_HEADERS = ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES
SEGMENT_BYTES = 4096  # payload of a full segment: `mss`
BEAT_BYTES = 64
ROUTED_PORT = 3  # mac_port of a datagram that begins in the design
IDLE_CYCLES, PERIOD_CYCLES = 8, 5000  # of stream_link


class Link(Protocol):
    """What joins two designs."""

    def step(self, cycles: int) -> None:
        """Advances both, and carries what they have sent."""

    def arrivals(self, end: int) -> list[tuple[int, int]]:
        """What has come to an end since the last call, in order: for each frame or beat with
        payload, the cycle in which it has left the other end or entered this one, and the payload
        in bytes.
        """


class Wire:
    """MAC ports 0 of two designs, joined at the line rate. A frame enters the second design when it
    has left the first one completely.
    """

    def __init__(self, ends: list[Simulation], payload_of: Callable[[bytes], int]) -> None:
        self._ends, self._payload_of = ends, payload_of
        self._found: list[list[tuple[int, int]]] = [[], []]
        for end in ends:
            end.line_rate(LINE_GBPS)

    def step(self, cycles: int) -> None:
        for end in self._ends:
            end.advance(cycles)
        for target, found in enumerate(self._found):
            while (frame := self._ends[1 - target].receive(timeout_cycles=0)) is not None:
                self._ends[target].send(frame.data)
                if payload := self._payload_of(frame.data):
                    found.append((frame.last_beat_cycle, payload))

    def arrivals(self, end: int) -> list[tuple[int, int]]:
        found, self._found[end] = self._found[end], []
        return found


class Beats:
    """A link of beats between two designs; a beat arrives `latency` cycles after it was sent."""

    def __init__(self, ends: list[Simulation], links: tuple[str, str], latency: int) -> None:
        self._ends, self._links, self._latency = ends, links, latency
        self._given: list[list[Beat]] = [[], []]
        self._found: list[list[tuple[int, int]]] = [[], []]
        for end, name in zip(ends, links, strict=True):
            end.beat_links[name].configure(latency=latency)
            end.beat_links[name].set_up(True)

    def step(self, cycles: int) -> None:
        for _ in range(0, cycles, self._latency):
            sent = [
                end.run_beats(self._latency, {name: given})[name]
                for end, name, given in zip(self._ends, self._links, self._given, strict=True)
            ]
            self._given = sent[::-1]
            for found, given in zip(self._found, self._given, strict=True):
                found += [(beat.cycle, BEAT_BYTES) for beat in given]

    def arrivals(self, end: int) -> list[tuple[int, int]]:
        found, self._found[end] = self._found[end], []
        return found


class Pair(ABC):
    """Two designs on a link, with their kernels."""

    protocol: str
    designs: tuple[str, str]  # of the first one, and of the second one where it echoes
    period_cycles = 1  # after which the pauses of the link repeat

    def __init__(self, seed: int, echoes: bool) -> None:
        names = (self.designs[0], self.designs[1 if echoes else 0])
        self.ends = [Simulation(BENCHMARKS / f"{name}.yaml", seed=seed) for name in names]
        self.link = self.join(echoes)

    def close(self) -> None:
        for end in self.ends:
            end.close()

    def join(self, echoes: bool) -> Link:
        self.ends[1].set_host(mac=MACS[1], ip=IPS[1])
        self.ends[0].advance(self.ends[1].cycle - self.ends[0].cycle)
        return Wire(self.ends, self.payload_of)

    @classmethod
    @abstractmethod
    def bound_gbps(cls, payload: int) -> float:
        """Goodput that the line rate allows."""

    def payload_of(self, frame: bytes) -> int:
        """Bytes of payload in a frame, which is not padded; 0: none."""
        raise NotImplementedError

    @abstractmethod
    def send(self, end: int, data: bytes, echo: bool = False) -> None:
        """The kernel sends a message to that of the other end, or to its echo."""

    @abstractmethod
    def received(self, end: int) -> bytes:
        """What the kernel has received since the last call."""

    def open(self, echo: bool) -> None:
        """Prepares what the kernels need: addresses, a connection."""
        self.send(0, bytes(64), echo)
        if not echo:
            self.send(1, bytes(64))
        self.collect({0: 64} if echo else {0: 64, 1: 64}, 64)

    def collect(self, wanted: dict[int, int], step: int) -> dict[int, bytes]:
        """Steps until so many bytes have arrived at each end."""
        found = {end: bytearray() for end in wanted}
        last = self.ends[0].cycle
        while any(len(found[end]) < size for end, size in wanted.items()):
            self.link.step(step)
            for end, data in found.items():
                if more := self.received(end):
                    data += more
                    last = self.ends[0].cycle
            if self.ends[0].cycle - last > LIMIT_CYCLES:
                raise UserError(f"{self.ends[0].manifest['name']}: nothing arrives any more")
        return {end: bytes(data) for end, data in found.items()}


class Udp(Pair):
    protocol = "udp"
    designs = ("links_udp", "links_udp")

    @classmethod
    def bound_gbps(cls, payload: int) -> float:
        return LINE_GBPS * payload / (payload + UDP_HEADERS + WIRE_EXTRA_BYTES)

    def payload_of(self, frame: bytes) -> int:
        return max(0, len(frame) - UDP_HEADERS)

    def send(self, end: int, data: bytes, echo: bool = False) -> None:
        stream = self.ends[end].streams["app_tx"]
        address = int.from_bytes(bytes(map(int, IPS[1 - end].split("."))))
        user = UDP_PORT | (ECHO_PORT if echo else UDP_PORT) << 16 | address << 32
        stream.send(data, user=user | ROUTED_PORT << stream.user_bits - 2)

    def received(self, end: int) -> bytes:
        message = self.ends[end].streams["app_rx"].receive()
        return b"" if message is None else message.data


class Ethernet(Pair):
    protocol = "ethernet"
    designs = ("links_ethernet", "ethernet")

    @classmethod
    def bound_gbps(cls, payload: int) -> float:
        return LINE_GBPS * payload / (payload + ETHERNET_BYTES + WIRE_EXTRA_BYTES)

    def payload_of(self, frame: bytes) -> int:
        return len(frame) - ETHERNET_BYTES

    def send(self, end: int, data: bytes, echo: bool = False) -> None:
        macs = [bytes.fromhex(mac.replace(":", "")) for mac in MACS]
        frame = macs[1 - end] + macs[end] + ETHER_TYPE + data
        self.ends[end].streams["app_in"].send(frame, user=len(frame))

    def received(self, end: int) -> bytes:
        message = self.ends[end].streams["app_out"].receive()
        return b"" if message is None else message.data[ETHERNET_BYTES:]


class Tcp(Pair):
    protocol = "tcp"
    designs = ("links_tcp", "links_tcp")

    @classmethod
    def bound_gbps(cls, payload: int) -> float:
        return LINE_GBPS * SEGMENT_BYTES / (SEGMENT_BYTES + HEADER_BYTES + WIRE_EXTRA_BYTES)

    def payload_of(self, frame: bytes) -> int:
        if frame[12:14] != b"\x08\x00" or frame[23] != 6:
            return 0
        header = frame[ETHERNET_BYTES + IPV4_BYTES + 12] >> 4  # words
        return int.from_bytes(frame[16:18]) - IPV4_BYTES - 4 * header

    def open(self, echo: bool) -> None:
        self.sockets = [bombus.sockets(end) for end in self.ends]
        if echo:
            self.connections = [self.connect(ECHO_PORT)]
            return
        listener = self.sockets[1].listen(TCP_PORT)
        connection = self.connect(TCP_PORT)
        while not listener.waiting:
            self.poll(1)
        self.connections = [connection, listener.accept(timeout=0)]

    def poll(self, step: int) -> None:
        self.link.step(step)
        for sockets in self.sockets:
            sockets.poll()

    def connect(self, port: int) -> Connection:
        """Steps until a connection is open."""
        opening = self.sockets[0].open(IPS[1], port)
        last = self.ends[0].cycle
        while opening.connection is None:
            self.poll(1)
            if opening.error or self.ends[0].cycle - last > LIMIT_CYCLES:
                raise UserError(f"links_tcp: no connection: {opening.error}")
        return opening.connection

    def send(self, end: int, data: bytes, echo: bool = False) -> None:
        self.connections[end].write(data)

    def received(self, end: int) -> bytes:
        for sockets in self.sockets:  # also of the sender, whose bytes wait for its buffer
            sockets.poll()
        return self.connections[end].read()


class Stream(Pair):
    protocol = "link"
    designs = ("links_stream", "links_stream")
    period_cycles = PERIOD_CYCLES

    @classmethod
    def bound_gbps(cls, payload: int) -> float:
        return LINE_GBPS * (PERIOD_CYCLES - IDLE_CYCLES) / PERIOD_CYCLES

    def join(self, echoes: bool) -> Link:
        # A link of many cycles takes fewer calls; one of a cycle is for round trips.
        return Beats(self.ends, ("link0", "link1" if echoes else "link0"), 1 if echoes else 64)

    def send(self, end: int, data: bytes, echo: bool = False) -> None:
        self.ends[end].streams["app_in"].send(data)

    def received(self, end: int) -> bytes:
        found = bytearray()
        while (message := self.ends[end].streams["app_out"].receive()) is not None:
            found += message.data
        return bytes(found)


PAIRS: tuple[type[Pair], ...] = (Tcp, Udp, Ethernet, Stream)


def content(number: int, size: int) -> bytes:
    """The payload of a message."""
    return bytes((n ^ n >> 8 ^ number) & 0xFF for n in range(size))
