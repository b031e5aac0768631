# SPDX-License-Identifier: Apache-2.0
"""Frames of IP-in-IP tunnels (RFC 2003), as the other end sends and receives them."""

from __future__ import annotations

from typing import Any

from bombus.protocols.frames import TYPE_IPV4, Host, Station, ethernet, ipv4, padded
from bombus.protocols.stack import Stack

ETHERNET_BYTES, IPV4_BYTES = 14, 20
PROTOCOL_IP_IN_IP = 4


def packet_of(frame: bytes) -> bytes:
    """The IPv4 packet of a frame, without padding."""
    return frame[ETHERNET_BYTES : ETHERNET_BYTES + int.from_bytes(frame[16:18])]


def into_ip_in_ip(frame: bytes, remote: Station, host: Host, **options: Any) -> bytes:
    """The packet of a frame in the tunnel from the other end to the host. Options of the outer
    header as of `ipv4`.
    """
    packet = ipv4(remote.ip, host.ip, PROTOCOL_IP_IN_IP, packet_of(frame), **options)
    return padded(ethernet(host.mac, remote.mac, TYPE_IPV4, packet))


def answers_in_ip_in_ip(stack: Stack, frame: bytes, remote: Station, host: Host) -> list[bytes]:
    """What the inner stack answers to a frame, in the tunnel from the host to the other end."""
    found = []
    for answer in stack.process(frame).replies:
        body = packet_of(answer)
        packet = ipv4(host.ip, remote.ip, PROTOCOL_IP_IN_IP, body, tos=body[1])
        found.append(padded(ethernet(remote.mac, host.mac, TYPE_IPV4, packet)))
    return found
