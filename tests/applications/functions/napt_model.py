# SPDX-License-Identifier: Apache-2.0
"""A model of network address and port translation (RFC 3022, 4787, 5382, 5508) for tests of napt.

It works on whole packets, with checksums from scratch. The port of a session is learned from its
first packet that leaves, and must be unique.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

ICMP, TCP, UDP = 1, 6, 17
ECHO_REPLY, ECHO = 0, 8
ERRORS = (3, 11, 12)
FIN, SYN, RST, ACK = 1, 2, 4, 16


def total(data: bytes) -> int:
    """One's complement sum of 16-bit words (RFC 1071)."""
    words = sum(struct.unpack(f"!{(len(data) + 1) // 2}H", data + b"\0" * (len(data) % 2)))
    while words >> 16:
        words = (words & 0xFFFF) + (words >> 16)
    return words


def header(
    source: bytes,
    destination: bytes,
    protocol: int,
    payload: bytes | int,
    *,
    ttl: int = 64,
    tos: int = 0,
    number: int = 0,
    fragment: int = 0x4000,
) -> bytes:
    size = payload if isinstance(payload, int) else len(payload)
    fields = (0x45, tos, 20 + size, number, fragment, ttl, protocol, 0)
    bare = struct.pack("!BBHHHBBH", *fields) + source + destination
    return bare[:10] + (0xFFFF - total(bare)).to_bytes(2) + bare[12:]


def transport(source: bytes, destination: bytes, protocol: int, payload: bytes) -> bytes:
    """The payload with its right checksum. A UDP checksum of zero stays."""
    if protocol == ICMP:
        at, pseudo = 2, b""
    else:
        at = 16 if protocol == TCP else 6
        pseudo = source + destination + struct.pack("!HH", protocol, len(payload))
        if protocol == UDP and payload[6:8] == b"\0\0":
            return payload
    bare = payload[:at] + b"\0\0" + payload[at + 2 :]
    found = 0xFFFF - total(pseudo + bare)
    if protocol == UDP and not found:
        found = 0xFFFF
    return payload[:at] + found.to_bytes(2) + payload[at + 2 :]


@dataclass(frozen=True)
class Endpoint:
    protocol: int
    address: bytes
    port: int


@dataclass
class Session:
    port: int
    seen: int
    answered: bool = False
    established: bool = False
    fins: set[str] = field(default_factory=set)
    reset: bool = False


class Fate(Enum):
    SERVED = "served"
    SENT = "sent"
    FRAGMENT = "fragment"
    UNSUPPORTED = "unsupported"
    EXPIRED = "expired"
    BAD_SOURCE = "bad_source"
    NO_SESSION = "no_session"
    NO_PORT = "no_port"


@dataclass(frozen=True)
class Side:
    mac_port: int
    address: bytes
    prefix: int

    def contains(self, address: bytes) -> bool:
        shift = 32 - self.prefix
        return int.from_bytes(address) >> shift == int.from_bytes(self.address) >> shift


@dataclass(frozen=True)
class Outcome:
    fate: Fate
    packet: bytes = b""  # of one that is sent, with the header of the way in and the next TTL
    mac_port: int = 0
    is_new: bool = False


