# SPDX-License-Identifier: Apache-2.0
"""An open connection of the TCP engine as data, taken out of one engine and put into another.

    session = export(registers, manifest, carrier, own_port=7, peer=("10.77.0.9", 40000))
    document = session.to_json()
    ...  # packets of the peer now go to the other stack
    restore(registers, manifest, carrier, Session.from_json(document))

The design has a `tcp_handover` in both directions: while a connection moves, this program, the
carrier, takes the place of its peer. docs/applications/functions/sessions.md has the steps.
`registers` and `manifest`: of a `Controller` or of a `Simulation`.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from ipaddress import IPv4Address
from typing import Any, Protocol

from bombus.applications.functions.packet_port import PacketPort
from bombus.applications.functions.tcp_repair import State
from bombus.base.errors import UserError
from bombus.protocols.frames import (
    PROTOCOL_ICMP,
    PROTOCOL_TCP,
    TYPE_ARP,
    TYPE_IPV4,
    Host,
    Station,
    arp_reply,
    arp_request,
    checksum,
    ip_frame,
    ipv4,
    pseudo_header,
    transport_checksum,
)
from bombus.protocols.tcp.segment import Segment, distance
from bombus.registers.access import BlockAccess

VERSION = 1
_ESTABLISHED = 3
_WORD = 1 << 32
_STAMP_BYTES = 12  # timestamps in every segment
_HEADER_BYTES = 40  # of IP and TCP
_PART_BYTES = 1400  # payload of a segment to the engine
_ROUNDS = 2000  # without an effect, each a wait of the carrier
_RESEND_ROUNDS = 64
_BITS = {"fin": 1, "syn": 2, "rst": 4, "psh": 8, "ack": 16, "urg": 32}


class SessionError(UserError):
    """A connection could not be taken out of an engine, or put into one; says why.

    `session`: the connection up to there, of an export that has failed after the engine's bytes
    were acknowledged. It is held then, and does not continue in the engine.
    """

    def __init__(self, reason: str, session: Session | None = None) -> None:
        super().__init__(reason)
        self.session = session


@dataclass(frozen=True)
class Session:
    """An established connection. Sequence numbers are of the first byte of the two strings.

    Scales are shifts of windows in bits, None without window scaling. `timestamps`: of the stack's
    clock and the last one of the peer; None: none are sent. Windows are in bytes.
    """

    own: tuple[str, int]
    peer: tuple[str, int]
    receive_sequence: int
    received: bytes  # acknowledged, and not read by the application
    send_sequence: int
    unacknowledged: bytes  # written by the application
    mss: int  # of the peer
    send_scale: int | None  # of the peer's windows
    receive_scale: int | None
    has_sack: bool
    timestamps: tuple[int, int] | None
    send_window: int
    receive_window: int

    def to_json(self) -> str:
        fields = asdict(self)
        for name in ("received", "unacknowledged"):
            fields[name] = base64.b64encode(fields[name]).decode()
        return json.dumps({"version": VERSION, **fields}, indent=2) + "\n"

    @staticmethod
    def from_json(text: str) -> Session:
        """SessionError says what is wrong with a document."""
        try:
            fields = json.loads(text)
        except ValueError as error:
            raise SessionError(f"the session is not JSON: {error}") from None
        if not isinstance(fields, dict) or fields.pop("version", None) != VERSION:
            raise SessionError(f"the session should have version {VERSION}")
        try:
            for name in ("received", "unacknowledged"):
                fields[name] = base64.b64decode(fields[name], validate=True)
            for name in ("own", "peer", "timestamps"):
                if fields[name] is not None:
                    first, second = fields[name]
                    fields[name] = (first, int(second))
            for name in ("own", "peer"):
                IPv4Address(fields[name][0])
            session = Session(**fields)
            session.repair_state()
        except (KeyError, TypeError, ValueError) as error:
            raise SessionError(f"the session is incomplete or has a bad value: {error}") from None
        return session

    def repair_state(self) -> State:
        """The connection for `tcp_repair.restore`, which has no place for `timestamps[1]`."""
        next_byte = (self.receive_sequence + len(self.received)) % _WORD
        return State(
            port=self.own[1],
            peer=self.peer,
            receive_sequence=self.receive_sequence,
            received=self.received,
            send_sequence=self.send_sequence,
            unacknowledged=self.unacknowledged,
            mss=self.mss,
            send_scale=self.send_scale or 0,
            receive_scale=self.receive_scale or 0,
            has_sack=self.has_sack,
            timestamp=self.timestamps[0] if self.timestamps else None,
            window=(
                next_byte,
                self.send_window,
                max(self.send_window, 1),
                self.receive_window,
                next_byte,
            ),
            has_no_delay=False,
        )

    @staticmethod
    def of_linux(own: str, state: State, *, peer_timestamp: int = 0) -> Session:
        """A connection that `tcp_repair.dump` has read; Linux does not show the last timestamp of
        the peer. Without window scaling, both scales of `state` are 0.
        """
        has_scales = bool(state.send_scale or state.receive_scale)
        return Session(
            own=(own, state.port),
            peer=state.peer,
            receive_sequence=state.receive_sequence,
            received=state.received,
            send_sequence=state.send_sequence,
            unacknowledged=state.unacknowledged,
            mss=state.mss,
            send_scale=state.send_scale if has_scales else None,
            receive_scale=state.receive_scale if has_scales else None,
            has_sack=state.has_sack,
            timestamps=None if state.timestamp is None else (state.timestamp, peer_timestamp),
            send_window=state.window[1],
            receive_window=state.window[3],
        )


class Port(Protocol):
    """Frames to and from the network of the stack."""

    def send(self, frame: bytes) -> None: ...

    def frames(self) -> list[bytes]:
        """Those that have arrived."""

    def wait(self) -> None:
        """Lets a little time pass: some microseconds of the stack."""


class Carrier:
    """This program as a host of the network, under an address that no other host has."""

    def __init__(self, port: Port, station: Station, host: Host) -> None:
        self.station, self.host = station, host
        self._port = port

    def introduce(self) -> None:
        """The stack learns the carrier's MAC address. What has arrived before is discarded."""
        self._port.frames()
        self._port.send(arp_request(self.station, self.host))
        self._port.wait()

    def wait(self) -> None:
        self._port.wait()

    def send(self, source: int, destination: int, segment: Segment) -> None:
        """A segment from one port to another, of the stack."""
        body = _bytes_of(segment, source, destination)
        pseudo = pseudo_header(self.station.ip, self.host.ip, PROTOCOL_TCP, len(body))
        check = transport_checksum(pseudo + body)
        body = body[:16] + check.to_bytes(2) + body[18:]
        self._port.send(ip_frame(self.station, self.host, PROTOCOL_TCP, body))

    def report_mtu(self, own_port: int, peer: tuple[str, int], seq: int, mtu: int) -> None:
        """An ICMP error about the segment at `seq` of the stack to a peer: it was too big (RFC
        1191).
        """
        segment = struct.pack("!HHI", own_port, peer[1], seq % _WORD)
        quoted = ipv4(self.host.ip, IPv4Address(peer[0]).packed, PROTOCOL_TCP, segment)
        header = struct.pack("!BBHHH", 3, 4, 0, 0, mtu)
        message = header[:2] + checksum(header + quoted).to_bytes(2) + header[4:] + quoted
        self._port.send(ip_frame(self.station, self.host, PROTOCOL_ICMP, message))

    def receive(self, source: int, destination: int) -> list[Segment]:
        """Segments from a port of the stack to one of the carrier; answers to ARP requests."""
        found = []
        for frame in self._port.frames():
            kind = int.from_bytes(frame[12:14])
            if kind == TYPE_ARP and frame[20:22] == b"\0\1" and frame[38:42] == self.station.ip:
                self._port.send(arp_reply(self.station, self.host))
            if kind != TYPE_IPV4 or frame[30:34] != self.station.ip or frame[23] != PROTOCOL_TCP:
                continue
            packet = frame[14 : 14 + int.from_bytes(frame[16:18])]
            body = packet[4 * (packet[0] & 0xF) :]
            if struct.unpack_from("!HH", body) == (source, destination):
                found.append(_segment_of(body))
        return found


