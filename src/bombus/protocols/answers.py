# SPDX-License-Identifier: Apache-2.0
"""Answers to good requests, byte by byte, written from the RFCs."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from bombus.protocols.frames import (
    DONT_FRAGMENT,
    ECHO_REPLY,
    ETHERNET_BYTES,
    ICMP_BYTES,
    IPV4_BYTES,
    PROTOCOL_ICMP,
    TAG_BYTES,
    TOS_INTERNET_CONTROL,
    UDP_BYTES,
    UNREACHABLE,
    icmp,
    ipv4,
    padded,
    udp,
)


@dataclass(frozen=True)
class Packet:
    """A received IPv4 packet with a valid header."""

    tos: int
    identification: int
    dont_fragment: bool
    ttl: int
    protocol: int
    source: bytes
    destination: bytes
    payload: bytes

    @classmethod
    def parse(cls, packet: bytes) -> Packet:
        first, tos, total, identification, fragment, ttl, protocol, _, source, destination = (
            struct.unpack_from("!BBHHHBBH4s4s", packet)
        )
        return cls(
            tos,
            identification,
            bool(fragment & DONT_FRAGMENT),
            ttl,
            protocol,
            source,
            destination,
            packet[4 * (first & 0xF) : total],
        )

    def answer(self, payload: bytes, tos: int | None = None) -> bytes:
        """The packet that returns `payload`. Type of service as received, unless given."""
        return ipv4(
            self.destination,
            self.source,
            self.protocol,
            payload,
            tos=self.tos if tos is None else tos,
        )


def ping_answer(packet: Packet) -> bytes:
    code, rest = packet.payload[1], int.from_bytes(packet.payload[4:8])
    return packet.answer(icmp(ECHO_REPLY, code, rest, packet.payload[ICMP_BYTES:]))


def udp_echo_answer(packet: Packet) -> bytes:
    source_port, port = struct.unpack_from("!HH", packet.payload)
    payload = packet.payload[UDP_BYTES:]
    return packet.answer(udp(packet.destination, packet.source, port, source_port, payload))


def unreachable_answer(packet: Packet, code: int) -> bytes:
    """Quotes the header, without its options, and up to 8 bytes (RFC 792)."""
    quoted = ipv4(
        packet.source,
        packet.destination,
        packet.protocol,
        packet.payload,
        tos=packet.tos,
        identification=packet.identification,
        fragment=DONT_FRAGMENT if packet.dont_fragment else 0,
        ttl=packet.ttl,
    )[: IPV4_BYTES + 8]
    message = icmp(UNREACHABLE, code, 0, quoted)
    return ipv4(packet.destination, packet.source, PROTOCOL_ICMP, message, tos=TOS_INTERNET_CONTROL)


def echo_reply(frame: bytes) -> bytes:
    """The answer to a valid ping or UDP echo request, sent back to its sender."""
    tagged = frame[12:14] == b"\x81\x00"
    start = ETHERNET_BYTES + (TAG_BYTES if tagged else 0)
    packet = Packet.parse(frame[start:])
    ping = packet.protocol == PROTOCOL_ICMP
    answer = ping_answer(packet) if ping else udp_echo_answer(packet)
    return padded(frame[6:12] + frame[0:6] + frame[12:start] + answer)
