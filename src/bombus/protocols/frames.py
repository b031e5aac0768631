# SPDX-License-Identifier: Apache-2.0
"""Frames as bytes: checksums and headers of Ethernet, ARP, IPv4, UDP and ICMP.

The builders (`udp_frame`, `ping_frame`, `arp_request`, ...) make the frames to send, good or bad:
every length and checksum can be given instead of computed. Addresses are bytes, as on the wire.
Frames carry no FCS.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface
from typing import Any

MIN_FRAME_BYTES = 60
MAX_FRAME_BYTES = 9600
BROADCAST_MAC = b"\xff" * 6
NO_MAC = bytes(6)
NO_IP = bytes(4)

TYPE_IPV4 = 0x0800
TYPE_ARP = 0x0806
TYPE_VLAN = 0x8100
PROTOCOL_ICMP = 1
PROTOCOL_TCP = 6
PROTOCOL_UDP = 17
ARP_REQUEST = 1
ARP_REPLY = 2
ECHO_REQUEST = 8
ECHO_REPLY = 0
UNREACHABLE = 3
PROTOCOL_UNREACHABLE = 2
PORT_UNREACHABLE = 3

DONT_FRAGMENT = 0x4000
TIME_TO_LIVE = 64  # RFC 1700
TOS_INTERNET_CONTROL = 0xC0  # of ICMP errors: RFC 1812, 4.3.2.5
ECHO_PORT = 7  # RFC 862

ETHERNET_BYTES = 14
TAG_BYTES = 4
IPV4_BYTES = 20
UDP_BYTES = 8
ICMP_BYTES = 8
ARP_BYTES = 28
WIRE_EXTRA_BYTES = 8 + 4 + 12  # of a frame on the wire: preamble, FCS, gap


def mac_bytes(text: str) -> bytes:
    """The bytes of `02:00:00:00:00:01`."""
    return bytes.fromhex(text.replace(":", ""))


def ip_bytes(text: str) -> bytes:
    """The bytes of `10.0.0.1`."""
    return IPv4Address(text).packed


# ---- Checksums (RFC 1071) ----


def ones_sum(data: bytes | bytearray) -> int:
    """One's complement sum of 16-bit words; an odd byte counts as the high one.

    Words weigh 2^16 each, which is 1 modulo 65535: the sum is a remainder.
    """
    number = int.from_bytes(data) << 8 * (len(data) & 1)
    return number % 0xFFFF or (0xFFFF if number else 0)


def checksum(data: bytes | bytearray) -> int:
    """The Internet checksum of an IPv4 header."""
    return 0xFFFF - ones_sum(data)


def transport_checksum(data: bytes | bytearray) -> int:
    """The checksum of a transport header: never 0. In UDP, 0 means "none" (RFC 768). In ICMP,
    0xFFFF is equivalent to 0, but only with 0xFFFF does a message of all zeros sum to all ones.
    """
    return checksum(data) or 0xFFFF


def sums_to_zero(data: bytes | bytearray) -> bool:
    """Whether data including its checksum is undamaged."""
    return ones_sum(data) in (0, 0xFFFF)


def pseudo_header(source: bytes, destination: bytes, protocol: int, length: int) -> bytes:
    return source + destination + struct.pack("!HH", protocol, length)


# ---- Addresses ----


@dataclass(frozen=True)
class Station:
    """A station on the network that talks to the design."""

    mac: bytes
    ip: bytes
    tci: int | None = None  # VLAN tag of all its frames

    @classmethod
    def of(cls, mac: str, ip: str, tci: int | None = None) -> Station:
        """From addresses in text; `tci`: of the VLAN tag."""
        return cls(mac_bytes(mac), ip_bytes(ip), tci)


@dataclass(frozen=True)
class Host:
    """The design's own addresses."""

    mac: bytes
    ip: bytes
    netmask: bytes
    gateway: bytes = NO_IP  # none

    @classmethod
    def from_manifest(cls, manifest: Mapping[str, Any], port: int = 0) -> Host:
        """The addresses of a MAC port of a design, from `Simulation.manifest`."""
        host = manifest["mac_ports"][port]
        return cls(
            mac_bytes(host["mac"]),
            ip_bytes(host["ip"]),
            IPv4Interface(f"0.0.0.0/{host['prefix']}").netmask.packed,
            ip_bytes(host["gateway"]) if host.get("gateway") else NO_IP,
        )

    def on_link(self, ip: bytes) -> bool:
        """Whether an address is in the subnet."""
        mask = int.from_bytes(self.netmask)
        return (int.from_bytes(ip) ^ int.from_bytes(self.ip)) & mask == 0

    @property
    def subnet(self) -> bytes | None:
        """The network address; None if the subnet has none (RFC 3021)."""
        mask = int.from_bytes(self.netmask)
        return None if mask >= 0xFFFFFFFE else (int.from_bytes(self.ip) & mask).to_bytes(4)

    @property
    def subnet_broadcast(self) -> bytes | None:
        """The broadcast address; None if the subnet has none (RFC 3021)."""
        mask = int.from_bytes(self.netmask)
        if mask >= 0xFFFFFFFE:
            return None
        return (int.from_bytes(self.ip) | ~mask & 0xFFFFFFFF).to_bytes(4)


# ---- Building frames, layer by layer ----


def ethernet(
    destination: bytes, source: bytes, ether_type: int, payload: bytes, tci: int | None = None
) -> bytes:
    """A frame, not padded."""
    tag = b"" if tci is None else struct.pack("!HH", TYPE_VLAN, tci)
    return destination + source + tag + ether_type.to_bytes(2) + payload