@dataclass
class Napt:
    inside: Side
    outside: Side
    ports: range
    forwards: Mapping[tuple[int, int], Endpoint]  # by protocol and outside port
    timeouts: Mapping[str, int]  # udp, echo, established, transitory
    sessions: dict[Endpoint, Session] = field(default_factory=dict)

    # ---- Sessions ----

    def _limit(self, endpoint: Endpoint, session: Session) -> int:
        if endpoint.protocol == UDP:
            return self.timeouts["udp"]
        if endpoint.protocol == ICMP:
            return self.timeouts["echo"]
        ends = session.reset or len(session.fins) == 2
        return self.timeouts["established" if session.established and not ends else "transitory"]

    def expire(self, now: int) -> None:
        self.sessions = {
            endpoint: session
            for endpoint, session in self.sessions.items()
            if now - session.seen <= self._limit(endpoint, session)
        }

    def _port_of(self, endpoint: Endpoint) -> int | None:
        for (protocol, port), inside in self.forwards.items():
            if inside == endpoint and protocol == endpoint.protocol:
                return port
        session = self.sessions.get(endpoint)
        return session.port if session else None

    def _endpoint_of(self, protocol: int, port: int) -> Endpoint | None:
        if protocol != ICMP and (protocol, port) in self.forwards:
            return self.forwards[protocol, port]
        for endpoint, session in self.sessions.items():
            if session.port == port and endpoint.protocol == protocol:
                return endpoint
        return None

    # ---- Packets ----

    def process(self, packet: bytes, mac_port: int, now: int, sent: bytes | None) -> Outcome:
        """What happens to a packet. `sent`: the payload that has left, from which a new session
        learns its port; None: none has left."""
        self.expire(now)
        size = len(packet)
        if (
            size < 20
            or packet[0] != 0x45
            or int.from_bytes(packet[2:4]) != size
            or total(packet[:20]) != 0xFFFF
        ):
            return Outcome(Fate.SERVED)
        if mac_port == self.inside.mac_port:
            return self._outward(packet, now, sent)
        if mac_port == self.outside.mac_port:
            return self._inward(packet)
        return Outcome(Fate.SERVED)

    @staticmethod
    def _is_special(address: bytes) -> bool:
        return address[0] in (0, 127) or address[0] >= 224

    def _bad_source(self, source: bytes, *, inward: bool) -> bool:
        return (
            self._is_special(source)
            or source in (self.inside.address, self.outside.address)
            or (inward and self.inside.contains(source))
        )

    @staticmethod
    def _fields(packet: bytes, *, outward: bool) -> tuple[int, bytes, int] | None:
        """Protocol, address and port on our side of a packet or of the one that it quotes."""
        payload = packet[20:]
        if len(payload) < 8:
            return None
        if packet[9] == ICMP and payload[0] in ERRORS:
            quoted = payload[8:]
            if len(quoted) < 28 or quoted[0] != 0x45 or int.from_bytes(quoted[6:8]) & 0x1FFF:
                return None
            return Napt._named(quoted, quoted[20:], source=not outward)
        if packet[9] == TCP and len(payload) < 20:
            return None
        return Napt._named(packet, payload, source=outward)

    @staticmethod
    def _named(packet: bytes, payload: bytes, *, source: bool) -> tuple[int, bytes, int] | None:
        protocol = packet[9]
        address = packet[12:16] if source else packet[16:20]
        if protocol in (TCP, UDP):
            return protocol, address, int.from_bytes(payload[0:2] if source else payload[2:4])
        if protocol == ICMP and payload[0] == (ECHO if source else ECHO_REPLY):
            return protocol, address, int.from_bytes(payload[4:6])
        return None

    def _outward(self, packet: bytes, now: int, sent: bytes | None) -> Outcome:
        destination = packet[16:20]
        if (
            self._is_special(destination)
            or self.inside.contains(destination)
            or destination == self.outside.address
        ):
            return Outcome(Fate.SERVED)
        if int.from_bytes(packet[6:8]) & 0x3FFF:
            return Outcome(Fate.FRAGMENT)
        named = self._fields(packet, outward=True)
        if named is None:
            return Outcome(Fate.UNSUPPORTED)
        if packet[8] <= 1:
            return Outcome(Fate.EXPIRED)
        if self._bad_source(packet[12:16], inward=False):
            return Outcome(Fate.BAD_SOURCE)
        endpoint, is_new = Endpoint(*named), False
        is_error = packet[9] == ICMP and packet[20] in ERRORS
        flags = packet[33] if endpoint.protocol == TCP and not is_error else 0
        port = self._port_of(endpoint)
        if port is None:
            begins = endpoint.protocol != TCP or flags & (SYN | ACK | RST) == SYN
            if is_error or not begins:
                return Outcome(Fate.NO_SESSION)
            if sent is None:
                return Outcome(Fate.NO_PORT)
            port = int.from_bytes(sent[4:6] if endpoint.protocol == ICMP else sent[0:2])
            assert port in self.ports
            assert port not in [session.port for session in self.sessions.values()]
            self.sessions[endpoint] = Session(port, now)
            is_new = True
        elif not is_error and endpoint in self.sessions:
            session = self.sessions[endpoint]
            session.seen = now
            if flags & SYN:
                self.sessions[endpoint] = Session(port, now)
            elif endpoint.protocol == TCP:
                session.established |= session.answered
                session.reset = bool(flags & RST)
                if flags & FIN:
                    session.fins.add("inside")
        changed = _changed(packet, self.outside.address, port, source=True)
        return Outcome(Fate.SENT, changed, self.outside.mac_port, is_new)

    def _inward(self, packet: bytes) -> Outcome:
        if packet[16:20] != self.outside.address or int.from_bytes(packet[6:8]) & 0x3FFF:
            return Outcome(Fate.SERVED)
        named = self._fields(packet, outward=False)
        if named is None or named[1] != self.outside.address:
            return Outcome(Fate.SERVED)
        protocol, _, port = named
        if port not in self.ports and (protocol, port) not in self.forwards:
            return Outcome(Fate.SERVED)
        if packet[8] <= 1:
            return Outcome(Fate.EXPIRED)
        if self._bad_source(packet[12:16], inward=True):
            return Outcome(Fate.BAD_SOURCE)
        endpoint = self._endpoint_of(protocol, port)
        if endpoint is None:
            return Outcome(Fate.NO_SESSION)
        is_error = packet[9] == ICMP and packet[20] in ERRORS
        is_session = (protocol, port) not in self.forwards
        if protocol == TCP and not is_error and is_session:
            session = self.sessions[endpoint]
            session.answered = True
            session.reset |= bool(packet[33] & RST)
            if packet[33] & FIN:
                session.fins.add("outside")
        changed = _changed(packet, endpoint.address, endpoint.port, source=False)
        return Outcome(Fate.SENT, changed, self.inside.mac_port)


