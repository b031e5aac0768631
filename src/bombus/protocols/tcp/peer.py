# SPDX-License-Identifier: Apache-2.0
"""TCP peers in virtual time, fast enough for line rate.

Many connections of one station with a design, on a link that loses nothing: a peer sends each
byte once, acknowledges every second segment (RFC 5681, 4.2), checks all headers, checksums and
bytes that come, and raises `PeerError` for what is wrong or missing. The byte at sequence
number s of a stream is `PATTERN[s % 2**24]`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass, field

from bombus.base.errors import UserError
from bombus.protocols.frames import (
    DONT_FRAGMENT,
    ETHERNET_BYTES,
    IPV4_BYTES,
    PROTOCOL_TCP,
    TIME_TO_LIVE,
    TYPE_IPV4,
    WIRE_EXTRA_BYTES,
    Host,
    Station,
    checksum,
    ones_sum,
)
from bombus.simulator.frames import Frame, Sent
from bombus.simulator.simulation import Simulation

WORD = 1 << 32
PERIOD = 1 << 24
TCP_BYTES = 20
HEADER_BYTES = ETHERNET_BYTES + IPV4_BYTES + TCP_BYTES
MAX_PAYLOAD = 9000
SCALE = 7  # scale of the windows sent
WINDOW = 1 << 20  # always open
FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
OPTION_MSS, OPTION_SCALE = 2, 3
TRIES = 200_000  # cycles in which something must happen
STEP_CYCLES = 16
AHEAD_STEPS = 2
QUEUED_FRAMES = 16  # at most


class PeerError(UserError):
    """The design violated TCP, or lost data."""


def _pattern() -> bytes:
    low = bytes(range(256))
    tables = [bytes(value ^ high for value in range(256)) for high in range(256)]
    rows = b"".join(low.translate(table) for table in tables)  # 2**16 bytes
    return b"".join(rows.translate(table) for table in tables) + rows[:MAX_PAYLOAD]


PATTERN = _pattern()


def pattern(start: int, length: int) -> bytes:
    """Bytes of every stream from sequence number `start` on."""
    place = start % PERIOD
    return PATTERN[place : place + length]


def ahead(a: int, b: int) -> int:
    """Difference of sequence numbers, a - b: -2**31 to 2**31 - 1 (RFC 9293, 3.4)."""
    return (a - b + WORD // 2) % WORD - WORD // 2


@dataclass
class Connection:
    """One end of a connection, and what has happened to it."""

    port: int
    peer_port: int
    iss: int
    mss: int  # segment size that the design may send
    echoes: bool = False  # the design echoes data instead of sending the pattern
    collected: bytearray | None = None  # data received, if it is not compared with the pattern
    una: int = 0
    nxt: int = 0
    edge: int = 0  # end of the design's window
    scale: int = 0
    rcv_nxt: int = 0
    to_acknowledge: int = 0  # segments
    opened: Frame | None = None  # the answer to the SYN
    shift: int = 0  # offset of the design's sequence numbers from those of the pattern
    # Cycles of first and last beats of frames with payload, and their bytes; cycles of last beats
    # of acknowledging frames, and the bytes acknowledged.
    came: list[tuple[int, int, int]] = field(default_factory=list)
    acknowledged: list[tuple[int, int]] = field(default_factory=list)

    @property
    def flight(self) -> int:
        return ahead(self.nxt, self.una)

    def may_send(self, payload: int, window: int) -> bool:
        """Whether the design's window allows it, with at most `window` in flight."""
        return payload <= min(ahead(self.edge, self.nxt), window - self.flight)


