# SPDX-License-Identifier: Apache-2.0
"""TCP segments as Ethernet frames, good or bad, and back (RFC 9293, 3.1)."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, replace
from typing import Any

from bombus.protocols.frames import (
    ARP_BYTES,
    ARP_REQUEST,
    ETHERNET_BYTES,
    IPV4_BYTES,
    PROTOCOL_TCP,
    TYPE_ARP,
    TYPE_IPV4,
    Host,
    Station,
    arp_reply,
    ip_frame,
    padded,
    pseudo_header,
    sums_to_zero,
    transport_checksum,
)

WORD = 1 << 32
HEADER_BYTES = 20
FLAGS = ("FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR")  # bit 0 first

END, NOP, MSS, SCALE, SACK_PERMITTED, SACK, TIMESTAMPS = 0, 1, 2, 3, 4, 5, 8


@dataclass(frozen=True)
class Wire:
    """A segment in wire format."""

    source: int
    destination: int
    seq: int = 0
    ack: int = 0
    flags: frozenset[str] = frozenset()
    window: int = 65535
    payload: bytes = b""
    options: bytes = b""  # any multiple of 4
    urgent: int = 0
    offset: int | None = None  # None: as it is
    checksum: int | None = None  # None: right
    tos: int = 0  # of the packet

    @property
    def end(self) -> int:
        """The sequence number after it."""
        occupied = len(self.payload) + ("SYN" in self.flags) + ("FIN" in self.flags)
        return (self.seq + occupied) % WORD

    def body(self, source_ip: bytes, destination_ip: bytes) -> bytes:
        """Header and payload."""
        bits = sum(1 << FLAGS.index(flag) for flag in self.flags)
        words = (HEADER_BYTES + len(self.options)) // 4
        offset = words if self.offset is None else self.offset
        header = struct.pack(
            "!HHIIBBHHH",
            *(self.source, self.destination, self.seq % WORD, self.ack % WORD),
            *(offset << 4, bits, self.window, 0, self.urgent),
        )
        whole = header + self.options + self.payload
        pseudo = pseudo_header(source_ip, destination_ip, PROTOCOL_TCP, len(whole))
        checksum = transport_checksum(pseudo + whole) if self.checksum is None else self.checksum
        return whole[:16] + checksum.to_bytes(2) + whole[18:]

    def frame(self, station: Station, host: Host, **fields: Any) -> bytes:
        """From the station to the host."""
        body = self.body(station.ip, host.ip)
        return padded(ip_frame(station, host, PROTOCOL_TCP, body, tos=self.tos, **fields))

    def but(self, **changes: Any) -> Wire:
        return replace(self, **changes)


def decode(frame: bytes) -> Wire | None:
    """The segment in a frame; None if it is not TCP. Checksums and lengths must be right."""
    if frame[12:14] != TYPE_IPV4.to_bytes(2) or frame[ETHERNET_BYTES + 9] != PROTOCOL_TCP:
        return None
    packet = frame[ETHERNET_BYTES:]
    packet = packet[: int.from_bytes(packet[2:4])]
    assert packet[0] == 0x45
    assert sums_to_zero(packet[:IPV4_BYTES]), "bad IPv4 checksum"
    body = packet[IPV4_BYTES:]
    pseudo = pseudo_header(packet[12:16], packet[16:20], PROTOCOL_TCP, len(body))
    assert sums_to_zero(pseudo + body), "bad TCP checksum"
    source, destination, seq, ack, offset, bits, window, _, urgent = struct.unpack(
        "!HHIIBBHHH", body[:HEADER_BYTES]
    )
    header = 4 * (offset >> 4)
    assert HEADER_BYTES <= header <= len(body), "bad data offset"
    flags = frozenset(flag for n, flag in enumerate(FLAGS) if bits >> n & 1)
    return Wire(
        *(source, destination, seq, ack, flags, window),
        payload=body[header:],
        options=body[HEADER_BYTES:header],
        urgent=urgent,
        tos=packet[1],
    )


def resolution(frame: bytes, station: Station, host: Host) -> bytes | None:
    """The answer to an ARP request: a design repeats requests for neighbours that it talks to."""
    body = frame[ETHERNET_BYTES : ETHERNET_BYTES + ARP_BYTES]
    asks = frame[12:14] == TYPE_ARP.to_bytes(2) and body[6:8] == ARP_REQUEST.to_bytes(2)
    return padded(arp_reply(station, host)) if asks and body[24:28] == station.ip else None


# ---- Options ----


@dataclass(frozen=True)
class Options:
    """The options that a segment carries, as far as the engine may send them."""

    mss: int | None = None
    scale: int | None = None
    sack_permitted: bool = False
    timestamps: tuple[int, int] | None = None
    sacks: list[tuple[int, int]] = field(default_factory=list)


def parse(options: bytes) -> Options:
    """Reads well-formed options; anything else is an AssertionError."""
    found: dict[str, Any] = {}
    place = 0
    while place < len(options) and options[place] != END:
        if options[place] == NOP:
            place += 1
            continue
        kind, length = options[place], options[place + 1]
        assert 2 <= length <= len(options) - place, f"option {kind} has length {length}"
        value = options[place + 2 : place + length]
        if kind == MSS:
            found["mss"] = int.from_bytes(value)
        elif kind == SCALE:
            found["scale"] = value[0]
        elif kind == SACK_PERMITTED:
            found["sack_permitted"] = True
        elif kind == TIMESTAMPS:
            found["timestamps"] = struct.unpack("!II", value)
        elif kind == SACK:
            words = struct.unpack(f"!{len(value) // 4}I", value)
            found["sacks"] = list(zip(words[::2], words[1::2], strict=True))
        else:
            raise AssertionError(f"option of kind {kind}")
        place += length
    return Options(**found)


def filled(options: bytes) -> bytes:
    """Options up to the end of a 32-bit word, the rest NOPs."""
    return options + bytes((NOP,)) * (-len(options) % 4)