def _changed(packet: bytes, address: bytes, port: int, *, source: bool) -> bytes:
    """The packet with another address and port; a right checksum stays right."""
    payload = packet[20:]
    old = (packet[12:16], packet[16:20])
    new = (address, old[1]) if source else (old[0], address)
    if packet[9] == ICMP and payload[0] in ERRORS:
        quoted = _quoted(payload[8:], address, port, source=not source)
        payload = transport(*new, ICMP, payload[:8] + quoted)
    else:
        at = 4 if packet[9] == ICMP else 0 if source else 2
        moved = payload[:at] + port.to_bytes(2) + payload[at + 2 :]
        payload = transport(*new, packet[9], moved)
    fields = {
        "ttl": packet[8] - 1,
        "tos": packet[1],
        "number": int.from_bytes(packet[4:6]),
        "fragment": int.from_bytes(packet[6:8]) & 0x4000,
    }
    return header(*new, packet[9], payload, **fields) + payload


def _quoted(quoted: bytes, address: bytes, port: int, *, source: bool) -> bytes:
    """A quoted packet, perhaps cut off, with another address and port. Its checksum covers bytes
    that are not quoted, so it changes by the difference."""
    protocol, payload = quoted[9], quoted[20:]
    where = 12 if source else 16
    moved = quoted[:10] + b"\0\0" + quoted[12:20]
    moved = moved[:where] + address + moved[where + 4 :]
    moved = moved[:10] + (0xFFFF - total(moved)).to_bytes(2) + moved[12:]
    at = 4 if protocol == ICMP else 0 if source else 2
    old, new = payload[at : at + 2], port.to_bytes(2)
    payload = payload[:at] + new + payload[at + 2 :]
    at = {ICMP: 2, UDP: 6, TCP: 16}[protocol]
    if protocol != ICMP:
        old, new = old + quoted[where : where + 4], new + address
    field_ = payload[at : at + 2]
    known = len(payload) >= 20 if protocol == TCP else True
    if known and not (protocol == UDP and field_ == b"\0\0"):
        value = (int.from_bytes(field_) + total(old) - total(new)) % 0xFFFF
        if protocol == UDP and not value:
            value = 0xFFFF
        payload = payload[:at] + value.to_bytes(2) + payload[at + 2 :]
    return moved + payload


__all__ = ["Endpoint", "Fate", "Napt", "Outcome", "Session", "Side", "header", "replace", "total"]