def padded(frame: bytes) -> bytes:
    return frame.ljust(MIN_FRAME_BYTES, b"\0")


def ipv4(
    source: bytes,
    destination: bytes,
    protocol: int,
    payload: bytes,
    *,
    tos: int = 0,
    identification: int = 0,
    fragment: int = DONT_FRAGMENT,
    ttl: int = TIME_TO_LIVE,
    options: bytes = b"",
    version: int = 4,
    ihl: int | None = None,
    total_length: int | None = None,
    header_checksum: int | None = None,
) -> bytes:
    if ihl is None:
        ihl = (IPV4_BYTES + len(options)) // 4
    if total_length is None:
        total_length = IPV4_BYTES + len(options) + len(payload)

    def header(value: int) -> bytes:
        fixed = struct.pack(
            "!BBHHHBBH4s4s",
            version << 4 | ihl,
            tos,
            total_length,
            identification,
            fragment,
            ttl,
            protocol,
            value,
            source,
            destination,
        )
        return fixed + options

    if header_checksum is None:
        # Sums as many bytes as the header's own length says, right or wrong.
        header_checksum = checksum((header(0) + payload)[: 4 * ihl])
    return header(header_checksum) + payload


def udp(
    source: bytes,
    destination: bytes,
    source_port: int,
    destination_port: int,
    payload: bytes,
    *,
    length: int | None = None,
    udp_checksum: int | None = None,
) -> bytes:
    size = UDP_BYTES + len(payload)
    ports = struct.pack("!HH", source_port, destination_port)
    length_field = (size if length is None else length).to_bytes(2)
    if udp_checksum is None:
        # A wrong length still gets a checksum that is right for the packet.
        pseudo = pseudo_header(source, destination, PROTOCOL_UDP, size)
        udp_checksum = transport_checksum(pseudo + ports + length_field + payload)
    return ports + length_field + udp_checksum.to_bytes(2) + payload


def icmp(
    icmp_type: int, code: int, rest: int, payload: bytes, *, icmp_checksum: int | None = None
) -> bytes:
    """`rest`: the second word of the header, identifier and sequence number of an echo."""
    if icmp_checksum is None:
        message = struct.pack("!BBHI", icmp_type, code, 0, rest) + payload
        icmp_checksum = transport_checksum(message)
    return struct.pack("!BBHI", icmp_type, code, icmp_checksum, rest) + payload


def arp(
    operation: int,
    sender_mac: bytes,
    sender_ip: bytes,
    target_mac: bytes,
    target_ip: bytes,
    *,
    mac_type: int = 1,
    ip_type: int = TYPE_IPV4,
    mac_length: int = 6,
    ip_length: int = 4,
) -> bytes:
    """An ARP body."""
    head = struct.pack("!HHBBH", mac_type, ip_type, mac_length, ip_length, operation)
    return head + sender_mac + sender_ip + target_mac + target_ip


def ip_frame(
    station: Station, host: Host, protocol: int, payload: bytes, **ip_options: Any
) -> bytes:
    """A frame with an IPv4 packet from a station to the design. Options as of `ipv4`."""
    packet = ipv4(station.ip, host.ip, protocol, payload, **ip_options)
    return ethernet(host.mac, station.mac, TYPE_IPV4, packet, station.tci)


def udp_frame(
    station: Station,
    host: Host,
    payload: bytes,
    *,
    source_port: int = 40000,
    port: int = ECHO_PORT,
    length: int | None = None,
    udp_checksum: int | None = None,
    **ip_options: Any,
) -> bytes:
    """A datagram from a station to the design. Options as of `udp` and `ipv4`."""
    datagram = udp(
        station.ip,
        host.ip,
        source_port,
        port,
        payload,
        length=length,
        udp_checksum=udp_checksum,
    )
    return ip_frame(station, host, PROTOCOL_UDP, datagram, **ip_options)


def ping_frame(
    station: Station,
    host: Host,
    payload: bytes,
    *,
    identifier: int = 1,
    sequence: int = 1,
    icmp_type: int = ECHO_REQUEST,
    code: int = 0,
    icmp_checksum: int | None = None,
    **ip_options: Any,
) -> bytes:
    """An echo request from a station to the design. Options as of `icmp` and `ipv4`."""
    rest = identifier << 16 | sequence
    message = icmp(icmp_type, code, rest, payload, icmp_checksum=icmp_checksum)
    return ip_frame(station, host, PROTOCOL_ICMP, message, **ip_options)


def arp_request(station: Station, host: Host, **fields: Any) -> bytes:
    """A station asks for the design. Options as of `arp`."""
    body = arp(ARP_REQUEST, station.mac, station.ip, NO_MAC, host.ip, **fields)
    return ethernet(BROADCAST_MAC, station.mac, TYPE_ARP, body, station.tci)


def arp_reply(station: Station, host: Host, **fields: Any) -> bytes:
    """A station answers the design. Options as of `arp`."""
    body = arp(ARP_REPLY, station.mac, station.ip, host.mac, host.ip, **fields)
    return ethernet(host.mac, station.mac, TYPE_ARP, body, station.tci)


def announcement(host: Host) -> bytes:
    """The announcement that a design sends after reset (RFC 5227, 3)."""
    body = arp(ARP_REQUEST, host.mac, host.ip, NO_MAC, host.ip)
    return padded(ethernet(BROADCAST_MAC, host.mac, TYPE_ARP, body))
