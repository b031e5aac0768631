# SPDX-License-Identifier: Apache-2.0
"""Frames that are nearly right: mutations of good traffic, from a seed."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

from bombus.protocols.frames import (
    ETHERNET_BYTES,
    IPV4_BYTES,
    PROTOCOL_ICMP,
    PROTOCOL_UDP,
    TAG_BYTES,
    UDP_BYTES,
    Host,
    Station,
    arp_reply,
    arp_request,
    checksum,
    ip_bytes,
    padded,
    ping_frame,
    pseudo_header,
    transport_checksum,
    udp_frame,
)

# Values at which arithmetic on lengths and fields is likely to go wrong.
NUMBERS = (
    *(0, 1, 2, 7, 8, 19, 20, 27, 28, 46, 60, 64, 127, 128, 255, 256, 1500, 1501),
    *(9586, 9600, 9601, 16383, 16384, 32767, 32768, 65534, 65535),
)
ADDRESSES = [
    ip_bytes(text)
    for text in (
        *("0.0.0.0", "255.255.255.255", "127.0.0.1", "224.0.0.1", "240.0.0.1"),
        *("10.77.0.0", "10.77.0.1", "10.77.0.2", "10.77.0.3", "10.77.0.255", "10.78.0.2"),
    )
]
# Offset and size of fields after the Ethernet header (of IPv4, then UDP or ICMP, or ARP).
FIELDS = (
    *((0, 1), (1, 1), (2, 2), (4, 2), (6, 2), (8, 1), (9, 1), (10, 2), (12, 4), (16, 4)),
    *((20, 2), (22, 2), (24, 2), (26, 2)),
)
LONGEST_USUAL = 3000


def ip_start(frame: bytes | bytearray) -> int:
    return ETHERNET_BYTES + (TAG_BYTES if frame[12:14] == b"\x81\x00" else 0)


def with_good_checksums(frame: bytes) -> bytes:
    """Corrects the checksums, as far as the lengths in a frame make sense."""
    start = ip_start(frame)
    if len(frame) < start + IPV4_BYTES:
        return frame
    fixed = bytearray(frame)
    transport = start + 4 * (fixed[start] & 0xF)
    end = min(len(fixed), start + int.from_bytes(fixed[start + 2 : start + 4]))
    protocol = fixed[start + 9]
    if protocol == PROTOCOL_ICMP and end >= transport + 4:
        fixed[transport + 2 : transport + 4] = bytes(2)
        fixed[transport + 2 : transport + 4] = transport_checksum(fixed[transport:end]).to_bytes(2)
    if protocol == PROTOCOL_UDP and end >= transport + UDP_BYTES:
        fixed[transport + 6 : transport + 8] = bytes(2)
        addresses = bytes(fixed[start + 12 : start + 20])
        pseudo = pseudo_header(addresses[:4], addresses[4:], PROTOCOL_UDP, end - transport)
        value = transport_checksum(pseudo + fixed[transport:end])
        fixed[transport + 6 : transport + 8] = value.to_bytes(2)
    fixed[start + 10 : start + 12] = bytes(2)
    fixed[start + 10 : start + 12] = checksum(fixed[start:transport]).to_bytes(2)
    return bytes(fixed)


class Mutator:
    """An endless supply of frames from stations to a host, determined by the seed."""

    def __init__(self, seed: int | str, host: Host, stations: list[Station]) -> None:
        self._random = random.Random(seed)
        self._host = host
        self._stations = stations
        self._mutations: list[Callable[[bytes], bytes]] = [
            self._flip_bits,
            self._flip_bits,
            self._overwrite,
            self._set_field,
            self._set_field,
            self._set_field,
            self._truncate,
            self._extend,
            self._splice,
            self._repeat,
            self._remove,
            self._tag,
            self._shift_lengths,
        ]

    def frame(self) -> bytes:
        frame = self._good()
        for _ in range(self._random.choice((0, 1, 1, 1, 2, 2, 3, 5))):
            if len(frame) > 1:
                frame = self._random.choice(self._mutations)(frame)
        # Frames with bad checksums are all treated alike; the logic behind the check needs good
        # ones.
        if self._random.random() < 0.6:
            frame = with_good_checksums(frame)
        if self._random.random() < 0.3:
            frame = padded(frame)
        return frame[:LONGEST_USUAL] or b"\0"

    def _good(self) -> bytes:
        choice = self._random
        station, host = choice.choice(self._stations), self._host
        size = choice.choice((choice.randrange(64), choice.randrange(64), choice.randrange(700)))
        if choice.random() < 0.03:
            size = choice.randrange(1400, LONGEST_USUAL - 100)
        payload = choice.randbytes(size)
        kind = choice.random()
        options = choice.randbytes(4 * choice.randrange(1, 11)) if choice.random() < 0.05 else b""
        header = {"tos": choice.randrange(256), "identification": choice.randrange(1 << 16)}
        if kind < 0.4:
            port = choice.randrange(1, 1 << 16)
            return udp_frame(station, host, payload, source_port=port, options=options, **header)
        if kind < 0.45:
            return udp_frame(station, host, payload, port=choice.randrange(1 << 16))
        if kind < 0.9:
            sequence = choice.randrange(1 << 16)
            return ping_frame(station, host, payload, sequence=sequence, options=options, **header)
        return choice.choice((arp_request, arp_reply))(station, host)

    def _flip_bits(self, frame: bytes) -> bytes:
        changed = bytearray(frame)
        # Mutates headers more often than payload.
        reach = len(frame) if self._random.random() < 0.3 else min(len(frame), 50)
        for _ in range(self._random.choice((1, 1, 1, 2, 3, 8))):
            changed[self._random.randrange(reach)] ^= 1 << self._random.randrange(8)
        return bytes(changed)

    def _overwrite(self, frame: bytes) -> bytes:
        changed = bytearray(frame)
        start = self._random.randrange(min(len(frame), 60))
        count = self._random.choice((1, 2, 4, 6))
        fill = self._random.choice((bytes(count), b"\xff" * count, self._random.randbytes(count)))
        changed[start : start + count] = fill
        return bytes(changed)

    def _set_field(self, frame: bytes) -> bytes:
        offset, size = self._random.choice(FIELDS)
        start = ip_start(frame) + offset
        if size == 4:
            value = self._random.choice(ADDRESSES)
        else:
            number = self._random.choice((*NUMBERS, len(frame), len(frame) - 14, len(frame) - 34))
            value = (number & ((1 << 8 * size) - 1)).to_bytes(size)
        return frame[:start] + value + frame[start + size :]

    def _truncate(self, frame: bytes) -> bytes:
        return frame[: self._random.randrange(1, len(frame))]

    def _extend(self, frame: bytes) -> bytes:
        count = self._random.choice((1, 2, 3, 18, 64, self._random.randrange(1, 400)))
        return frame + self._random.choice((bytes(count), self._random.randbytes(count)))

    def _splice(self, frame: bytes) -> bytes:
        other = self._good()
        return (
            frame[: self._random.randrange(len(frame))]
            + other[self._random.randrange(len(other)) :]
        )

    def _repeat(self, frame: bytes) -> bytes:
        """Repeats a header, or any piece."""
        start, end = self._piece(frame)
        return frame[:end] + frame[start:]

    def _remove(self, frame: bytes) -> bytes:
        start, end = self._piece(frame)
        return frame[:start] + frame[end:]

    def _piece(self, frame: bytes) -> tuple[int, int]:
        edges = [edge for edge in (0, 6, 12, 14, 18, 34, 42) if edge <= len(frame)]
        edges += [self._random.randrange(len(frame) + 1) for _ in range(2)]
        start, end = sorted(self._random.sample(edges, 2))
        return start, end

    def _tag(self, frame: bytes) -> bytes:
        tag = struct.pack("!HH", self._random.choice((0x8100, 0x8100, 0x88A8)), 0x0123)
        return frame[:12] + tag + frame[12:]

    def _shift_lengths(self, frame: bytes) -> bytes:
        """Moves the ends of the packet and of the datagram, together or not."""
        start = ip_start(frame)
        if len(frame) < start + 28:
            return frame
        changed = bytearray(frame)
        step = self._random.choice((-4, -2, -1, 1, 2, 4, 64))
        for offset in self._random.choice(((2,), (24,), (2, 24))):
            position = start + offset
            value = int.from_bytes(changed[position : position + 2]) + step
            changed[position : position + 2] = (value & 0xFFFF).to_bytes(2)
        return bytes(changed)