def _bytes_of(segment: Segment, source: int, destination: int) -> bytes:
    """The TCP segment with checksum 0."""
    options = b""
    if segment.mss is not None:
        options += struct.pack("!BBH", 2, 4, segment.mss)
    if segment.sack_permitted:
        options += bytes((4, 2))
    elif segment.timestamps is not None:
        options += bytes((1, 1))
    if segment.timestamps is not None:
        options += struct.pack("!BBII", 8, 10, *segment.timestamps)
    elif segment.sack_permitted:
        options += bytes((1, 1))
    if segment.scale is not None:
        options += bytes((1, 3, 3, segment.scale))
    header = struct.pack(
        "!HHIIBBHHH",
        source,
        destination,
        segment.seq % _WORD,
        segment.ack % _WORD,
        (20 + len(options)) // 4 << 4,
        sum(_BITS[flag] for flag in segment.flags),
        segment.window,
        0,
        0,
    )
    return header + options + segment.payload


def _segment_of(body: bytes) -> Segment:
    seq, ack, offset, flags, window = struct.unpack_from("!IIBBH", body, 4)
    start = offset >> 4 << 2
    options, stamps, scale = body[20:start], None, None
    while options and options[0] != 0:
        if options[0] == 1:
            options = options[1:]
            continue
        if options[0] == 8:
            stamps = struct.unpack_from("!II", options, 2)
        if options[0] == 3:
            scale = options[2]
        options = options[max(2, options[1]) :]
    return Segment(
        seq=seq,
        ack=ack,
        flags=frozenset(name for name, bit in _BITS.items() if flags & bit),
        window=window,
        payload=body[start:],
        timestamps=stamps,
        scale=scale,
    )


