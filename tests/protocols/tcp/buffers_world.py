# SPDX-License-Identifier: Apache-2.0
"""The bench of tcp_send_buffer and tcp_receive_buffer, with a Python model of the ring buffers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from bombus.design.rtl import struct_layout
from tests.protocols.tcp.tcp_world import Struct
from tests.support.harness import KIND_BITS, LENGTH_BITS, Bench, Benches, Layout

# As in benches/tcp_buffers.sv.
SESSIONS, RING_BEATS = 3, 16
PORTS = (80, 443)
KIND_PACKET, KIND_REQUEST, KIND_DATA, KIND_EVENT = range(4)
SEND_DATA, SEGMENT, RECEIVE_DATA, READ = range(4)
PACKET, ANSWER, REQUEST = range(3)
REQUEST_SEND, REQUEST_SENT = 1, 10
LOAD_BYTES, LOAD_OF_HEADERS = 64, 2  # as tcp_pkg counts what segments with payload take
REQUEST_META = Struct("tcp_request_meta_t", "tcp_pkg")
PACKET_BITS = struct_layout("packet_meta_t")["mac_port"].offset + 2


def pack(kind: str, **fields: int) -> int:
    """Metadata of a kind of message."""
    layout, value = struct_layout(f"{kind}_meta_t", "tcp_pkg"), 0
    for name, number in fields.items():
        assert 0 <= number < 1 << layout[name].width, f"{name}: {number} does not fit"
        value |= number << layout[name].offset
    return value


@dataclass(frozen=True)
class Sent:
    """A message in or out: its length field is that of its payload."""

    payload: bytes
    meta: int
    kind: int = KIND_PACKET
    next_hop: int = 0


@dataclass
class Buffers:
    """The bench, and the expected contents of both buffers' rings."""

    bench: Bench
    width: int
    random: Random
    send: list[bytearray] = field(default_factory=list)
    receive: list[bytearray] = field(default_factory=list)
    told: list[Sent] = field(default_factory=list)  # to the engine, since the last `expect`
    load: int = 0  # of segments with payload
    told_load: int = 0

    def __post_init__(self) -> None:
        self.size = self.width // 8
        self.ring = RING_BEATS * self.size
        layout = struct_layout("tcp_event_meta_t", "tcp_pkg").values()  # the widest
        self.layout = Layout(
            ("data", self.width),
            ("bytes", self.size.bit_length()),
            ("last", 1),
            ("kind", KIND_BITS),
            ("length", LENGTH_BITS),
            ("meta", max(each.offset + each.width for each in layout)),
            ("next", 1),
        )
        self.send = [bytearray(self.ring) for _ in range(SESSIONS)]
        self.receive = [bytearray(self.ring) for _ in range(SESSIONS)]

    # ---- Messages and beats ----

    def beats(self, payload: bytes, meta: int, kind: int = KIND_DATA) -> list[int]:
        """Input beats; don't-care fields are noise."""
        noise = self.random.getrandbits
        count = max(1, -(-len(payload) // self.size))
        items = []
        for index in range(count):
            part = payload[index * self.size : (index + 1) * self.size]
            last = index == count - 1
            items.append(
                self.layout.pack(
                    data=int.from_bytes(part, "little"),
                    bytes=len(part) if last else noise(self.size.bit_length()),
                    last=last,
                    kind=noise(KIND_BITS) if index else kind,
                    length=noise(LENGTH_BITS) if index else len(payload),
                    meta=noise(64) if index else meta,
                )
            )
        return items

    def messages(self, stream: int) -> list[Sent]:
        found: list[Sent] = []
        payload, first = b"", {}
        for item in self.bench.items(stream):
            beat = self.layout.unpack(item)
            first = first or beat
            assert beat["next"] == first["next"]
            data = beat["data"].to_bytes(self.size, "little")
            size = beat["bytes"]
            assert size == self.size or beat["last"]
            assert size or not payload, "the last beat of several is empty"
            assert not any(data[size:]), "bytes behind the end are not zero"
            payload += data[:size]
            if beat["last"]:
                assert first["length"] == len(payload)
                found.append(Sent(payload, first["meta"], first["kind"], first["next"]))
                payload, first = b"", {}
        assert not payload, "the last message has no end"
        return found

    # ---- Input, and the expected output ----

    def write(self, stream: int, session: int, start: int, payload: bytes, skip: int = 0) -> None:
        meta = pack("tcp_data", session=session, start=start % 2**32, skip=skip)
        self.bench.push(self.beats(payload, meta), stream)
        if session >= SESSIONS or len(payload) > self.ring + skip:
            return
        ring = (self.send if stream == SEND_DATA else self.receive)[session]
        if stream == SEND_DATA:
            place = (start + len(payload)) % 2**32
            meta = pack("tcp_request", request=REQUEST_SEND, session=session, argument=place)
            self.told.append(Sent(b"", meta, KIND_REQUEST))
        for n in range(skip, len(payload)):
            ring[(start + n) % self.ring] = payload[n]

    def stored(self, rings: list[bytearray], session: int, start: int, length: int) -> bytes:
        return bytes(rings[session][(start + n) % self.ring] for n in range(length))

    def segment(self, session: int, start: int, length: int, header: int) -> Sent:
        packet = self.random.getrandbits(PACKET_BITS)
        data = self.random.randbytes(header)
        meta = pack(
            "tcp_segment",
            session=session,
            start=start % 2**32,
            payload_length=length,
            packet=packet,
        )
        self.push_segment(data, meta, length)
        if session >= SESSIONS:
            return Sent(b"", 0)
        return Sent(data + self.stored(self.send, session, start, length), packet)

    def push_segment(self, header: bytes, meta: int, length: int) -> None:
        self.bench.push(self.beats(header, meta), SEGMENT)
        if length:
            self.load = (self.load + LOAD_OF_HEADERS + length // LOAD_BYTES) % 2**16

    def take_loads(self, requests: list[Sent]) -> list[Sent]:
        """The requests that announce bytes; those that report sent payload never go backwards."""
        others = []
        for each in requests:
            asked = REQUEST_META.unpack(each.meta)
            if asked["request"] == REQUEST_SENT:
                place = asked["argument"]
                assert 0 < (place - self.told_load) % 2**16 <= (self.load - self.told_load) % 2**16
                self.told_load = place
            else:
                others.append(each)
        return others

    def read(self, session: int, start: int, length: int, app: int = 0) -> Sent:
        where = {"session": session, "start": start % 2**32}
        meta = pack("tcp_read", port=PORTS[app], length=length, **where)
        self.bench.push(self.beats(b"", meta), READ)
        good = session < SESSIONS and length <= self.ring
        payload = self.stored(self.receive, session, start, length) if good else b""
        return Sent(payload, pack("tcp_data", **where), KIND_DATA, app)

    def fill(self) -> None:
        """Writes all rings of both."""
        for stream in (SEND_DATA, RECEIVE_DATA):
            for session in range(SESSIONS):
                start = self.random.getrandbits(32)
                self.write(stream, session, start, self.random.randbytes(self.ring))
        self.bench.drain()

    def start(self) -> int:
        """A sequence number, often one shortly before numbers start again."""
        return self.random.choice([self.random.getrandbits(32), -self.random.randrange(self.ring)])

    def expect(self, packets: Iterable[Sent] = (), answers: Iterable[Sent] = ()) -> None:
        self.bench.drain()
        expected = {REQUEST: list(self.told), PACKET: list(packets), ANSWER: list(answers)}
        for stream, wanted in expected.items():
            found = self.messages(stream)
            if stream == REQUEST:
                found = self.take_loads(found)
                assert self.told_load == self.load
            assert len(found) == len(wanted)
            for got, want in zip(found, wanted, strict=True):
                assert got == want
        self.told.clear()
        self.bench.forget()


def buffers_of(benches: Benches, width: int) -> Buffers:
    return Buffers(benches("tcp_buffers", DataWidth=width), width, Random(width))
