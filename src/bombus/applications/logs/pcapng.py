# SPDX-License-Identifier: Apache-2.0
"""Captures of logged packets, in nanoseconds and with the cycle as a comment.

Libraries that write pcapng (scapy, dpkt) have timestamps in microseconds, 250 cycles.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bombus.base.output import writing

LINK_ETHERNET, LINK_RAW, LINK_USER = 1, 101, 147
_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6  # blocks
_ORDER = 0x1A2B3C4D
_COMMENT, _NAME, _RESOLUTION = 1, 2, 9  # options
_NANOSECONDS = b"\x09"


@dataclass(frozen=True)
class Interface:
    """Where packets were seen. `link`: number of the link type."""

    name: str
    link: int = LINK_ETHERNET


@dataclass(frozen=True)
class Captured:
    """A packet: the first bytes of `length`. `interface`: position in the list of interfaces."""

    interface: int
    time_ns: int
    data: bytes
    length: int
    comment: str


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _options(*options: tuple[int, bytes]) -> bytes:
    parts = [struct.pack("<HH", code, len(data)) + _padded(data) for code, data in options]
    return b"".join(parts) + bytes(4)


def _block(kind: int, body: bytes) -> bytes:
    size = len(body) + 12
    return struct.pack("<II", kind, size) + body + struct.pack("<I", size)


def write(path: Path, interfaces: Iterable[Interface], packets: Iterable[Captured]) -> None:
    """Writes a capture (draft-ietf-opsawg-pcapng), in the order of the packets."""
    blocks = [_block(_SECTION, struct.pack("<IHHq", _ORDER, 1, 0, -1))]
    for each in interfaces:
        options = _options((_NAME, each.name.encode()), (_RESOLUTION, _NANOSECONDS))
        blocks.append(_block(_INTERFACE, struct.pack("<HHI", each.link, 0, 0) + options))
    for packet in packets:
        head = struct.pack(
            "<IIIII",
            packet.interface,
            packet.time_ns >> 32,
            packet.time_ns & 0xFFFF_FFFF,
            len(packet.data),
            packet.length,
        )
        comment = _options((_COMMENT, packet.comment.encode()))
        blocks.append(_block(_PACKET, head + _padded(packet.data) + comment))
    with writing(path):
        path.write_bytes(b"".join(blocks))