class _Engine:
    """The registers of a design that a move needs."""

    def __init__(self, registers: BlockAccess, manifest: Mapping[str, Any]) -> None:
        self.handovers: dict[bool, BlockAccess] = {}
        self.tcp: BlockAccess | None = None
        for tile in manifest["tiles"]:
            for layer in tile["layers"]:
                there = registers.tiles[tile["name"]]
                if layer["kind"] == "tcp":
                    self.tcp = there[layer["name"]]
                    self.params: Mapping[str, Any] = layer["params"]
                if layer["kind"] == "tcp_handover":
                    received = bool(layer["params"].get("received", 1))
                    self.handovers[received] = there[layer["name"]]
        if self.tcp is None or self.handovers.keys() != {True, False}:
            raise SessionError(
                "the design should have a TCP engine and tcp_handover in both directions"
            )

    @property
    def scale(self) -> int:
        """By which the engine shifts its windows."""
        size = int(self.params["receive_bytes"])
        return size.bit_length() - 16 if size > 65535 else 0

    def state(self, number: int) -> dict[str, int]:
        assert self.tcp is not None
        self.tcp.session.write(index=number)
        found: dict[str, int] = self.tcp.state.read()
        return found

    def find(self, own_port: int, peer: tuple[str, int]) -> tuple[int | None, int]:
        """The number of a connection's session; how many numbers are free."""
        wanted = (int(IPv4Address(peer[0])), peer[1], own_port)
        found, free = None, 0
        for number in range(int(self.params["num_sessions"])):
            state = self.state(number)
            free += state["state"] == 0
            tuple_ = (state["peer_ip"], state["peer_port"], state["own_port"])
            if state["state"] and tuple_ == wanted:
                found = number
        return found, free

    def take(
        self,
        own_port: int,
        peer: tuple[str, int],
        carrier: int,
        directions: tuple[bool, ...] = (True, False),
    ) -> None:
        """From now on, the connection is the carrier's; carrier 0: it is held."""
        fields = {"peer_ip": int(IPv4Address(peer[0])), "peer_port": peer[1]}
        for direction in directions:
            self.handovers[direction].connection.write(
                **fields, own_port=own_port, carrier_ip=carrier, valid=1
            )

    def release(self, *directions: bool) -> None:
        for direction in directions or (False, True):
            self.handovers[direction].connection.write(
                peer_ip=0, carrier_ip=0, peer_port=0, own_port=0, valid=0
            )


@contextmanager
def on_interface(registers: BlockAccess, interface: str, address: str) -> Iterator[Carrier]:
    """A carrier on a network interface of this machine, by an address that no host has."""
    own = registers.host[0]
    host = Host(
        own.mac.address.to_bytes(6), own.ip.address.to_bytes(4), own.netmask.mask.to_bytes(4)
    )
    try:
        ip = IPv4Address(address).packed
    except ValueError as error:
        raise UserError(f"the carrier's address: {error}") from None
    with PacketPort(interface) as port:
        yield Carrier(port, Station(port.mac, ip), host)


