# SPDX-License-Identifier: Apache-2.0
"""Segments of TCP as the bytes of packets, and back (RFC 9293, 3.1)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from bombus.protocols.frames import (
    ETHERNET_BYTES,
    PROTOCOL_TCP,
    TYPE_IPV4,
    pseudo_header,
    sums_to_zero,
    transport_checksum,
)
from bombus.protocols.tcp.segment import WORD, Segment

_BITS = {"fin": 1, "syn": 2, "rst": 4, "psh": 8, "ack": 16, "urg": 32}
_HEADER = struct.Struct("!HHIIBBHHH")
_MSS, _SCALE, _SACK_PERMITTED, _SACK, _TIMESTAMPS = 2, 3, 4, 5, 8
_PADDING = {0: b"", 1: b"\1", 2: b"\1\1", 3: b"\1\1\1"}


@dataclass(frozen=True)
class Packet:
    """A segment with its addresses."""

    source: tuple[bytes, int]
    destination: tuple[bytes, int]
    segment: Segment


def body_of(packet: Packet) -> bytes:
    """Header with checksum, and payload."""
    segment = packet.segment
    options = b"".join(_filled(each) for each in _options(segment))
    header = _HEADER.pack(
        packet.source[1],
        packet.destination[1],
        segment.seq % WORD,
        segment.ack % WORD,
        (_HEADER.size + len(options)) // 4 << 4,
        sum(_BITS[flag] for flag in segment.flags),
        segment.window,
        0,
        0,
    )
    body = header + options + segment.payload
    pseudo = pseudo_header(packet.source[0], packet.destination[0], PROTOCOL_TCP, len(body))
    return body[:16] + transport_checksum(pseudo + body).to_bytes(2) + body[18:]


def packet_of(frame: bytes) -> Packet | None:
    """The segment in an Ethernet frame; None if it has none, or a wrong checksum."""
    if frame[12:14] != TYPE_IPV4.to_bytes(2) or frame[ETHERNET_BYTES + 9] != PROTOCOL_TCP:
        return None
    packet = frame[ETHERNET_BYTES:][: int.from_bytes(frame[16:18])]
    start = 4 * (packet[0] & 0xF)
    body, source, destination = packet[start:], packet[12:16], packet[16:20]
    pseudo = pseudo_header(source, destination, PROTOCOL_TCP, len(body))
    if len(body) < _HEADER.size or not (
        sums_to_zero(packet[:start]) and sums_to_zero(pseudo + body)
    ):
        return None
    source_port, destination_port = struct.unpack_from("!HH", body)
    return Packet((source, source_port), (destination, destination_port), _segment_of(body))


def _filled(option: bytes) -> bytes:
    return _PADDING[-len(option) % 4] + option


def _options(segment: Segment) -> list[bytes]:
    found = []
    if segment.mss is not None:
        found.append(struct.pack("!BBH", _MSS, 4, segment.mss))
    if segment.sack_permitted:
        found.append(bytes((_SACK_PERMITTED, 2)))
    if segment.timestamps is not None:
        found.append(struct.pack("!BBII", _TIMESTAMPS, 10, *segment.timestamps))
    if segment.scale is not None:
        found.append(bytes((_SCALE, 3, segment.scale)))
    if segment.sacks:
        edges = b"".join(edge.to_bytes(4) for block in segment.sacks for edge in block)
        found.append(bytes((_SACK, 2 + len(edges))) + edges)
    return found


def _segment_of(body: bytes) -> Segment:
    _, _, seq, ack, offset, flags, window, _, _ = _HEADER.unpack_from(body)
    start = offset >> 4 << 2
    found: dict[int, bytes] = {}
    options = body[_HEADER.size : start]
    while options and options[0] != 0:
        if options[0] == 1:
            options = options[1:]
            continue
        length = max(2, options[1])
        found[options[0]] = options[2:length]
        options = options[length:]
    edges = struct.unpack(f"!{len(found.get(_SACK, b'')) // 4}I", found.get(_SACK, b""))
    first, second = struct.unpack("!II", found.get(_TIMESTAMPS, bytes(8)))
    return Segment(
        seq=seq,
        ack=ack,
        flags=frozenset(name for name, bit in _BITS.items() if flags & bit),
        window=window,
        payload=body[start:],
        mss=int.from_bytes(found[_MSS]) if _MSS in found else None,
        scale=found[_SCALE][0] if _SCALE in found else None,
        sack_permitted=_SACK_PERMITTED in found,
        timestamps=(first, second) if _TIMESTAMPS in found else None,
        sacks=tuple(zip(edges[::2], edges[1::2], strict=True)),
    )