class Peers:
    """Connections of one station with the host of a running design."""

    def __init__(self, simulation: Simulation, station: Station, line_rate_gbps: float) -> None:
        self._cycles_per_byte = 8 * simulation.clock_hz / (line_rate_gbps * 1e9)
        self._free_at = 0.0  # cycle at which everything queued has been sent
        self.simulation = simulation
        self.host = Host.from_manifest(simulation.manifest)
        self.station = station
        self.connections: dict[tuple[int, int], Connection] = {}
        self.checked = 0  # bytes
        self.sent: list[Sent] = []  # times of frames sent in the last step
        self._queued = 0  # frames not sent yet
        self._over: set[tuple[int, int]] = set()
        self._ethernet = self.host.mac + station.mac + struct.pack("!H", TYPE_IPV4)
        self._came = station.mac + self.host.mac + struct.pack("!H", TYPE_IPV4)
        self._addresses = ones_sum(station.ip + self.host.ip)
        self._ip: dict[int, bytes] = {}  # Ethernet and IPv4 header by length of the packet

    # ---- Output ----

    def _headers(self, length: int) -> bytes:
        if length not in self._ip:
            fields = (0x45, 0, length, 0, DONT_FRAGMENT, TIME_TO_LIVE, PROTOCOL_TCP)
            addresses = self.station.ip + self.host.ip
            head = struct.pack("!BBHHHBB", *fields)
            csum = struct.pack("!H", checksum(head + addresses))
            self._ip[length] = self._ethernet + head + csum + addresses
        return self._ip[length]

    def send(
        self, each: Connection, flags: int = ACK, payload: bytes = b"", options: bytes = b""
    ) -> None:
        """Queues a segment at `nxt` and advances `nxt`."""
        words = (TCP_BYTES + len(options)) // 4
        window = 0xFFFF if flags & SYN else WINDOW >> SCALE
        ack = each.rcv_nxt if flags & ACK else 0
        ports = (each.port, each.peer_port)
        head = struct.pack("!HHIIBBHHH", *ports, each.nxt, ack, words << 4, flags, window, 0, 0)
        length = 4 * words + len(payload)
        total = self._addresses + PROTOCOL_TCP + length + ones_sum(head + options)
        csum = 0xFFFF - (total + ones_sum(payload)) % 0xFFFF
        segment = head[:16] + struct.pack("!H", csum) + head[18:] + options + payload
        frame = (self._headers(IPV4_BYTES + length) + segment).ljust(60, b"\0")
        self.simulation.send(frame)
        self._queued += 1
        self._free_at = max(self._free_at, self.simulation.cycle)
        self._free_at += (len(frame) + WIRE_EXTRA_BYTES) * self._cycles_per_byte
        each.nxt = (each.nxt + len(payload) + bool(flags & (SYN | FIN))) % WORD
        if flags & ACK:
            each.to_acknowledge = 0

    # ---- Input ----

    def _check(self, right: bool, what: str, frame: Frame) -> None:
        if not right:
            raise PeerError(
                f"{self.simulation.manifest['name']}, cycle {frame.last_beat_cycle}: {what}: "
                f"{frame.data[:HEADER_BYTES].hex(' ')}"
            )

    def take(self, frame: Frame) -> Connection | None:
        """Applies a frame to its connection; None if it is not a segment."""
        data = frame.data
        if data[:14] != self._came or data[23] != PROTOCOL_TCP:
            return None
        ip, segment = data[14:34], data[34:]
        length = struct.unpack_from("!H", ip, 2)[0] - IPV4_BYTES
        segment = segment[:length]
        self._check(len(segment) == length and ip[0] == 0x45, "length", frame)
        total = ones_sum(ip[12:]) + PROTOCOL_TCP + length + ones_sum(segment)
        self._check(ones_sum(ip) == 0xFFFF and total % 0xFFFF == 0, "checksum", frame)
        peer_port, port, seq, ack, offset, flags, window = struct.unpack_from("!HHIIBBH", segment)
        payload = segment[offset >> 2 :]
        if (port, peer_port) in self._over:
            return None
        each = self.connections.get((port, peer_port))
        self._check(each is not None, "no such connection", frame)
        assert each is not None
        if flags & RST and each.opened is None:
            name = self.simulation.manifest["name"]
            raise PeerError(f"{name} refuses connections to TCP port {each.peer_port}")
        self._check(not flags & RST, "the design resets the connection", frame)
        self._check(not flags & FIN, "the design closes the connection", frame)
        self._check(flags & ACK != 0, "flags", frame)
        if flags & SYN:
            self._check(each.opened is None and not payload, "SYN", frame)
            each.opened = frame
            each.rcv_nxt = (seq + 1) % WORD
            each.shift = each.iss - seq if each.echoes else 0
            each.scale = _scale(segment[TCP_BYTES : offset >> 2])
        else:
            self._check(each.opened is not None, "segment before the SYN", frame)
            window <<= each.scale
        self._check(0 <= ahead(ack, each.una) <= each.flight, "acknowledgement", frame)
        if ack != each.una:
            each.acknowledged.append((frame.last_beat_cycle, ahead(ack, each.una)))
            each.una = ack
        if ahead(ack + window, each.edge) > 0:
            each.edge = (ack + window) % WORD
        if payload:
            self._check(seq == each.rcv_nxt, "sequence number", frame)
            self._check(len(payload) <= each.mss, "longer than the MSS", frame)
            if each.collected is None:
                self._check(payload == pattern(seq + each.shift, len(payload)), "bytes", frame)
            else:
                each.collected += payload
            self.checked += len(payload)
            each.rcv_nxt = (seq + len(payload)) % WORD
            each.came.append((frame.first_beat_cycle, frame.last_beat_cycle, len(payload)))
            each.to_acknowledge += 1
        return each

    def step(self, *, acknowledge: bool = True) -> None:
        """Runs some cycles and handles the output; every second segment is acknowledged."""
        self.simulation.advance(STEP_CYCLES)
        while (frame := self.simulation.receive(timeout_cycles=0)) is not None:
            each = self.take(frame)
            if acknowledge and each is not None and each.to_acknowledge == 2:
                self.send(each)
        self.sent = self.simulation.sent()
        self._queued -= len(self.sent)

    @property
    def hungry(self) -> bool:
        """Whether the wire would be idle in the next steps: frames queued too early carry old
        acknowledgements.
        """
        soon = self.simulation.cycle + AHEAD_STEPS * STEP_CYCLES
        return self._free_at < soon and self._queued < QUEUED_FRAMES

    # ---- Operations of a benchmark ----

    def open(
        self,
        port: int,
        peer_port: int,
        mss: int,
        iss: int,
        *,
        echoes: bool = False,
        collects: bool = False,
    ) -> Connection:
        """The SYN of a connection."""
        collected = bytearray() if collects else None
        each = Connection(port, peer_port, iss, mss, echoes, collected, una=iss, nxt=iss)
        self.connections[port, peer_port] = each
        scale = struct.pack("!BBBB", 1, OPTION_SCALE, 3, SCALE)
        self.send(each, SYN, options=struct.pack("!BBH", OPTION_MSS, 4, mss) + scale)
        return each

    def connect(self, connections: Iterable[Connection]) -> None:
        """Runs until all are open."""
        wanted = list(connections)
        limit = self.simulation.cycle + TRIES
        while not all(each.opened for each in wanted):
            self.step()
            if self.simulation.cycle > limit:
                raise PeerError(
                    f"{self.simulation.manifest['name']}: no answer to a SYN; has the engine a "
                    "session for each connection?"
                )
        for each in wanted:
            self.send(each)

    def reset(self, connections: Iterable[Connection]) -> None:
        """Ends connections at once; all that was sent should be acknowledged."""
        for each in connections:
            self.send(each, RST | ACK)
            self._over.add((each.port, each.peer_port))
            del self.connections[each.port, each.peer_port]
        if not self.simulation.advance_until_idle():
            raise PeerError(f"{self.simulation.manifest['name']} goes on after its peers")
        self.step()


def _scale(options: bytes) -> int:
    """The window scale among the options of a SYN (RFC 9293, 3.2)."""
    place = 0
    while place < len(options) and options[place]:
        if options[place] == 1:
            place += 1
            continue
        if options[place] == OPTION_SCALE:
            return options[place + 2]
        place += options[place + 1]
    return 0
