# SPDX-License-Identifier: Apache-2.0
"""IPv4 packets for tests of napt, with right checksums."""

from __future__ import annotations

import struct

from tests.applications.functions.napt_model import (
    ACK,
    ECHO_REPLY,
    ICMP,
    TCP,
    UDP,
    header,
    transport,
)


def ports(source: int, destination: int) -> bytes:
    return struct.pack("!HH", source, destination)


def udp(source: bytes, destination: bytes, data: bytes, *, csum: bool = True, **more: int) -> bytes:
    """From port `source_port` to `port`; 0: none."""
    head = ports(more.pop("source_port", 5000), more.pop("port", 53))
    head += struct.pack("!HH", 8 + len(data), int(csum))
    return packet(source, destination, UDP, head + data, **more)


def tcp(source: bytes, destination: bytes, flags: int, data: bytes = b"", **more: int) -> bytes:
    """`numbers`: sequence and acknowledgement number."""
    head = ports(more.pop("source_port", 5000), more.pop("port", 80))
    head += struct.pack("!QBBHHH", more.pop("numbers", 7 << 32 | 9), 0x50, flags, 1000, 0, 0)
    return packet(source, destination, TCP, head + data, **more)


def echo(source: bytes, destination: bytes, kind: int, number: int, data: bytes) -> bytes:
    return packet(source, destination, ICMP, struct.pack("!BBHHH", kind, 0, 0, number, 1) + data)


def packet(source: bytes, destination: bytes, protocol: int, payload: bytes, **more: int) -> bytes:
    if protocol in (ICMP, TCP, UDP):
        payload = transport(source, destination, protocol, payload)
    return header(source, destination, protocol, payload, **more) + payload


def error(source: bytes, quoted: bytes, size: int, kind: int = 3) -> bytes:
    """About a packet, of which `size` bytes after its header are quoted, to its sender."""
    body = struct.pack("!BBHI", kind, 1, 0, 0) + quoted[: 20 + size]
    return packet(source, quoted[12:16], ICMP, body)


def answer(
    sent: bytes, data: bytes = b"answer", flags: int = ACK, numbers: int = 7 << 32 | 9
) -> bytes:
    """What the remote host sends back."""
    there, here, payload = sent[16:20], sent[12:16], sent[20:]
    if sent[9] == ICMP:
        return echo(there, here, ECHO_REPLY, int.from_bytes(payload[4:6]), data)
    near, far = struct.unpack("!HH", payload[:4])
    if sent[9] == UDP:
        return udp(there, here, data, source_port=far, port=near)
    return tcp(there, here, flags, data, source_port=far, port=near, numbers=numbers)
