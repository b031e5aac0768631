# SPDX-License-Identifier: Apache-2.0
"""A packet in a few words, from its first bytes."""

from __future__ import annotations

from ipaddress import IPv4Address

from bombus.applications.logs.pcapng import LINK_ETHERNET, LINK_RAW
from bombus.protocols.frames import (
    ETHERNET_BYTES,
    IPV4_BYTES,
    PROTOCOL_ICMP,
    PROTOCOL_TCP,
    PROTOCOL_UDP,
    TAG_BYTES,
    TYPE_ARP,
    TYPE_IPV4,
)

_TYPE_VLAN = 0x8100
_NAMES = {PROTOCOL_ICMP: "ICMP", PROTOCOL_TCP: "TCP", PROTOCOL_UDP: "UDP"}
_FLAGS = ("FIN", "SYN", "RST", "PSH", "ACK", "URG")


def described(data: bytes, link: int) -> str:
    """Addresses, protocol, ports and flags of a frame or an IP packet, as far as it has them."""
    if link == LINK_RAW:
        return _ip(data)
    if link != LINK_ETHERNET or len(data) < ETHERNET_BYTES:
        return ""
    tagged = int.from_bytes(data[12:14]) == _TYPE_VLAN
    start = ETHERNET_BYTES + TAG_BYTES * tagged
    kind = int.from_bytes(data[start - 2 : start])
    if kind == TYPE_IPV4 and (text := _ip(data[start:])):
        return text
    ends = f"{data[6:12].hex(':')} > {data[:6].hex(':')}"
    return f"{ends} {'ARP' if kind == TYPE_ARP else f'type 0x{kind:04x}'}"


def _ip(packet: bytes) -> str:
    if len(packet) < IPV4_BYTES:
        return ""
    protocol = packet[9]
    start = 4 * (packet[0] & 15)
    body = packet[start:]
    source, target = (str(IPv4Address(packet[at : at + 4])) for at in (12, 16))
    name = _NAMES.get(protocol, f"protocol {protocol}")
    if protocol in (PROTOCOL_TCP, PROTOCOL_UDP) and len(body) >= 4:
        source += f":{int.from_bytes(body[:2])}"
        target += f":{int.from_bytes(body[2:4])}"
    text = f"{source} > {target} {name}"
    if protocol == PROTOCOL_TCP and len(body) >= 14:
        flags = [flag for bit, flag in enumerate(_FLAGS) if body[13] >> bit & 1]
        text += f" {','.join(flags) or 'no flags'} seq {int.from_bytes(body[4:8])}"
    elif protocol == PROTOCOL_ICMP and len(body) >= 2:
        text += f" type {body[0]} code {body[1]}"
    return text