def release(registers: BlockAccess, manifest: Mapping[str, Any]) -> None:
    """Ends the hold after `export`. From now on, the engine resets a peer whose packets still
    reach it.
    """
    _Engine(registers, manifest).release()


def export(
    registers: BlockAccess,
    manifest: Mapping[str, Any],
    carrier: Carrier,
    *,
    own_port: int,
    peer: tuple[str, int],
) -> Session:
    """Takes a connection out of the engine. Its session ends there, and segments of the peer are
    dropped until `release`; the peer retransmits them.

    The application goes on for as long as it has bytes to read and write: all that it writes is in
    `unacknowledged`. SessionError: the connection is not established, or its application does not
    read. The connection continues then, unless the error has a `session`: bytes that the peer may
    lack have been acknowledged.
    """
    engine = _Engine(registers, manifest)
    number, _ = engine.find(own_port, peer)
    if number is None:
        raise SessionError(f"there is no connection of port {own_port} with {peer[0]}:{peer[1]}")
    if engine.state(number)["state"] != _ESTABLISHED:
        raise SessionError("only an established connection can be moved")
    carrier.introduce()
    engine.take(own_port, peer, int.from_bytes(carrier.station.ip))
    drain: _Drain | None = None
    try:
        drain = _Drain(engine, carrier, number, own_port, peer)
        session = drain.run()
    except BaseException as error:
        if drain is None or not drain.has_acknowledged:
            engine.release()
            raise
        engine.take(own_port, peer, 0)
        raise SessionError(
            f"{error or type(error).__name__}; the connection is held, and does not continue here",
            drain.session(),
        ) from error
    engine.take(own_port, peer, 0)
    return session


