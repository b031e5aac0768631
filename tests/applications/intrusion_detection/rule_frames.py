# SPDX-License-Identifier: Apache-2.0
"""Frames with the payload, ports and protocol of a packet that rules are checked on."""

from __future__ import annotations

from ipaddress import IPv4Address
from random import Random

from bombus.applications.intrusion_detection import keywords
from bombus.applications.intrusion_detection.model import Packet
from bombus.applications.intrusion_detection.streams import Flow, Segment
from bombus.protocols.frames import checksum, pseudo_header, transport_checksum

_NUMBERS = {keywords.TCP: 6, keywords.UDP: 17, keywords.ICMP: 1, keywords.OTHER: 47}
LONGEST_HEADERS = 18 + 32 + 60


def frame(packet: Packet, random: Random, fragment: int = 0) -> bytes:
    """A frame of a new flow, possibly with a VLAN tag, IP and TCP options, and padding."""
    ports = packet.source_port.to_bytes(2) + packet.target_port.to_bytes(2)
    if packet.protocol == keywords.TCP:
        words = random.choice([5, 5, 8, 15])
        header = ports + bytes(8) + bytes([words << 4, 0x18]) + bytes(4 * words - 14)
    elif packet.protocol == keywords.UDP:
        header = ports + (8 + len(packet.payload)).to_bytes(2) + bytes(2)
    elif packet.protocol == keywords.ICMP:
        header = bytes(8)
    else:
        header = b""
    words = random.choice([5, 5, 5, 6, 8])
    total = 4 * words + len(header) + len(packet.payload)
    ip = bytes([0x40 | words, 0]) + total.to_bytes(2) + bytes(2) + fragment.to_bytes(2)
    ip += bytes([64, _NUMBERS[packet.protocol]]) + bytes(2)
    addresses = random.randbytes(8)
    ip = with_sum(ip + addresses + bytes(4 * words - 20))
    if packet.protocol == keywords.TCP:
        header = with_tcp_sum(addresses, header + packet.payload)[: len(header)]
    tag = random.choice([b"", b"", b"\x81\0\0\1", b"\x88\xa8\0\1"])
    whole = random.randbytes(12) + tag + b"\x08\0" + ip + header + packet.payload
    # Bytes after the packet do not belong to it.
    padding = packet.payload[: random.choice([0, 0, 0, 8, 40])]
    return (whole + padding).ljust(60, b"\0")


def segment(segment: Segment, acknowledged: int = 0, flags: int | None = None) -> bytes:
    """A TCP segment without options. `flags`: by default, those of the segment."""
    flow = segment.flow
    if segment.answers is not None:
        acknowledged = segment.answers
    if flags is None:
        flags = _flags(segment)
    tcp = flow.source_port.to_bytes(2) + flow.target_port.to_bytes(2)
    tcp += segment.sequence.to_bytes(4) + acknowledged.to_bytes(4)
    tcp += bytes([0x50, flags]) + b"\xff\xff" + bytes(4)
    frame = bytearray(_of_flow(flow, 6, tcp + segment.payload))
    frame[50] ^= not segment.is_good
    return bytes(frame)


def _flags(segment: Segment) -> int:
    if segment.rst:
        return 0x04
    if segment.syn:
        return 0x02 | (segment.answers is not None) << 4
    return (0x18 if segment.in_stream else 0x08) | segment.fin


def datagram(flow: Flow, packet: Packet, length: int | None = None) -> bytes:
    """UDP or ICMP, without IP options. `length`: what UDP says of itself."""
    if packet.protocol == keywords.ICMP:
        return _of_flow(flow, 1, b"\x08" + bytes(7) + packet.payload)
    ports = flow.source_port.to_bytes(2) + flow.target_port.to_bytes(2)
    size = (8 + len(packet.payload) if length is None else length).to_bytes(2)
    return _of_flow(flow, 17, ports + size + bytes(2) + packet.payload)


def _of_flow(flow: Flow, protocol: int, content: bytes) -> bytes:
    addresses = IPv4Address(flow.source).packed + IPv4Address(flow.target).packed
    ip = b"\x45\0" + (20 + len(content)).to_bytes(2) + bytes(4) + bytes([64, protocol, 0, 0])
    if protocol == 6:
        content = with_tcp_sum(addresses, content)
    return (bytes(12) + b"\x08\0" + with_sum(ip + addresses) + content).ljust(60, b"\0")


def with_sum(ip: bytes) -> bytes:
    """An IP header with its checksum, which is 0 before."""
    return ip[:10] + checksum(ip).to_bytes(2) + ip[12:]


def with_tcp_sum(addresses: bytes, tcp: bytes) -> bytes:
    """A TCP segment with its checksum, which is 0 before."""
    pseudo = pseudo_header(addresses[:4], addresses[4:], 6, len(tcp))
    return tcp[:16] + transport_checksum(pseudo + tcp).to_bytes(2) + tcp[18:]