class _Drain:
    """The carrier as the peer: acknowledges all that the engine sends."""

    def __init__(
        self, engine: _Engine, carrier: Carrier, number: int, own_port: int, peer: tuple[str, int]
    ) -> None:
        self._engine, self._carrier, self._number = engine, carrier, number
        self._ports, self._peer = (peer[1], own_port), peer
        # An access of registers takes longer than segments that are past tcp_handover.
        while (state := engine.state(number)) != engine.state(number):
            pass
        self._first = state
        self._una = state["una"]
        self._bytes = bytearray()
        self._parts: dict[int, bytes] = {}  # beyond a gap, by their place
        self._stamps: tuple[int, int] | None = (0, 0) if state["timestamps"] else None
        self._state: Mapping[str, int] = state  # the latest one
        self.has_acknowledged = False  # bytes

    def run(self) -> Session:
        self._await_reading()
        quiet = rounds = 0
        while quiet < 3:
            before = len(self._bytes)
            self._receive()
            state = self._read()
            end = (self._una + len(self._bytes)) % _WORD
            done = state["una"] == state["send_end"] == end
            quiet = quiet + 1 if done and len(self._bytes) == before else 0
            if not done and len(self._bytes) == before:
                rounds += 1
                if rounds % 16 == 1:
                    self._ask_again(state)
                if rounds > _ROUNDS:
                    raise SessionError("the engine does not send what its application has written")
            elif not done:
                rounds = 0
            self._carrier.wait()
        # The engine ends the session without a segment.
        self._send(ack=self._una + len(self._bytes), flags=("rst",))
        self._carrier.wait()
        return self.session()

    def session(self) -> Session:
        """The connection up to here."""
        first, rcv_nxt = self._first, self._state["rcv_nxt"]
        scaled = bool(first["scaled"])
        own = str(IPv4Address(self._carrier.host.ip))
        return Session(
            own=(own, self._ports[1]),
            peer=self._peer,
            receive_sequence=rcv_nxt,
            received=b"",
            send_sequence=self._una,
            unacknowledged=bytes(self._bytes),
            mss=first["mss"] + (_STAMP_BYTES if first["timestamps"] else 0),
            send_scale=first["peer_scale"] if scaled else None,
            receive_scale=self._engine.scale if scaled else None,
            has_sack=bool(first["sack"]),
            timestamps=self._stamps,
            send_window=(first["send_edge"] - first["una"]) % _WORD,
            receive_window=(self._state["receive_edge"] - rcv_nxt) % _WORD,
        )

    def _ask_again(self, state: Mapping[str, int]) -> None:
        """An engine sends again at once what is in flight if a segment was too big for its path."""
        self._acknowledge()
        if state["max"] != state["una"]:
            mtu = state["mss"] + _HEADER_BYTES + (_STAMP_BYTES if state["timestamps"] else 0)
            self._carrier.report_mtu(self._ports[1], self._peer, state["una"], mtu - 8)

    def _await_reading(self) -> None:
        """Nothing is acknowledged before the application has read what the engine shows as unread.

        The answer to a byte before the window advertises all of the space but for less than a
        segment, and shows the timestamps.
        """
        size = int(self._engine.params["receive_bytes"])
        limit = min(max(self._first["mss"], int(self._engine.params["mss"])), size // 2)
        is_answered, unread = False, 0
        for n in range(_ROUNDS):
            if n % _RESEND_ROUNDS == 0:
                self._send(seq=self._state["rcv_nxt"] - 1)
            self._carrier.wait()
            is_answered = self._receive(acknowledges=False) or is_answered
            state = self._read()
            unread = size - (state["receive_edge"] - state["rcv_nxt"]) % _WORD
            if is_answered and unread < limit:
                self._acknowledge()
                return
        if not is_answered:
            raise SessionError("the engine does not answer the carrier")
        raise SessionError(f"the application has not read about {unread} bytes")

    def _read(self) -> Mapping[str, int]:
        state = self._engine.state(self._number)
        if state["state"] != _ESTABLISHED:
            raise SessionError("the connection has ended while it was exported")
        self._state = state
        return state

    def _acknowledge(self) -> None:
        self.has_acknowledged = self.has_acknowledged or bool(self._bytes)
        self._send(ack=self._una + len(self._bytes))

    def _send(
        self, seq: int | None = None, ack: int | None = None, flags: tuple[str, ...] = ("ack",)
    ) -> None:
        stamps = (self._stamps[1], self._stamps[0]) if self._stamps else None
        segment = Segment(
            seq=self._state["rcv_nxt"] if seq is None else seq,
            ack=self._una if ack is None else ack,
            flags=frozenset(flags),
            window=0xFFFF,
            timestamps=None if "rst" in flags else stamps,
        )
        self._carrier.send(*self._ports, segment)

    def _receive(self, *, acknowledges: bool = True) -> bool:
        """Takes segments of the engine; whether there were any."""
        segments = self._carrier.receive(self._ports[1], self._ports[0])
        for segment in segments:
            if segment.timestamps is not None:
                self._stamps = segment.timestamps
            if "rst" in segment.flags:
                raise SessionError("the engine has reset the connection")
            if not segment.payload:
                continue
            place = distance(segment.seq, self._una)
            if len(segment.payload) > len(self._parts.get(place, b"")):
                self._parts[place] = segment.payload
            for start in sorted(self._parts):
                if start <= len(self._bytes):
                    self._bytes += self._parts.pop(start)[len(self._bytes) - start :]
            if acknowledges:
                self._acknowledge()
        return bool(segments)


def restore(
    registers: BlockAccess,
    manifest: Mapping[str, Any],
    carrier: Carrier,
    session: Session,
    *,
    replay: bool = False,
) -> None:
    """Puts a connection into the engine: its application sees a connection that a peer has opened,
    and reads `received`. It must write `unacknowledged` first. With `replay` it does so by itself,
    since it is an echo: it gets these bytes as if the peer had sent them.

    Nothing reaches the peer before the session is complete. SessionError: the connection exists, no
    session is free, the application does not listen, or the buffers or the scale of windows do not
    suit; then nothing has changed.
    """
    engine = _Engine(registers, manifest)
    _check(engine, session, replay=replay)
    own_port, peer = session.own[1], session.peer
    # First, since an engine without the connection resets a peer whose segments reach it.
    engine.take(own_port, peer, int.from_bytes(carrier.station.ip))
    try:
        carrier.introduce()
        _Fill(engine, carrier, session, replay=replay).run()
    finally:
        engine.release()


def _check(engine: _Engine, session: Session, *, replay: bool) -> None:
    peer = f"{session.peer[0]}:{session.peer[1]}"
    if session.unacknowledged and not replay:
        raise SessionError(
            f"{len(session.unacknowledged)} bytes are not acknowledged, and only an echo can write "
            "them again (replay)"
        )
    for name, size in (
        ("send_bytes", len(session.unacknowledged)),
        ("receive_bytes", len(session.received)),
    ):
        if size > int(engine.params[name]):
            raise SessionError(f"the connection has {size} bytes; {name} of the engine is smaller")
    if session.receive_scale is not None and session.receive_scale != engine.scale:
        raise SessionError(
            f"the peer expects windows in units of {1 << session.receive_scale} bytes; this engine "
            f"has units of {1 << engine.scale} (receive_bytes)"
        )
    found, free = engine.find(session.own[1], session.peer)
    if found is not None:
        raise SessionError(f"port {session.own[1]} has a connection with {peer} already")
    if not free:
        raise SessionError("no session is free")


class _Fill:
    """The carrier as the peer: opens the connection with given sequence numbers, and sends."""

    def __init__(
        self, engine: _Engine, carrier: Carrier, session: Session, *, replay: bool
    ) -> None:
        self._engine, self._carrier, self._session = engine, carrier, session
        self._ports = (session.peer[1], session.own[1])
        self._data = (session.unacknowledged if replay else b"") + session.received
        end = session.receive_sequence + len(session.received)
        self._start = (end - len(self._data)) % _WORD

    def run(self) -> None:
        session = self._session
        self._open()
        number, _ = self._engine.find(session.own[1], session.peer)
        if number is None:
            raise SessionError("the engine has not kept the connection")
        # From now on the engine reaches the peer, whose segments are still dropped.
        self._engine.release(False)
        taken = place = stalled = 0
        while taken < len(self._data):
            state = self._engine.state(number)
            before, taken = taken, distance(state["rcv_nxt"], self._start)
            stalled = 0 if taken > before else stalled + 1
            if stalled > _ROUNDS:
                raise SessionError("the application does not take the bytes of the connection")
            if stalled % 32 == 31:  # a segment is lost
                place = taken
            room = taken + distance(state["receive_edge"], state["rcv_nxt"])
            while place < min(len(self._data), room):
                part = self._data[place : min(place + _PART_BYTES, room)]
                self._send(self._start + place, ("ack", "psh"), payload=part)
                place += len(part)
            self._carrier.wait()

    def _open(self) -> None:
        session = self._session
        syn = Segment(
            seq=self._start - 1,
            ack=session.send_sequence - 1,
            flags=frozenset({"syn"}),
            window=min(session.send_window, 0xFFFF),
            mss=session.mss,
            scale=session.send_scale,
            sack_permitted=session.has_sack,
            timestamps=self._stamps(),
        )
        for n in range(_ROUNDS):
            if n % _RESEND_ROUNDS == 0:
                self._carrier.send(*self._ports, syn)
            self._carrier.wait()
            for answer in self._carrier.receive(self._ports[1], self._ports[0]):
                if "rst" in answer.flags:
                    raise SessionError(f"no application listens to port {session.own[1]}")
                if {"syn", "ack"} <= answer.flags:
                    if answer.seq != (session.send_sequence - 1) % _WORD:
                        raise SessionError("the engine does not take over sequence numbers")
                    self._send(self._start, ("ack",))
                    for _ in range(4):
                        self._carrier.wait()
                    return
        raise SessionError("the engine does not open the connection")

    def _stamps(self) -> tuple[int, int] | None:
        found = self._session.timestamps
        return None if found is None else (found[1], found[0])

    def _send(self, seq: int, flags: tuple[str, ...], payload: bytes = b"") -> None:
        scale = self._session.send_scale or 0
        segment = Segment(
            seq=seq,
            ack=self._session.send_sequence,
            flags=frozenset(flags),
            window=min(self._session.send_window >> scale, 0xFFFF),
            payload=payload,
            timestamps=self._stamps(),
        )
        self._carrier.send(*self._ports, segment)


__all__ = [
    *("Carrier", "Port", "Session", "SessionError"),
    *("export", "on_interface", "release", "restore"),
]
